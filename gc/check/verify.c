/* SPDX-License-Identifier: MIT */
/* An independent marking: one thread, its own bitmap, an explicit list, references read by
 * gc/object/scan.c. It shares nothing with marker/ but the heap itself. */
#include "gc/check/verify.h"

#include <stdio.h>
#include <stdlib.h> /* abort */
#include <string.h>

#include "gc/arrays/pages.h"
#include "gc/check/describe.h"
#include "gc/foreign/settle.h"
#include "gc/object/find.h"
#include "gc/object/scan.h"
#include "gc/roots/gather.h"
#include "gc/state/error.h"
#include "gc/stats/stats.h"
#include "gc/weak/finalizers.h"
#include "heap/check.h"
#include "heap/space/find.h"
#include "heap/space/walk.h"
#include "heap/withheld/quarantine.h"
#include "heap/young/log.h"

/* An ephemeron whose key was not reached when it was met. */
struct waiting {
  uintptr_t value;
  size_t next; /* of the same key */
};

struct check {
  struct td_scanner scanner; /* first */
  struct tide_heap *heap;
  uint64_t *reached; /* bit per granule below the frontier */
  struct td_worklist list;
  uintptr_t referrer;   /* the object being scanned, 0: a root */
  struct td_table keys; /* unreached key -> first waiting */
  struct waiting *waiting;
  size_t waiting_count, waiting_capacity;
  bool no_memory;
  bool is_early, is_hinted; /* before marking: there are only references to check as yet */
  bool in_callbacks;        /* of roots: what tide_trace is given has no slot */
  const struct td_verify_start *start; /* when marking began beside the program, or NULL */
  struct tide_check *result;
};

/* Keeps the first difference. `what` is wrong with the object. */
static void describe(struct check *check, uintptr_t object, const char *what) {
  if (!check->result->equal) return;
  check->result->equal = false;
  const void *slot = check->in_callbacks ? NULL : check->scanner.slot;
  td_difference_words(check->heap, object, what, check->referrer, slot, check->result->difference,
                      sizeof check->result->difference);
}

static bool is_reached(const struct check *check, uintptr_t object) {
  return td_object_has_bit(&check->heap->space, check->reached, object);
}

static void set_reached(struct check *check, uintptr_t object) {
  uint64_t granule = td_granule_of(check->heap->space.base, object);
  check->reached[granule / 64] |= (uint64_t)1 << (granule % 64);
}

static void key_reached(struct check *check, uintptr_t key) {
  size_t i = td_table_get(&check->keys, key);
  if (i == TD_TABLE_NONE) return;
  td_table_remove(&check->keys, key);
  for (; i != TD_TABLE_NONE; i = check->waiting[i].next)
    if (td_is_reference(&check->heap->space, check->waiting[i].value))
      check->no_memory |= !td_worklist_push(&check->list, check->waiting[i].value);
}

static bool is_object(struct check *check, uintptr_t object) {
  uintptr_t found = td_space_find(&check->heap->space, object, TD_FROM_ANYWHERE);
  if (found == object) return true;
  char what[128] = "is reached but was not marked, or is no object";
  if (found)
    snprintf(what, sizeof what, "is no object, but lies inside that at %#zx", (size_t)found);
  else if (check->is_early)
    snprintf(what, sizeof what, "is no object: free memory, or reclaimed before");
  describe(check, object, what);
  return false;
}

/* An object is reached: its references come later. */
static void reach(struct check *check, uintptr_t object) {
  const struct td_space *space = &check->heap->space;
  if (!is_object(check, object)) return;
  if (is_reached(check, object)) return;
  set_reached(check, object);
  check->result->objects++;
  check->result->bytes += td_space_object_bytes(space, object);
  if (check->keys.count) key_reached(check, object);
  check->no_memory |= !td_worklist_push(&check->list, object);
}

/* Says it once a check, as it may well be right. */
static void hint(struct check *check, uintptr_t target, const char *what) {
  if (check->is_hinted || !check->result->equal) return;
  check->is_hinted = true;
  describe(check, target, what);
  check->result->equal = true;
  td_plat_say("tidemark: TIDE_VERIFY: perhaps: %s\n", check->result->difference);
}

/* Before a collection: a reference to a young object that the next young one would not come to. A
 * word that only may be a reference may have been there before the object was. */
static void check_told(struct check *check, uintptr_t target) {
  const struct td_space *space = &check->heap->space;
  if (!space->has_young || space->bears_old || !check->referrer) return;
  uint8_t from = td_mark_load(&space->marks[td_granule_of(space->base, check->referrer)]);
  uint8_t to = td_mark_load(&space->marks[td_granule_of(space->base, target)]);
  if (to != TD_YOUNG || from == TD_YOUNG ||
      td_log_leads_to(space, check->referrer, (uintptr_t)check->scanner.slot))
    return;
  (check->scanner.is_word ? hint : describe)(check, target, "");
}

static void reference(struct td_scanner *scanner, uintptr_t target) {
  struct check *check = (struct check *)scanner;
  check->result->edges += check->referrer != 0;
  reach(check, target);
  if (check->is_early) check_told(check, target);
}

/* A word in a slot that is no reference by its low bits. It may well be a tagged number, but if it
 * lies inside an object that was reclaimed, the user should know. */
static void no_reference(struct td_scanner *scanner, uintptr_t word) {
  struct check *check = (struct check *)scanner;
  if (check->is_early && td_quarantine_find(scanner->space, word).start)
    hint(check, word, "is no reference, but looks like one");
}

static bool is_set(const uint64_t *bits, uint64_t granule) {
  return bits[granule / 64] >> (granule % 64) & 1;
}

static void wait_for_key(struct check *check, const struct td_ephemeron_object *ephemeron) {
  size_t at = check->waiting_count;
  struct waiting *waiting =
      td_pages_room(check->waiting, NULL, &check->waiting_capacity, at + 1, 64, sizeof *waiting);
  if (!waiting) {
    check->no_memory = true;
    return;
  }
  check->waiting = waiting;
  check->waiting[at].value = ephemeron->value;
  check->waiting[at].next = td_table_get(&check->keys, ephemeron->key);
  if (!td_table_put(&check->keys, ephemeron->key, at)) check->no_memory = true;
  check->waiting_count++;
}

static void ephemeron_met(struct td_scanner *scanner, struct td_ephemeron_object *ephemeron) {
  struct check *check = (struct check *)scanner;
  if (td_is_reference(scanner->space, ephemeron->key) && !is_reached(check, ephemeron->key))
    wait_for_key(check, ephemeron);
  else if (td_is_reference(scanner->space, ephemeron->value))
    reference(scanner, ephemeron->value);
}

static void scan_listed(struct check *check) {
  while (check->list.count && !check->no_memory) {
    uintptr_t object = check->list.at[--check->list.count];
    check->referrer = 0;
    if (!is_reached(check, object)) { /* the value of an ephemeron */
      reach(check, object);
      continue;
    }
    check->referrer = object;
    td_scan_object(&check->scanner, object);
  }
  check->referrer = 0;
}

static void scan_spans(const struct td_span *spans, size_t count, void *context) {
  struct check *check = context;
  for (size_t i = 0; i < count; i++)
    td_scan_span(&check->scanner, &spans[i]);
  scan_listed(check);
}

/* ---- What was there when marking began beside the program ---- */

/* Bits for each granule. What was there and had not been reached then may not be marked, but for
 * what was reached weakly once the program has got some of that, or some dies with finalizers. What
 * was reached must be marked; not so from stacks that rest, which may be ended fibers' and reused.
 */
struct td_verify_start {
  uint64_t *there, *reached, *kept;
  uint64_t *weakly; /* or NULL: not known */
  size_t bytes;     /* of each */
};

/* Sets the difference, as `describe` does. The caller knows that there is none yet. */
static void tell_marked(struct check *check, uint64_t granule, const char *how) {
  uintptr_t object = td_granule_address(check->heap->space.base, granule);
  check->result->equal = false;
  td_object_words(check->heap, object, how, check->result->difference,
                  sizeof check->result->difference);
}

/* `there` is what is asked about, NULL: everything; `may` and `must` may be NULL. */
static void compare(struct check *check, size_t bytes, const uint64_t *there, const uint64_t *may,
                    const uint64_t *must, const char *marked_but) {
  for (uint64_t g = 0; g < bytes * 8 && check->result->equal; g++) {
    const bool marked = td_is_marked(&check->heap->space, g);
    if (marked && may && !is_set(may, g) && (!there || is_set(there, g)))
      tell_marked(check, g, marked_but);
    if (!marked && must && is_set(must, g))
      tell_marked(check, g, "was reached when marking beside the program began, but not marked");
  }
}

/* The program may take out what is weakly reachable, and finalizers may want it. */
static void weak_met(struct td_scanner *scanner, struct td_weak_object *weak) {
  if (td_is_reference(scanner->space, weak->target)) reference(scanner, weak->target);
}

static void weak_ephemeron_met(struct td_scanner *scanner, struct td_ephemeron_object *ephemeron) {
  if (td_is_reference(scanner->space, ephemeron->key)) reference(scanner, ephemeron->key);
  if (td_is_reference(scanner->space, ephemeron->value)) reference(scanner, ephemeron->value);
}

static bool scan_weak(const struct td_cell *object, void *context) {
  struct check *check = context;
  uint8_t kind = check->heap->space.layouts.at[object->layout].kind;
  if ((kind == TD_KIND_WEAK || kind == TD_KIND_EPHEMERON) && is_reached(check, object->start))
    td_scan_object(&check->scanner, object->start);
  return true;
}

/* Trace functions are not to see what may be dead. */
static bool has_traced(const struct td_space *space) {
  for (uint32_t i = 0; i < space->layouts.count; i++)
    if (space->layouts.at[i].kind == TD_KIND_TRACED) return true;
  return false;
}

static bool reach_weakly(struct check *check) {
  const struct td_finalizers *f = check->heap->finalizers;
  check->scanner.weak = weak_met;
  check->scanner.ephemeron = weak_ephemeron_met;
  td_space_each_object(&check->heap->space, scan_weak, check);
  for (size_t i = 0; i < f->count; i++)
    if (f->at[i].object) reach(check, f->at[i].object);
  scan_listed(check);
  return !check->no_memory;
}

/* ---- A check ---- */

static void reach_from_roots(struct check *check, enum td_root_words words) {
  const struct td_root_list *list = td_roots_gather(check->heap, words, scan_spans, check);
  scan_spans(list->spans, list->count, check);
  check->in_callbacks = true;
  td_roots_call_back(&check->scanner.tracer, check->heap);
  check->in_callbacks = false;
  td_settle_report_waiting(&check->scanner.tracer, check->heap);
  scan_listed(check);
}

static void open_check(struct check *check, struct tide_heap *heap, struct tide_check *result) {
  *check = (struct check){.heap = heap, .result = result};
  *result = (struct tide_check){.equal = true};
  td_scanner_init(&check->scanner, &heap->space, reference);
  check->scanner.ephemeron = ephemeron_met;
  check->reached = td_pages_take(td_object_bitmap_bytes(&heap->space));
  check->no_memory = !check->reached;
}

static void close_check(struct check *check) {
  td_pages_give(check->reached, td_object_bitmap_bytes(&check->heap->space));
  td_pages_give(check->waiting, check->waiting_capacity * sizeof *check->waiting);
  td_table_free(&check->keys);
  td_worklist_free(&check->list);
}

static void forget_start(struct tide_heap *heap) {
  struct td_verify_start *start = heap->verify_start;
  if (!start) return;
  td_pages_give(start->there, start->bytes);
  td_pages_give(start->reached, start->bytes);
  td_pages_give(start->kept, start->bytes);
  td_pages_give(start->weakly, start->bytes);
  td_pages_give(start, sizeof *start);
  heap->verify_start = NULL;
}

/* Without memory nothing is compared. Nor is it in a heap with words that may be references: the
 * program may store one that only looks like one. */
static void keep_start(struct tide_heap *heap) {
  struct check check;
  struct tide_check unused;
  forget_start(heap);
  atomic_store_explicit(&heap->gave, false, memory_order_relaxed); /* relaxed: world stopped */
  if (!heap->concurrent || td_space_has_words(&heap->space) || !td_roots_are_known(heap)) return;
  open_check(&check, heap, &unused);
  struct td_verify_start *start = check.no_memory ? NULL : td_pages_take(sizeof *start);
  heap->verify_start = start;
  if (start) {
    start->bytes = td_object_bitmap_bytes(&heap->space);
    start->there = td_object_bitmap(&heap->space);
    start->reached = td_pages_take(start->bytes);
    start->kept = td_pages_take(start->bytes);
  }
  if (start && start->there && start->reached && start->kept) {
    reach_from_roots(&check, TD_WORDS_RUNNING);
    memcpy(start->kept, check.reached, start->bytes);
    reach_from_roots(&check, TD_WORDS_FRESH);
    memcpy(start->reached, check.reached, start->bytes);
    if (check.no_memory) forget_start(heap);
    if (!check.no_memory && !has_traced(&heap->space) && reach_weakly(&check)) {
      start->weakly = check.reached;
      check.reached = NULL;
    }
  } else {
    forget_start(heap);
  }
  close_check(&check);
}

/* Is anything marked that may not be, or not marked that must be? A young collection keeps what is
 * old. */
static void check_marked(struct check *check) {
  struct tide_heap *heap = check->heap;
  if (check->no_memory || !check->result->equal || heap->last_kind == TIDE_CYCLE_YOUNG) return;
  /* relaxed, both: world stopped. In an event the program may have let go of what was marked. */
  bool gave = atomic_load_explicit(&heap->gave, memory_order_relaxed);
  bool has_event = atomic_load_explicit(&heap->stats->has_event, memory_order_relaxed);
  const struct td_verify_start *start = check->start;
  if (heap->last_beside && start)
    compare(check, start->bytes, start->there, gave ? start->weakly : start->reached, start->kept,
            "was marked beside the program, but no root led to it when that began");
  else if (!heap->last_beside && !has_event && td_roots_are_known(heap))
    compare(check, td_object_bitmap_bytes(&heap->space), NULL, check->reached, NULL,
            "is marked but not reached");
}

/* World stopped, locks of roots and finalizers held. false: out of memory. */
static bool check_stopped(struct tide_heap *heap, bool is_early, struct tide_check *result) {
  struct check check;
  open_check(&check, heap, result);
  check.is_early = is_early;
  check.scanner.no_reference = no_reference;
  check.start = heap->verify_start;
  if (!check.no_memory) reach_from_roots(&check, is_early ? TD_WORDS_FRESH : TD_WORDS_KEPT);
  if (!is_early) check_marked(&check);
  close_check(&check);
  return !check.no_memory;
}

static _Noreturn void end_with(const char *text) {
  td_plat_say("tidemark: TIDE_VERIFY: %s\n", text);
  abort();
}

static void check_or_abort(struct tide_heap *heap, bool is_early) {
  struct tide_check result;
  if (!check_stopped(heap, is_early, &result))
    td_plat_say("tidemark: TIDE_VERIFY: not enough memory to check the marks\n");
  else if (!result.equal)
    end_with(result.difference);
}

void td_verify_begin(struct tide_heap *heap) {
  size_t offset;
  td_roots_demand_readable(heap);
  struct td_freed freed = td_quarantine_damage(&heap->space, &offset);
  if (freed.start) {
    char how[128], text[256];
    snprintf(how, sizeof how,
             "was written to, at byte %zu, after it was reclaimed %u collection%s ago", offset,
             freed.ago, freed.ago == 1 ? "" : "s");
    td_object_words(heap, freed.start, how, text, sizeof text);
    end_with(text);
  }
  check_or_abort(heap, true);
  keep_start(heap);
}

void td_verify_references_or_abort(struct tide_heap *heap) {
  check_or_abort(heap, true);
}

void td_verify_or_abort(struct tide_heap *heap) {
  struct tide_error error = {.status = TIDE_OK};
  if (!td_space_check(&heap->space, &error)) end_with(error.text);
  check_or_abort(heap, false);
  forget_start(heap);
}

bool td_verify_marks(struct tide_heap *heap, struct tide_check *result) {
  return check_stopped(heap, false, result);
}
