/* SPDX-License-Identifier: MIT */
/* Whoever watches collections is told of each whether it is a full or a young one, and why it was
 * begun. */
#include "tests/unit/gc/child.h"

struct watch {
  struct tide_cycle_running last;
  unsigned begun, ended, told;
};

/* What is said at the beginning holds to the end. */
EVENT(note) {
  struct watch *watch = context;
  struct tide_cycle_running now;
  tide_cycle_running(heap, &now);
  if (event == TIDE_EVENT_HEAP_GREW || event == TIDE_EVENT_HEAP_SHRANK ||
      event == TIDE_EVENT_RESUMED) {
    cr_assert_eq(now.number, 0);
    cr_assert_eq(now.cause, TIDE_CAUSE_NONE);
    return;
  }
  if (event == TIDE_EVENT_CYCLE_BEGIN) {
    cr_assert_eq(now.number, watch->last.number + 1);
    watch->begun++;
    watch->last = now;
  }
  watch->told++;
  watch->ended += event == TIDE_EVENT_CYCLE_END;
  cr_assert_eq(now.number, watch->last.number);
  cr_assert_eq(now.kind, watch->last.kind);
  cr_assert_eq(now.cause, watch->last.cause);
}

static struct world world_watched(struct watch *watch, size_t max_bytes) {
  struct world w =
      WORLD(.write_barrier = true, .heap_max_bytes = max_bytes, .reserve_bytes = max_bytes);
  tide_heap_on_event(w.heap, note, watch);
  return w;
}

static void expect(struct world *w, const struct watch *watch, enum tide_cycle_kind kind,
                   enum tide_cycle_cause cause) {
  struct tide_cycle_stats stats = cycle_of(w->heap);
  struct tide_cycle_running now;
  tide_cycle_running(w->heap, &now);
  cr_assert_eq(watch->last.kind, kind);
  cr_assert_eq(watch->last.cause, cause);
  cr_assert_eq(stats.number, watch->last.number);
  cr_assert_eq(stats.kind, kind);
  cr_assert_eq(stats.cause, cause);
  cr_assert_eq(watch->begun, watch->ended);
  cr_assert_eq(watch->told, 7 * watch->begun);
  cr_assert_eq(now.number, 0);
  cr_assert_eq(now.cause, TIDE_CAUSE_NONE);
}

LOOK(look) {}

Test(kinds, are_told_of_what_the_program_asks_for) {
  struct watch watch = {.begun = 0};
  SCOPED_WORLD w = world_watched(&watch, 0);
  cr_assert_eq(tide_collect_young(w.m), TIDE_OK);
  expect(&w, &watch, TIDE_CYCLE_YOUNG, TIDE_CAUSE_CALL);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  expect(&w, &watch, TIDE_CYCLE_FULL, TIDE_CAUSE_CALL);
  cr_assert_eq(tide_heap_inspect(w.m, look, NULL, NULL), TIDE_OK);
  expect(&w, &watch, TIDE_CYCLE_FULL, TIDE_CAUSE_INSPECT);
  ptrdiff_t much = (ptrdiff_t)stats_of(w.heap).heap_max_bytes;
  cr_assert_eq(tide_external_add(w.m, much), TIDE_OK);
  tide_safepoint(w.m);
  expect(&w, &watch, TIDE_CYCLE_YOUNG, TIDE_CAUSE_YOUNG);
  cr_assert_eq(tide_external_add(w.m, -much), TIDE_OK);
  cr_assert_eq(watch.begun, 4);
}

Test(kinds, are_told_of_what_allocation_needs) {
  struct watch watch = {.begun = 0};
  SCOPED_WORLD w = world_watched(&watch, (size_t)64 << 20);
  for (unsigned i = 0; watch.begun == 0 && i < 4000000; i++)
    pair_new(&w, NULL, NULL, i);
  expect(&w, &watch, TIDE_CYCLE_YOUNG, TIDE_CAUSE_YOUNG);
  void **kept[8];
  struct watch before = watch;
  for (unsigned i = 0; i < 8; i++) {
    kept[i] = tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, (size_t)7 << 20));
    cr_assert_not_null(*kept[i]);
    if (watch.begun > before.begun && watch.last.kind == TIDE_CYCLE_FULL) before = watch;
  }
  cr_assert_eq(before.last.kind, TIDE_CYCLE_FULL, "the heap has grown to its limit");
  cr_assert_eq(before.last.cause, TIDE_CAUSE_GROWTH);
  for (unsigned i = 0; i < 8; i += 2)
    *kept[i] = NULL;
  /* Else a slow collection may decide that less of the heap will do. */
  cr_assert_eq(tide_heap_set_sizing(w.heap, TIDE_SIZING_FIXED, 0, NULL), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, (size_t)20 << 20), "no such gap is left");
  expect(&w, &watch, TIDE_CYCLE_FULL, TIDE_CAUSE_ROOM);
}

Test(kinds, are_told_of_stress) {
  struct watch watch = {.begun = 0};
  setenv("TIDE_STRESS", "1", 1);
  SCOPED_WORLD w = world_watched(&watch, 0);
  unsigned full = 0;
  for (unsigned i = 0; i < 64; i++) {
    unsigned before = watch.begun;
    pair_new(&w, NULL, NULL, i);
    cr_assert_eq(watch.begun, before + 1);
    expect(&w, &watch, watch.last.kind, TIDE_CAUSE_STRESS);
    full += watch.last.kind == TIDE_CYCLE_FULL;
  }
  cr_assert_eq(full, 8);
}

Test(kinds, are_nobody_s_without_a_heap) {
  struct tide_cycle_running now = {.number = 7, .kind = TIDE_CYCLE_YOUNG, .cause = TIDE_CAUSE_CALL};
  tide_cycle_running(NULL, &now);
  cr_assert_eq(now.number, 0);
  cr_assert_eq(now.kind, TIDE_CYCLE_FULL);
  cr_assert_eq(now.cause, TIDE_CAUSE_NONE);
}

static bool collect_both(UNUSED const void *argument) {
  setenv("TIDE_LOG", "1", 1);
  struct watch watch = {.begun = 0};
  struct world w = world_watched(&watch, 0);
  tide_collect_young(w.m);
  tide_collect(w.m);
  return true;
}

Test(kinds, are_in_the_log) {
  cr_assert_eq(child_of(collect_both, NULL), 0);
  const char *young = strstr(told, "tidemark: young collection 1: ");
  const char *more = strstr(told, "tidemark: promoted 0 KiB, looked into 0 ");
  const char *full = strstr(told, "tidemark: full collection 2: ");
  cr_assert(young && more && full && young < more && more < full, "%s", told);
  cr_assert_null(strstr(full, "promoted"), "%s", full);
  cr_assert(strstr(young, ": kept ") && strstr(young, " objects, heap "), "%s", young);
  cr_assert(strstr(full, ": live ") && !strstr(full, "heap "), "%s", full);
}
