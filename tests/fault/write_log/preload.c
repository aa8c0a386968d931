/* A library for LD_PRELOAD that logs what a process writes to its database file (format.h).
 *
 * KAURI_WRITE_LOG names the log; without it nothing is logged. KAURI_WRITE_LOG_PLACE is where the
 * database file will be in the end; any file called data.mdb is taken for it, so that one may be
 * made elsewhere and renamed. A call is logged when it has succeeded and before it returns, under
 * one lock, so the order of the log is the order of the calls. Whoever has got an answer of the
 * process and then looks at the size of the log knows that everything behind this answer stands
 * before that place.
 *
 * A log that cannot be written ends the process: one that misses a record would prove nothing. */
#define _GNU_SOURCE
#include "format.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define DESCRIPTORS 65536
#define DATABASE_NAME "data.mdb"

enum { NOT_OURS = 0, BUFFERED = 1, DURABLE = 2, DIRECTORY = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char kinds[DESCRIPTORS]; /* by descriptor; guarded by lock */
static int log_fd = -1;
static char place[PATH_MAX];
static char directory[PATH_MAX];

static int (*real_open)(const char*, int, ...);
static int (*real_openat)(int, const char*, int, ...);
static int (*real_close)(int);
static ssize_t (*real_write)(int, const void*, size_t);
static ssize_t (*real_pwrite)(int, const void*, size_t, off_t);
static ssize_t (*real_writev)(int, const struct iovec*, int);
static ssize_t (*real_pwritev)(int, const struct iovec*, int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_msync)(void*, size_t, int);
static int (*real_ftruncate)(int, off_t);
static int (*real_rename)(const char*, const char*);

static void give_up(const char* what) {
  fprintf(stderr, "write log: %s: %s\n", what, strerror(errno));
  _exit(125);
}

static void* find(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == NULL) give_up(name);
  return found;
}

/* Other libraries may open files before the constructors of this one run. */
__attribute__((constructor)) static void begin(void) {
  if (real_ftruncate != NULL) return;
  *(void**)&real_open = find("open");
  *(void**)&real_openat = find("openat");
  *(void**)&real_close = find("close");
  *(void**)&real_write = find("write");
  *(void**)&real_pwrite = find("pwrite");
  *(void**)&real_writev = find("writev");
  *(void**)&real_pwritev = find("pwritev");
  *(void**)&real_fsync = find("fsync");
  *(void**)&real_fdatasync = find("fdatasync");
  *(void**)&real_msync = find("msync");
  *(void**)&real_rename = find("rename");
  *(void**)&real_ftruncate = find("ftruncate");
  const char* const path = getenv("KAURI_WRITE_LOG");
  if (path == NULL) return;
  log_fd = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log_fd < 0) give_up(path);
  const char* const where = getenv("KAURI_WRITE_LOG_PLACE");
  const char* const slash = where == NULL ? NULL : strrchr(where, '/');
  if (slash == NULL || strlen(where) >= sizeof place) {
    errno = EINVAL;
    give_up("KAURI_WRITE_LOG_PLACE is not the path of a file");
  }
  strcpy(place, where);
  memcpy(directory, where, (size_t)(slash - where));
}

/* REQUIRES: lock is held. The data are the first `size` octets of the vectors. */
static void append(uint32_t kind, uint64_t offset, uint64_t size, const struct iovec* data,
                   int count) {
  const struct kauri_write_record header = {KAURI_RECORD_MAGIC, kind, offset, size};
  struct iovec parts[IOV_MAX];
  size_t total = sizeof header;
  int used = 1;
  parts[0].iov_base = (void*)&header;
  parts[0].iov_len = sizeof header;
  for (int i = 0; i < count && size > 0 && used < IOV_MAX; ++i) {
    parts[used] = data[i];
    if (parts[used].iov_len > size) parts[used].iov_len = size;
    size -= parts[used].iov_len;
    total += parts[used++].iov_len;
  }
  errno = 0;
  if (size != 0 || real_writev(log_fd, parts, used) != (ssize_t)total)
    give_up("a record could not be written");
}

/* Which of the three kinds a descriptor is. REQUIRES: lock is held. */
static int kind_of(int fd) {
  return log_fd >= 0 && fd >= 0 && fd < DESCRIPTORS ? kinds[fd] : NOT_OURS;
}

/* `existed`: there was a file before. */
static int opened(int fd, const char* path, int flags, int existed) {
  if (fd < 0 || log_fd < 0) return fd;
  if (fd >= DESCRIPTORS) {
    errno = EMFILE;
    give_up("a descriptor is too large");
  }
  const size_t size = strlen(path);
  const size_t name = strlen(DATABASE_NAME);
  const int ours = size >= name && strcmp(path + size - name, DATABASE_NAME) == 0;
  pthread_mutex_lock(&lock);
  kinds[fd] = strcmp(path, directory) == 0 ? DIRECTORY
              : !ours                      ? NOT_OURS
              : (flags & O_DSYNC) != 0     ? DURABLE
                                           : BUFFERED;
  if (!existed && strcmp(path, place) == 0) append(KAURI_RECORD_PLACED, 0, 0, NULL, 0);
  if (ours && (flags & O_TRUNC) != 0) append(KAURI_RECORD_TRUNCATE, 0, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return fd;
}

static int mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0;
}

#define DEFINE_OPEN(name)                                              \
  int name(const char* path, int flags, ...) {                         \
    va_list arguments;                                                 \
    va_start(arguments, flags);                                        \
    const int mode = mode_of(flags, arguments);                        \
    va_end(arguments);                                                 \
    begin();                                                           \
    const int existed = access(path, F_OK) == 0;                       \
    return opened(real_open(path, flags, mode), path, flags, existed); \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_OPENAT(name)                                            \
  int name(int at, const char* path, int flags, ...) {                 \
    va_list arguments;                                                 \
    va_start(arguments, flags);                                        \
    const int mode = mode_of(flags, arguments);                        \
    va_end(arguments);                                                 \
    begin();                                                           \
    return opened(real_openat(at, path, flags, mode), path, flags, 1); \
  }
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

int close(int fd) {
  begin();
  pthread_mutex_lock(&lock);
  if (fd >= 0 && fd < DESCRIPTORS) kinds[fd] = NOT_OURS;
  pthread_mutex_unlock(&lock);
  return real_close(fd);
}

/* Writes at `offset`, or where the descriptor stands when that is negative. */
static ssize_t write_vectors(int fd, const struct iovec* data, int count, off_t offset) {
  pthread_mutex_lock(&lock);
  const int kind = kind_of(fd);
  const off_t at = offset >= 0 || kind == NOT_OURS ? offset : lseek(fd, 0, SEEK_CUR);
  const ssize_t done =
      offset < 0 ? real_writev(fd, data, count) : real_pwritev(fd, data, count, offset);
  if (done > 0 && kind != NOT_OURS)
    append(kind == DURABLE ? KAURI_RECORD_DURABLE_WRITE : KAURI_RECORD_WRITE, (uint64_t)at,
           (uint64_t)done, data, count);
  pthread_mutex_unlock(&lock);
  return done;
}

/* Asked without the lock first: a write to something else, such as a socket, may block. */
static int is_ours(int fd) {
  begin();
  pthread_mutex_lock(&lock);
  const int kind = kind_of(fd);
  pthread_mutex_unlock(&lock);
  return kind == BUFFERED || kind == DURABLE;
}

ssize_t write(int fd, const void* data, size_t size) {
  if (!is_ours(fd)) return real_write(fd, data, size);
  const struct iovec one = {(void*)data, size};
  return write_vectors(fd, &one, 1, -1);
}

ssize_t writev(int fd, const struct iovec* data, int count) {
  return is_ours(fd) ? write_vectors(fd, data, count, -1) : real_writev(fd, data, count);
}

static ssize_t write_at(int fd, const void* data, size_t size, off_t offset) {
  if (!is_ours(fd)) return real_pwrite(fd, data, size, offset);
  const struct iovec one = {(void*)data, size};
  return write_vectors(fd, &one, 1, offset);
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t offset) {
  return write_at(fd, data, size, offset);
}
ssize_t pwrite64(int fd, const void* data, size_t size, off_t offset) {
  return write_at(fd, data, size, offset);
}

static ssize_t write_vectors_at(int fd, const struct iovec* data, int count, off_t offset) {
  return is_ours(fd) ? write_vectors(fd, data, count, offset)
                     : real_pwritev(fd, data, count, offset);
}
ssize_t pwritev(int fd, const struct iovec* data, int count, off_t offset) {
  return write_vectors_at(fd, data, count, offset);
}
ssize_t pwritev64(int fd, const struct iovec* data, int count, off_t offset) {
  return write_vectors_at(fd, data, count, offset);
}

/* Writes that come while the sync is under way need not be covered by it: the lock keeps them out,
 * so all that stands before the record in the log is. */
static int flush(int fd, int (*real)(int)) {
  begin();
  pthread_mutex_lock(&lock);
  const int kind = kind_of(fd);
  const int failed = real(fd);
  if (failed == 0 && kind != NOT_OURS)
    append(kind == DIRECTORY ? KAURI_RECORD_PLACE_SYNC : KAURI_RECORD_SYNC, 0, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return failed;
}
int fsync(int fd) {
  return flush(fd, real_fsync);
}
int fdatasync(int fd) {
  return flush(fd, real_fdatasync);
}

int msync(void* address, size_t size, int flags) {
  begin();
  pthread_mutex_lock(&lock);
  if (log_fd >= 0) append(KAURI_RECORD_MAPPED, 0, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return real_msync(address, size, flags);
}

static int truncate_file(int fd, off_t size) {
  if (!is_ours(fd)) return real_ftruncate(fd, size);
  pthread_mutex_lock(&lock);
  const int failed = real_ftruncate(fd, size);
  if (failed == 0) append(KAURI_RECORD_TRUNCATE, (uint64_t)size, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return failed;
}
int ftruncate(int fd, off_t size) {
  return truncate_file(fd, size);
}
int ftruncate64(int fd, off_t size) {
  return truncate_file(fd, size);
}

int rename(const char* from, const char* to) {
  begin();
  pthread_mutex_lock(&lock);
  const int failed = real_rename(from, to);
  if (failed == 0 && log_fd >= 0 && strcmp(to, place) == 0)
    append(KAURI_RECORD_PLACED, 0, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return failed;
}
