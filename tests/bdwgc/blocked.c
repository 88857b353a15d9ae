/* SPDX-License-Identifier: MIT */
/* Programs call the library in GC_do_blocking, too. Parts of bdwgc_semantics. */
#include "tests/bdwgc/semantics.h"

static void *links[4];
static int finalized, disclaimed, seen;

static int GC_CALLBACK ask(void *object) {
  disclaimed++;
  return 0;
}
static void look(void *object, size_t bytes, void *data) {
  seen++;
}

/* Runs apart, because a dead object's address may stay on a stack. */
static APART void *make_some(void *kind) {
  for (int i = 0; i < 100; i++) {
    GC_register_finalizer(GC_malloc(20), count_up, &finalized, NULL, NULL);
    GC_malloc_kind(20, *(int *)kind);
  }
  return NULL;
}
static void *use_all(void *kind) {
  GC_finalization_proc old = NULL;
  void *object = GC_malloc_uncollectable(20);
  CHECK(object && GC_malloc_atomic_uncollectable(20));
  CHECK(GC_generic_malloc_uncollectable(20, GC_I_NORMAL) && GC_malloc_kind(20, *(int *)kind));
  CHECK(GC_get_kind_and_size(object, NULL) ==
        GC_get_kind_and_size(GC_malloc_uncollectable(9), NULL));
  CHECK(GC_debug_malloc(20, "file", 1));
  GC_register_finalizer(object, count_up, NULL, NULL, NULL);
  GC_register_finalizer(object, NULL, NULL, &old, NULL);
  CHECK(old == count_up);
  CHECK(GC_general_register_disappearing_link(&links[0], object) == GC_SUCCESS);
  CHECK(GC_move_disappearing_link(&links[0], &links[1]) == GC_SUCCESS);
  CHECK(GC_unregister_disappearing_link(&links[1]) == 1);
  GC_word before = GC_get_gc_no();
  GC_gcollect();
  CHECK(GC_get_gc_no() > before);
  GC_enumerate_reachable_objects_inner(look, NULL);
  CHECK(seen > 0);
  make_some(kind);
  return object;
}
static void *be_blocked(void *kind) {
  CHECK(GC_do_blocking(use_all, kind));
  return NULL;
}
static void *collect_all(void *unused) {
  collect();
  for (int i = 0; i < 1000; i++)
    GC_malloc(20);
  return unused;
}
PART(blocked_calls) {
  int kind = (int)GC_new_kind(GC_new_free_list(), 0 | GC_DS_LENGTH, 1, 1);
  GC_register_disclaim_proc(kind, ask, 1);
  finish(start(be_blocked, &kind));
  GC_do_blocking(collect_all, NULL);
  for (int i = 0; i < 1000; i++)
    GC_malloc_kind(20, kind);
  CHECK(finalized > 90 && disclaimed > 90);
}
