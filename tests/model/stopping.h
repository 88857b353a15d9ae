/* SPDX-License-Identifier: MIT */
/* Mutators that log what they write to, and a collection that stops them: include/tide/write.h,
 * gc/threads/stop/world.c, gc/threads/stop/signal.c and gc/threads/inside.h as shipped. GenMC also
 * has gc/threads/mutator/barrier.c, heap/young/log.c and heap/space/marks.h as shipped; Relacy,
 * which watches C++ objects, has their steps written anew.
 *
 * All mutators write into one object that is old: a reference to a young object of its own each. It
 * lets its own reference go, and looks at what it stored. The collecting thread makes
 * young and full collections meanwhile: what is marked stays so in young ones, of old objects those
 * of pages that are flagged and that are pending are scanned, and what is not marked is freed.
 *
 * A mutator polls, or a signal stops it: before and after the barrier, after the store, and inside
 * the barrier, where the stop is put off.
 *
 * A checker defines, before it includes this file, the atomics (with a hook for mutants), and
 *
 *   MODEL_MUTATORS: how many
 *   MODEL_SIGNALLED: a bit for each that signals stop; the others poll
 *   MODEL_ASSERT(c), MODEL_STEP(name), MODEL_MET(event), MODEL_WAIT(c): as in parking.h
 *   MODEL_SELF: the number of the mutator that executes; MODEL_MUTATORS for the collecting thread
 *   MODEL_WATCHED: type of a plain unsigned that is watched for data races
 *   MODEL_SLOT: the same for a slot, MODEL_SLOT_OF(id): the address that the barrier is told
 *   MODEL_HINT: type of an atomic number that is read and written by __atomic functions
 *   MODEL_MARK: type of a mark byte, as the barrier reads it
 *   MODEL_STATE: the struct stopping of this execution
 *
 * Checked: nobody finds in the object what was freed; stacks, slots, the fate of objects, and what
 * the collection writes are never touched by two threads unordered; every stop comes to its end,
 * and everybody goes on after it. */
#ifndef TD_TESTS_MODEL_STOPPING_H
#define TD_TESTS_MODEL_STOPPING_H

enum { STOPPING_MOST = 2, GRANULES = 4, OLD = 1 /* its granule; those behind it are young */ };
enum stopping_event { STOPPED_BY_SIGNAL, PUT_OFF, STOPPED_AT_POLL, FOUND_LOGGED, LOGGED, EVENTS };

#include "tests/model/stopping_types.h"

/* ---- The state ---- */

struct stopping {
  struct tide_heap heap;
  struct td_world world;
  struct tide_mutator mutator[STOPPING_MOST];
  struct td_self self[STOPPING_MOST + 1];
  _Atomic(uint32_t) sent[STOPPING_MOST];       /* the signal, on its way */
  _Atomic(uint32_t) asleep[STOPPING_MOST + 1]; /* on the gate: 1 asleep, 2 woken */
  MODEL_WATCHED held[STOPPING_MOST];           /* granule of what a mutator's stack refers to */
  MODEL_SLOT slot[STOPPING_MOST];              /* of the old object: granules, too */
  MODEL_WATCHED freed[GRANULES];
};

static inline struct td_self *td_self(void) {
  return &MODEL_STATE.self[MODEL_SELF];
}
static inline struct tide_mutator *td_thread_mutators(void) {
  return td_self()->mutators;
}
static inline void td_runs_show(struct tide_mutator *mutator) {}
static inline void td_runs_show_all(struct td_self const *self) {}
static inline struct tide_bump *td_runs_none(struct tide_heap const *) {
  return NULL;
}
#define MODEL_NOW 1
#include "tests/model/stopping_stubs.h"

/* ---- The system ---- */

/* release, and acquire where it is taken: the system hands a signal over under a lock of its own.
 * Without that, a handler could miss for ever what it was sent for. */
static inline bool td_plat_signal_send(long thread_id, int number) {
  atomic_exchange_explicit(&MODEL_STATE.sent[thread_id], 1u, memory_order_acq_rel);
  return true;
}

/* As in parking.h, for the gate; who waits with a deadline looks again and again. */
static inline void td_plat_wait(_Atomic(uint32_t) *futex, uint32_t expected, uint64_t timeout_ns) {
  if (timeout_ns != 0) {
    MODEL_WAIT(atomic_load_explicit(futex, memory_order_relaxed) != expected);
    return;
  }
  _Atomic(uint32_t) *asleep = &MODEL_STATE.asleep[MODEL_SELF];
  atomic_store_explicit(asleep, 1u, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst); /* with the one in td_plat_wake: the system's lock */
  if (atomic_load_explicit(futex, memory_order_relaxed) != expected) {
    atomic_exchange_explicit(asleep, 0u, memory_order_relaxed);
    return;
  }
  MODEL_WAIT(atomic_load_explicit(asleep, memory_order_relaxed) != 1);
}
static inline unsigned td_plat_wake(_Atomic(uint32_t) *futex, unsigned count) {
  unsigned woken = 0;
  if (futex != &MODEL_STATE.world.gate || !MODEL_STEP(wake)) return 0;
  atomic_thread_fence(memory_order_seq_cst);
  for (unsigned id = 0; id < MODEL_MUTATORS; id++) {
    uint32_t sleeping = 1;
    if (atomic_compare_exchange_strong_explicit(&MODEL_STATE.asleep[id], &sleeping, 2u,
                                                memory_order_relaxed, memory_order_relaxed))
      woken++;
  }
  return woken;
}

/* ---- As shipped ---- */

#include "gc/threads/inside.h"
#include "gc/threads/stop/safe.c"
#include "gc/threads/stop/signal.c"
#include "gc/threads/stop/world.c"
#include "tide/write.h"

/* ---- A mutator ---- */

static inline bool is_signalled(unsigned id) {
  return MODEL_SIGNALLED >> id & 1;
}

/* Where a signal may come. */
static inline void signal_point(void) {
  unsigned id = MODEL_SELF;
  if (id == MODEL_MUTATORS || !is_signalled(id)) return;
  if (atomic_load_explicit(&MODEL_STATE.sent[id], memory_order_relaxed) == 0) return;
  if (atomic_exchange_explicit(&MODEL_STATE.sent[id], 0u, memory_order_acq_rel) == 0) return;
  if (MODEL_STATE.mutator[id].fast.inside)
    MODEL_MET(PUT_OFF);
  else
    MODEL_MET(STOPPED_BY_SIGNAL);
  on_signal();
}

/* A safepoint of one that polls, as tide_safepoint; where others may be stopped by a signal. */
static inline void safepoint(void) {
  unsigned id = MODEL_SELF;
  struct tide_mutator *m = &MODEL_STATE.mutator[id];
  if (is_signalled(id)) {
    signal_point();
    return;
  }
  if (__atomic_load_n(&m->fast.stop, __ATOMIC_RELAXED) == 0) return;
  if (!(atomic_load_explicit(&m->state, memory_order_relaxed) & TD_STOP)) return;
  MODEL_MET(STOPPED_AT_POLL);
  td_stack_call(td_thread_stand_still, NULL);
}

/* Says that it writes a reference to its young object into a slot of the old one. */
static inline void step_tell_of(unsigned id, unsigned slot) {
  uintptr_t object = OLD * TD_GRANULE_BYTES;
  if (MODEL_STEP(tell))
    tide_write_begin(&MODEL_STATE.mutator[id], (void *)object, MODEL_SLOT_OF(slot), 1);
}
static inline void step_tell(unsigned id) {
  step_tell_of(id, id);
}
static inline void step_store(unsigned id) {
  if (!MODEL_STEP(late)) { /* lets go first, and a collection come between */
    MODEL_STATE.held[id] = 0;
    safepoint();
  }
  MODEL_STATE.slot[id] = OLD + 1 + id;
}
/* Lets its own reference go. */
static inline void step_drop(unsigned id) {
  MODEL_STATE.held[id] = 0;
}
static inline void step_check(unsigned id) {
  unsigned mine = OLD + 1 + id;
  MODEL_ASSERT(MODEL_STATE.slot[id] == mine && MODEL_STATE.freed[mine] == 0);
}
/* A blocking section, empty. */
static inline void step_block(unsigned id) {
  td_world_enter_safe(&MODEL_STATE.mutator[id]);
  td_thread_leave_safe(NULL);
}
/* The thread blocks, for good. */
static inline void step_end(unsigned id) {
  td_inside_set(td_self(), 1);
  td_world_enter_safe(&MODEL_STATE.mutator[id]);
}

/* ---- The collecting thread ---- */

/* World stopped: what a collection calls of the log, and marks. By the checker's file. */
static void clear_log(void);
static bool take_log(void);
static unsigned mark_of(unsigned granule);
static void set_mark(unsigned granule, unsigned mark);

static inline void mark_reached(unsigned granule) {
  if (granule != 0) set_mark(granule, MODEL_STATE.heap.space.epoch);
}

static inline void collect(bool full) {
  struct td_space *space = &MODEL_STATE.heap.space;
  if (full) {
    clear_log();
    space->epoch++;
    mark_reached(OLD);
  }
  /* Old objects are scanned if they are pending. */
  if (full || take_log()) {
    set_mark(OLD, space->epoch);
    for (unsigned id = 0; id < MODEL_MUTATORS; id++)
      mark_reached(MODEL_STATE.slot[id]);
  }
  for (unsigned id = 0; id < MODEL_MUTATORS; id++)
    mark_reached(MODEL_STATE.held[id]);
  for (unsigned granule = OLD + 1; granule <= OLD + MODEL_MUTATORS; granule++)
    if (mark_of(granule) != space->epoch) MODEL_STATE.freed[granule] = 1;
}

static inline void stop_and_collect(bool full) {
  td_world_stop(&MODEL_STATE.heap, NULL);
  collect(full);
  td_world_resume(&MODEL_STATE.heap, NULL);
}

static inline void stopping_init(void) {
  struct tide_heap *heap = &MODEL_STATE.heap;
  heap->world = &MODEL_STATE.world;
  heap->space.has_young = true;
  heap->space.epoch = TD_EPOCH_FIRST_OLD;
  heap->space.granules = GRANULES;
  heap->space.mark_span = GRANULES;
  heap->space.frontier = 1;
  atomic_init(&heap->world->count, (uint32_t)MODEL_MUTATORS);
  atomic_init(&heap->world->awaited, 0u);
  atomic_init(&heap->world->gate, 0u);
  heap->world->mutators = NULL;
  for (unsigned granule = 0; granule < GRANULES; granule++)
    MODEL_STATE.freed[granule] = 0;
  atomic_init(&MODEL_STATE.self[MODEL_MUTATORS].inside, 0u);
  MODEL_STATE.self[MODEL_MUTATORS].mutators = NULL;
  for (unsigned id = 0; id < MODEL_MUTATORS; id++) {
    struct tide_mutator *m = &MODEL_STATE.mutator[id];
    struct td_self *self = &MODEL_STATE.self[id];
    m->heap = heap;
    m->next = heap->world->mutators;
    heap->world->mutators = m;
    m->thread_next = NULL;
    m->thread_id = (long)id;
    m->stop_signal = is_signalled(id);
    m->signalled = is_signalled(id) ? self : NULL;
    m->section_safe = m->interrupted = m->released = false;
    atomic_init(&m->suspended, false);
    m->door = 0;
    m->fast.inside = 0;
    m->fast.mark_mask = GRANULES - 1;
    __atomic_store_n(&m->fast.stop, 0u, __ATOMIC_RELAXED);
    atomic_init(&m->state, 0u);
    self->mutators = m;
    self->worlds = 0;
    self->at_doors = self->waits_at_door = self->put_off = false;
    self->answer = is_signalled(id) ? answer : NULL;
    atomic_init(&self->inside, 0u);
    atomic_init(&MODEL_STATE.sent[id], 0u);
    atomic_init(&MODEL_STATE.asleep[id], 0u);
    MODEL_STATE.held[id] = OLD + 1 + id;
    MODEL_STATE.slot[id] = 0;
  }
}

#endif
