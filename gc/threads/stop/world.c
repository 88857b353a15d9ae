/* SPDX-License-Identifier: MIT */
/* The stopper's side of the handshake with the mutators, and the lock that stoppers hold. */
#include "gc/threads/stop/world.h"

#include <stdlib.h>

#include "gc/object/runs.h"
#include "gc/stats/stats.h"
#include "gc/threads/stop/late.h"
#include "gc/threads/stop/registers.h"
#include "gc/threads/stop/safe.h"
#include "gc/threads/thread.h"

/* Tries of the stopper before it sleeps: about the time in which a running mutator answers. */
#ifndef STOP_SPINS /* a model checker has others */
#define STOP_SPINS 64
#endif

/* If a stop has lasted four times TD_AGAIN_NS, threads that a signal stopped go on for that time;
 * for twice as long each further time, up to TD_AGAIN_MOST_NS. */
#define TD_AGAIN_NS UINT64_C(2000000)
#define TD_AGAIN_MOST_NS UINT64_C(50000000)

bool td_world_init(struct td_world *world) {
  *world = (struct td_world){0};
  if (pthread_mutex_init(&world->lock, NULL) != 0) return false;
  if (pthread_cond_init(&world->ended, NULL) == 0) return true;
  pthread_mutex_destroy(&world->lock);
  return false;
}

void td_world_deinit(struct td_world *world) {
  pthread_cond_destroy(&world->ended);
  pthread_mutex_destroy(&world->lock);
}

/* What a thread waits for beyond the lock. */
enum awaits {
  NOTHING,    /* threads that come and go, and who collects beside the program */
  THE_END,    /* of a collection beside the program */
  ALL_OTHERS, /* and all who have waited for it: the next one, which would begin before they wake */
};

static bool must_wait(const struct td_world *world, enum awaits awaits) {
  return (awaits != NOTHING && world->beside) || (awaits == ALL_OTHERS && world->after_end > 0);
}

static void wait_for_end(struct td_world *world) {
  world->after_end++;
  while (world->beside)
    pthread_cond_wait(&world->ended, &world->lock);
  if (--world->after_end == 0) pthread_cond_broadcast(&world->ended);
}

static void lock_after(struct td_world *world, enum awaits awaits) {
  pthread_mutex_lock(&world->lock);
  if (awaits == THE_END && world->beside) wait_for_end(world);
  while (must_wait(world, awaits))
    pthread_cond_wait(&world->ended, &world->lock);
}

struct locking {
  struct td_world *world;
  enum awaits awaits;
};

/* A thread that was suspended, in this heap or in another one, must not keep the lock. */
static void lock_safely(void *argument) {
  const struct locking *locking = argument;
  struct tide_mutator *suspended;
  td_thread_enter_safe(NULL);
  lock_after(locking->world, locking->awaits);
  while ((suspended = td_thread_try_leave_safe(NULL)) != NULL) {
    pthread_mutex_unlock(&locking->world->lock);
    td_world_wait_at_gate(suspended);
    lock_after(locking->world, locking->awaits);
  }
}

/* Functions of the embedder that run while the thread holds a world may not allocate, from no heap:
 * the runs of all its mutators are out of sight meanwhile. */
static void become_holder(struct td_world *world) {
  struct td_self *self = td_self();
  /* relaxed: compared with the reader's own identity only, which only that thread stores. */
  atomic_store_explicit(&world->holder, self, memory_order_relaxed);
  if (self->worlds++ == 0) td_runs_show_all(self);
}

void td_world_lock_safe(struct tide_heap *heap) {
  lock_after(heap->world, THE_END);
  become_holder(heap->world);
}

void td_world_unlock_safe(struct tide_heap *heap) {
  struct td_self *self = td_self();
  /* relaxed: as in become_holder. */
  atomic_store_explicit(&heap->world->holder, NULL, memory_order_relaxed);
  if (--self->worlds == 0) td_runs_show_all(self);
  pthread_mutex_unlock(&heap->world->lock);
}

static bool try_lock(struct td_world *world, enum awaits awaits) {
  if (pthread_mutex_trylock(&world->lock) != 0) return false;
  if (!must_wait(world, awaits)) return true;
  pthread_mutex_unlock(&world->lock);
  return false;
}

static void lock_world(struct tide_heap *heap, enum awaits awaits) {
  struct locking locking = {heap->world, awaits};
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  if (!try_lock(heap->world, awaits)) td_stack_call(lock_safely, &locking);
  become_holder(heap->world);
  heap->world->cancel_state = before;
}

void td_world_after_fork(struct td_world *world) {
  world->after_end = 0;
  pthread_cond_init(&world->ended, NULL); /* the old one counts threads that are gone */
}

void td_world_lock(struct tide_heap *heap) {
  lock_world(heap, THE_END);
}

void td_world_lock_beside(struct tide_heap *heap) {
  lock_world(heap, NOTHING);
}

void td_world_lock_next(struct tide_heap *heap) {
  lock_world(heap, ALL_OTHERS);
}

void td_world_set_beside(struct tide_heap *heap, bool beside) {
  heap->world->beside = beside;
  if (!beside) pthread_cond_broadcast(&heap->world->ended);
}

bool td_world_try_lock(struct tide_heap *heap, bool awaits_end) {
  int before, disabled;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  if (!try_lock(heap->world, awaits_end ? THE_END : NOTHING)) {
    pthread_setcancelstate(before, &disabled);
    return false;
  }
  become_holder(heap->world);
  heap->world->cancel_state = before;
  return true;
}

void td_world_unlock(struct tide_heap *heap) {
  int before = heap->world->cancel_state, disabled;
  td_world_unlock_safe(heap);
  pthread_setcancelstate(before, &disabled);
}

/* If the program has taken the signal meanwhile, the stop would last for ever. */
static void demand_signal(int number) {
  if (td_plat_signal_is_ours(number)) return;
  td_plat_say(
      "tidemark: the program has taken signal %d, by which threads are stopped, for itself; "
      "TIDE_STOP_SIGNAL=NUMBER chooses another\n",
      number);
  abort();
}

/* The thread came back after its last destructor, and ended without another. Its stack is gone, and
 * the mutator counts as safe for ever. */
static void note_gone(struct tide_mutator *mutator) {
  mutator->stack_kind = TIDE_STACK_PRECISE;
  td_world_enter_safe(mutator);
}

/* Sends the signal to mutators that are stopped by one. Returns whether there are any, those that
 * stand still already included. */
static bool signal_mutators(const struct td_world *world, const struct tide_mutator *self) {
  bool any = false, known = false;
  for (struct tide_mutator *m = world->mutators; m; m = m->next) {
    if (m == self || !m->stop_signal) continue;
    any = true;
    /* relaxed: a mutator that becomes safe just now gets a signal that finds nothing to do. */
    if (atomic_load_explicit(&m->state, memory_order_relaxed) & TD_SAFE) continue;
    if (!known) demand_signal(m->stop_signal);
    known = true;
    if (!td_plat_signal_send(m->thread_id, m->stop_signal)) note_gone(m);
  }
  return any;
}

/* Neither bit is set, so an addition sets them. Returns 1 if the mutator is safe already, else 0.
 */
static uint32_t set_stop(struct tide_mutator *m, uint32_t bits) {
  /* acquire [world.safe]: pairs with td_world_enter_safe; release [world.stop]: carries what was
   * written before to mutators and their signal handlers. */
  uint32_t before =
      atomic_fetch_add_explicit(&m->state, TD_STOP_ONE + TD_STOP + bits, memory_order_acq_rel);
  /* relaxed: a hint to look at the state. */
  __atomic_store_n(&m->fast.stop, 1, __ATOMIC_RELAXED);
  return before & TD_SAFE ? 1 : 0;
}

static void let_go(struct tide_mutator *m) {
  __atomic_store_n(&m->fast.stop, 0, __ATOMIC_RELAXED); /* relaxed: a hint */
  /* release [world.resume]: pairs with td_world_try_leave_safe. */
  atomic_fetch_and_explicit(&m->state, ~(TD_STOP | TD_FORK), memory_order_release);
}

static void open_gate(struct td_world *world) {
  uint32_t gate = atomic_load_explicit(&world->gate, memory_order_relaxed);
  /* release [world.gate]: a mutator that reads the new gate also reads its state without STOP.
   * relaxed before: revalidated by the compare-and-swap. */
  while (!atomic_compare_exchange_weak_explicit(&world->gate, &gate, (gate + 2) & ~1u,
                                                memory_order_release, memory_order_relaxed)) {
  }
  if (gate & 1) td_plat_wake(&world->gate, UINT32_MAX);
}

/* A wait that has a deadline, at which it tells that it lasts. */
struct patience {
  struct tide_heap *heap;
  const struct tide_mutator *self;
  bool for_fork; /* then there is no event: its callback would meet locks that fork holds */
  uint64_t begin_ns, due_ns;
  uint64_t again_ns, pause_ns; /* when those that a signal stopped go on for a while */
};

/* A thread that was stopped by a signal, in malloc perhaps, may hold a lock. Another one, inside
 * Tidemark or between its polls, may wait for that lock and cannot stop before. So the threads that
 * a signal stopped go on for a while, and each is awaited once more. */
static bool release_interrupted(struct td_world *world) {
  bool any = false;
  for (struct tide_mutator *m = world->mutators; m; m = m->next) {
    /* acquire [world.safe]: it tells then whether a signal met it. */
    uint32_t state = atomic_load_explicit(&m->state, memory_order_acquire);
    bool stands = (state & (TD_STOP | TD_SAFE)) == (TD_STOP | TD_SAFE);
    m->released = stands && !td_is_suspended(m) && m->interrupted;
    if (!m->released) continue;
    any = true;
    /* relaxed: the count is not zero, and only we wait for it. */
    atomic_fetch_add_explicit(&world->awaited, 1, memory_order_relaxed);
    let_go(m);
  }
  if (any) open_gate(world);
  return any;
}

static void stop_released(struct td_world *world) {
  uint32_t safe = 0;
  for (struct tide_mutator *m = world->mutators; m; m = m->next)
    if (m->released) safe += set_stop(m, 0);
  /* acquire [world.safe]: as in wait_for_mutators, which sees the result. */
  if (safe) atomic_fetch_sub_explicit(&world->awaited, safe, memory_order_acq_rel);
}

/* Longer from time to time: the one with the lock may wait for a CPU. */
static void stop_again(struct patience *patience) {
  struct td_world *world = patience->heap->world;
  if (!patience->for_fork && release_interrupted(world)) {
    /* relaxed: a hint; no thread wakes us while some are awaited once more. */
    uint32_t left = atomic_load_explicit(&world->awaited, memory_order_relaxed);
    td_plat_wait(&world->awaited, left, patience->pause_ns);
    stop_released(world);
  }
  /* A thread may have ended before it handled the signal. Then this one meets none, and tells. */
  (void)signal_mutators(world, patience->self);
  if (patience->pause_ns < TD_AGAIN_MOST_NS) patience->pause_ns *= 2;
  patience->again_ns = td_plat_now_ns() + 4 * patience->pause_ns;
}

/* Returns how long to wait until it is to be called again. */
static uint64_t lose_patience(struct patience *patience) {
  uint64_t now = td_plat_now_ns();
  if (patience->begin_ns == 0) {
    patience->begin_ns = now;
    patience->due_ns = now + TD_LATE_NS;
    if (patience->pause_ns) patience->again_ns = now + 4 * patience->pause_ns;
  }
  if (now >= patience->due_ns) {
    td_late_tell(patience->heap, patience->self, now - patience->begin_ns);
    if (!patience->for_fork) td_stats_tell(patience->heap, TIDE_EVENT_STOP_LATE);
    patience->due_ns = now + TD_LATE_AGAIN_NS;
  }
  uint64_t until = patience->due_ns - now;
  if (!patience->pause_ns) return until;
  if (now >= patience->again_ns) stop_again(patience);
  uint64_t again = 4 * patience->pause_ns;
  return again < until ? again : until;
}

static void wait_for_mutators(struct patience *patience) {
  struct td_world *world = patience->heap->world;
  for (unsigned spins = 0;; spins++) {
    /* acquire [world.safe]: pairs with the last count_down. */
    uint32_t left = atomic_load_explicit(&world->awaited, memory_order_acquire);
    if (left == 0) return;
    if (spins < STOP_SPINS)
      td_plat_pause();
    else
      td_plat_wait(&world->awaited, left, lose_patience(patience));
  }
}

static void stop(struct tide_heap *heap, const struct tide_mutator *self, bool for_fork) {
  struct td_world *world = heap->world;
  /* relaxed: changed under the lock that we hold. */
  uint32_t count = atomic_load_explicit(&world->count, memory_order_relaxed);
  uint32_t others = count - (self ? 1 : 0);
  if (others == 0) return;
  /* relaxed: reaches mutators through the change of their state. */
  atomic_store_explicit(&world->awaited, others, memory_order_relaxed);
  uint32_t safe = 0;
  for (struct tide_mutator *m = world->mutators; m; m = m->next) {
    if (m == self) continue;
    if (td_is_suspended(m)) /* it has the bits of an earlier stop, and stands still */
      safe++;
    else
      safe += set_stop(m, for_fork ? TD_FORK : 0);
  }
  /* acquire [world.safe]: as in wait_for_mutators, which sees the result. */
  if (safe) atomic_fetch_sub_explicit(&world->awaited, safe, memory_order_acq_rel);
  bool by_signal = signal_mutators(world, self);
  wait_for_mutators(&(struct patience){
      .heap = heap, .self = self, .for_fork = for_fork, .pause_ns = by_signal ? TD_AGAIN_NS : 0});
}

void td_world_stop_mutators(struct tide_heap *heap, const struct tide_mutator *self) {
  stop(heap, self, true);
}

void td_world_resume_mutators(struct tide_heap *heap, const struct tide_mutator *self) {
  struct td_world *world = heap->world;
  /* relaxed: changed under the lock that we hold. */
  uint32_t count = atomic_load_explicit(&world->count, memory_order_relaxed);
  if (count <= (self ? 1u : 0u)) return;
  for (struct tide_mutator *m = world->mutators; m; m = m->next)
    if (m != self && !td_is_suspended(m)) let_go(m);
  open_gate(world);
}

void td_world_let_go(struct tide_mutator *mutator) {
  let_go(mutator);
  open_gate(mutator->heap->world);
}

void td_world_stop(struct tide_heap *heap, struct tide_mutator *self) {
  td_thread_enter_safe(self);
  stop(heap, self, false);
  heap->world->stands_still = true;
}

/* The thread was suspended in another heap meanwhile. It waits without the lock, and
 * counts as safe in this heap, too: others may collect. */
static void wait_without_lock(struct tide_heap *heap, struct tide_mutator *suspended) {
  int cancel_state = heap->world->cancel_state;
  /* The thread may be the one that sorts beside the program: it must not wait for its own end. */
  const enum awaits awaits = heap->world->beside ? NOTHING : THE_END;
  td_world_unlock_safe(heap);
  td_world_wait_at_gate(suspended);
  lock_after(heap->world, awaits);
  become_holder(heap->world);
  heap->world->cancel_state = cancel_state;
}

void td_world_resume(struct tide_heap *heap, struct tide_mutator *self) {
  heap->world->stands_still = false;
  td_world_resume_mutators(heap, self);
  struct tide_mutator *suspended = td_thread_try_leave_safe(self);
  if (!suspended) return;
  if (self) td_world_enter_safe(self);
  do {
    wait_without_lock(heap, suspended);
  } while ((suspended = td_thread_try_leave_safe(NULL)) != NULL);
}
