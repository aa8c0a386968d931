/* Memory that ends once, for allocation.py: loaded into kaurid with LD_PRELOAD. KAURI_PLANT says
 * when:
 *
 *   allocation:N           the Nth call of malloc or operator new finds none
 *   allocation-forgets:N   from the Nth call on nothing is written to files any more, though it
 * says so
 *
 * At its end the process tells how many calls there were, on standard error. A library of its own,
 * since every allocation goes through it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static long calls;
static long chosen;
static int forgets;

__attribute__((constructor)) static void choose(void) {
  const char* plant = getenv("KAURI_PLANT");
  if (plant == NULL) return;
  forgets = strncmp(plant, "allocation-forgets:", 19) == 0;
  const char* number = strchr(plant, ':');
  if (number != NULL) chosen = strtol(number + 1, NULL, 10);
}

static void tell(const char* what, long number) {
  char line[80];
  const int size = snprintf(line, sizeof(line), "planted: %s %ld\n", what, number);
  if (write(STDERR_FILENO, line, (size_t)size) < 0) return;
}

__attribute__((destructor)) static void count(void) {
  tell("allocations", calls);
}

static int fails(void) {
  const long number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  if (number != chosen) return 0;
  tell("allocation", number);
  return !forgets;
}

#define CACHED(type, name)      \
  static __typeof__(type) real; \
  if (real == NULL) real = (__typeof__(type))dlsym(RTLD_NEXT, name)

void* malloc(size_t size) {
  CACHED(void* (*)(size_t), "malloc");
  if (fails()) {
    errno = ENOMEM;
    return NULL;
  }
  return real(size);
}

/* C++ spells operator new, and the exception that it throws, like this. */
static void throw_bad_alloc(void) {
  void (*thrower)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "_ZSt17__throw_bad_allocv");
  if (thrower != NULL) thrower();
  abort();
}

void* _Znwm(size_t size) {
  CACHED(void* (*)(size_t), "_Znwm");
  if (fails()) throw_bad_alloc();
  return real(size);
}

void* _Znam(size_t size) {
  CACHED(void* (*)(size_t), "_Znam");
  if (fails()) throw_bad_alloc();
  return real(size);
}

void* _ZnwmRKSt9nothrow_t(size_t size, const void* tag) {
  CACHED(void* (*)(size_t, const void*), "_ZnwmRKSt9nothrow_t");
  return fails() ? NULL : real(size, tag);
}

void* _ZnwmSt11align_val_t(size_t size, size_t alignment) {
  CACHED(void* (*)(size_t, size_t), "_ZnwmSt11align_val_t");
  if (fails()) throw_bad_alloc();
  return real(size, alignment);
}

static int forgotten(void) {
  return forgets && __atomic_load_n(&calls, __ATOMIC_RELAXED) >= chosen;
}

static size_t size_of(const struct iovec* parts, int number) {
  size_t size = 0;
  for (int i = 0; i < number; ++i) size += parts[i].iov_len;
  return size;
}

ssize_t pwrite(int file, const void* octets, size_t size, off_t at) {
  CACHED(ssize_t(*)(int, const void*, size_t, off_t), "pwrite");
  return forgotten() ? (ssize_t)size : real(file, octets, size, at);
}
ssize_t pwrite64(int file, const void* octets, size_t size, off64_t at) {
  CACHED(ssize_t(*)(int, const void*, size_t, off64_t), "pwrite64");
  return forgotten() ? (ssize_t)size : real(file, octets, size, at);
}
ssize_t pwritev(int file, const struct iovec* parts, int number, off_t at) {
  CACHED(ssize_t(*)(int, const struct iovec*, int, off_t), "pwritev");
  return forgotten() ? (ssize_t)size_of(parts, number) : real(file, parts, number, at);
}
