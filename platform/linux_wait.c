/* SPDX-License-Identifier: MIT */
/* Linux: the clock, and sleeping on a word until another thread wakes the sleeper. */
#include "platform/platform.h"

#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What <linux/futex.h> says, which is not among the headers of every C library. */
enum { PRIVATE = 128, WAIT_PRIVATE = 0 | PRIVATE, WAKE_PRIVATE = 1 | PRIVATE };

uint64_t td_plat_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t td_plat_thread_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void td_plat_wait(_Atomic(uint32_t) *word, uint32_t expected, uint64_t timeout_ns) {
  struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / 1000000000u),
                             .tv_nsec = (long)(timeout_ns % 1000000000u)};
  int saved = errno; /* EAGAIN, EINTR and ETIMEDOUT are all "look again" */
  syscall(SYS_futex, word, WAIT_PRIVATE, expected, timeout_ns ? &timeout : NULL, NULL, 0);
  errno = saved;
}

unsigned td_plat_wake(_Atomic(uint32_t) *word, unsigned count) {
  int saved = errno;
  long woken = syscall(SYS_futex, word, WAKE_PRIVATE,
                       count > (unsigned)INT_MAX ? INT_MAX : (int)count, NULL, NULL, 0);
  errno = saved;
  return woken > 0 ? (unsigned)woken : 0;
}
