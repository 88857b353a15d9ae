/* SPDX-License-Identifier: MIT */
#include "gc/weak/order.h"

#include "gc/arrays/pages.h"
#include "gc/weak/ephemeron.h"
#include "gc/weak/finalizers.h"
#include "heap/space/find.h"
#include "heap/space/walk.h"

/* Colours; epochs lie between them. */
#define COLOUR_MET 127u
#define COLOUR_MET_AGAIN 1u
_Static_assert(COLOUR_MET > TD_EPOCH_LAST && COLOUR_MET_AGAIN < TD_EPOCH_FIRST,
               "colours are no epochs");

struct painter {
  struct td_scanner scanner; /* first */
  struct td_space *space;
  struct td_worklist *list;
  uint8_t from, to;
  bool overflowed; /* something was painted, but there was no memory to remember it */
  /* Beside the program mark bytes keep their meaning, and white objects are painted here, with a
   * bit for each granule. */
  bool beside;
  uint64_t *bits;
  size_t bits_bytes;
};

static uint8_t *mark_of(const struct td_space *space, uintptr_t object) {
  return &space->marks[td_granule_of(space->base, object)];
}

static bool is_painted(const struct painter *painter, uint64_t granule) {
  return painter->bits[granule / 64] >> (granule % 64) & 1;
}

/* Is it still to be painted? */
static bool is_bare(const struct painter *painter, uintptr_t object) {
  if (!painter->beside) return *mark_of(painter->space, object) == painter->from;
  return td_object_is_white(painter->space, object) &&
         !is_painted(painter, td_granule_of(painter->space->base, object));
}

static void paint(struct td_scanner *scanner, uintptr_t target) {
  struct painter *painter = (struct painter *)scanner;
  if (!is_bare(painter, target)) return;
  uint64_t granule = td_granule_of(painter->space->base, target);
  if (painter->beside)
    painter->bits[granule / 64] |= (uint64_t)1 << (granule % 64);
  else
    painter->space->marks[granule] = painter->to;
  if (!td_worklist_push(painter->list, target)) painter->overflowed = true;
}

/* As td_space_find, but for cells of the colour in question, which td_space_find does not know. */
static void paint_conservative(struct tide_tracer *tracer, uintptr_t word) {
  struct painter *painter = (struct painter *)tracer;
  uintptr_t cell = td_space_cell(painter->space, word);
  if (cell && td_space_counts(painter->space, cell, word)) paint(&painter->scanner, cell);
}

static void scan_listed(struct painter *painter) {
  while (painter->list->count)
    td_scan_object(&painter->scanner, painter->list->at[--painter->list->count]);
}

/* Without memory for the list: every cell that is painted is scanned, until nothing new is. */
static bool scan_painted(const struct td_cell *cell, void *context) {
  struct painter *painter = context;
  if (*cell->mark != painter->to) return true;
  td_scan_object(&painter->scanner, cell->start);
  scan_listed(painter);
  return true;
}

static void traverse(struct painter *painter, uintptr_t object) {
  paint(&painter->scanner, object);
  scan_listed(painter);
  while (painter->overflowed && !painter->beside) {
    painter->overflowed = false;
    td_space_each_cell(painter->space, scan_painted, painter);
  }
}

/* Returns false if there is no memory. */
static bool begin_pass(struct painter *painter, uint8_t from, uint8_t to) {
  painter->from = from;
  painter->to = to;
  if (!painter->beside) return true;
  td_pages_give(painter->bits, painter->bits_bytes);
  painter->bits = td_pages_take(painter->bits_bytes);
  return painter->bits && !painter->overflowed;
}

static bool is_dying(const struct td_space *space, const struct td_finalizer *f) {
  return f->object && f->order == TD_FINALIZER_ADDED && td_object_is_white(space, f->object);
}

/* Returns how many are candidates. */
static size_t find_candidates(struct painter *painter, struct td_finalizer *at, size_t count) {
  size_t candidates = 0;
  for (size_t i = 0; i < count; i++) {
    if (at[i].fate == TD_FATE_NONE || !is_bare(painter, at[i].object)) {
      at[i].fate = TD_FATE_NONE;
      continue;
    }
    at[i].fate = TD_FATE_CANDIDATE;
    candidates++;
    traverse(painter, at[i].object);
  }
  return candidates;
}

/* The only one: it waits for nobody. */
static void queue_candidate(struct td_finalizer *at, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (at[i].fate == TD_FATE_CANDIDATE) at[i].fate = TD_FATE_QUEUE;
}

static void choose(struct painter *painter, struct td_finalizer *at, size_t count) {
  for (size_t i = count; i-- > 0;) {
    if (at[i].fate != TD_FATE_CANDIDATE || !is_bare(painter, at[i].object)) continue;
    at[i].fate = TD_FATE_QUEUE;
    traverse(painter, at[i].object);
  }
}

/* Returns false if there is no memory for bits. */
static bool paint_all(struct painter *painter, struct td_finalizer *at, size_t count) {
  const uint8_t white = painter->space->epoch_before;
  if (!begin_pass(painter, white, COLOUR_MET)) return false;
  if (find_candidates(painter, at, count) == 1) {
    queue_candidate(at, count);
  } else {
    if (!begin_pass(painter, COLOUR_MET, COLOUR_MET_AGAIN)) return false;
    choose(painter, at, count);
  }
  if (painter->beside) return !painter->overflowed;
  (void)begin_pass(painter, painter->to, white);
  for (size_t i = 0; i < count; i++)
    if (at[i].fate == TD_FATE_QUEUE) traverse(painter, at[i].object);
  return true;
}

/* Sets the fates of `count` entries: those that die are candidates, `dying` of them. */
static bool order(struct tide_heap *heap, struct td_finalizer *at, size_t count, size_t dying,
                  bool beside) {
  struct painter painter = {
      .space = &heap->space,
      .list = &heap->ephemerons->list,
      .beside = beside,
      .bits_bytes = td_block_granule(heap->space.view_frontier) / 8,
  };
  if (dying <= 1) {
    queue_candidate(at, count);
    return true;
  }
  td_scanner_init(&painter.scanner, &heap->space, paint);
  if (beside)
    td_scanner_look_before(&painter.scanner);
  else
    painter.scanner.tracer.conservative = paint_conservative;
  bool done = paint_all(&painter, at, count);
  td_pages_give(painter.bits, painter.bits_bytes);
  return done;
}

/* ---- Beside the program ---- */

/* How many finalizers are looked at without letting the lock go. */
#define STEP 1024u

static bool remember(struct td_dying *dying, const struct td_finalizer *entry) {
  struct td_finalizer *at =
      td_pages_room(dying->at, NULL, &dying->capacity, dying->count + 1, STEP, sizeof *at);
  if (!at) return false;
  dying->at = at;
  dying->at[dying->count] = *entry;
  dying->at[dying->count++].fate = TD_FATE_CANDIDATE;
  return true;
}

/* One step of the finalizers from number *from on, which is set to TD_TABLE_NONE at the end.
 * Returns false if there is no memory. */
static bool copy_some(struct tide_heap *heap, size_t *from, size_t *moves) {
  struct td_finalizers *f = heap->finalizers;
  if (*moves != f->moves) *from = f->dying.count = 0; /* some have moved down */
  *moves = f->moves;
  size_t i = *from, end = f->count - i < STEP ? f->count : i + STEP;
  for (; i < end; i++)
    if (is_dying(&heap->space, &f->at[i]) && !remember(&f->dying, &f->at[i])) return false;
  *from = end == f->count ? TD_TABLE_NONE : end;
  return true;
}

void td_order_beside(struct tide_heap *heap) {
  struct td_finalizers *f = heap->finalizers;
  bool done = true;
  size_t moves = 0;
  f->dying.count = 0;
  for (size_t from = 0; done && from != TD_TABLE_NONE;) {
    pthread_mutex_lock(&f->lock);
    done = copy_some(heap, &from, &moves);
    pthread_mutex_unlock(&f->lock);
  }
  const size_t count = f->dying.count;
  f->dying.ordered = done && order(heap, f->dying.at, count, count, true);
}

void td_order_forget(struct tide_heap *heap) {
  struct td_dying *dying = &heap->finalizers->dying;
  td_pages_give(dying->at, dying->capacity * sizeof *dying->at);
  *dying = (struct td_dying){0};
}

/* ---- In a stop ---- */

/* Those that the program has got hold of meanwhile are marked. */
static bool any_is_dying(const struct tide_heap *heap, const struct td_dying *dying) {
  size_t i = 0;
  while (i < dying->count && !is_dying(&heap->space, &dying->at[i]))
    i++;
  return i < dying->count;
}

bool td_order_dying(struct tide_heap *heap) {
  struct td_finalizers *f = heap->finalizers;
  size_t count = 0;
  if (f->dying.ordered) return any_is_dying(heap, &f->dying);
  if (f->added == 0) return false;
  for (size_t i = 0; i < f->count; i++) {
    bool dies = is_dying(&heap->space, &f->at[i]);
    f->at[i].fate = dies ? TD_FATE_CANDIDATE : TD_FATE_NONE;
    count += dies;
  }
  if (count > 0) (void)order(heap, f->at, f->count, count, false); /* takes no memory */
  return count > 0;
}

/* Those of number `first`'s object that were added, in the order in which they were. */
static void queue_object(struct td_finalizers *f, size_t first) {
  for (size_t i = first, next; i != TD_TABLE_NONE; i = next) {
    next = f->at[i].next;
    if (f->at[i].object && f->at[i].order == TD_FINALIZER_ADDED) td_finalizers_queue(f, i);
  }
}

void td_order_queue(struct tide_heap *heap) {
  struct td_finalizers *f = heap->finalizers;
  const struct td_dying *dying = &f->dying;
  size_t before = f->pending_count;
  for (size_t i = 0; dying->ordered && i < dying->count; i++)
    if (dying->at[i].fate == TD_FATE_QUEUE && is_dying(&heap->space, &dying->at[i]))
      queue_object(f, td_table_get(&f->index, dying->at[i].object));
  for (size_t i = 0; !dying->ordered && i < f->count; i++)
    if (is_dying(&heap->space, &f->at[i]) && f->at[i].fate == TD_FATE_QUEUE) queue_object(f, i);
  td_finalizers_mark_queued(heap, before);
}
