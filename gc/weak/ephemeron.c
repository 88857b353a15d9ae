/* SPDX-License-Identifier: MIT */
#include "gc/weak/ephemeron.h"

#include "gc/arrays/pages.h"
#include "gc/arrays/table.h"
#include "heap/space/counted.h"

/* Rounds may look at this many ephemerons per block of the heap, and this often at each ephemeron,
 * before the serial closure takes over. */
#define LOOKS_PER_BLOCK 256u
#define LOOKS_PER_EPHEMERON 4u

void td_ephemerons_init(struct td_ephemerons *ephemerons, struct td_ephemeron_room *first) {
  *ephemerons = (struct td_ephemerons){
      .buckets = first->buckets,
      .bucket_count = TD_BUCKETS_FIRST,
      .list = {.at = first->list, .capacity = TD_WORKLIST_FIRST, .first = first->list},
      .first = first};
}

static void give_buckets(struct td_ephemerons *e) {
  if (e->buckets != e->first->buckets)
    td_pages_give(e->buckets, e->bucket_count * sizeof *e->buckets);
}

void td_ephemerons_deinit(struct td_ephemerons *ephemerons) {
  give_buckets(ephemerons);
  td_worklist_free(&ephemerons->list);
}

void td_ephemerons_begin(struct tide_heap *heap) {
  struct td_ephemerons *e = heap->ephemerons;
  e->unresolved = e->weak = 0;
  e->count = e->value_count = e->work = 0;
  e->objects = 0;
}

static struct td_ephemeron_object *at(uintptr_t ephemeron) {
  return (struct td_ephemeron_object *)ephemeron;
}
/* Beside the program key and value may be overwritten; what was there is kept then. */
static uintptr_t key_of(uintptr_t ephemeron) {
  return td_slot_load(&at(ephemeron)->key);
}
static uintptr_t value_of(uintptr_t ephemeron) {
  return td_slot_load(&at(ephemeron)->value);
}

/* A key that is no reference lives for ever. */
static bool lives(const struct tide_heap *heap, uintptr_t key) {
  return !td_is_reference(&heap->space, key) || td_object_is_marked(&heap->space, key);
}

static void keep_unresolved(struct td_ephemerons *e, uintptr_t ephemeron) {
  at(ephemeron)->link = e->unresolved;
  e->unresolved = ephemeron;
  e->count++;
}

static void take_met(struct tide_heap *heap) {
  for (uintptr_t x = td_mark_take_ephemerons(heap->markers), next; x; x = next) {
    next = at(x)->link;
    keep_unresolved(heap->ephemerons, x);
  }
}

/* Takes the unresolved ones apart: passes the values of those whose keys live to `mark`. */
static void resolve(struct tide_heap *heap, void (*mark)(struct tide_heap *heap, uintptr_t value)) {
  struct td_ephemerons *e = heap->ephemerons;
  uintptr_t list = e->unresolved;
  e->unresolved = 0;
  e->count = 0;
  for (uintptr_t x = list, next; x; x = next) {
    next = at(x)->link;
    if (lives(heap, key_of(x)))
      mark(heap, value_of(x));
    else
      keep_unresolved(e, x);
  }
}

/* ---- Marking values by the markers ---- */

static void run_values(struct tide_heap *heap) {
  struct td_ephemerons *e = heap->ephemerons;
  struct td_span span = {e->first->values, e->value_count, TD_SPAN_SLOTS};
  struct td_roots roots = {.spans = &span, .span_count = 1};
  if (e->value_count) td_mark_phase(heap->markers, &roots);
  e->value_count = 0;
}

static void add_value(struct tide_heap *heap, uintptr_t value) {
  struct td_ephemerons *e = heap->ephemerons;
  if (!td_is_reference(&heap->space, value) || td_object_is_marked(&heap->space, value)) return;
  if (e->value_count == TD_VALUES_MAX) run_values(heap);
  e->first->values[e->value_count++] = value;
}

/* Looks at every unresolved ephemeron once. Returns whether something new was marked. */
static bool round_of_values(struct tide_heap *heap) {
  struct td_ephemerons *e = heap->ephemerons;
  size_t before = e->count;
  e->work += before;
  resolve(heap, add_value);
  bool resolved = e->count != before;
  run_values(heap);
  take_met(heap);
  return resolved;
}

/* ---- The serial closure ---- */

struct closure {
  struct td_scanner scanner; /* first */
  struct tide_heap *heap;
  bool stale; /* the markers ran: keys may have been marked unseen */
};

static uintptr_t *bucket_of(struct td_ephemerons *e, uintptr_t key) {
  return &e->buckets[(size_t)td_mix(key) & (e->bucket_count - 1)];
}

static void reach(struct closure *closure, uintptr_t object);

/* The ephemerons of a key that was just marked. */
static void resolve_key(struct closure *closure, uintptr_t key) {
  struct td_ephemerons *e = closure->heap->ephemerons;
  for (uintptr_t *link = bucket_of(e, key); *link;) {
    struct td_ephemeron_object *x = at(*link);
    if (key_of(*link) != key) {
      link = &x->link;
      continue;
    }
    *link = x->link;
    e->count--;
    /* Not marked here and now: a chain of them would be as deep a recursion. */
    uintptr_t value = value_of((uintptr_t)x);
    if (!td_is_reference(&closure->heap->space, value)) continue;
    if (!td_worklist_push(&e->list, value)) {
      add_value(closure->heap, value);
      closure->stale = true;
    }
  }
}

/* Marks an object that was popped or found; its references come later. */
static void reach(struct closure *closure, uintptr_t object) {
  struct td_space *space = &closure->heap->space;
  if (!td_object_is_white(space, object)) return;
  struct td_ephemerons *e = closure->heap->ephemerons;
  td_mark_store(&space->marks[td_granule_of(space->base, object)], space->epoch);
  e->objects++;
  if (e->count) resolve_key(closure, object);
  td_scan_object(&closure->scanner, object);
}

static void found_reference(struct td_scanner *scanner, uintptr_t target) {
  struct closure *closure = (struct closure *)scanner;
  if (td_object_is_marked(scanner->space, target)) return;
  if (td_worklist_push(&closure->heap->ephemerons->list, target)) return;
  add_value(closure->heap, target); /* no memory: the markers need none */
  closure->stale = true;
}

static void found_weak(struct td_scanner *scanner, struct td_weak_object *weak) {
  struct tide_heap *heap = ((struct closure *)scanner)->heap;
  struct td_ephemerons *e = heap->ephemerons;
  if (!td_mark_claim(heap->markers, &weak->claimed)) return;
  weak->link = e->weak;
  e->weak = (uintptr_t)weak;
}

/* Follows the value, or files the ephemeron, which it may chain if `claimed`, under its key. */
static void follow_or_file(struct closure *closure, uintptr_t ephemeron, bool claimed) {
  struct td_ephemerons *e = closure->heap->ephemerons;
  uintptr_t key = key_of(ephemeron);
  if (lives(closure->heap, key)) {
    uintptr_t value = value_of(ephemeron);
    if (td_is_reference(&closure->heap->space, value)) found_reference(&closure->scanner, value);
  } else if (claimed || td_mark_claim(closure->heap->markers, &at(ephemeron)->claimed)) {
    uintptr_t *bucket = bucket_of(e, key);
    at(ephemeron)->link = *bucket;
    *bucket = ephemeron;
    e->count++;
  }
}

static void found_ephemeron(struct td_scanner *scanner, struct td_ephemeron_object *ephemeron) {
  follow_or_file((struct closure *)scanner, (uintptr_t)ephemeron, false);
}

/* As many buckets as ephemerons if there is memory; fewer make it slower, not wrong. */
static void size_buckets(struct td_ephemerons *e) {
  size_t wanted = e->bucket_count;
  while (wanted < e->count)
    wanted *= 2;
  uintptr_t *larger = wanted > e->bucket_count ? td_pages_take(wanted * sizeof *larger) : NULL;
  if (!larger) {
    for (size_t i = 0; i < e->bucket_count; i++)
      e->buckets[i] = 0;
    return;
  }
  give_buckets(e);
  e->buckets = larger;
  e->bucket_count = wanted;
}

/* Files every unresolved ephemeron under its key, or follows its value. */
static void file_all(struct closure *closure) {
  struct td_ephemerons *e = closure->heap->ephemerons;
  uintptr_t list = e->unresolved;
  e->unresolved = 0;
  e->count = 0;
  for (uintptr_t x = list, next; x; x = next) {
    next = at(x)->link;
    follow_or_file(closure, x, true);
  }
}

static void unfile_all(struct td_ephemerons *e) {
  e->count = 0;
  for (size_t i = 0; i < e->bucket_count; i++) {
    for (uintptr_t x = e->buckets[i], next; x; x = next) {
      next = at(x)->link;
      keep_unresolved(e, x);
    }
    e->buckets[i] = 0;
  }
}

static void close_serially(struct tide_heap *heap) {
  struct td_ephemerons *e = heap->ephemerons;
  struct closure closure = {.heap = heap};
  td_scanner_init(&closure.scanner, &heap->space, found_reference);
  td_scanner_look_before(&closure.scanner);
  closure.scanner.weak = found_weak;
  closure.scanner.ephemeron = found_ephemeron;
  do {
    closure.stale = false;
    size_buckets(e);
    file_all(&closure);
    while (e->list.count)
      reach(&closure, e->list.at[--e->list.count]);
    run_values(heap);
    unfile_all(e);
    take_met(heap);
  } while (closure.stale);
}

/* ---- For a collection ---- */

void td_ephemerons_close(struct tide_heap *heap) {
  struct td_ephemerons *e = heap->ephemerons;
  take_met(heap);
  while (e->count) {
    size_t bound = (size_t)td_counted_look(&heap->space.used_blocks) * LOOKS_PER_BLOCK +
                   e->count * LOOKS_PER_EPHEMERON;
    if (e->work > bound) {
      close_serially(heap);
      return;
    }
    if (!round_of_values(heap)) return;
  }
}

static void defer_value(struct tide_heap *heap, uintptr_t value) {
  heap->ephemerons->objects += td_mark_from_outside(heap->markers, value);
}

bool td_ephemerons_defer(struct tide_heap *heap) {
  uint64_t before = heap->ephemerons->objects;
  take_met(heap);
  resolve(heap, defer_value);
  return heap->ephemerons->objects != before;
}

void td_ephemerons_clear(struct tide_heap *heap) {
  struct td_ephemerons *e = heap->ephemerons;
  for (uintptr_t x = e->unresolved; x; x = at(x)->link) {
    at(x)->key = at(x)->value = 0;
    e->cleared++;
  }
  e->unresolved = 0;
  e->count = 0;
}
