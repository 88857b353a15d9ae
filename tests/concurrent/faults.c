/* SPDX-License-Identifier: MIT */
/* Faults of the library's own in what marking beside the program rests on: the linker puts these
 * functions in front of its own, and the variable CONCURRENT_FAULT chooses which of them errs:
 *   none  nothing errs
 *   deaf  what is overwritten is not marked
 *   weak  nor is what comes out of weak references
 *   born  new objects are born unmarked
 *   idle  nobody looks into what mutators have marked
 *   age   what is young in stop 2 is not made old
 *   written  what is written into old objects is not noted
 *   rest  the stack of a fiber is not searched before it goes on */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gc/threads/mutator/barrier.h"
#include "gc/threads/mutator/resting.h"
#include "gc/threads/mutator/stacks.h"
#include "gc/threads/mutator/written.h"
#include "heap/epoch.h"
#include "heap/young/young.h"
#include "marker/base/deferred.h"
#include "marker/marker.h"
#include "tests/wrap.h"

static enum fault { NONE, DEAF, WEAK, BORN, IDLE, AGE, WRITTEN, REST, FAULTS } fault;

static __attribute__((constructor)) void choose(void) {
  static const char *const names[] = {"none", "deaf", "weak",    "born",
                                      "idle", "age",  "written", "rest"};
  const char *name = getenv("CONCURRENT_FAULT");
  while (name && fault < FAULTS && strcmp(names[fault], name) != 0)
    fault++;
  if (fault < FAULTS) return;
  fprintf(stderr, "CONCURRENT_FAULT: %s is no fault\n", name);
  exit(2);
}

WRAP(bool, td_mark_from_outside, struct td_markers *set, uintptr_t word) {
  return fault != DEAF && __real_td_mark_from_outside(set, word);
}

WRAP(void, td_barrier_keep, struct tide_mutator *mutator, const void *object) {
  if (fault != WEAK) __real_td_barrier_keep(mutator, object);
}

WRAP(void, td_space_begin_marking_beside, struct td_space *space) {
  __real_td_space_begin_marking_beside(space);
  if (fault == BORN) space->born = space->epoch_before;
}

/* In this heap objects are born young meanwhile. */
WRAP(void, td_young_bear_beside, struct td_space *space) {
  __real_td_young_bear_beside(space);
  if (fault == BORN) space->born = space->epoch_before;
}

WRAP(void, td_young_end_beside, struct td_space *space, bool marking) {
  if (fault != AGE) __real_td_young_end_beside(space, marking);
  space->bears_old = true;
  space->born = space->epoch;
}

WRAP(bool, td_written_note, struct tide_mutator *mutator, uintptr_t object, uintptr_t slots,
     size_t count) {
  return fault != WRITTEN && __real_td_written_note(mutator, object, slots, count);
}

WRAP(uint64_t, td_stacks_mark, const struct tide_heap *heap, const struct tide_fiber_stack *stack) {
  return fault == REST ? 0 : __real_td_stacks_mark(heap, stack);
}

/* No fault: mutators come first now and then, and not only those who are quick. */
WRAP(uint64_t, td_resting_search, struct tide_heap *heap, struct td_root_list *list) {
  usleep(100);
  return __real_td_resting_search(heap, list);
}

WRAP(bool, td_mark_is_behind, const struct td_markers *set) {
  return fault != IDLE && __real_td_mark_is_behind(set);
}

/* Without it phases do not look for flags of others. */
WRAP(void, td_deferred_answer_for_others, struct td_marker *marker) {
  if (fault != IDLE) __real_td_deferred_answer_for_others(marker);
}
