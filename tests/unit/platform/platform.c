/* SPDX-License-Identifier: MIT */
/* The operating system's contract. */
/* mlock by its number: the address sanitizer makes a function of that name do nothing. */
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/platform.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

Test(memory, reserve_aligns_and_commits_zeroes) {
  for (size_t align = 4096; align <= (size_t)1 << 24; align <<= 3) {
    char *at = td_plat_reserve((size_t)1 << 22, align);
    cr_assert_not_null(at);
    cr_assert_eq((uintptr_t)at % align, 0);
    cr_assert(td_plat_commit(at + 8192, 8192));
    for (int i = 8192; i < 16384; i++)
      cr_assert_eq(at[i], 0);
    memset(at + 8192, 7, 8192);
    td_plat_release(at, (size_t)1 << 22);
  }
}

Test(memory, purge_and_decommit_give_zeroes_back) {
  char *at = td_plat_reserve(65536, 4096);
  cr_assert(td_plat_commit(at, 65536));
  memset(at, 9, 65536);
  cr_assert(td_plat_purge(at, 32768));
  cr_assert_eq(at[0], 0);
  cr_assert_eq(at[32767], 0);
  cr_assert_eq(at[32768], 9);
  cr_assert(td_plat_decommit(at, 65536));
  cr_assert(td_plat_commit(at, 65536));
  for (int i = 0; i < 65536; i++)
    cr_assert_eq(at[i], 0);
  td_plat_advise_huge(at, 65536);
  td_plat_release(at, 65536);
}

/* write() finds out whether memory can be read without a signal. */
static bool readable(const void *at) {
  int pipes[2];
  cr_assert_eq(pipe(pipes), 0);
  bool good = write(pipes[1], at, 1) == 1;
  close(pipes[0]);
  close(pipes[1]);
  return good;
}

Test(memory, decommitted_memory_is_not_accessible) {
  char *at = td_plat_reserve(65536, 4096);
  cr_assert_not(readable(at + 5));
  cr_assert(td_plat_commit(at, 65536));
  cr_assert(readable(at + 5));
  td_plat_purge(at, 65536);
  cr_assert(readable(at + 5));
  td_plat_decommit(at, 65536);
  cr_assert_not(readable(at + 5));
}

Test(memory, locked_memory_is_not_given_back_and_the_caller_is_told) {
  char *at = td_plat_reserve(65536, 4096);
  cr_assert(td_plat_commit(at, 65536));
  memset(at, 9, 65536);
  if (syscall(SYS_mlock, at, 65536) != 0) cr_skip_test("this process may not lock memory");
  cr_assert_not(td_plat_purge(at, 65536));
  cr_assert_not(td_plat_decommit(at, 65536));
  cr_assert_eq(at[0], 9);
  cr_assert_eq(syscall(SYS_munlock, at, 65536), 0);
  cr_assert(td_plat_decommit(at, 65536));
  td_plat_release(at, 65536);
}

Test(memory, impossible_reservations_are_refused) {
  cr_assert_null(td_plat_reserve(0, 4096));
  cr_assert_null(td_plat_reserve(SIZE_MAX - 4096, 4096));
  cr_assert_null(td_plat_reserve(SIZE_MAX / 2, (size_t)1 << 21));
  cr_assert_null(td_plat_reserve((size_t)1 << 60, (size_t)1 << 21));
}

Test(memory, empty_ranges_are_no_error) {
  cr_assert(td_plat_commit((void *)4096, 0));
  cr_assert(td_plat_decommit((void *)4096, 0));
  cr_assert(td_plat_purge((void *)4096, 0));
  td_plat_release(NULL, 4096);
}

Test(machine, limits_make_sense) {
  cr_assert_geq(td_plat_cpus_allowed(), 1);
  cr_assert_leq(td_plat_cpus_allowed(), (unsigned)sysconf(_SC_NPROCESSORS_CONF));
  size_t physical = (size_t)sysconf(_SC_PHYS_PAGES) * td_plat_page_bytes();
  cr_assert_geq(td_plat_memory_bytes(), (size_t)1 << 20);
  cr_assert_leq(td_plat_memory_bytes(), physical);
}

Test(machine, affinity_is_respected) {
  cpu_set_t one;
  CPU_ZERO(&one);
  cpu_set_t all;
  cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
  size_t cpu = 0;
  while (!CPU_ISSET(cpu, &all))
    cpu++;
  CPU_SET(cpu, &one);
  cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
  cr_assert_eq(td_plat_cpus_allowed(), 1);
}

Test(machine, questions_leave_errno_alone) {
  errno = 77;
  td_plat_cpus_allowed();
  td_plat_memory_bytes();
  cr_assert_eq(errno, 77);
}

Test(time, runs_forward) {
  uint64_t a = td_plat_now_ns(), b = td_plat_now_ns();
  cr_assert_leq(a, b);
}

struct seen {
  _Atomic(uint32_t) word;
  sigset_t mask;
};

static void *thread_body(void *argument) {
  struct seen *seen = argument;
  pthread_sigmask(SIG_SETMASK, NULL, &seen->mask);
  atomic_store_explicit(&seen->word, 1, memory_order_release);
  td_plat_wake(&seen->word, 1);
  return NULL;
}

Test(threads, start_with_signals_blocked_and_wake) {
  struct seen seen = {0};
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, NULL, &before);
  struct td_thread thread;
  cr_assert(td_plat_thread_start(&thread, thread_body, &seen));
  while (atomic_load_explicit(&seen.word, memory_order_acquire) == 0)
    td_plat_wait(&seen.word, 0, 0);
  td_plat_thread_join(&thread);
  pthread_sigmask(SIG_SETMASK, NULL, &after);
  cr_assert(sigismember(&seen.mask, SIGUSR1) == 1);
  cr_assert(sigismember(&seen.mask, SIGPROF) == 1);
  cr_assert(sigismember(&seen.mask, SIGSEGV) == 0);
  for (int s = 1; s < 32; s++)
    cr_assert_eq(sigismember(&before, s), sigismember(&after, s));
}

Test(threads, wait_returns_when_the_word_differs_or_time_is_up) {
  _Atomic(uint32_t) word = 5;
  td_plat_wait(&word, 4, 0);       /* differs: at once */
  td_plat_wait(&word, 5, 1000000); /* one millisecond */
  cr_assert_eq(td_plat_wake(&word, 1), 0);
}

static void *look_at_stack(void *bounds_pointer) {
  struct td_stack_bounds *bounds = bounds_pointer;
  char here;
  uintptr_t at = (uintptr_t)&here;
  return td_plat_stack_bounds(bounds) && bounds->low < at && at < bounds->high ? bounds : NULL;
}

/* The first stack's are found without asking the C library, which must not say otherwise. */
Test(threads, stack_bounds_hold_the_frame_and_are_within_the_c_librarys) {
  struct td_stack_bounds bounds, others;
  pthread_attr_t attributes;
  pthread_t thread;
  void *low, *found;
  size_t bytes;
  cr_assert_eq(pthread_create(&thread, NULL, look_at_stack, &others), 0);
  pthread_join(thread, &found);
  cr_assert_not_null(found);
  cr_assert_not_null(look_at_stack(&bounds));
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) cr_skip_test("it does not tell");
  cr_assert_eq(pthread_attr_getstack(&attributes, &low, &bytes), 0);
  pthread_attr_destroy(&attributes);
  cr_assert_leq(bounds.high, (uintptr_t)low + bytes);
  cr_assert(bounds.grows && bounds.high - bounds.low >= bytes / 2);
}
