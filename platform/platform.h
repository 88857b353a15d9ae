/* The operating system, behind one contract. One file per system implements it; nothing above
 * this folder asks which system it runs on.
 *
 * Memory: a range is reserved once, and its pages are committed before use and decommitted when
 * they are not needed; both take page-aligned ranges inside one reservation. Sizes are bytes.
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

/* Address space only, no access, start aligned to `align` (a power of two). */
void *td_plat_reserve(size_t bytes, size_t align);
void td_plat_release(void *start, size_t bytes);
/* Readable, writable, zero when first touched. Pages committed already keep their content. */
bool td_plat_commit(void *start, size_t bytes);
/* The pages will all be written soon: gets them at once, which costs less than a fault for each.
 * Only a hint: where the system can't, they come one by one. */
void td_plat_populate(void *start, size_t bytes);
/* Gives the memory back and takes access away; a later commit finds zeroes. */
void td_plat_decommit(void *start, size_t bytes);
/* Gives the memory back, access stays; the next read finds zeroes. */
void td_plat_purge(void *start, size_t bytes);
/* Asks for huge pages; a wish, never an error. */
void td_plat_advise_huge(void *start, size_t bytes);
size_t td_plat_page_bytes(void);
/* Memory this process may use: the smaller of the machine's and the control group's. */
size_t td_plat_memory_bytes(void);

/* ---- Time ---- */

/* Monotonic. */
uint64_t td_plat_now_ns(void);

/* ---- Threads ---- */

struct td_thread {
  pthread_t handle;
};
/* Signals are blocked in the new thread, so that a program's handlers run on its own threads. */
bool td_plat_thread_start(struct td_thread *thread, void *(*run)(void *), void *argument);
void td_plat_thread_join(struct td_thread *thread);
/* The calling thread's stack, [*low, *high). */
bool td_plat_stack_bounds(void **low, void **high);
/* CPUs this process may use: affinity mask and control group quota; at least 1. */
unsigned td_plat_cpus_allowed(void);

/* Sleeps while *word == expected, at most timeout_ns (0: without limit). May wake for no reason. */
void td_plat_wait(_Atomic(uint32_t) *word, uint32_t expected, uint64_t timeout_ns);
/* Wakes up to `count` sleepers on the word; how many woke. */
unsigned td_plat_wake(_Atomic(uint32_t) *word, unsigned count);

/* A hint that this thread spins. */
static inline void td_plat_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  __asm__ volatile("" ::: "memory");
#endif
}

#endif
