/* Faults planted from outside, for the negative controls of the campaigns: loaded into kaurid with
 * LD_PRELOAD, it makes one of libc's functions behave as a careless server would have used it.
 * KAURI_PLANT names the fault; a campaign that does not notice it has failed.
 *
 * - full-disk-lies: a write that finds no room says that it was done.
 * - torn-log: a torn line cannot be taken back, though it says so.
 * - no-pause: accepting is never paused, and there is no spare descriptor: a listener that spins.
 * - endless-output: a socket that is full takes everything, into memory that nobody counts.
 * - dear-connections: each connection costs 64 KiB, for ever.
 * - slow-crowds: each wake-up looks at every connection there is.
 * - short-reads-lose: a receive of a few octets loses one.
 * - slow-search: looking for a part of a value takes the square of its size.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* What is allocated here on purpose must not be optimized away. */
static void* volatile kept;
static volatile unsigned long sink;

static void keep(size_t size) {
  void* memory = malloc(size);
  if (memory != NULL) memset(memory, 1, size);
  kept = memory;
}

static int planted(const char* name) {
  static const char* plant;
  if (plant == NULL) {
    const char* found = getenv("KAURI_PLANT");
    plant = found == NULL ? "" : found;
  }
  return strcmp(plant, name) == 0;
}

/* Looked up at each call: these are rare, or the fault is slow anyway. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static ssize_t lie_about_room(ssize_t done, size_t wanted) {
  if (done < 0 && errno == ENOSPC && planted("full-disk-lies")) return (ssize_t)wanted;
  if (done >= 0 && (size_t)done < wanted && planted("full-disk-lies")) return (ssize_t)wanted;
  return done;
}

static size_t size_of(const struct iovec* parts, int count) {
  size_t size = 0;
  for (int i = 0; i < count; ++i) size += parts[i].iov_len;
  return size;
}

ssize_t pwrite(int file, const void* octets, size_t size, off_t at) {
  return lie_about_room(REAL(pwrite)(file, octets, size, at), size);
}
ssize_t pwrite64(int file, const void* octets, size_t size, off64_t at) {
  return lie_about_room(REAL(pwrite64)(file, octets, size, at), size);
}
ssize_t pwritev(int file, const struct iovec* parts, int count, off_t at) {
  return lie_about_room(REAL(pwritev)(file, parts, count, at), size_of(parts, count));
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  return lie_about_room(REAL(writev)(file, parts, count), size_of(parts, count));
}

static int is_log(int file) {
  char link[32];
  char path[256];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link, path, sizeof(path) - 1);
  if (size < 0) return 0;
  path[size] = '\0';
  return strstr(path, "access.log") != NULL;
}

int ftruncate(int file, off_t size) {
  if (planted("torn-log") && is_log(file)) return 0;
  return REAL(ftruncate)(file, size);
}
int ftruncate64(int file, off64_t size) {
  if (planted("torn-log") && is_log(file)) return 0;
  return REAL(ftruncate64)(file, size);
}

static int is_spare(const char* path) {
  return strcmp(path, "/dev/null") == 0 && planted("no-pause");
}

typedef int (*Open)(const char* path, int flags, ...);

static int open_by(Open real, const char* path, int flags, va_list list) {
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  if (!is_spare(path)) return real(path, flags, mode);
  errno = EMFILE;
  return -1;
}

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int file = open_by(REAL(open), path, flags, list);
  va_end(list);
  return file;
}
int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int file = open_by(REAL(open64), path, flags, list);
  va_end(list);
  return file;
}

int epoll_ctl(int poller, int what, int file, struct epoll_event* event) {
  if (what == EPOLL_CTL_MOD && event != NULL && event->events == 0 && planted("no-pause")) return 0;
  return REAL(epoll_ctl)(poller, what, file, event);
}

enum { kFilesMax = 65536 };
static char is_connection[kFilesMax];

int accept4(int listener, struct sockaddr* restrict address, socklen_t* restrict size, int flags) {
  const int file = REAL(accept4)(listener, address, size, flags);
  if (file >= 0 && planted("dear-connections")) keep(65536);
  if (file >= 0 && file < kFilesMax) __atomic_store_n(&is_connection[file], 1, __ATOMIC_RELAXED);
  return file;
}

int close(int file) {
  if (file >= 0 && file < kFilesMax) __atomic_store_n(&is_connection[file], 0, __ATOMIC_RELAXED);
  return REAL(close)(file);
}

int epoll_wait(int poller, struct epoll_event* events, int most, int timeout) {
  const int count = REAL(epoll_wait)(poller, events, most, timeout);
  if (count > 0 && planted("slow-crowds")) {
    for (int file = 0; file < kFilesMax; ++file) {
      if (!__atomic_load_n(&is_connection[file], __ATOMIC_RELAXED)) continue;
      for (int i = 0; i < 20000; ++i) ++sink;
    }
  }
  return count;
}

ssize_t send(int file, const void* octets, size_t size, int flags) {
  ssize_t done = REAL(send)(file, octets, size, flags);
  if (planted("endless-output") && (done < 0 ? errno == EAGAIN : (size_t)done < size)) {
    keep(size);
    return (ssize_t)size;
  }
  return done;
}

ssize_t recv(int file, void* octets, size_t size, int flags) {
  const ssize_t done = REAL(recv)(file, octets, size, flags);
  if (done > 1 && done < 8 && planted("short-reads-lose")) return done - 1;
  return done;
}

void* memmem(const void* value, size_t size, const void* part, size_t part_size) {
  if (planted("slow-search")) {
    for (size_t i = 0; i < size / 4; ++i)
      for (size_t j = 0; j < size / 4; ++j) sink += ((const unsigned char*)value)[j];
  }
  return REAL(memmem)(value, size, part, part_size);
}
