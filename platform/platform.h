/* SPDX-License-Identifier: MIT */
/* The operating system, behind one contract. The files of one system, such as linux_memory.c,
 * implement it; nothing above this folder asks which system it runs on.
 *
 * Memory: a range is reserved once. Its pages are committed before use and decommitted when they
 * are not needed. Both take whole pages of one reservation, from an aligned start. Sizes are bytes.
 * Errors: functions that can fail return NULL or false with errno set. */
#ifndef TD_PLATFORM_PLATFORM_H
#define TD_PLATFORM_PLATFORM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>

#define TD_CACHE_LINE 64

/* ---- Memory ---- */

/* Reserves address space without access to it. The start is aligned to `align`, a power of two.
 * Where a program locks all its memory (mlockall), so is what is committed, unless the range is
 * longer than what the program may lock. */
void *td_plat_reserve(size_t bytes, size_t align);
/* The same for whole pages from `start` on, if all of them are free. */
bool td_plat_reserve_at(void *start, size_t bytes);
void td_plat_release(void *start, size_t bytes);
/* Makes pages readable and writable. They are zero when first touched; pages that were committed
 * already keep their content. */
bool td_plat_commit(void *start, size_t bytes);
/* The same for reading only: pages are zero, and take no memory. Limits on what a program may write
 * (RLIMIT_DATA, strict accounting of memory) do not count them. */
bool td_plat_commit_zeroes(void *start, size_t bytes);
/* Gets all the pages at once, because they will be written soon: that costs less than a fault for
 * each. This is a hint. If the system refuses, they come one by one. */
void td_plat_populate(void *start, size_t bytes);
/* Gets all the pages, one after another. Their bytes stay; others may use them meanwhile. Who
 * changes mappings elsewhere does not wait for it, as for td_plat_populate. */
void td_plat_touch(void *start, size_t bytes);
/* Gives the memory back and takes access away. A later commit finds zeroes. Returns false if the
 * system keeps the memory, because the program locked it for example. Access stays then, and some
 * of the pages may be zero already. */
bool td_plat_decommit(void *start, size_t bytes);
/* Gives the memory back. Access stays, and the next read finds zeroes. Returns false if the system
 * keeps the memory. Some of the pages may be zero already then. */
bool td_plat_purge(void *start, size_t bytes);
/* Asks for huge pages. This is a hint. */
void td_plat_advise_huge(void *start, size_t bytes);
/* Asks for small pages, so that only memory comes which is touched. This is a hint. */
void td_plat_advise_small(void *start, size_t bytes);
size_t td_plat_page_bytes(void);
/* Returns the size of a processor's second-level cache, 0 if the system does not tell it. */
size_t td_plat_cache_bytes(void);
/* Returns the size of its last-level cache, 0 if the system does not tell it. */
size_t td_plat_last_cache_bytes(void);
/* Returns zeroed pages for at least `bytes` bytes, NULL if there are none. */
void *td_plat_map(size_t bytes);
/* `bytes` as they were given; NULL is allowed. */
void td_plat_unmap(void *start, size_t bytes);
/* Can the eight bytes at an aligned address be read? Costs a system call, and never a fault. */
bool td_plat_readable(uintptr_t address);
/* Returns how much memory this process may use: the machine's, the control group's as it was when
 * that was first asked for, or what it may have of its own, whichever is least. */
size_t td_plat_memory_bytes(void);
/* Returns how much memory of its own the process may have (RLIMIT_DATA), SIZE_MAX if as much as it
 * wants. What is committed counts, touched or not. */
size_t td_plat_own_bytes(void);

/* ---- Time ---- */

/* Returns the time of a clock that never goes back. */
uint64_t td_plat_now_ns(void);
/* Returns how long the calling thread has run on a processor. What it measures does not change
 * with what other programs do. */
uint64_t td_plat_thread_ns(void);

/* ---- Threads ---- */

struct td_thread {
  pthread_t handle;
};
/* Starts a thread. Signals are blocked in it, so that a program's handlers run on the program's own
 * threads. Only signals of the thread's own faults, such as SIGSEGV, are let through. */
bool td_plat_thread_start(struct td_thread *thread, void *(*body)(void *), void *argument);
void td_plat_thread_join(struct td_thread *thread);

struct td_stack_bounds {
  uintptr_t low, high; /* [low, high) */
  bool grows;          /* the system makes it longer when it is used below `low` */
};
/* Tells where the calling thread's stack is. A process's first stack grows as far as the limit of
 * the moment allows (RLIMIT_STACK), and some C libraries tell only of what it has reached. */
bool td_plat_stack_bounds(struct td_stack_bounds *bounds);
/* Could a thread on a stack that grows and ends at `high` stand at `address`? Returns false if
 * memory in between is not mapped: the system leaves a gap between such a stack and what lies below
 * it. If the system does not tell what is mapped, the answer is true. */
bool td_plat_stack_reaches(uintptr_t address, uintptr_t high);
/* Returns where memory begins that is mapped without a gap up to `high`. */
uintptr_t td_plat_stack_mapped(uintptr_t high);
/* Is the calling thread in a handler on its signal stack, and is this an address there? Tells the
 * stack's bounds. */
bool td_plat_signal_stack(uintptr_t address, uintptr_t *low, uintptr_t *high);

/* Returns the number by which the system knows the calling thread. */
long td_plat_thread_id(void);
#define TD_THREAD_NAME_BYTES 32
/* Writes the name of a thread of this process into name, "?" if the system does not tell it.
 * Returns name. */
const char *td_plat_thread_name(long id, char name[TD_THREAD_NAME_BYTES]);

/* ---- The signal that stops threads ---- */

/* Returns the number of the signal that is meant for such things. */
int td_plat_signal_default(void);
/* Returns whether a program can handle this signal, and it is none of a thread's own faults. */
bool td_plat_signal_usable(int number);
/* From now on `handler` is called on threads that get the signal, with all signals but faults
 * blocked and errno kept. One handler at a time. Returns false if the program handles the signal
 * itself, or if the system refuses. */
bool td_plat_signal_take(int number, void (*handler)(void));
bool td_plat_signal_is_ours(int number);
/* Ends that, unless the program has taken the signal meanwhile. */
void td_plat_signal_give(int number);
/* Unblocks the signal in the calling thread. */
void td_plat_signal_unblock(int number);
/* Returns false if there is no such thread. */
bool td_plat_signal_send(long thread_id, int number);

/* Writes a text to standard error past the C library's streams, whose locks a thread that was
 * stopped by a signal may hold. At most some 1500 bytes; for formats without floating point, which
 * need no memory. */
void td_plat_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on `tell_of` is called when a thread faults, on that thread, with the address of the
 * fault if the system tells it and the thread's registers, before what the program had for the
 * signal. NULL ends that. A handler that the program has set meanwhile stays, and may go on calling
 * ours. Under a lock of the caller's. */
void td_plat_fault_watch(void (*tell_of)(const uintptr_t *words, size_t count));

/* Returns how many CPUs this process may use by its affinity mask and its control group's quota, as
 * that was when it was first asked for, at least 1. */
unsigned td_plat_cpus_allowed(void);

enum td_plat_avx512 {
  TD_PLAT_AVX512_NONE, /* the processor or the system has it not */
  TD_PLAT_AVX512_RUNS,
  TD_PLAT_AVX512_FAST, /* this kind of processor was measured, and is faster with it */
};
enum td_plat_avx512 td_plat_avx512(void);

/* ---- Waiting ---- */

/* Sleeps while *word == expected, for timeout_ns at most (0: without limit). May return for no
 * reason. */
void td_plat_wait(_Atomic(uint32_t) *word, uint32_t expected, uint64_t timeout_ns);
/* Wakes up to `count` threads that sleep on the word. Returns how many it woke. */
unsigned td_plat_wake(_Atomic(uint32_t) *word, unsigned count);

/* Tells the processor that this thread spins. AArch64's `yield` does nothing on most cores; `isb`
 * takes about as long as x86-64's `pause`. */
static inline void td_plat_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#else
  __asm__ volatile("" ::: "memory");
#endif
}

#endif
