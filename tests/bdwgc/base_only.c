/* SPDX-License-Identifier: MIT */
/* Programs for which pointers in the heap count at an object's first byte only, as Guile's do: they
 * say so before anything is allocated. Links behind the first word of an object, and objects that
 * the library itself hands out from behind their first word, must go on to work. */
#include "tests/bdwgc/semantics.h"

#define MANY 300
static void **volatile kept; /* of the heap */

static APART void forget(void) {
  for (int i = 0; i < MANY; i++)
    kept[i] = NULL;
}

/* ---- Links, such as in an interpreter's weak vectors ---- */

static void **volatile links; /* of the heap, not searched */

static APART void make_linked(void) {
  for (int i = 0; i < MANY; i++)
    kept[i] = watch(&links[i], GC_malloc_atomic(100));
}
static void inner_links(void) {
  links = GC_malloc_atomic(MANY * sizeof *links);
  in_thread(make_linked);
  collect();
  CHECK(alive(links, 0, MANY) == MANY);
  in_thread(forget);
  collect();
  CHECK(alive(links, 0, MANY) < MANY / 10);
}

/* ---- Objects behind a closure ---- */

static int closed;
static const struct GC_finalizer_closure closure = {count_up, &closed};

static APART void make_closed(void) {
  for (int i = 0; i < MANY; i++)
    kept[i] = GC_finalized_malloc(40, &closure);
}
static void finalized_malloc(void) {
  GC_init_finalized_malloc();
  in_thread(make_closed);
  collect();
  for (int i = 0; i < 1000; i++) /* runs what is due */
    CHECK(GC_malloc(40));
  CHECK(closed == 0);
  in_thread(forget);
  collect();
  for (int i = 0; i < 1000; i++)
    CHECK(GC_finalized_malloc(40, &closure));
  CHECK(closed > MANY - MANY / 10);
}

PART(base_only, .early = true) {
  GC_set_all_interior_pointers(0);
  GC_INIT();
  kept = GC_malloc(MANY * sizeof *kept);
  CHECK(kept);
  inner_links();
  finalized_malloc();
}
