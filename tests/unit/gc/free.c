/* SPDX-License-Identifier: MIT */
/* Freeing and resizing single objects. */
#include "heap/space/poison.h"
#include "tests/unit/gc/common.h"
#include "tests/unit/gc/young.h"
#include "tide/dropin.h"

/* Under AddressSanitizer freed cells are poisoned, and nobody gets them before a collection. */
static void skip_if_poisoned(void) {
  if (td_poison_is_possible()) cr_skip_test("cells are poisoned");
}

HeapTest(free, the_newest_cell_is_the_next) {
  skip_if_poisoned();
  void *first = tide_alloc(w.m, TIDE_LAYOUT_REFS, 64);
  void *second = tide_alloc(w.m, TIDE_LAYOUT_REFS, 64);
  memset(second, 0xcc, 64);
  cr_assert_eq(tide_free(w.m, second), TIDE_OK);
  void *again = tide_alloc(w.m, TIDE_LAYOUT_REFS, 64);
  cr_assert_eq(again, second);
  cr_assert(is_zero(again, 64));
  cr_assert_eq(tide_free(w.m, again), TIDE_OK);
  cr_assert_eq(tide_free(w.m, first), TIDE_OK);
  cr_assert_eq(tide_alloc(w.m, TIDE_LAYOUT_REFS, 64), first);
}

/* What is freed at once fills no young part, whatever its size, nor what is made smaller. */
YoungTest(free, young_objects_make_room_for_others) {
  static const size_t sizes[] = {3000, 20000, 40000, 100000, 600000};
  skip_if_poisoned();
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  for (int i = 0; i < 2000; i++) {
    void *object = tide_alloc(w.m, TIDE_LAYOUT_LEAF, sizes[i % 5]);
    cr_assert_not_null(object);
    if (i % 5 > 2) cr_assert(tide_resize_in_place(w.m, object, 70000));
    cr_assert_eq(tide_free(w.m, object), TIDE_OK);
  }
  cr_assert_eq(stats_of(w.heap).collections, 1);
}

/* Returns the one of the old objects that lies right before the address, and takes it away. */
static void *take_before(void **old, size_t count, const char *address, size_t bytes) {
  void *found = NULL;
  for (size_t i = 0; i < count; i++) {
    if ((char *)old[i] + bytes != address) continue;
    found = old[i];
    old[i] = NULL;
  }
  return found;
}

/* An old cell that its run takes back is as good as new: its first stores need no barrier. */
YoungTest(free, an_old_cell_before_the_run_is_handed_out_as_a_new_one) {
  skip_if_poisoned();
  void **old = held(&w, tide_alloc(w.m, TIDE_LAYOUT_REFS, 1000 * sizeof *old));
  for (size_t i = 0; i < 1000; i++) { /* every second cell stays free */
    tide_write(w.m, old, &old[i], tide_alloc(w.m, TIDE_LAYOUT_REFS, 48));
    tide_alloc(w.m, TIDE_LAYOUT_REFS, 48);
  }
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  void **young = tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 64));
  void *first = tide_alloc(w.m, TIDE_LAYOUT_REFS, 48), *before = take_before(old, 1000, first, 48);
  cr_assert_not_null(before);
  cr_assert_eq(tide_free(w.m, first), TIDE_OK);
  cr_assert_eq(tide_free(w.m, before), TIDE_OK);
  void **fresh = held(&w, tide_alloc(w.m, TIDE_LAYOUT_REFS, 48));
  cr_assert_eq(fresh, before);
  fresh[0] = *young;
  *young = NULL;
  cr_assert_eq(tide_collect_young(w.m), TIDE_OK);
  cr_assert_eq(tide_object_bytes(w.heap, fresh[0]), 64);
}

/* Allocates and frees much more than the heap may hold, without one collection. */
HeapTest(free, small_cells_are_used_again) {
  skip_if_poisoned();
  void *kept[500];
  uint64_t before = stats_of(w.heap).collections;
  for (int round = 0; round < 400; round++) {
    for (int i = 0; i < 500; i++) {
      cr_assert_not_null(kept[i] =
                             tide_alloc(w.m, TIDE_LAYOUT_CONSERVATIVE, 100 + (size_t)i % 400));
      cr_assert(is_zero(kept[i], 100 + (size_t)i % 400));
      memset(kept[i], 0xee, 100 + (size_t)i % 400);
    }
    for (int i = 0; i < 500; i++)
      cr_assert_eq(tide_free(w.m, kept[(i * 7) % 500]), TIDE_OK);
  }
  cr_assert_eq(stats_of(w.heap).collections, before);
  cr_assert_eq(live_after_collect(&w), 0);
}

HeapTest(free, large_objects_give_their_memory_back) {
  uint64_t before = stats_of(w.heap).collections, used = stats_of(w.heap).heap_bytes;
  size_t sizes[] = {33000, 100000, 1000000};
  for (int i = 0; i < 3000; i++) {
    size_t bytes = sizes[i % 3];
    unsigned char *object = tide_alloc(w.m, TIDE_LAYOUT_LEAF, bytes);
    cr_assert(object && is_zero(object, bytes));
    memset(object, 0xdd, bytes);
    cr_assert_eq(tide_free(w.m, object), TIDE_OK);
  }
  cr_assert_eq(stats_of(w.heap).collections, before);
  cr_assert_eq(stats_of(w.heap).heap_bytes, used);
}

FINALIZER(never) {
  cr_assert_fail("a freed object was finalized");
}

HeapTest(free, finalizers_are_forgotten) {
  skip_if_poisoned();
  void *object = tide_alloc(w.m, TIDE_LAYOUT_REFS, 64);
  cr_assert_eq(tide_finalizer_add(w.m, object, never, NULL), TIDE_OK);
  cr_assert_eq(tide_free(w.m, object), TIDE_OK);
  cr_assert_eq(tide_alloc(w.m, TIDE_LAYOUT_REFS, 64), object);
  object = NULL;
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_finalizers_run(w.m, 10), 0);
}

HeapTest(free, nothing_is_fine) {
  cr_assert_eq(tide_free(w.m, NULL), TIDE_OK);
  cr_assert_not(tide_resize_in_place(w.m, NULL, 10));
}

HeapTest(free, what_is_no_object_is_refused, .signal = TOLD) {
  char *object = tide_alloc(w.m, TIDE_LAYOUT_REFS, 64);
  cr_assert_eq(tide_free(w.m, object + 16), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_free(w.m, object + 64), TIDE_ERROR_ARGUMENT, "not handed out yet");
  cr_assert_eq(tide_free(w.m, &w), TIDE_ERROR_ARGUMENT);
}

HeapTest(free, twice_is_refused, .signal = TOLD) {
  for (size_t bytes = 16; bytes < 100000; bytes *= 3) {
    void *object = tide_alloc(w.m, TIDE_LAYOUT_REFS, bytes);
    void *newer = tide_alloc(w.m, TIDE_LAYOUT_REFS, bytes);
    cr_assert_eq(tide_free(w.m, object), TIDE_OK);
    cr_assert_eq(tide_free(w.m, object), TIDE_ERROR_ARGUMENT, "%zu bytes", bytes);
    cr_assert_eq(tide_free(w.m, newer), TIDE_OK);
    cr_assert_eq(tide_free(w.m, newer), TIDE_ERROR_ARGUMENT, "%zu bytes", bytes);
  }
}

StackTest(free, a_freed_object_that_is_still_seen_does_no_harm_to_conservative_heaps) {
  void *volatile dangling[100];
  for (int i = 0; i < 100; i++)
    dangling[i] = tide_alloc(w.m, TIDE_LAYOUT_CONSERVATIVE, 48);
  for (int i = 0; i < 100; i += 2)
    cr_assert_eq(tide_free(w.m, dangling[i]), TIDE_OK);
  cr_assert_eq(live_after_collect(&w), 50);
  cr_assert(dangling[1]);
}

HeapTest(free, is_counted) {
  uint64_t expected = 0;
  for (int i = 0; i < 100; i++) /* the later ones share spans */
    tide_free(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 33001));
  cr_assert_leq(stats_of(w.heap).freed_bytes, tide_allocated_bytes(w.heap));
  uint64_t before = stats_of(w.heap).freed_bytes;
  for (size_t bytes = 16; bytes < 1000000; bytes *= 3) {
    void *object = tide_alloc(w.m, TIDE_LAYOUT_LEAF, bytes);
    expected += tide_object_bytes(w.heap, object);
    cr_assert_eq(tide_free(w.m, object), TIDE_OK);
    cr_assert_eq(stats_of(w.heap).freed_bytes, before + expected, "%zu bytes", bytes);
  }
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(stats_of(w.heap).freed_bytes, before + expected, "a collection frees nothing so");
}

HeapTest(look, tells_what_the_single_questions_tell) {
  const tide_layout layouts[] = {TIDE_LAYOUT_LEAF, TIDE_LAYOUT_REFS, TIDE_LAYOUT_CONSERVATIVE};
  for (size_t i = 0; i < 3; i++) {
    for (size_t bytes = 16; bytes < 1000000; bytes *= 3) {
      struct tide_object_facts facts;
      void **held = tide_handle(w.m, tide_alloc(w.m, layouts[i], bytes));
      cr_assert(tide_object_look(w.m, *held, &facts), "%zu bytes", bytes);
      cr_assert_eq(facts.bytes, tide_object_bytes(w.heap, *held));
      cr_assert_eq(facts.layout, layouts[i]);
      cr_assert_eq(facts.layout, tide_object_layout(w.heap, *held));
      cr_assert_not(facts.pinned);
      if (facts.may_grow) continue;
      cr_assert_not(tide_resize_in_place(w.m, *held, facts.bytes + 1), "%zu bytes", bytes);
    }
  }
  struct tide_object_facts large;
  cr_assert(tide_object_look(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 600000), &large));
  cr_assert(large.may_grow);
}

/* Whether cells are at hand is up to chance, so most of these moves must succeed, not all. */
static void try_moves(struct world *w, tide_layout layout) {
  unsigned moves = 0;
  uint64_t before = stats_of(w->heap).freed_bytes, freed = 0;
  for (size_t bytes = 32; bytes < 512; bytes += 16) {
    tide_alloc(w->m, layout, bytes + 16); /* these sizes have runs now */
    tide_alloc(w->m, layout, bytes / 2 - 1);
    uintptr_t *object = tide_alloc(w->m, layout, bytes);
    object[0] = 2 * bytes, object[bytes / 8 - 1] = 2 * bytes;
    cr_assert_null(tide_object_replace(w->m, object, bytes), "it is long enough");
    cr_assert_null(tide_object_replace(w->m, object, bytes / 2), "it may stay");
    uintptr_t *moved = tide_object_replace(w->m, object, bytes + 9);
    if (!moved) continue;
    moves++, freed += bytes + tide_object_bytes(w->heap, moved);
    cr_assert_eq(tide_object_layout(w->heap, moved), layout);
    cr_assert_geq(tide_object_bytes(w->heap, moved), bytes + 9);
    cr_assert(moved[0] == 2 * bytes && moved[bytes / 8 - 1] == 2 * bytes, "%zu bytes", bytes);
    cr_assert_eq(moved[bytes / 8], 0);
    cr_assert_eq(tide_object_bytes(w->heap, object), 0, "it was freed");
    uintptr_t *shorter = tide_object_replace(w->m, moved, bytes / 2 - 1);
    cr_assert(shorter && shorter[0] == 2 * bytes, "%zu bytes", bytes / 2 - 1);
  }
  cr_assert_gt(moves, 25);
  cr_assert_eq(stats_of(w->heap).freed_bytes, before + freed);
}

HeapTest(move, copies_and_frees) {
  skip_if_poisoned();
  try_moves(&w, TIDE_LAYOUT_LEAF);
  try_moves(&w, TIDE_LAYOUT_CONSERVATIVE);
  cr_assert_eq(live_after_collect(&w), 0);
}

HeapTest(move, changes_nothing_where_it_cannot) {
  void *large = tide_alloc(w.m, TIDE_LAYOUT_LEAF, 600000), *small = tide_alloc(w.m, 1, 40);
  tide_alloc(w.m, 1, 64);
  cr_assert_null(tide_object_replace(w.m, large, 700000));
  cr_assert_null(tide_object_replace(w.m, large, 64));
  cr_assert_null(tide_object_replace(w.m, small, 1000));
  cr_assert_null(tide_object_replace(w.m, (char *)small + 8, 64));
  cr_assert_null(tide_object_replace(w.m, &w, 64));
  cr_assert_eq(tide_object_pin(w.m, small), TIDE_OK);
  cr_assert_null(tide_object_replace(w.m, small, 64));
  cr_assert_eq(tide_object_unpin(w.m, small), TIDE_OK);
  cr_assert_eq(count_objects(&w), 3);
}

/* Inside objects, behind the newest, in freed cells of every kind, in unused memory. */
HeapTest(look, finds_nothing_where_no_object_begins) {
  struct tide_object_facts facts = {.bytes = 7};
  for (size_t bytes = 16; bytes < 1000000; bytes *= 3) {
    char *older = tide_alloc(w.m, TIDE_LAYOUT_LEAF, bytes);
    char *object = tide_alloc(w.m, TIDE_LAYOUT_LEAF, bytes);
    size_t cell = tide_object_bytes(w.heap, object);
    cr_assert_not(tide_object_look(w.m, object + 8, &facts));
    cr_assert_not(tide_object_look(w.m, object + 1, &facts));
    for (size_t inside = 16; inside<cell; inside += cell> 4096 ? 4096 : 16)
      cr_assert_not(tide_object_look(w.m, object + inside, &facts), "%zu of %zu", inside, bytes);
    if (object == older + cell) cr_assert_not(tide_object_look(w.m, object + cell, &facts));
    cr_assert_eq(tide_free(w.m, older), TIDE_OK);
    cr_assert_eq(tide_free(w.m, object), TIDE_OK);
    cr_assert_not(tide_object_look(w.m, older, &facts), "%zu bytes", bytes);
    cr_assert_not(tide_object_look(w.m, object, &facts), "%zu bytes", bytes);
  }
  cr_assert_not(tide_object_look(w.m, &w, &facts));
  cr_assert_not(tide_object_look(w.m, NULL, &facts));
  cr_assert_not(tide_object_look(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 16), NULL));
  cr_assert_not(tide_object_look(w.m, (void *)(UINTPTR_MAX & ~(uintptr_t)15), &facts));
  cr_assert_eq(facts.bytes, 7, "left alone");
}

HeapTest(resize, small_objects_have_their_cell) {
  void *object = tide_alloc(w.m, TIDE_LAYOUT_REFS, 50);
  cr_assert(tide_resize_in_place(w.m, object, 64));
  cr_assert(tide_resize_in_place(w.m, object, 1));
  cr_assert_not(tide_resize_in_place(w.m, object, 65));
  cr_assert_not(tide_resize_in_place(w.m, (char *)object + 16, 16));
}

Test(resize, large_objects_grow_and_shrink) {
  struct world w = WORLD(.heap_initial_bytes = (size_t)64 << 20); /* resizing does not collect */
  size_t least = 600000, bytes = least;
  uint64_t used = stats_of(w.heap).heap_bytes;
  unsigned char *object = held(&w, tide_alloc(w.m, TIDE_LAYOUT_CONSERVATIVE, bytes));
  memset(object, 1, bytes);
  for (; bytes < 1600000; bytes += 99999) {
    size_t before = tide_object_bytes(w.heap, object);
    cr_assert(tide_resize_in_place(w.m, object, bytes + 99999));
    cr_assert_geq(tide_object_bytes(w.heap, object), bytes + 99999);
    cr_assert(is_zero(object + before, bytes + 99999 - before));
    memset(object, 1, bytes + 99999);
    cr_assert_eq(tide_object_find(w.heap, object + bytes), object);
  }
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(object[bytes - 1], 1);
  cr_assert(tide_resize_in_place(w.m, object, least));
  cr_assert_eq(tide_object_bytes(w.heap, object), least);
  cr_assert_null(tide_object_find(w.heap, object + 2 * least));
  cr_assert_leq(stats_of(w.heap).heap_bytes, used + least + 65536);
  /* What lies behind it now is somebody else's. */
  unsigned char *other = tide_alloc(w.m, TIDE_LAYOUT_LEAF, least);
  if (other > object && other < object + 2 * least)
    cr_assert_not(tide_resize_in_place(w.m, object, 3 * least));
  cr_assert_not(tide_resize_in_place(w.m, object, (size_t)1 << 45));
  cr_assert_not(tide_resize_in_place(w.m, object, SIZE_MAX));
  expect_order(&w);
  cr_assert(other);
  world_end(&w);
}

HeapTest(resize, what_lies_before_a_growing_object_stays) {
  enum { OTHERS = 40 };
  void **others[OTHERS];
  for (size_t i = 0; i < OTHERS; i++)
    others[i] = tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_REFS, (size_t)600 << 10));
  void **large = tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, (size_t)700 << 10));
  cr_assert(tide_resize_in_place(w.m, *large, (size_t)1500 << 10));
  for (size_t i = 0; i < OTHERS; i++)
    cr_assert_eq(tide_object_find(w.heap, *others[i]), *others[i], "object %zu", i);
  cr_assert_eq(live_after_collect(&w), OTHERS + 1);
}

/* The next object with this memory must not be written to when the target dies. */
HeapTest(free, a_slot_in_an_object_is_forgotten_when_that_is_freed) {
  void **target = tide_handle(w.m, NULL), **holder = tide_handle(w.m, NULL);
  const size_t sizes[] = {64, 3000, 200000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    *target = pair_new(&w, NULL, NULL, 1);
    *holder = tide_alloc(w.m, TIDE_LAYOUT_LEAF, sizes[i]);
    uintptr_t *slot = (uintptr_t *)*holder + 3;
    cr_assert_eq(tide_weak_slot_add(w.m, slot, *target, TIDE_WEAK_BEFORE), TIDE_OK);
    cr_assert_eq(tide_weak_slot_add(w.m, slot + 2, *target, TIDE_WEAK_AFTER), TIDE_OK);
    cr_assert_eq(tide_free(w.m, *holder), TIDE_OK);
    cr_assert_eq(tide_weak_slot_remove(w.m, slot, TIDE_WEAK_BEFORE), TIDE_ERROR_ARGUMENT);
    cr_assert_eq(tide_weak_slot_remove(w.m, slot + 2, TIDE_WEAK_AFTER), TIDE_ERROR_ARGUMENT);
    *holder = NULL;
  }
}

HeapTest(free, a_slot_that_an_object_loses_is_forgotten) {
  void **target = tide_handle(w.m, pair_new(&w, NULL, NULL, 1));
  void **holder = tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 400000));
  uintptr_t *kept = (uintptr_t *)*holder + 100000 / 8 - 1, *lost = kept + 2;
  cr_assert_eq(tide_weak_slot_add(w.m, kept, *target, TIDE_WEAK_BEFORE), TIDE_OK);
  cr_assert_eq(tide_weak_slot_add(w.m, lost, *target, TIDE_WEAK_BEFORE), TIDE_OK);
  cr_assert(tide_resize_in_place(w.m, *holder, 100000));
  cr_assert_eq(tide_weak_slot_remove(w.m, lost, TIDE_WEAK_BEFORE), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_weak_slot_remove(w.m, kept, TIDE_WEAK_BEFORE), TIDE_OK);
}

/* Some pages have no slot, and other objects have some in the same pages. */
HeapTest(free, all_slots_in_an_object_are_forgotten_and_no_others) {
  enum { SLOTS = 3000, OTHERS = 500 };
  void **target = tide_handle(w.m, pair_new(&w, NULL, NULL, 1)), *holder, **others;
  others = tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, OTHERS * sizeof(void *)));
  for (size_t step = 1; step <= 700; step *= 9) {
    holder = tide_alloc(w.m, TIDE_LAYOUT_LEAF, SLOTS * sizeof(void *) - 100);
    uintptr_t *slot = holder, *other = *others;
    for (size_t i = 0; i < SLOTS - 20; i += step)
      cr_assert_eq(tide_weak_slot_add(w.m, &slot[i], *target, TIDE_WEAK_AFTER), TIDE_OK);
    for (size_t i = 0; i < OTHERS; i++)
      cr_assert_eq(tide_weak_slot_add(w.m, &other[i], *target, TIDE_WEAK_AFTER), TIDE_OK);
    if (step == 9) tide_weak_slot_move(w.m, &slot[9], &slot[SLOTS - 18], TIDE_WEAK_AFTER);
    cr_assert_eq(tide_free(w.m, holder), TIDE_OK);
    for (size_t i = 0; i < SLOTS - 13; i++)
      cr_assert_eq(tide_weak_slot_remove(w.m, &slot[i], TIDE_WEAK_AFTER), TIDE_ERROR_ARGUMENT);
    for (size_t i = 0; i < OTHERS; i++)
      cr_assert_eq(tide_weak_slot_remove(w.m, &other[i], TIDE_WEAK_AFTER), TIDE_OK);
  }
}

/* Programs look once more at what they have freed: a thread at its own description. */
HeapTest(free, leaves_all_but_the_first_and_the_last_word) {
  skip_if_poisoned();
  for (size_t bytes = 32; bytes <= 2048; bytes *= 2) {
    uintptr_t *object = tide_alloc(w.m, TIDE_LAYOUT_LEAF, bytes), *next;
    next = tide_alloc(w.m, TIDE_LAYOUT_LEAF, bytes); /* or the cell would go back to the run */
    for (size_t i = 0; i < bytes / sizeof *object; i++)
      object[i] = i;
    cr_assert_eq(tide_free(w.m, object), TIDE_OK);
    for (size_t i = 1; i + 1 < bytes / sizeof *object; i++)
      cr_assert_eq(object[i], i);
    cr_assert_eq(tide_free(w.m, next), TIDE_OK);
  }
}
