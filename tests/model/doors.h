/* SPDX-License-Identifier: MIT */
/* The model of doors.cpp, for Relacy: the state, what the shipped files call, these files, and the
 * steps of threads and stoppers. doors.cpp defines the atomics before it includes this. */
#ifndef TD_TESTS_MODEL_DOORS_H
#define TD_TESTS_MODEL_DOORS_H

#include <cstdlib>

// The lock of a world. Only atomic accesses let others execute, so a plain flag is one.
struct lock_of_world {
  bool held;
  rl::atomic<uint32_t> *passed_on;
};
static int lock_try(lock_of_world *lock) {
  (void)lock->passed_on->load(rl::mo_relaxed, RL_INFO); // others may take it first
  if (lock->held) return 1;
  lock->held = true;
  lock->passed_on->fetch_add(0, rl::mo_acq_rel, RL_INFO);
  return 0;
}
static void lock_take(lock_of_world *lock) {
  while (lock_try(lock) != 0)
    rl::yield(1, RL_INFO);
}
static void lock_give(lock_of_world *lock) {
  lock->passed_on->fetch_add(0, rl::mo_acq_rel, RL_INFO);
  lock->held = false;
}
#undef PTHREAD_MUTEX_INITIALIZER
#define PTHREAD_MUTEX_INITIALIZER                                                                  \
  {}
#define pthread_mutex_t lock_of_world
#define pthread_mutex_init(lock, attributes) 0
#define pthread_mutex_destroy(lock) (void)(lock)
#define pthread_mutex_trylock(lock) lock_try(lock)
#define pthread_mutex_lock(lock) lock_take(lock)
#define pthread_mutex_unlock(lock) lock_give(lock)

#define MODEL_STEP(name) MODEL_SITE(#name, true, 1)
#define MODEL_HINT rl::atomic<uint32_t>
#define MODEL_MARK signed char
enum { GRANULES = 4, HEAPS = 2, THREADS_MOST = 3 };
#include "tests/model/stopping_types.h"

#define TD_GC_THREADS_MUTATOR_STACKS_H
#define TIDE_FOREIGN_H

namespace {

enum event { STOPPED, PUT_OFF, AT_DOOR, CLOSED_BEHIND, WAITED_AT_DOOR, RELEASED, EVENTS };
char const *const event_names[EVENTS] = {"stopped", "putoff", "door",
                                         "behind",  "waited", "released"};
unsigned long met[EVENTS];
unsigned mutating, threads;

struct doors {
  struct tide_heap heap[HEAPS];
  struct td_world world[HEAPS];
  struct tide_mutator mutator[THREADS_MOST][HEAPS];
  struct td_self self[THREADS_MOST];
  bool handling[THREADS_MOST];               // is the thread in its signal handler?
  rl::atomic<uint32_t> sent[THREADS_MOST];   // the signal, on its way
  rl::atomic<uint32_t> asleep[THREADS_MOST]; // 1 and the number of the heap at whose gate; 0: awake
  rl::atomic<uint32_t> passed_on[HEAPS];
  uint64_t time_ns;
  unsigned hurries;
  watched runs[THREADS_MOST][HEAPS];   // what the program uses
  watched inside[THREADS_MOST][HEAPS]; // what scopes inside Tidemark use
};
doors *now;

tide_bump shown;

} // namespace

// ---- What world.c, signal.c and safepoint.c call ----

static inline struct td_self *td_self(void) {
  return &now->self[rl::thread_index()];
}
static inline struct tide_mutator *td_thread_mutators(void) {
  return td_self()->mutators;
}
static inline struct tide_bump *td_runs_none(struct tide_heap const *) {
  return NULL;
}
static inline void td_runs_show(struct tide_mutator *mutator) {
  mutator->fast.bump = mutator->blocking_depth == 0 && td_self()->worlds == 0 ? &shown : NULL;
}
static inline void td_runs_show_all(struct td_self const *self) {
  for (struct tide_mutator *m = self->mutators; m; m = m->thread_next)
    td_runs_show(m);
}
/* The long way is taken always. */
static inline bool td_mutator_is_well(struct tide_mutator const *, struct td_self const *) {
  return false;
}
static inline bool td_mutator_check(struct tide_mutator const *mutator, char const *) {
  return mutator != NULL;
}
static inline bool td_mutator_may_wait(struct tide_mutator const *mutator, char const *) {
  return mutator != NULL;
}
static inline bool td_stacks_keep(struct tide_mutator const *) {
  return true;
}
static inline void td_stacks_drop(struct tide_mutator const *) {}
static inline void td_misuse(char const *) {
  RL_ASSERT(false);
}
// A stop that lasts becomes impatient for a few times: then those that the signal stopped go on.
static uint64_t model_now(void) {
  if (now->hurries > 0) {
    now->hurries--;
    now->time_ns += UINT64_C(1000000000);
  }
  return now->time_ns;
}
#define MODEL_NOW model_now()
#include "tests/model/stopping_stubs.h"
static bool td_plat_signal_send(long thread_id, int) {
  now->sent[thread_id].exchange(1, rl::mo_acq_rel, RL_INFO);
  return true;
}
static unsigned number_of_gate(rl::atomic<uint32_t> const *futex) {
  unsigned heap = 0;
  while (heap < HEAPS && futex != &now->world[heap].gate)
    heap++;
  return heap;
}
// Who waits with a deadline looks again and again. A signal ends a wait.
static void td_plat_wait(rl::atomic<uint32_t> *futex, uint32_t expected, uint64_t timeout_ns) {
  rl::atomic<uint32_t> *asleep = &now->asleep[rl::thread_index()];
  uint32_t here = 1 + number_of_gate(futex);
  bool handled = signal_point();
  if (timeout_ns != 0) {
    met[WAITED_AT_DOOR] += td_self()->waits_at_door;
    rl::yield(1, RL_INFO);
    return;
  }
  if (handled) return;
  asleep->store(here, rl::mo_relaxed, RL_INFO);
  atomic_thread_fence(memory_order_seq_cst); // with the one in td_plat_wake: the system's lock
  bool waits = futex->load(rl::mo_relaxed, RL_INFO) == expected;
  while (waits && asleep->load(rl::mo_relaxed, RL_INFO) == here && !signal_point())
    rl::yield(1, RL_INFO);
  asleep->exchange(0, rl::mo_relaxed, RL_INFO);
}
static unsigned td_plat_wake(rl::atomic<uint32_t> *futex, unsigned) {
  unsigned gate = number_of_gate(futex), woken = 0;
  if (gate == HEAPS || !MODEL_STEP(wake)) return 0;
  atomic_thread_fence(memory_order_seq_cst);
  for (unsigned id = 0; id < threads; id++) {
    uint32_t sleeping = 1 + gate;
    woken += now->asleep[id].compare_exchange_strong(sleeping, 0, rl::mo_relaxed, RL_INFO);
  }
  return woken;
}

// ---- As shipped ----

#include "gc/threads/inside.h"
#include "gc/threads/stop/safe.c"
#include "gc/threads/stop/world.c"
// A mutant leaves out that signals are put off while the thread becomes safe, or ceases to.
#define td_inside_set(self, depth) (MODEL_STEP(put_off) ? td_inside_set(self, depth) : (void)0)
// Another does not look whether a fork came before it began to wait.
#define td_world_awaits_for_fork(m) (MODEL_STEP(asked) && td_world_awaits_for_fork(m))
#include "gc/threads/stop/signal.c"
#undef td_inside_set
static int errno_of_thread; // nobody reads it
#define errno errno_of_thread
static void tide_safepoint_slow(struct tide_mutator *mutator);
static inline void tide_safepoint(struct tide_mutator *mutator) {
  if (__atomic_load_n(&mutator->fast.stop, __ATOMIC_RELAXED)) tide_safepoint_slow(mutator);
}
#include "gc/threads/mutator/safepoint.c"

// Here the signal may come. Returns whether it did.
static bool signal_point() {
  unsigned id = rl::thread_index();
  if (id >= mutating || now->handling[id]) return false;
  if (now->sent[id].load(rl::mo_relaxed, RL_INFO) == 0) return false;
  if (now->sent[id].exchange(0, rl::mo_acq_rel, RL_INFO) == 0) return false;
  struct td_self *self = td_self();
  bool inside = td_inside_depth(self) || allocates(self), at_doors = self->at_doors;
  now->handling[id] = true;
  on_signal();
  for (unsigned heap = 0; heap < HEAPS; heap++)
    met[RELEASED] += now->mutator[id][heap].released;
  now->handling[id] = false;
  bool closed = self->at_doors && !at_doors;
  met[inside ? closed ? CLOSED_BEHIND : PUT_OFF : closed ? AT_DOOR : STOPPED]++;
  return true;
}

namespace {

// ---- Threads ----

void use_runs(unsigned id, unsigned heap) {
  signal_point();
  if (now->mutator[id][heap].fast.bump) now->runs[id][heap] = 1;
}

void use_program(unsigned id) {
  for (unsigned heap = 0; heap < HEAPS; heap++)
    use_runs(id, heap);
}

void use_inside(unsigned id) {
  for (unsigned heap = 0; heap < HEAPS; heap++) {
    signal_point();
    now->inside[id][heap] = 1;
  }
}

void step_inside(unsigned id) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  use_inside(id);
}

void step_allocate(unsigned id) {
  struct tide_mutator *mutator = &now->mutator[id][0];
  td_allocation_begin(mutator);
  use_inside(id);
  td_allocation_end(mutator);
}

void step_block(unsigned id, unsigned heap) {
  tide_blocking_enter(&now->mutator[id][heap]);
  use_runs(id, 1 - heap);
  tide_blocking_leave(&now->mutator[id][heap]);
}

struct tide_mutator **link_of(struct tide_mutator const *mutator) {
  struct tide_mutator **link = &mutator->heap->world->mutators;
  while (*link && *link != mutator)
    link = &(*link)->next;
  return link;
}

// The steps of gc/threads/mutator/attach.c.
void step_attach_again(unsigned id) {
  struct tide_mutator *mutator = &now->mutator[id][HEAPS - 1];
  struct tide_heap *heap = mutator->heap;
  {
    TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
    td_world_lock(heap);
    td_self()->mutators = mutator->thread_next;
    *link_of(mutator) = mutator->next;
    atomic_fetch_sub_explicit(&heap->world->count, 1, memory_order_relaxed);
    td_world_unlock(heap);
  }
  use_runs(id, 0);
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  td_world_lock(heap);
  mutator->door = 0;
  atomic_init(&mutator->fast.stop, 0u);
  atomic_init(&mutator->state, 0u);
  mutator->next = NULL;
  *link_of(mutator) = mutator;
  atomic_fetch_add_explicit(&heap->world->count, 1, memory_order_relaxed);
  td_self()->mutators = mutator;
  td_world_unlock(heap);
}

// ---- Stops ----

// The heap stands still: nobody else uses it.
void use_all(unsigned heap) {
  for (unsigned id = 0; id < mutating; id++) {
    now->runs[id][heap] = 2;
    now->inside[id][heap] = 2;
  }
}

struct tide_mutator *own(unsigned heap) {
  unsigned id = rl::thread_index();
  return id < mutating ? &now->mutator[id][heap] : NULL;
}

void step_collect(unsigned number) {
  struct tide_heap *heap = &now->heap[number];
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  td_world_lock(heap);
  td_world_stop(heap, own(number));
  use_all(number);
  td_world_resume(heap, own(number));
  td_world_unlock(heap);
}

// The steps of gc/foreign/other_threads.c, of the first thread's mutator of the first heap.
void step_suspend() {
  struct tide_heap *heap = &now->heap[0];
  td_world_lock(heap);
  td_world_stop(heap, NULL);
  now->mutator[0][0].suspended.store(true, rl::mo_relaxed, RL_INFO);
  td_world_resume(heap, NULL);
  td_world_unlock(heap);
}
void step_let_go() {
  struct tide_heap *heap = &now->heap[0];
  td_world_lock(heap);
  if (now->mutator[0][0].suspended.load(rl::mo_relaxed, RL_INFO)) {
    now->runs[0][0] = 3; // it stands still
    now->mutator[0][0].suspended.store(false, rl::mo_relaxed, RL_INFO);
    td_world_let_go(&now->mutator[0][0]);
  }
  td_world_unlock(heap);
}

// The steps of gc/create/fork.c.
void lock_worlds() {
  for (unsigned heap = 0; heap < HEAPS; heap++)
    td_world_lock_safe(&now->heap[heap]);
}
void unlock_worlds() {
  for (unsigned heap = 0; heap < HEAPS; heap++)
    td_world_unlock_safe(&now->heap[heap]);
}
void step_fork() {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct tide_mutator *suspended;
  td_thread_enter_safe(NULL);
  lock_worlds();
  while ((suspended = td_thread_try_leave_safe(NULL)) != NULL) {
    if (MODEL_STEP(unlock)) unlock_worlds();
    td_world_wait_at_gate(suspended);
    if (MODEL_STEP(unlock)) lock_worlds();
  }
  for (unsigned heap = 0; heap < HEAPS; heap++)
    td_world_stop_mutators(&now->heap[heap], own(heap));
  for (unsigned heap = 0; heap < HEAPS; heap++)
    use_all(heap);
  for (unsigned heap = 0; heap < HEAPS; heap++) {
    td_world_resume_mutators(&now->heap[heap], own(heap));
    td_world_unlock_safe(&now->heap[heap]);
  }
}

void step(unsigned id, char letter) {
  if (letter == 'p') use_program(id);
  if (letter == 'i') step_inside(id);
  if (letter == 'a') step_allocate(id);
  if (letter == 'b' || letter == 'B') step_block(id, letter == 'B');
  if (letter == 'c' || letter == 'C') step_collect(letter == 'C');
  if (letter == 'd') step_attach_again(id);
  if (letter == 's') step_suspend();
  if (letter == 'S') step_let_go();
  if (letter == 'f') step_fork();
}

} // namespace

#endif
