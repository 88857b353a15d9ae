/* SPDX-License-Identifier: MIT */
/* What threads of the wild driver do with a whole heap: collections, stops, looks, settings, calls
 * that mean nothing. */
#include <sched.h>

#include "tests/wild/wild.h"

void wild_collect(struct at *at) {
  uint32_t dice = below(at, 8);
  if (dice == 0) (void)tide_collect(at->m);
  if (dice > 0 && dice < 6) (void)tide_collect_young(at->m);
  if (dice == 6) (void)tide_external_add(at->m, 100000);
  if (dice == 7) (void)tide_external_add(at->m, -100000);
}

/* ---- Stops ---- */

static void block(struct at *at, bool all, void (*call)(struct tide_mutator *m)) {
  for (unsigned i = 0; i < PLACES; i++)
    if (at->w->seat[i].place && (all || &at->w->seat[i] == at->seat)) call(at->w->seat[i].m);
}

/* Regions of one heap or of all, nested, with and without the other heaps in use meanwhile. */
void wild_block(struct at *at) {
  void *object = pick(at);
  unsigned depth = 1 + below(at, 3);
  bool all = below(at, 2);
  for (unsigned k = 0; k < depth; k++)
    block(at, all, tide_blocking_enter);
  if (may_misuse) {
    CHECK(!tide_alloc(at->m, TIDE_LAYOUT_LEAF, 16));
    CHECK(tide_collect_young(at->m) == TIDE_ERROR_STATE);
  }
  uint32_t dice = below(at, 4);
  if (dice == 0) usleep(below(at, 200));
  for (unsigned i = 0; dice == 1 && i < PLACES && !all; i++) {
    struct seat *seat = &at->w->seat[i];
    if (seat->place && seat != at->seat)
      wild_chain(&(struct at){at->w, seat, seat->place, seat->m, &seat->mine});
  }
  if (dice > 1) sched_yield();
  for (unsigned k = 0; k < depth; k++)
    block(at, all, tide_blocking_leave);
  object_check(at->place, object);
}

void wild_pause(struct at *at) {
  struct tide_heap *heap = at->place->heap;
  if (below(at, 2)) {
    tide_stop_hold(at->m);
    sched_yield();
    tide_stop_release(at->m);
    return;
  }
  CHECK(tide_collect_pause(heap) == TIDE_OK);
  CHECK(tide_collect_young(at->m) == TIDE_ERROR_STATE);
  wild_chain(at);
  for (unsigned i = 0; i < 10; i++)
    wild_make(at);
  CHECK(tide_collect_resume(heap) == TIDE_OK);
}

/* ---- Looks ---- */

static bool visit(void *object, size_t bytes, tide_layout layout, void *context) {
  *(size_t *)context += bytes + layout;
  return true;
}
static void inspect(struct tide_walk *walk, void *context) {
  *(size_t *)context += tide_walk_count(walk);
}

static void write_snapshot(struct at *at) {
  char path[64];
  snprintf(path, sizeof path, "wild-%ld-%p.thg", (long)getpid(), (void *)at->w);
  if (tide_heap_snapshot_thg(at->m, path, NULL) == TIDE_OK) unlink(path);
}

void wild_look(struct at *at) {
  struct tide_heap *heap = at->place->heap;
  struct tide_heap_stats stats;
  struct tide_cycle_stats cycle;
  struct tide_error error;
  size_t total = 0;
  tide_heap_stats(heap, &stats);
  tide_cycle_stats(heap, &cycle);
  (void)tide_timeline_read(heap, NULL, 0, NULL);
  uint32_t dice = below(at, 16);
  if (dice == 0) tide_heap_walk(at->m, visit, &total);
  if (dice == 1) (void)tide_heap_inspect(at->m, inspect, &total, NULL);
  if (dice == 2 && tide_check_heap(at->m, &error) != TIDE_OK)
    fprintf(stderr, "%s\n", error.text), abort();
  /* Writers allocate, which a thread that a signal stopped may keep them from. */
  if (dice == 3 && !wild_signals) write_snapshot(at);
}

/* The whole world, for as long as this thread looks at it. */
void wild_stand_still(struct at *at) {
  struct at others[PLACES];
  unsigned count = 0;
  for (unsigned i = 0; i < PLACES; i++)
    if (at->w->seat[i].place && &at->w->seat[i] != at->seat)
      others[count++] = (struct at){.m = at->w->seat[i].m};
  for (unsigned i = 0; i < count; i++)
    tide_blocking_enter(others[i].m);
  size_t total = 0;
  if (tide_world_stop(at->m) == TIDE_OK) {
    tide_heap_walk(at->m, visit, &total);
    CHECK(tide_world_resume(at->m) == TIDE_OK);
  }
  for (unsigned i = 0; i < count; i++)
    tide_blocking_leave(others[i].m);
}

static void event(struct tide_heap *heap, enum tide_event kind, uint64_t now_ns, void *context) {
  struct place *place = context;
  count(&wild_counts.events);
  struct tide_mutator *m = tide_current(heap);
  if (!m) return;
  if (kind == TIDE_EVENT_HEAP_GREW)
    tide_collect_young(m);
  else if (kind == TIDE_EVENT_STOPPED && may_misuse)
    CHECK(tide_collect_young(m) == TIDE_ERROR_STATE);
  if (kind != TIDE_EVENT_CYCLE_BEGIN && kind != TIDE_EVENT_HEAP_SHRANK &&
      kind != TIDE_EVENT_STOP_LATE && kind != TIDE_EVENT_HEAP_GREW)
    (void)tide_object_is_live(heap, place->table);
}

void wild_hear(struct at *at) {
  tide_heap_on_event(at->place->heap, below(at, 2) ? event : NULL, at->place);
}

/* ---- Settings ---- */

static const char *some_engine(struct at *at) {
  unsigned count = 0;
  while (tide_engine_name(count))
    count++;
  return tide_engine_name(below(at, count));
}

/* Each may be refused: an engine for one marker, no memory. */
void wild_configure(struct at *at) {
  struct tide_heap *heap = at->place->heap;
  uint32_t dice = below(at, 8);
  if (dice == 0) tide_heap_set_markers(heap, 1 + below(at, 6), NULL);
  if (dice == 1) tide_heap_set_engine(heap, some_engine(at), NULL);
  if (dice == 2) tide_heap_set_policy(heap, tide_policy_name(below(at, 3)), NULL);
  if (dice == 3)
    tide_heap_set_max(heap, (size_t)(2 + below(at, at->place->small ? 4 : 62)) << 20, NULL);
  if (dice == 4) tide_heap_set_sizing(heap, (enum tide_sizing)below(at, 5), 0, NULL);
  if (dice == 5) tide_heap_grow(heap, (size_t)below(at, 4) << 20);
  if (dice == 6) tide_timeline_begin(heap, below(at, 2) * 500);
  if (dice == 7 && tide_external_add(at->m, 1 << 20) == TIDE_OK)
    tide_external_add(at->m, -(1 << 20));
}

/* ---- Nonsense ---- */

/* Calls that are refused, and stores that store, and that is all. */
static void misuse(struct at *at) {
  struct tide_mutator *m = at->m;
  void *word = NULL, *object = pick(at);
  CHECK(tide_collect_young(NULL) == TIDE_ERROR_ARGUMENT);
  CHECK(tide_free(m, &word) == TIDE_ERROR_ARGUMENT);
  tide_write(m, NULL, &word, m);
  tide_write(m, &word, &word, NULL);
  if (!object) return;
  tide_write(m, object, &word, object);
  tide_write_begin(m, object, (char *)object + (1 << 20), 5);
  tide_write_begin(m, object, object, SIZE_MAX);
  tide_write_begin(m, object, object, SIZE_MAX / 8);
  tide_write_begin(m, object, object, 0);
}

/* Sizes and layouts that mean nothing. */
void wild_nonsense(struct at *at) {
  struct tide_mutator *m = at->m;
  CHECK(!tide_alloc(m, TIDE_LAYOUT_REFS, SIZE_MAX));
  CHECK(!tide_alloc(m, TIDE_LAYOUT_LEAF, (size_t)1 << 40));
  CHECK(!tide_alloc_array(m, TIDE_LAYOUT_REFS, SIZE_MAX / 8, 16));
  CHECK(!tide_alloc(m, TIDE_LAYOUT_INVALID, 16));
  CHECK(!tide_alloc(m, 4000, 16)); /* an unknown layout */
  (void)tide_alloc(m, TIDE_LAYOUT_REFS, 0);
  (void)tide_alloc_array(m, TIDE_LAYOUT_REFS, 0, 0);
  CHECK(!tide_resize_in_place(m, &m, 16));
  CHECK(!tide_weak_new(m, NULL, (enum tide_weak_kind)7));
  tide_write_range(m, at->place->table, (void **)at->place->table + 1, NULL, 0);
  if (may_misuse) misuse(at);
}
