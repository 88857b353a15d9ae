/* Linux: memory, time, threads, futexes. */
#include "platform/platform.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- Memory ---- */

void *td_plat_reserve(size_t bytes, size_t align) {
  size_t page = td_plat_page_bytes();
  if (align < page) align = page;
  if (bytes == 0 || bytes > SIZE_MAX - align - page) {
    errno = ENOMEM;
    return NULL;
  }
  bytes = (bytes + page - 1) & ~(page - 1);
  size_t span = bytes + align - page;
  void *at = mmap(NULL, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return NULL;
  uintptr_t low = (uintptr_t)at;
  uintptr_t start = (low + align - 1) & ~(uintptr_t)(align - 1);
  if (start > low) munmap(at, start - low);
  if (low + span > start + bytes) munmap((void *)(start + bytes), low + span - (start + bytes));
  return (void *)start;
}

void td_plat_release(void *start, size_t bytes) {
  if (start && bytes) munmap(start, bytes);
}

bool td_plat_commit(void *start, size_t bytes) {
  return bytes == 0 || mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0;
}

void td_plat_populate(void *start, size_t bytes) {
#ifdef MADV_POPULATE_WRITE /* since Linux 5.14 */
  int saved = errno;
  madvise(start, bytes, MADV_POPULATE_WRITE);
  errno = saved;
#else
  (void)start, (void)bytes;
#endif
}

void td_plat_decommit(void *start, size_t bytes) {
  if (bytes == 0) return;
  madvise(start, bytes, MADV_DONTNEED);
  mprotect(start, bytes, PROT_NONE);
}

void td_plat_purge(void *start, size_t bytes) {
  if (bytes) madvise(start, bytes, MADV_DONTNEED);
}

void td_plat_advise_huge(void *start, size_t bytes) {
  int saved = errno;
  if (bytes) madvise(start, bytes, MADV_HUGEPAGE);
  errno = saved;
}

size_t td_plat_page_bytes(void) {
  static _Atomic(size_t) known;
  /* relaxed: every thread computes the same value. */
  size_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
  if (bytes == 0) {
    bytes = (size_t)sysconf(_SC_PAGESIZE);
    atomic_store_explicit(&known, bytes, memory_order_relaxed);
  }
  return bytes;
}

/* ---- Time ---- */

uint64_t td_plat_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- Threads ---- */

bool td_plat_thread_start(struct td_thread *thread, void *(*run)(void *), void *argument) {
  sigset_t all, before;
  sigfillset(&all);
  /* Faults in our own thread must still reach the program's crash handler. */
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGFPE);
  sigdelset(&all, SIGILL);
  sigdelset(&all, SIGABRT);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread->handle, NULL, run, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return error == 0;
}

void td_plat_thread_join(struct td_thread *thread) {
  pthread_join(thread->handle, NULL);
}

bool td_plat_stack_bounds(void **low, void **high) {
  pthread_attr_t attributes;
  int error = pthread_getattr_np(pthread_self(), &attributes);
  if (error) {
    errno = error;
    return false;
  }
  size_t bytes = 0;
  error = pthread_attr_getstack(&attributes, low, &bytes);
  pthread_attr_destroy(&attributes);
  if (error) {
    errno = error;
    return false;
  }
  *high = (char *)*low + bytes;
  return true;
}

void td_plat_wait(_Atomic(uint32_t) *word, uint32_t expected, uint64_t timeout_ns) {
  struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / 1000000000u),
                             .tv_nsec = (long)(timeout_ns % 1000000000u)};
  int saved = errno; /* EAGAIN, EINTR and ETIMEDOUT are all "look again" */
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, timeout_ns ? &timeout : NULL, NULL, 0);
  errno = saved;
}

unsigned td_plat_wake(_Atomic(uint32_t) *word, unsigned count) {
  int saved = errno;
  long woken = syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE,
                       count > (unsigned)INT_MAX ? INT_MAX : (int)count, NULL, NULL, 0);
  errno = saved;
  return woken > 0 ? (unsigned)woken : 0;
}
