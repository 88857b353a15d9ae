/* SPDX-License-Identifier: MIT */
/* Stops and the log of young collections (stopping.h) for GenMC, with gc/threads/mutator/barrier.c,
 * heap/young/log.c and heap/space/marks.h as shipped. The collections are a macro,
 * MODEL_COLLECTIONS, and what mutators do is another, MODEL_SCRIPTS, with a case for each.
 * run-genmc makes them from clients.py, and for a mutant MUTANT_SITE, which access, as
 * "fetch_or(&mutator->state)", and MUTANT_ORDER. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/genmc_sites.h"

#undef atomic_load_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_and_explicit
#undef atomic_fetch_or_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak_explicit
#undef atomic_signal_fence
#define atomic_load_explicit(p, order)                                                             \
  __c11_atomic_load(p, MODEL_ORDER_OF("load(" #p ", " #order ")", order))
#define atomic_fetch_add_explicit(p, value, order)                                                 \
  __c11_atomic_fetch_add(p, value, MODEL_ORDER_OF("fetch_add(" #p ")", order))
#define atomic_fetch_sub_explicit(p, value, order)                                                 \
  __c11_atomic_fetch_sub(p, value, MODEL_ORDER_OF("fetch_sub(" #p ", " #value ")", order))
#define atomic_fetch_and_explicit(p, value, order)                                                 \
  __c11_atomic_fetch_and(p, value, MODEL_ORDER_OF("fetch_and(" #p ")", order))
#define atomic_fetch_or_explicit(p, value, order)                                                  \
  __c11_atomic_fetch_or(p, value, MODEL_ORDER_OF("fetch_or(" #p ")", order))
#define atomic_compare_exchange_strong_explicit(p, seen, value, order, failure)                    \
  __c11_atomic_compare_exchange_strong(p, seen, value, MODEL_ORDER_OF("cas(" #p ")", order),       \
                                       failure)
#define atomic_compare_exchange_weak_explicit(p, seen, value, order, failure)                      \
  (__c11_atomic_compare_exchange_strong(p, seen, value, MODEL_ORDER_OF("cas(" #p ")", order),      \
                                        failure) ||                                                \
   model_again())
/* For the compiler only; GenMC would take it for one between threads. */
#define atomic_signal_fence(order) ((void)0)
/* So is the empty instruction in the barrier. */
#define __asm__
#define volatile(...)

#define MODEL_ASSERT(condition) assert(condition)
#define MODEL_MET(event) (void)(event)
#define MODEL_SECOND(first, second, ...) second
#define MODEL_PICK(...) MODEL_SECOND(__VA_ARGS__)
#define MODEL_STEP(name) MODEL_PICK(SKIPPED_##name, 1, 0)
#define MODEL_WATCHED unsigned
#define MODEL_SLOT uintptr_t /* the barrier reads what is there */
#define MODEL_SLOT_OF(id) ((const void *)&state.slot[id])
#define MODEL_HINT uint32_t
#define MODEL_MARK signed char
#define MODEL_MADE_OF_ZERO(type)
/* Lets the next round of a loop around this one count as another: GenMC takes a round in which
 * nothing was stored for waiting. */
static __thread unsigned self_number;
#define MODEL_SELF self_number
static _Atomic(uint32_t) rounds[MODEL_MUTATORS + 1];
static inline bool model_again(void) {
  __c11_atomic_fetch_add(&rounds[MODEL_SELF], 1, __ATOMIC_RELAXED);
  return false;
}
#define MODEL_WAIT(condition)                                                                      \
  do {                                                                                             \
    while (!(condition)) {                                                                         \
    }                                                                                              \
    model_again();                                                                                 \
  } while (0)
extern struct stopping state;
#define MODEL_STATE state
#include "tests/model/stopping.h"

struct stopping state;
static uint8_t marks[GRANULES];
static _Atomic(uint8_t) flags[1];
static uint8_t logged_slabs[1];
static struct td_block blocks[1] = {{.kind = TD_KIND_BITMAP}};

/* ---- What barrier.c and log.c call ---- */

static inline uint64_t td_granule_of(uintptr_t base, uintptr_t word) {
  return (word - base) / TD_GRANULE_BYTES;
}
static inline uintptr_t td_granule_address(uintptr_t base, uint64_t granule) {
  return base + granule * TD_GRANULE_BYTES;
}
static inline bool td_is_marked(const struct td_space *space, uint64_t granule) {
  return (space->marks[granule] & (TD_DEFERRED - 1)) == space->epoch;
}
/* Between the test of the mark and the stores: a signal may come. The object's slots lie wherever
 * the state has them, and all count as inside. */
static size_t td_space_object_bytes(const struct td_space *space, uintptr_t object) {
  signal_point();
  return SIZE_MAX;
}
enum td_from { TD_FROM_ANYWHERE };
static uintptr_t td_space_find(const struct td_space *space, uintptr_t word, enum td_from from) {
  return word;
}
#include "tests/model/barrier_stubs.h"
static bool td_mark_from_outside(struct td_markers *set, uintptr_t word) {
  return false;
}
static bool td_written_note(struct tide_mutator *mutator, uintptr_t object, uintptr_t slots,
                            size_t count) {
  return false;
}
/* A mutant lets stops through inside the barrier. */
static inline void model_begin(struct tide_mutator *mutator) {
  if (MODEL_STEP(inside)) td_allocation_begin(mutator);
}
static inline void model_end(struct tide_mutator *mutator) {
  if (MODEL_STEP(inside)) td_allocation_end(mutator);
}
#define td_allocation_begin model_begin
#define td_allocation_end model_end
#include "heap/space/marks.h"
/* Mutants leave these stores out. A signal may come between the byte and the flag, too. */
#define td_mark_store(mark, value)                                                                 \
  do {                                                                                             \
    if (MODEL_STEP(byte)) td_mark_store(mark, value);                                              \
  } while (0)
#define atomic_store_explicit(p, value, order)                                                     \
  do {                                                                                             \
    _Atomic(uint8_t) *at = p;                                                                      \
    signal_point();                                                                                \
    if (MODEL_STEP(flag)) __c11_atomic_store(at, value, order);                                    \
  } while (0)
#define __atomic_store_n(p, value, order)                                                          \
  do {                                                                                             \
    if (MODEL_STEP(slab)) __atomic_store_n(p, value, order);                                       \
  } while (0)
#define td_mark_word uint8_t /* one flag at a time, and the bytes of marks, too */
static uint64_t model_load_word(const uint8_t *bytes) {
  uint64_t word = 0;
  for (unsigned i = 0; i < GRANULES; i++)
    word |= (uint64_t)td_mark_load(bytes + i) << 8 * i;
  return word;
}
#define td_mark_load_word(bytes) model_load_word(bytes)
/* Asking for lines that will be needed changes nothing that a model sees. */
#define TD_CACHE_LINE 64
#define __builtin_prefetch(address, write) ((void)(address))
#include "gc/threads/mutator/barrier.c"
#include "heap/young/log.c"

/* ---- Collections ---- */

static bool visit_slots(const struct td_logged_slots *slots, void *context) {
  assert(0);
  return true;
}
static void visit_object(uintptr_t object, void *taken) {
  assert(object == OLD * TD_GRANULE_BYTES);
  ++*(unsigned *)taken;
}
static void clear_log(void) {
  td_log_clear(&state.heap.space);
}
static bool take_log(void) {
  static const struct td_log_visit visit = {visit_slots, visit_object};
  unsigned taken = 0;
  td_log_take(&state.heap.space, &visit, &taken);
  return taken > 0;
}
static unsigned mark_of(unsigned granule) {
  return marks[granule];
}
static void set_mark(unsigned granule, unsigned mark) {
  marks[granule] = (uint8_t)mark;
}

/* Each collection is another thread's: GenMC takes the second use of a frame of the stack for one
 * of freed memory. */
static void collect_apart(void *(*run)(void *)) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
}
static void *make_young(void *unused) {
  self_number = MODEL_MUTATORS;
  stop_and_collect(false);
  return unused;
}
static void *make_full(void *unused) {
  self_number = MODEL_MUTATORS;
  stop_and_collect(true);
  return unused;
}
static void *make_last(void *unused) {
  self_number = MODEL_MUTATORS;
  collect(false);
  return unused;
}
#define YOUNG collect_apart(make_young);
#define FULL collect_apart(make_full);

#define SAFEPOINT safepoint();
#define SIGNAL signal_point();
#define TELL step_tell(id);
#define STORE step_store(id);
#define TELL_SHARED step_tell_of(id, 0);
#define STORE_SHARED step_store_shared(id);
#define DROP step_drop(id);
#define CHECK step_check(id);
#define BLOCK step_block(id);

/* Both write into one slot, atomically. */
static void step_store_shared(unsigned id) {
  __c11_atomic_store((_Atomic(uintptr_t) *)&state.slot[0], OLD + 1 + id, __ATOMIC_RELAXED);
}

static void *mutator(void *number) {
  unsigned id = self_number = (unsigned)(uintptr_t)number;
  switch (id) { MODEL_SCRIPTS }
  step_end(id);
  return NULL;
}

int main(void) {
  pthread_t threads[MODEL_MUTATORS];
  stopping_init();
  state.heap.space.marks = marks;
  state.heap.space.flags = flags;
  state.heap.space.blocks = blocks;
  state.heap.space.logged_slabs = logged_slabs;
  marks[OLD] = TD_EPOCH_FIRST_OLD;
  for (unsigned id = 0; id < MODEL_MUTATORS; id++) {
    marks[OLD + 1 + id] = TD_YOUNG;
    state.mutator[id].fast.marks = (const signed char *)marks;
  }
  for (uintptr_t id = 0; id < MODEL_MUTATORS; id++)
    pthread_create(&threads[id], NULL, mutator, (void *)id);
  MODEL_COLLECTIONS
  for (unsigned id = 0; id < MODEL_MUTATORS; id++)
    pthread_join(threads[id], NULL);
  collect_apart(make_last);
  for (unsigned id = 0; id < MODEL_MUTATORS; id++)
    assert(state.slot[id] == 0 || state.freed[state.slot[id]] == 0);
  return 0;
}
