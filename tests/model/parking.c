/* SPDX-License-Identifier: MIT */
/* Parking and waking (parking.h) for GenMC: one helper, or two; the script of marker 0 as macros of
 * one step each. run-genmc makes them from clients.py, and for a mutant MUTANT_SITE, which access,
 * as "load(&set->closed)", and MUTANT_ORDER. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/model/genmc_sites.h"

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#define atomic_load_explicit(p, order) __c11_atomic_load(p, MODEL_ORDER_OF("load(" #p ")", order))
#define atomic_store_explicit(p, value, order)                                                     \
  __c11_atomic_store(p, value, MODEL_ORDER_OF("store(" #p ")", order))
#define atomic_fetch_add_explicit(p, value, order)                                                 \
  __c11_atomic_fetch_add(p, value, MODEL_ORDER_OF("fetch_add(" #p ")", order))
#define atomic_fetch_sub_explicit(p, value, order)                                                 \
  __c11_atomic_fetch_sub(p, value, MODEL_ORDER_OF("fetch_sub(" #p ")", order))

#define MODEL_ASSERT(condition) assert(condition)
#define MODEL_MET(event) (void)(event)
#define MODEL_SECOND(first, second, ...) second
#define MODEL_PICK(...) MODEL_SECOND(__VA_ARGS__)
#define MODEL_STEP(name) MODEL_PICK(SKIPPED_##name, 1, 0)
#define TD_ORDER(queue, site, order) memory_order_##order
#define TD_STEP(queue, site) MODEL_PICK(SKIPPED_##queue##_##site, 1, 0)
#define MODEL_WATCHED unsigned
#define MODEL_WAIT(condition)                                                                      \
  while (!(condition)) {                                                                           \
  }
/* A marker's own clock: nobody compares two. */
static __thread uint64_t now;
#define MODEL_NOW() (now += 1000000)
static __thread unsigned self;
#define MODEL_SELF self
#define MODEL_TIMEOUT() 0
#define MODEL_STARTED 1
#define MODEL_MANY 0 /* they wait in loops for each other: Relacy has them */
extern struct parking state;
#define MODEL_STATE state
#include "tests/model/parking.h"

struct parking state;

/* A helper's whole life; or its part in one phase, as one that found the phase in time. */
#define HELP td_helper(marker);
#define JOIN                                                                                       \
  if (td_term_join(&state.set.term)) parking_work(marker, true);
#define QUIT parking_quit();
#define OPEN parking_open();
#define PHASE parking_phase();
#define CONFIGURE(markers) parking_configure(markers);

static void *helper(void *marker) {
  self = ((struct td_marker *)marker)->id;
  MODEL_HELPER
  return NULL;
}

int main(void) {
  pthread_t helpers[MODEL_HELPERS];
  parking_init();
  for (unsigned id = 1; id <= MODEL_HELPERS; id++)
    pthread_create(&helpers[id - 1], NULL, helper, &state.marker[id]);
  MODEL_SCRIPT
  for (unsigned id = 1; id <= MODEL_HELPERS; id++)
    pthread_join(helpers[id - 1], NULL);
  return 0;
}
