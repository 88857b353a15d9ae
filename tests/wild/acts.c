/* Roots, stops and looks of the wild driver. */
#include <sched.h>

#include "tests/wild/wild.h"

/* ---- Roots that come and go ---- */

struct extra {
  void *word[16];
};

static void tell(struct tide_root_list *list, void *context) {
  tide_root_report(list, context, sizeof(struct extra));
}
static void around(void (*stop)(void *argument), void *argument, void *context) {
  const struct extra *extra = context;
  if (((uintptr_t)extra->word[15] & 15) != 3) stop(argument);
}
static void call_back(struct tide_tracer *tracer, void *context) {
  const struct extra *extra = context;
  tide_trace_range(tracer, extra->word, 15);
}

/* Memory that no stack is, and that each kind of root shows. A forked child keeps other threads'.
 */
void wild_roots(struct worker *w, struct seat *seat) {
  struct tide_heap *heap = seat->place->heap;
  struct extra *extra = calloc(1, sizeof *extra);
  CHECK(extra);
  struct tide_root_source source = {below(w, 2) ? tell : NULL, tell, extra,
                                    below(w, 2) ? around : NULL};
  unsigned how = below(w, 4);
  enum tide_status status = how == 0   ? tide_root_add_range(heap, extra->word, 16)
                            : how == 1 ? tide_root_add_conservative(heap, extra, sizeof *extra)
                            : how == 2 ? tide_root_add_callback(heap, call_back, extra)
                                       : tide_root_add_source(heap, &source);
  CHECK(status == TIDE_OK);
  for (unsigned i = 0; i < 15; i++) {
    uintptr_t *object = tide_alloc(seat->m, TIDE_LAYOUT_LEAF, 16 + below(w, 600));
    extra->word[i] = object;
    if (object) object[1] = i + 77;
  }
  wild_collect(w, seat);
  for (unsigned i = 0; i < 15; i++)
    CHECK(!extra->word[i] || ((uintptr_t *)extra->word[i])[1] == i + 77);
  status = how == 0   ? tide_root_remove_range(heap, extra->word)
           : how == 1 ? tide_root_remove_conservative(heap, extra)
           : how == 2 ? tide_root_remove_callback(heap, call_back, extra)
                      : tide_root_remove_source(heap, &source);
  CHECK(status == TIDE_OK);
  free(extra);
}

/* ---- Collections and stops ---- */

void wild_collect(struct worker *w, struct seat *seat) {
  if (below(w, 4))
    (void)tide_collect_young(seat->m);
  else
    (void)tide_collect(seat->m);
}

/* Regions of one heap or of all, nested, with and without the other heaps in use meanwhile. */
void wild_block(struct worker *w, struct seat *seat) {
  unsigned depth = 1 + below(w, 3);
  bool all = below(w, 2);
  for (unsigned k = 0; k < depth; k++)
    for (unsigned i = 0; i < PLACES; i++)
      if (w->seat[i].place && (all || &w->seat[i] == seat)) tide_blocking_enter(w->seat[i].m);
  switch (below(w, 4)) {
  case 0:
    usleep(below(w, 200));
    break;
  case 1:
    for (unsigned i = 0; i < PLACES; i++)
      if (w->seat[i].place && !all && &w->seat[i] != seat) wild_build(w, &w->seat[i]);
    break;
  default:
    sched_yield();
  }
  for (unsigned k = 0; k < depth; k++)
    for (unsigned i = 0; i < PLACES; i++)
      if (w->seat[i].place && (all || &w->seat[i] == seat)) tide_blocking_leave(w->seat[i].m);
}

void wild_pause(struct worker *w, struct seat *seat) {
  struct tide_heap *heap = seat->place->heap;
  if (below(w, 2)) {
    tide_stop_hold(seat->m);
    sched_yield();
    tide_stop_release(seat->m);
    return;
  }
  CHECK(tide_collect_pause(heap) == TIDE_OK);
  wild_build(w, seat);
  (void)tide_collect(seat->m);
  CHECK(tide_collect_resume(heap) == TIDE_OK);
}

/* ---- Looks ---- */

static bool visit(void *object, size_t bytes, tide_layout layout, void *context) {
  (void)object;
  *(size_t *)context += bytes + layout;
  return true;
}
static void inspect(struct tide_walk *walk, void *context) {
  *(size_t *)context += tide_walk_count(walk);
}

static void write_snapshot(struct worker *w, struct seat *seat) {
  char path[64];
  snprintf(path, sizeof path, "wild-%ld-%p.thg", (long)getpid(), (void *)w);
  if (tide_heap_snapshot_thg(seat->m, path, NULL) == TIDE_OK) unlink(path);
}

void wild_look(struct worker *w, struct seat *seat) {
  struct tide_heap *heap = seat->place->heap;
  struct tide_heap_stats stats;
  struct tide_cycle_stats cycle;
  struct tide_error error;
  size_t total = 0;
  tide_heap_stats(heap, &stats);
  tide_cycle_stats(heap, &cycle);
  (void)tide_timeline_read(heap, NULL, 0, NULL);
  switch (below(w, 16)) {
  case 0:
    tide_heap_walk(seat->m, visit, &total);
    break;
  case 1:
    (void)tide_heap_inspect(seat->m, inspect, &total, NULL);
    break;
  case 2:
    if (tide_check_heap(seat->m, &error) != TIDE_OK) fprintf(stderr, "%s\n", error.text), abort();
    break;
  case 3: /* writers allocate, which a thread that a signal stopped may keep them from */
    if (!wild_signals) write_snapshot(w, seat);
    break;
  default:
    break;
  }
}

/* The whole world, for as long as this thread looks at it. */
void wild_stand_still(struct worker *w, struct seat *seat) {
  for (unsigned i = 0; i < PLACES; i++)
    if (w->seat[i].place && &w->seat[i] != seat) tide_blocking_enter(w->seat[i].m);
  size_t total = 0;
  if (tide_world_stop(seat->m) == TIDE_OK) {
    tide_heap_walk(seat->m, visit, &total);
    CHECK(tide_world_resume(seat->m) == TIDE_OK);
  }
  for (unsigned i = 0; i < PLACES; i++)
    if (w->seat[i].place && &w->seat[i] != seat) tide_blocking_leave(w->seat[i].m);
}
