/* SPDX-License-Identifier: MIT */
/* Regions handed over between markers, for GenMC: marker/region/region.h and
 * marker/base/termination.h as shipped, the steps of a marker as macros. run-genmc makes them from
 * clients.py: MODEL_OWNER is what marker 0 does, MODEL_HELPERS has the scripts of the others, each
 * of which takes part once. MODEL_TARGETS says to which object each reference leads, MODEL_CHILDREN
 * which reference each object has, NONE for none.
 *
 * Marks, chunks and who owns a region are plain: GenMC reports who touches them unordered. Checked
 * when marker 0 has seen the end: every reference that was thrown was sifted exactly once, its
 * object is marked, nothing waits, and nobody owns a region. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "tests/model/genmc.h"

#define TD_TERM_ORDER_LEAVE TD_ORDER(term, leave, acq_rel)
#include "marker/base/termination.h"

#define TD_CHUNK_REFERENCES 2u
#define TD_REGION_ORDER_PUSH TD_ORDER(region, push, release)
#define TD_REGION_ORDER_TAKE TD_ORDER(region, take, acquire)
#define TD_REGION_ORDER_CLAIM TD_ORDER(region, claim, acquire)
#define TD_REGION_ORDER_LEAVE TD_ORDER(region, leave, release)
#include "marker/region/region.h"

enum { REGIONS = 2, NONE = 255 };
static uint8_t const targets[] = MODEL_TARGETS;
static uint8_t const children[] = MODEL_CHILDREN;
enum { REFERENCES = sizeof targets, OBJECTS = sizeof children };

static struct td_termination term;
static struct td_region region[REGIONS];
static struct td_chunk chunk[REFERENCES + 1]; /* chunk n begins with reference n - 1 */
static uint32_t thrown[REFERENCES];           /* of who throws it */
/* The region's owner's. */
static uint32_t owners[REGIONS], marks[OBJECTS], sifted[REFERENCES];

static unsigned region_of(unsigned object) {
  return object >> 1;
}

static void throw(unsigned reference, unsigned count) {
  struct td_chunk *full = &chunk[reference + 1];
  full->count = count;
  for (unsigned i = 0; i < count; i++) {
    full->at[i] = reference + i;
    thrown[reference + i]++;
  }
  td_region_push(&region[region_of(targets[reference])], full, reference + 1);
}

static bool claim(unsigned r) {
  if (TD_STEP(regions, claim) && !td_region_claim(&region[r])) return false;
  MODEL_ASSERT(owners[r] == 0);
  owners[r] = 1;
  return true;
}

static void leave(unsigned r) {
  owners[r] = 0;
  td_region_leave(&region[r]);
}

static void sift(struct td_chunk const *full) {
  for (unsigned i = 0; i < full->count; i++) {
    unsigned reference = full->at[i], object = targets[reference];
    MODEL_ASSERT(sifted[reference] == 0);
    sifted[reference] = 1;
    if (marks[object] != 0) continue;
    marks[object] = 1;
    if (children[object] != NONE) throw(children[object], 1);
  }
}

/* All that waits: marker/region/visit.c. */
static void visit(unsigned r) {
  if (!claim(r)) return;
  for (uint32_t number; (number = td_region_take(&region[r])) != 0;)
    for (; number != 0; number = chunk[number].next)
      sift(&chunk[number]);
  leave(r);
}

/* The newest chunk; the others stay. */
static void unload(unsigned r) {
  if (!claim(r)) return;
  uint32_t number = td_region_pop(&region[r], chunk);
  if (number != 0) sift(&chunk[number]);
  leave(r);
}

static bool waits(unsigned r) {
  uint64_t word = td_region_look(&region[r]);
  return !td_region_is_owned(word) && td_region_waiting(word) > 0;
}

/* What an active marker does last: nobody leaves while a chunk waits that nobody answers for. */
static void look(void (*empty)(unsigned)) {
  if (!TD_STEP(regions, look)) return;
  for (bool found = true; found;) {
    found = false;
    for (unsigned r = 0; r < REGIONS; r++) {
      if (!waits(r)) continue;
      empty(r);
      found = true;
    }
  }
}

#define THROW(reference, count) throw(reference, count);
#define VISIT(r) visit(r);
#define UNLOAD(r) unload(r);
#define LOOK look(visit);
#define LOOK_SINGLE look(unload);

static void *help(void *id) {
  if (!td_term_join(&term)) return NULL;
  switch ((uintptr_t)id) { MODEL_HELPERS }
  (void)td_term_leave(&term);
  return NULL;
}

int main(void) {
  pthread_t helpers[MODEL_COUNT];
  td_term_start(&term);
  for (uintptr_t id = 0; id < MODEL_COUNT; id++)
    pthread_create(&helpers[id], NULL, help, (void *)id);
  MODEL_OWNER
  bool last = td_term_leave(&term);
  if (!last) __VERIFIER_assume(td_term_over(&term));
  for (unsigned r = 0; r < REGIONS; r++)
    MODEL_ASSERT(td_region_look(&region[r]) == 0 && owners[r] == 0);
  for (unsigned i = 0; i < REFERENCES; i++) {
    MODEL_ASSERT(thrown[i] <= 1 && sifted[i] == thrown[i]);
    MODEL_ASSERT(thrown[i] == 0 || marks[targets[i]] == 1);
  }
  return 0;
}
