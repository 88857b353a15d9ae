/* SPDX-License-Identifier: MIT */
#include "gc/object/scan.h"

#include "gc/arrays/pages.h"
#include "heap/space/find.h"

static void word(struct td_scanner *scanner, const uintptr_t *slot) {
  uintptr_t value = td_slot_load(slot);
  if (!value) return;
  scanner->slot = slot;
  if (td_is_reference(scanner->space, value))
    scanner->reference(scanner, value);
  else if (scanner->no_reference)
    scanner->no_reference(scanner, value);
}

/* The slot is forgotten at the end: what a trace function reports next may have none. */
static void slots(struct tide_tracer *tracer, const uintptr_t *at, size_t count) {
  struct td_scanner *scanner = (struct td_scanner *)tracer;
  for (size_t i = 0; i < count; i++)
    word(scanner, &at[i]);
  scanner->slot = NULL;
}

static void report_word(struct td_scanner *scanner, uintptr_t object) {
  scanner->is_word = true;
  if (object) scanner->reference(scanner, object);
  scanner->is_word = false;
}

static void conservative(struct tide_tracer *tracer, uintptr_t value) {
  struct td_scanner *scanner = (struct td_scanner *)tracer;
  report_word(scanner, td_space_find(scanner->space, value, TD_FROM_HEAP));
}

static void conservative_before(struct tide_tracer *tracer, uintptr_t value) {
  struct td_scanner *scanner = (struct td_scanner *)tracer;
  report_word(scanner, td_space_find_before(scanner->space, value, TD_FROM_HEAP));
}

void td_scanner_look_before(struct td_scanner *scanner) {
  scanner->tracer.conservative = conservative_before;
}

void td_scanner_init(struct td_scanner *scanner, const struct td_space *space,
                     void (*reference)(struct td_scanner *, uintptr_t)) {
  *scanner =
      (struct td_scanner){.tracer = {slots, conservative}, .space = space, .reference = reference};
}

/* Foreign memory may be written by threads in blocking sections, or be poisoned. */
static __attribute__((no_sanitize("address", "thread"), noinline)) void
conservative_words(struct td_scanner *scanner, const uintptr_t *at, size_t count, bool stack) {
  for (size_t i = 0; i < count; i++) {
    scanner->slot = &at[i];
    uintptr_t word = td_slot_load(&at[i]);
    if (stack) word = td_space_find(scanner->space, word, TD_FROM_STACK);
    if (word) scanner->tracer.conservative(&scanner->tracer, word);
  }
  scanner->slot = NULL;
}

static void bitmap(struct td_scanner *scanner, const uintptr_t *at, uint64_t bits) {
  for (; bits; bits &= bits - 1)
    word(scanner, &at[__builtin_ctzll(bits)]);
}

static void scan_special(struct td_scanner *scanner, uintptr_t object, unsigned kind) {
  if (kind == TD_KIND_WEAK) {
    if (scanner->weak) scanner->weak(scanner, (struct td_weak_object *)object);
  } else if (kind == TD_KIND_EPHEMERON) {
    if (scanner->ephemeron) scanner->ephemeron(scanner, (struct td_ephemeron_object *)object);
  }
}

void td_scan_object(struct td_scanner *scanner, uintptr_t object) {
  const struct td_space *space = scanner->space;
  const struct td_block *block =
      &space->blocks[td_block_of_granule(td_granule_of(space->base, object))];
  const struct td_layout *layout = &space->layouts.at[block->layout];
  const uintptr_t *at = (const uintptr_t *)object;
  size_t bytes = td_space_object_bytes(space, object), words = bytes / sizeof *at;
  if (td_kind_is_bitmap(block->kind)) bitmap(scanner, at, block->map);
  if (td_kind_is_words(block->kind))
    for (uint64_t bits = block->map; bits; bits &= bits - 1)
      conservative_words(scanner, &at[__builtin_ctzll(bits)], 1, false);
  if (td_kind_has_map(block->kind)) return;
  switch (block->kind) {
  case TD_KIND_REFS:
    slots(&scanner->tracer, at, words);
    break;
  case TD_KIND_PREFIXED:
    if (words > block->map) slots(&scanner->tracer, at + block->map, words - block->map);
    break;
  case TD_KIND_REPEATED:
    for (size_t i = 0; i + layout->words <= words; i += layout->words)
      bitmap(scanner, at + i, layout->element);
    break;
  case TD_KIND_BITMAP_LONG:
    for (uint32_t i = 0; i < layout->words; i += 64)
      bitmap(scanner, at + i, layout->bits[i / 64]);
    break;
  case TD_KIND_CONSERVATIVE:
    conservative_words(scanner, at, words, false);
    break;
  case TD_KIND_TRACED:
    layout->trace((void *)object, bytes, &scanner->tracer, layout->context);
    break;
  default:
    scan_special(scanner, object, block->kind);
  }
}

void td_scan_span(struct td_scanner *scanner, const struct td_span *span) {
  const uintptr_t *at = span->start;
  if (span->kind == TD_SPAN_CONSERVATIVE || span->kind == TD_SPAN_STACK) {
    conservative_words(scanner, at, span->count, span->kind == TD_SPAN_STACK);
    return;
  }
  for (size_t i = 0; i < span->count; i++)
    word(scanner, span->kind == TD_SPAN_INDIRECT ? (const uintptr_t *)at[i] : &at[i]);
}

/* ---- What trace functions and root callbacks may call, on any tracer ---- */

void tide_trace(struct tide_tracer *tracer, const void *reference) {
  uintptr_t word = (uintptr_t)reference;
  if (tracer) tracer->slots(tracer, &word, 1);
}

void tide_trace_range(struct tide_tracer *tracer, void *const *slots, size_t count) {
  if (tracer && slots) tracer->slots(tracer, (const uintptr_t *)slots, count);
}

void tide_trace_conservative(struct tide_tracer *tracer, uintptr_t word) {
  if (tracer) tracer->conservative(tracer, word);
}

/* ---- A stack of objects ---- */

bool td_worklist_reserve(struct td_worklist *list) {
  uintptr_t *at =
      td_pages_room(list->at, list->first, &list->capacity, list->count + 1, 1024, sizeof *at);
  if (at) list->at = at;
  return at != NULL;
}

bool td_worklist_push(struct td_worklist *list, uintptr_t object) {
  if (list->count == list->capacity && !td_worklist_reserve(list)) return false;
  list->at[list->count++] = object;
  return true;
}

void td_worklist_free(struct td_worklist *list) {
  if (list->at != list->first) td_pages_give(list->at, list->capacity * sizeof *list->at);
  *list = (struct td_worklist){0};
}
