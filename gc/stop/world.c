/* The handshake between a collection and the mutators. */
#include "gc/stop/world.h"

#include "gc/base/runs.h"
#include "gc/base/stats.h"
#include "gc/base/thread.h"
#include "gc/stop/late.h"
#include "gc/stop/registers.h"

/* Tries of the stopper before it sleeps: about the time in which a running mutator answers. */
#define STOP_SPINS 64

bool td_world_init(struct td_world *world) {
  *world = (struct td_world){0};
  return pthread_mutex_init(&world->lock, NULL) == 0;
}

void td_world_deinit(struct td_world *world) {
  pthread_mutex_destroy(&world->lock);
}

static void count_down(struct td_world *world) {
  /* release [world.safe]: the counts form one release sequence that the stopper acquires;
   * acquire so that the last one carries the others' writes along. */
  if (atomic_fetch_sub_explicit(&world->awaited, 1, memory_order_acq_rel) == 1)
    td_plat_wake(&world->awaited, 1);
}

void td_world_enter_safe(struct tide_mutator *mutator) {
  /* release [world.safe]: pairs with the stopper's fetch_or in td_world_stop. */
  uint32_t before = atomic_fetch_or_explicit(&mutator->state, TD_SAFE, memory_order_release);
  if (before & TD_STOP) count_down(&mutator->heap->world);
}

bool td_world_try_leave_safe(struct tide_mutator *mutator) {
  uint32_t expected = TD_SAFE;
  /* acquire [world.resume]: pairs with td_world_resume. */
  return atomic_compare_exchange_strong_explicit(&mutator->state, &expected, 0,
                                                 memory_order_acquire, memory_order_relaxed);
}

/* Sleeps until the stop that keeps this mutator safe is over; may return early. */
static void wait_at_gate(struct tide_mutator *mutator) {
  struct td_world *world = &mutator->heap->world;
  /* acquire [world.gate]: the state is read after the gate, so that a gate that has not moved
   * below proves that STOP was not cleared meanwhile. */
  uint32_t gate = atomic_load_explicit(&world->gate, memory_order_acquire);
  /* relaxed, both: they only decide whether to sleep; the caller tries the state again. */
  if (!(atomic_load_explicit(&mutator->state, memory_order_relaxed) & TD_STOP)) return;
  if (!(gate & 1) && !atomic_compare_exchange_strong_explicit(
                         &world->gate, &gate, gate | 1, memory_order_relaxed, memory_order_relaxed))
    return;
  td_plat_wait(&world->gate, gate | 1, 0);
}

static bool takes_part(const struct tide_mutator *m, const struct tide_mutator *except) {
  return m != except && !m->region_safe;
}

void td_thread_enter_safe(const struct tide_mutator *except) {
  for (struct tide_mutator *m = td_thread_mutators(); m; m = m->thread_next)
    if (takes_part(m, except)) td_world_enter_safe(m);
}

/* All or none: the first one that may not be left, or NULL. */
static struct tide_mutator *try_leave_all(const struct tide_mutator *except) {
  for (struct tide_mutator *m = td_thread_mutators(); m; m = m->thread_next) {
    if (!takes_part(m, except) || td_world_try_leave_safe(m)) continue;
    for (struct tide_mutator *left = td_thread_mutators(); left != m; left = left->thread_next)
      if (takes_part(left, except)) td_world_enter_safe(left);
    return m;
  }
  return NULL;
}

void td_thread_leave_safe(const struct tide_mutator *except) {
  struct tide_mutator *kept;
  while ((kept = try_leave_all(except)) != NULL)
    wait_at_gate(kept);
}

static void lock_safely(void *heap) {
  td_thread_enter_safe(NULL);
  pthread_mutex_lock(&((struct tide_heap *)heap)->world.lock);
  td_thread_leave_safe(NULL);
}

/* Functions of the embedder that run while the thread holds a world may not allocate, from no heap:
 * the runs of all its mutators are out of sight meanwhile. */
static void show_runs(const struct td_self *self) {
  for (struct tide_mutator *m = self->mutators; m; m = m->thread_next)
    td_runs_show(m);
}

static void become_holder(struct td_world *world) {
  struct td_self *self = td_self();
  /* relaxed: compared with the reader's own identity only, which only that thread stores. */
  atomic_store_explicit(&world->holder, self, memory_order_relaxed);
  if (self->worlds++ == 0) show_runs(self);
}

void td_world_lock_safe(struct tide_heap *heap) {
  pthread_mutex_lock(&heap->world.lock);
  become_holder(&heap->world);
}

void td_world_unlock_safe(struct tide_heap *heap) {
  struct td_self *self = td_self();
  /* relaxed: as in become_holder. */
  atomic_store_explicit(&heap->world.holder, NULL, memory_order_relaxed);
  if (--self->worlds == 0) show_runs(self);
  pthread_mutex_unlock(&heap->world.lock);
}

void td_world_lock(struct tide_heap *heap) {
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  if (pthread_mutex_trylock(&heap->world.lock) != 0) td_stack_call(lock_safely, heap);
  become_holder(&heap->world);
  heap->world.cancel_state = before;
}

void td_world_unlock(struct tide_heap *heap) {
  int before = heap->world.cancel_state, disabled;
  td_world_unlock_safe(heap);
  pthread_setcancelstate(before, &disabled);
}

/* A wait that has a deadline, at which it tells that it lasts. */
struct patience {
  struct tide_heap *heap;
  const struct tide_mutator *self;
  bool with_event;
  uint64_t begin_ns, due_ns;
};

/* Returns how long to wait until it is to be called again. */
static uint64_t lose_patience(struct patience *patience) {
  uint64_t now = td_plat_now_ns();
  if (patience->begin_ns == 0) {
    patience->begin_ns = now;
    patience->due_ns = now + TD_LATE_NS;
  }
  if (now >= patience->due_ns) {
    td_late_tell(patience->heap, patience->self, now - patience->begin_ns);
    if (patience->with_event) td_stats_tell(patience->heap, TIDE_EVENT_STOP_LATE);
    patience->due_ns = now + TD_LATE_AGAIN_NS;
  }
  return patience->due_ns - now;
}

static void wait_for_mutators(struct patience *patience) {
  struct td_world *world = &patience->heap->world;
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

static void stop(struct tide_heap *heap, const struct tide_mutator *self, bool with_event) {
  struct td_world *world = &heap->world;
  /* relaxed: changed under the lock that we hold. */
  uint32_t count = atomic_load_explicit(&world->count, memory_order_relaxed);
  uint32_t others = count - (self ? 1 : 0);
  if (others == 0) return;
  /* relaxed: reaches mutators through the fetch_or of their state. */
  atomic_store_explicit(&world->awaited, others, memory_order_relaxed);
  uint32_t safe = 0;
  for (struct tide_mutator *m = world->mutators; m; m = m->next) {
    if (m == self) continue;
    /* acquire [world.safe]: pairs with td_world_enter_safe; release: carries `awaited`. */
    if (atomic_fetch_or_explicit(&m->state, TD_STOP, memory_order_acq_rel) & TD_SAFE) safe++;
    /* relaxed: a hint to look at the state. */
    __atomic_store_n(&m->fast.stop, 1, __ATOMIC_RELAXED);
  }
  /* acquire [world.safe]: as in wait_for_mutators, which sees the result. */
  if (safe) atomic_fetch_sub_explicit(&world->awaited, safe, memory_order_acq_rel);
  wait_for_mutators(&(struct patience){.heap = heap, .self = self, .with_event = with_event});
}

void td_world_stop_mutators(struct tide_heap *heap, const struct tide_mutator *self) {
  stop(heap, self, false); /* a callback would meet locks that fork holds */
}

static void open_gate(struct td_world *world, const struct tide_mutator *self) {
  for (struct tide_mutator *m = world->mutators; m; m = m->next) {
    if (m == self) continue;
    __atomic_store_n(&m->fast.stop, 0, __ATOMIC_RELAXED); /* relaxed: a hint */
    /* release [world.resume]: pairs with td_world_try_leave_safe. */
    atomic_fetch_and_explicit(&m->state, ~TD_STOP, memory_order_release);
  }
  uint32_t gate = atomic_load_explicit(&world->gate, memory_order_relaxed);
  /* release [world.gate]: a mutator that reads the new gate also reads its state without STOP.
   * relaxed before: revalidated by the compare-and-swap. */
  while (!atomic_compare_exchange_weak_explicit(&world->gate, &gate, (gate + 2) & ~1u,
                                                memory_order_release, memory_order_relaxed)) {
  }
  if (gate & 1) td_plat_wake(&world->gate, UINT32_MAX);
}

void td_world_resume_mutators(struct tide_heap *heap, const struct tide_mutator *self) {
  struct td_world *world = &heap->world;
  /* relaxed: changed under the lock that we hold. */
  uint32_t count = atomic_load_explicit(&world->count, memory_order_relaxed);
  if (count > (self ? 1u : 0u)) open_gate(world, self);
}

void td_world_stop(struct tide_heap *heap, struct tide_mutator *self) {
  td_thread_enter_safe(self);
  stop(heap, self, true);
}

void td_world_resume(struct tide_heap *heap, struct tide_mutator *self) {
  td_world_resume_mutators(heap, self);
  td_thread_leave_safe(self);
}
