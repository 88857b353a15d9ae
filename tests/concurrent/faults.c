/* SPDX-License-Identifier: MIT */
/* Faults of the library's own in what marking beside the program rests on: the linker puts these
 * functions in front of its own, and the variable CONCURRENT_FAULT chooses which of them errs:
 *   none  nothing errs
 *   deaf  what is overwritten is not marked
 *   weak  nor is what comes out of weak references
 *   born  new objects are born unmarked
 *   idle  nobody looks into what mutators have marked
 *   age   nor is anybody told that nothing is young meanwhile */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gc/cycle/young.h"
#include "gc/threads/mutator/barrier.h"
#include "heap/epoch.h"
#include "marker/base/deferred.h"
#include "marker/marker.h"

static enum fault { NONE, DEAF, WEAK, BORN, IDLE, AGE, FAULTS } fault;

static __attribute__((constructor)) void choose(void) {
  static const char *const names[] = {"none", "deaf", "weak", "born", "idle", "age"};
  const char *name = getenv("CONCURRENT_FAULT");
  while (name && fault < FAULTS && strcmp(names[fault], name) != 0)
    fault++;
  if (fault < FAULTS) return;
  fprintf(stderr, "CONCURRENT_FAULT: %s is no fault\n", name);
  exit(2);
}

bool __real_td_mark_from_outside(struct td_markers *set, uintptr_t word);
bool __wrap_td_mark_from_outside(struct td_markers *set, uintptr_t word);
bool __wrap_td_mark_from_outside(struct td_markers *set, uintptr_t word) {
  return fault != DEAF && __real_td_mark_from_outside(set, word);
}

void __real_td_barrier_keep(struct tide_mutator *mutator, const void *object);
void __wrap_td_barrier_keep(struct tide_mutator *mutator, const void *object);
void __wrap_td_barrier_keep(struct tide_mutator *mutator, const void *object) {
  if (fault != WEAK) __real_td_barrier_keep(mutator, object);
}

void __real_td_space_begin_marking_beside(struct td_space *space);
void __wrap_td_space_begin_marking_beside(struct td_space *space);
void __wrap_td_space_begin_marking_beside(struct td_space *space) {
  __real_td_space_begin_marking_beside(space);
  if (fault == BORN) space->born = space->epoch_before;
}

void __real_td_young_suspend(struct tide_heap *heap);
void __wrap_td_young_suspend(struct tide_heap *heap);
void __wrap_td_young_suspend(struct tide_heap *heap) {
  if (fault != AGE) __real_td_young_suspend(heap);
}

bool __real_td_mark_is_behind(const struct td_markers *set);
bool __wrap_td_mark_is_behind(const struct td_markers *set);
bool __wrap_td_mark_is_behind(const struct td_markers *set) {
  return fault != IDLE && __real_td_mark_is_behind(set);
}

/* Without it phases do not look for flags of others. */
void __real_td_deferred_answer_for_others(struct td_marker *marker);
void __wrap_td_deferred_answer_for_others(struct td_marker *marker);
void __wrap_td_deferred_answer_for_others(struct td_marker *marker) {
  if (fault != IDLE) __real_td_deferred_answer_for_others(marker);
}
