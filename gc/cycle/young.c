/* SPDX-License-Identifier: MIT */
/* Young collections. */
#include "gc/cycle/young.h"

#include "gc/arrays/pages.h"
#include "gc/stats/stats.h"
#include "gc/threads/mutator/barrier.h"
#include "gc/threads/stop/pause.h"
#include "gc/threads/thread.h"
#include "gc/when/when.h"
#include "heap/cells/sort.h"
#include "heap/young/log.h"
#include "heap/young/young.h"

#define SPANS 48u
#define OBJECTS 512u

/* What was logged: all slots, and as many objects as fit. Then it is marked, and the next objects
 * take their place. The last span is that of the objects. */
struct logged {
  struct tide_heap *heap;
  struct td_span *spans, first_spans[SPANS];
  uintptr_t objects[OBJECTS];
  size_t span_count, span_room, object_count;
  uint64_t taken;
};

static void mark_taken(struct logged *logged) {
  logged->spans[logged->span_count++] =
      (struct td_span){logged->objects, logged->object_count, TD_SPAN_OBJECTS};
  struct td_roots roots = {.spans = logged->spans, .span_count = logged->span_count};
  td_mark_phase(logged->heap->markers, &roots);
  logged->span_count = logged->object_count = 0;
}

static bool make_room(struct logged *logged) {
  struct td_span *spans = td_pages_room(logged->spans, logged->first_spans, &logged->span_room,
                                        logged->span_count + 2, SPANS, sizeof *spans);
  if (spans) logged->spans = spans;
  return spans != NULL;
}

static bool add_slots(const struct td_logged_slots *slots, void *context) {
  struct logged *logged = context;
  enum td_span_kind kind = slots->conservative ? TD_SPAN_CONSERVATIVE : TD_SPAN_SLOTS;
  size_t count = (size_t)(slots->to - slots->from);
  struct td_span *last = logged->span_count ? &logged->spans[logged->span_count - 1] : NULL;
  if (last && last->kind == kind && (const uintptr_t *)last->start + last->count == slots->from) {
    last->count += count;
  } else {
    if (!make_room(logged)) return false;
    logged->spans[logged->span_count++] = (struct td_span){slots->from, count, kind};
  }
  logged->taken += count;
  return true;
}

static void add_object(uintptr_t object, void *context) {
  struct logged *logged = context;
  logged->taken++;
  if (logged->object_count == OBJECTS) mark_taken(logged);
  logged->objects[logged->object_count++] = object;
}

/* Returns how many times mutators have logged something that had not been logged. */
static uint64_t count_logged(const struct tide_heap *heap) {
  /* relaxed: the world is stopped. */
  uint64_t logged = __atomic_load_n(&heap->space.logged, __ATOMIC_RELAXED);
  for (const struct tide_mutator *m = heap->world->mutators; m; m = m->next)
    logged += m->logged % TD_YOUNG_LOGGED_STEP;
  return logged;
}

bool td_young_mark_logged(struct tide_heap *heap) {
  bool much = count_logged(heap) >= heap->when->youth.logged_due;
  static const struct td_log_visit visit = {add_slots, add_object};
  struct logged logged = {.heap = heap, .span_room = SPANS};
  logged.spans = logged.first_spans;
  td_log_take(&heap->space, &visit, &logged);
  heap->stats->building->all.logged = logged.taken;
  if (logged.taken) mark_taken(&logged);
  if (logged.spans != logged.first_spans)
    td_pages_give(logged.spans, logged.span_room * sizeof *logged.spans);
  return much;
}

/* ---- When ---- */

/* Mutators log while objects are born young, and not otherwise. */
void td_young_switch_barriers(struct tide_heap *heap) {
  for (struct tide_mutator *m = heap->world->mutators; m; m = m->next) {
    td_barrier_switch(m);
    m->logged = 0;
  }
}

static void set_due(struct tide_heap *heap) {
  const struct td_youth *youth = &heap->when->youth;
  td_young_set_due(&heap->space, youth->due_bytes, youth->logged_due);
}

/* A store that was forgotten shows only where they happen. Where full collections do not stop the
 * program, young ones would be its longest pauses: they are for those who say how long is too long.
 */
static enum tide_young first_kind(const struct tide_heap *heap, unsigned goal_us) {
  if (heap->verify) return TIDE_YOUNG_ALWAYS;
  return heap->concurrent && !goal_us ? TIDE_YOUNG_NEVER : TIDE_YOUNG_WHERE_IT_PAYS;
}

void td_young_begin(struct tide_heap *heap, unsigned goal_us) {
  if (!heap->space.has_young) return; /* and the system is not asked for its caches */
  struct td_youth *youth = &heap->when->youth;
  td_youth_begin(youth, first_kind(heap, goal_us), td_plat_cache_bytes(), goal_us);
  youth->beside = heap->concurrent != NULL;
  td_young_follow(heap);
}

void td_young_follow(struct tide_heap *heap) {
  if (!heap->space.has_young) return;
  bool on = heap->when->youth.on;
  if (on == heap->space.bears_old) td_young_bear_old(&heap->space, !on);
  td_young_switch_barriers(heap);
  set_due(heap);
}

void td_young_suspend(struct tide_heap *heap) {
  if (!heap->space.has_young) return;
  heap->space.bears_old = true; /* the byte of what is born was set with the epoch */
  td_young_switch_barriers(heap);
  td_young_set_due(&heap->space, SIZE_MAX, SIZE_MAX);
}

bool td_young_must_resume(const struct tide_heap *heap) {
  return heap->space.has_young && heap->when->youth.on;
}

/* No young collection has happened since, but it is as if one ended here that has kept everything.
 * The blocks that mutators were about to allocate from are sorted, and no others. */
void td_young_resume(struct tide_heap *heap) {
  td_young_forget(&heap->space);
  for (struct tide_mutator *m = heap->world->mutators; m; m = m->next)
    td_cache_touch(&heap->space, &m->cache);
  td_pause_retire_runs(heap);
  td_young_keep(&heap->space);
  (void)td_space_end_young(&heap->space);
  td_young_follow(heap);
}

void td_young_wait(struct tide_heap *heap) {
  if (heap->space.has_young) set_due(heap);
}
