/* SPDX-License-Identifier: MIT */
/* Marking beside the program (beside.cpp) for GenMC, with include/tide/write.h,
 * gc/threads/mutator/barrier.c, marker/base/deferred.c and heap/space/marks.h as shipped. run-genmc
 * makes MODEL_GRAPH, MODEL_ROOTS and MODEL_SCRIPTS from clients.py.
 *
 * Stop 1 is over when it begins. In stop 2 all mutators have ended; after STOP they go on once
 * more. In the end no root and no mutator may reach what is white, and nothing is deferred or told.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/genmc.h"
#include "tests/model/genmc_sites.h"

#define MODEL_STEP(name) MODEL_PICK(SKIPPED_##name, 1, 0)
#undef atomic_exchange_explicit
#define atomic_exchange_explicit(p, value, order)                                                  \
  __c11_atomic_exchange(p, value, MODEL_ORDER_OF("exchange(" #p ", " #value ")", order))
#define __atomic_exchange_n(p, value, order)                                                       \
  __atomic_exchange_n(p, value, MODEL_ORDER_OF("exchange(" #p ")", order))
/* For the compiler only, in the barrier; and lines that are asked for ahead. */
#define __asm__
#define volatile(...)
#define __builtin_prefetch(address) ((void)(address))

#include "tests/model/beside_types.h"

bool td_log_write(struct td_space *space, uintptr_t object, uintptr_t slots, size_t count) {
  return false;
}
bool td_written_note(struct tide_mutator *mutator, uintptr_t object, uintptr_t slots,
                     size_t count) {
  return false;
}

#include "tide/write.h"
#include "gc/threads/mutator/barrier.c"
#include "marker/base/deferred.c"

enum { NONE = 255, WHITE = 2, EPOCH, FIRST = 4 /* its granule: block 0 is none's */ };
static const uint8_t graph[] = MODEL_GRAPH, roots[] = MODEL_ROOTS;
enum { OBJECTS = sizeof graph, ROOTS = sizeof roots, GRANULES = FIRST + 8, SLABS = 3, PAGES = 6 };

static uint8_t marks[GRANULES], slabs[SLABS];
static _Atomic(uint8_t) flags[PAGES];
static struct td_block blocks[SLABS];
static uintptr_t slots[OBJECTS], held[MODEL_MUTATORS];
static struct td_markers set;
static struct td_marker marker = {.set = &set};
static struct tide_heap heap;
static struct tide_mutator mutators[MODEL_MUTATORS];
static _Atomic(uint32_t) stopped, resumed;

static uintptr_t address_of(unsigned object) {
  return (uintptr_t)(FIRST + object) << TD_GRANULE_LOG2;
}
static unsigned object_at(uintptr_t address) {
  return (unsigned)(address >> TD_GRANULE_LOG2) - FIRST;
}
static uint8_t mark_of(unsigned object) {
  return td_mark_load(&marks[FIRST + object]);
}

/* ---- Mutators ---- */

static void write(unsigned id, unsigned object, uintptr_t reference) {
  if (!MODEL_STEP(barrier_first)) __atomic_store_n(&slots[object], reference, __ATOMIC_RELAXED);
  if (MODEL_STEP(whoever_holds) || mark_of(object) == WHITE)
    tide_write_begin(&mutators[id], (void *)address_of(object), &slots[object], 1);
  if (MODEL_STEP(barrier_first)) __atomic_store_n(&slots[object], reference, __ATOMIC_RELAXED);
}

/* The cell has no mark yet, and its slot gets what is held. */
static void allocate(unsigned id, unsigned object) {
  td_mark_store(&marks[FIRST + object], MODEL_STEP(born) ? EPOCH : WHITE);
  __atomic_store_n(&slots[object], held[id], __ATOMIC_RELAXED);
  held[id] = address_of(object);
}

#define LOAD(object) held[id] = td_slot_load(&slots[object]);
#define CLEAR(object) write(id, object, 0);
#define STORE(object) write(id, object, held[id]);
#define NEW(object) allocate(id, object);
#define DROP held[id] = 0;
/* gc/threads/stop has clients of its own. */
#define STOP                                                                                       \
  atomic_fetch_add_explicit(&stopped, 1, memory_order_release);                                    \
  __VERIFIER_assume(atomic_load_explicit(&resumed, memory_order_acquire));

static void *mutate(void *argument) {
  const unsigned id = (unsigned)(uintptr_t)argument;
  switch (id) { MODEL_SCRIPTS }
  return NULL;
}

/* ---- The marker ---- */

static void meet(uintptr_t reference) {
  if (reference) td_defer(&marker, reference);
}

/* td_deferred_find looks at eight flags at once, which GenMC cannot. */
static bool find_flagged(void) {
  for (unsigned page = FIRST / TD_PAGE_GRANULES; page < PAGES; page++) {
    if (!td_flag_take(&heap.space, page)) continue;
    for (unsigned g = page * TD_PAGE_GRANULES; g < (page + 1) * TD_PAGE_GRANULES; g++) {
      if ((td_mark_load(&marks[g]) & TD_DEFERRED) == 0) continue;
      td_mark_store(&marks[g], EPOCH);
      meet(td_slot_load(&slots[g - FIRST]));
    }
    return true;
  }
  return false;
}

static void phase(unsigned from_roots) {
  if (MODEL_STEP(slabs_first)) td_deferred_answer_for_others(&marker);
  for (unsigned i = 0; i < from_roots; i++)
    meet(address_of(roots[i]));
  while (find_flagged())
    continue;
  if (!MODEL_STEP(slabs_first)) td_deferred_answer_for_others(&marker);
}

static bool is_behind(void) {
  return MODEL_STEP(look) && td_mark_is_behind(&set);
}

static void check_from(uintptr_t reference) {
  for (unsigned i = 0; reference && i < OBJECTS; i++) {
    assert(mark_of(object_at(reference)) == EPOCH);
    reference = td_slot_load(&slots[object_at(reference)]);
  }
}

/* GenMC cannot copy structures. */
static struct tide_heap heap = {.markers = &set,
                                .concurrent = &set,
                                .beside = INT8_MAX,
                                .space = {.marks = marks,
                                          .logged_slabs = slabs,
                                          .blocks = blocks,
                                          .flags = flags,
                                          .epoch = EPOCH,
                                          .epoch_before = WHITE,
                                          .born = EPOCH,
                                          .view_frontier = SLABS}};
static void begin(void) {
  set.space = &heap.space;
  set.beside = true;
  for (unsigned b = 0; b < SLABS; b++)
    blocks[b].kind = TD_KIND_REFS;
  for (unsigned o = 0; o < OBJECTS; o++) {
    slots[o] = graph[o] == NONE ? 0 : address_of(graph[o]);
    marks[FIRST + o] = WHITE;
  }
  for (unsigned id = 0; id < MODEL_MUTATORS; id++) {
    mutators[id].heap = &heap;
    td_barrier_open(&mutators[id]);
  }
}

int main(void) {
  pthread_t threads[MODEL_MUTATORS];
  begin();
  for (uintptr_t id = 0; id < MODEL_MUTATORS; id++)
    pthread_create(&threads[id], NULL, mutate, (void *)id);
  phase(ROOTS);
  if (MODEL_STOPS) {
    __VERIFIER_assume(atomic_load_explicit(&stopped, memory_order_acquire) == MODEL_MUTATORS);
    bool again = is_behind();
    atomic_store_explicit(&resumed, 1, memory_order_release);
    if (again) phase(0);
  }
  for (unsigned id = 0; id < MODEL_MUTATORS; id++)
    pthread_join(threads[id], NULL);
  if (is_behind()) phase(0);
  for (unsigned i = 0; i < ROOTS; i++)
    check_from(address_of(roots[i]));
  for (unsigned id = 0; id < MODEL_MUTATORS; id++)
    check_from(held[id]);
  assert(!td_mark_is_behind(&set));
  return 0;
}
