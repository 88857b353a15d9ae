/* SPDX-License-Identifier: MIT */
/* The operating system that the simulated library sees: the linker replaces the functions of
 * platform/ that have to do with threads and time (--wrap), and locks, by those of this file.
 * Before the simulation begins, the real ones are called. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "bench/simulate/machine/account.h"
#include "bench/simulate/machine/lines.h"
#include "bench/simulate/machine/memory.h"
#include "bench/simulate/machine/report.h"
#include "bench/simulate/machine/threads.h"
#include "bench/simulate/machine/window.h"
#include "heap/view.h"
#include "marker/base/idle.h"
#include "marker/marker.h"
#include "marker/region/regions.h"
#include "platform/platform.h"

#define REST_NS 10000000u

struct td_costs td_sim_costs;
unsigned td_sim_cpus;

/* ---- Phases ------------------------------------------------------------------------------ */

bool td_sim_told;
static struct td_sim_phases phases;
static uint64_t last_mark;

void td_sim_note_mark(uintptr_t address) {
  if (td_sim_now.on && td_sim_lines_has(address)) last_mark = td_sim_now.now;
}

struct td_sim_phases td_sim_take_phases(void) {
  struct td_sim_phases taken = phases;
  phases = (struct td_sim_phases){0};
  return taken;
}

void td_sim_rest(void) {
  static _Atomic(uint32_t) never;
  td_sim_sleep(&never, REST_NS);
}

static void note_memory(struct td_sim_memory_counts from, struct td_sim_memory_counts to) {
  phases.memory.accesses += to.accesses - from.accesses;
  phases.memory.lines += to.lines - from.lines;
  phases.memory.transfers += to.transfers - from.transfers;
}

void __real_td_mark_phase(struct td_markers *set, const struct td_roots *roots);
void __wrap_td_mark_phase(struct td_markers *set, const struct td_roots *roots);
void __wrap_td_mark_phase(struct td_markers *set, const struct td_roots *roots) {
  const struct td_sim_account before = td_sim_account;
  const struct td_sim_branch_counts branches = td_sim_branch_counts;
  const struct td_sim_memory_counts memory = td_sim_memory_counts();
  const struct td_view view = td_view_of(set->space);
  const bool counted = td_sim_now.counts;
  td_sim_window_tables(view.marks, view.blocks, TD_BLOCK_LOG2, sizeof(struct td_block));
  td_sim_now.counts = td_sim_now.on && td_sim_told;
  uint64_t begin = td_sim_now.now;
  last_mark = begin;
  __real_td_mark_phase(set, roots);
  td_sim_now.counts = counted;
  uint64_t end = td_sim_now.now;
  phases.ns += (double)(end - begin) / 1000;
  for (unsigned i = 0; i < TD_SPENT_COUNT; i++)
    phases.spent_ns[i] += (double)(td_sim_account.ps[i] - before.ps[i]) / 1000;
  note_memory(memory, td_sim_memory_counts());
  phases.branches.instructions += td_sim_branch_counts.instructions - branches.instructions;
  phases.branches.surprises += td_sim_branch_counts.surprises - branches.surprises;
  /* Marks of others may be a little ahead of this core's clock. */
  if (phases.phases++ == 0) phases.end_ns = end > last_mark ? (double)(end - last_mark) / 1000 : 0;
}

bool __real_td_idle(struct td_marker *marker, bool joined, td_promising promising);
bool __wrap_td_idle(struct td_marker *marker, bool joined, td_promising promising);
bool __wrap_td_idle(struct td_marker *marker, bool joined, td_promising promising) {
  td_sim_idle = true;
  bool again = __real_td_idle(marker, joined, promising);
  td_sim_idle = false;
  return again;
}

/* ---- Memory, time and threads ------------------------------------------------------------ */

void *__real_td_plat_reserve(size_t bytes, size_t align);
void *__wrap_td_plat_reserve(size_t bytes, size_t align);
void *__wrap_td_plat_reserve(size_t bytes, size_t align) {
  void *start = __real_td_plat_reserve(bytes, align);
  if (start) td_sim_lines_range(start, bytes);
  return start;
}

unsigned __wrap_td_plat_cpus_allowed(void);
unsigned __wrap_td_plat_cpus_allowed(void) {
  return td_sim_cpus;
}

uint64_t __real_td_plat_now_ns(void);
uint64_t __wrap_td_plat_now_ns(void);
uint64_t __wrap_td_plat_now_ns(void) {
  if (!td_sim_now.on) return __real_td_plat_now_ns();
  td_sim_spend(td_sim_costs.at[TD_COST_clock_ns]);
  return td_sim_now.now / 1000;
}

bool __wrap_td_plat_thread_start(struct td_thread *thread, void *(*body)(void *), void *argument);
bool __wrap_td_plat_thread_start(struct td_thread *thread, void *(*body)(void *), void *argument) {
  struct td_sim_thread *started = td_sim_now.on ? td_sim_thread_start(body, argument) : NULL;
  if (!started) {
    errno = EAGAIN;
    return false;
  }
  memcpy(&thread->handle, &started, sizeof started);
  return true;
}

void __wrap_td_plat_thread_join(struct td_thread *thread);
void __wrap_td_plat_thread_join(struct td_thread *thread) {
  struct td_sim_thread *started;
  memcpy(&started, &thread->handle, sizeof started);
  td_sim_thread_join(started);
}

void __wrap_td_plat_wait(_Atomic(uint32_t) *word, uint32_t expected, uint64_t timeout_ns);
void __wrap_td_plat_wait(_Atomic(uint32_t) *word, uint32_t expected, uint64_t timeout_ns) {
  td_sim_spend(td_sim_costs.at[TD_COST_sleep_ns]);
  /* relaxed: one thread at a time executes. */
  if (atomic_load_explicit(word, memory_order_relaxed) != expected) return;
  td_sim_sleep(word, timeout_ns);
}

unsigned __wrap_td_plat_wake(_Atomic(uint32_t) *word, unsigned count);
unsigned __wrap_td_plat_wake(_Atomic(uint32_t) *word, unsigned count) {
  td_sim_spend(td_sim_costs.at[TD_COST_clock_ns]); /* the call, if nobody sleeps */
  unsigned woken = td_sim_wake(word, count);
  td_sim_step();
  return woken;
}

/* ---- Locks: who finds one taken sleeps --------------------------------------------------------
 */

int __real_pthread_mutex_lock(pthread_mutex_t *lock);
int __real_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock);

static void change(const void *at) {
  if (td_sim_now.counts)
    td_sim_now.now =
        td_sim_memory_access(td_sim_now.core, (uintptr_t)at, TD_SIM_CHANGE, 0, td_sim_now.now);
  td_sim_step();
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *lock) {
  if (!td_sim_now.on) return __real_pthread_mutex_lock(lock);
  change(lock);
  int error;
  while ((error = pthread_mutex_trylock(lock)) == EBUSY) {
    td_sim_spend(td_sim_costs.at[TD_COST_sleep_ns]);
    if ((error = pthread_mutex_trylock(lock)) != EBUSY) break;
    td_sim_sleep(lock, 0);
    change(lock);
  }
  return error;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock) {
  if (!td_sim_now.on) return __real_pthread_mutex_unlock(lock);
  change(lock);
  int error = __real_pthread_mutex_unlock(lock);
  td_sim_wake(lock, 1);
  td_sim_step();
  return error;
}
