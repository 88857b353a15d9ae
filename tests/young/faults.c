/* SPDX-License-Identifier: MIT */
/* Faults of the library's own in what young collections rest on: the linker puts these functions in
 * front of its own, and the variable YOUNG_FAULT chooses which of them errs. Linked to the oracle,
 * which must find each:
 *   none    nothing errs
 *   deaf    the barrier tells nothing
 *   first   the barrier logs the first slot of an object, whichever is written
 *   drop    the stop drops the log
 *   idle    nobody looks into logged objects
 *   erase   the sweep after a young collection clears marks of old objects
 *   born    new objects are born old
 *   never   a full collection does not make young objects old before it marks */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gc/cycle/young.h"
#include "heap/cells/refill.h"
#include "heap/cells/sort.h"
#include "heap/young/log.h"
#include "heap/young/young.h"
#include "tests/wrap.h"

static enum fault { NONE, DEAF, FIRST, DROP, IDLE, ERASE, BORN, NEVER, FAULTS } fault;

static __attribute__((constructor)) void choose(void) {
  static const char *const names[] = {"none", "deaf",  "first", "drop",
                                      "idle", "erase", "born",  "never"};
  const char *name = getenv("YOUNG_FAULT");
  while (fault < FAULTS && (!name || strcmp(names[fault], name) != 0))
    fault++;
  if (fault < FAULTS) return;
  fprintf(stderr, "YOUNG_FAULT: %s is no fault\n", name ? name : "(not set)");
  exit(2);
}

/* ---- The barrier and the log ---- */

WRAP(void, tide_write_slow, struct tide_mutator *m, void *object, const void *slots, size_t count) {
  if (fault != DEAF) __real_tide_write_slow(m, object, slots, count);
}

WRAP(bool, td_log_write, struct td_space *space, uintptr_t object, uintptr_t slots, size_t count) {
  if (fault == FIRST) return __real_td_log_write(space, object, object, 1);
  return __real_td_log_write(space, object, slots, count);
}

static void look_away(uintptr_t object, void *context) {
  (void)object, (void)context;
}

WRAP(void, td_log_take, struct td_space *space, const struct td_log_visit *visit, void *context) {
  const struct td_log_visit idle = {visit->slots, look_away};
  if (fault == DROP) td_log_clear(space);
  __real_td_log_take(space, fault == IDLE ? &idle : visit, context);
}

/* ---- Marks ---- */

static uint32_t erased; /* a block, or 0 */
static bool was_old[TD_BLOCK_GRANULES];

static void remember_old(const struct td_space *space) {
  for (erased = 1; erased < space->frontier; erased++)
    if (td_young_is_touched(space, erased) && space->infos[erased].state == TD_BLOCK_SMALL) break;
  if (erased == space->frontier) erased = 0;
  const uint8_t *marks = space->marks + ((uint64_t)erased << TD_BLOCK_GRANULES_LOG2);
  for (size_t i = 0; i < TD_BLOCK_GRANULES; i++)
    was_old[i] = marks[i] == space->epoch;
}

WRAP(bool, td_young_mark_logged, struct tide_heap *heap) {
  if (fault == ERASE) remember_old(&heap->space);
  return __real_td_young_mark_logged(heap);
}

WRAP(uint32_t, td_space_end_young, struct td_space *space) {
  uint8_t *marks = space->marks + ((uint64_t)erased << TD_BLOCK_GRANULES_LOG2);
  for (size_t i = 0; fault == ERASE && erased && i < TD_BLOCK_GRANULES; i++)
    if (was_old[i]) marks[i] = 0;
  return __real_td_space_end_young(space);
}

/* A run of free cells, whose bytes are those of young objects. */
static size_t bear(const struct td_space *space, const struct tide_bump *run, size_t bytes) {
  if (fault != BORN || !bytes) return bytes;
  uint64_t first = (run->next - space->base) >> TD_GRANULE_LOG2;
  uint32_t cell = space->blocks[first >> TD_BLOCK_GRANULES_LOG2].cell_granules;
  for (uint64_t i = 0; i < bytes >> TD_GRANULE_LOG2; i += cell)
    space->marks[first + i] = space->epoch;
  return bytes;
}

WRAP(size_t, td_space_advance, struct td_space *space, struct tide_bump *run) {
  return bear(space, run, __real_td_space_advance(space, run));
}

WRAP(size_t, td_space_refill, struct td_space *space, struct tide_bump *run, tide_layout layout,
     size_t cell, enum td_room *room) {
  return bear(space, run, __real_td_space_refill(space, run, layout, cell, room));
}

WRAP(void, td_young_make_old, struct td_space *space) {
  if (fault == NEVER)
    td_log_clear(space);
  else
    __real_td_young_make_old(space);
}
