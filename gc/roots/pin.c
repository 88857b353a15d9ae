/* SPDX-License-Identifier: MIT */
#include "gc/roots/pin.h"

#include <string.h>

#include "gc/arrays/pages.h"
#include "gc/check/caller/check.h"
#include "gc/object/find.h"
#include "gc/roots/set.h"
#include "gc/threads/inside.h"
#include "platform/platform.h"

#define LISTED_MIN 512u
#define WRITABLE_STEP ((size_t)1 << 20) /* bytes, for 16 MiB of the heap */

static size_t bytes_of_table(const struct tide_heap *heap) {
  size_t page = td_plat_page_bytes();
  return (heap->space.granules + page - 1) / page * page;
}

/* Maps the bytes to be read, unless that was done. */
static bool make_table(struct tide_heap *heap) {
  struct td_pins *pins = heap->pins;
  if (atomic_load_explicit(&pins->bytes, memory_order_relaxed)) return true; /* relaxed: locked */
  size_t bytes = bytes_of_table(heap);
  void *table = td_plat_reserve(bytes, td_plat_page_bytes());
  if (!table) return false;
  if (!td_plat_commit_zeroes(table, bytes)) {
    td_plat_release(table, bytes);
    return false;
  }
  atomic_store_explicit(&pins->bytes, table, memory_order_relaxed); /* relaxed: see td_pin_byte */
  return true;
}

/* Lets the bytes of the 16 MiB around the object be written, and those between there and what could
 * be written before. Not all of them: the range of a heap is far longer than what it uses. */
static bool make_writable(struct tide_heap *heap, uintptr_t object) {
  struct td_pins *pins = heap->pins;
  size_t all = bytes_of_table(heap), at = td_granule_of(heap->space.base, object);
  size_t from = at / WRITABLE_STEP * WRITABLE_STEP, to = from + WRITABLE_STEP;
  if (to > all) to = all;
  if (pins->to > 0) {
    if (from >= pins->from && to <= pins->to) return true;
    if (pins->from < from) from = pins->from;
    if (pins->to > to) to = pins->to;
  }
  /* relaxed: locked. */
  char *table = (char *)atomic_load_explicit(&pins->bytes, memory_order_relaxed);
  if (!td_plat_commit(table + from, to - from)) return false;
  pins->from = from;
  pins->to = to;
  return true;
}

static bool make_room(struct td_pins *pins) {
  uintptr_t *listed = td_pages_room(pins->listed, NULL, &pins->capacity, pins->count + 1,
                                    LISTED_MIN, sizeof *listed);
  if (listed) pins->listed = listed;
  return listed != NULL;
}

/* Lists the object. */
static enum tide_status add(struct tide_heap *heap, uintptr_t object) {
  struct td_pins *pins = heap->pins;
  if (!make_table(heap) || !make_writable(heap, object) || !make_room(pins))
    return TIDE_ERROR_MEMORY;
  pins->listed[pins->count++] = object;
  /* relaxed: see gc/roots/pin.h. */
  atomic_store_explicit(td_pin_byte(heap, object), TD_PIN_PINNED | TD_PIN_LISTED,
                        memory_order_relaxed);
  return TIDE_OK;
}

enum tide_status tide_object_pin(struct tide_mutator *mutator, void *object) {
  if (!td_mutator_may_act(mutator, "tide_object_pin")) return td_refusal(mutator);
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct tide_heap *heap = mutator->heap;
  uintptr_t at = (uintptr_t)object;
  struct td_found found;
  if (!object || !td_object_look(mutator, at, &found)) return TIDE_ERROR_ARGUMENT;
  _Atomic(uint8_t) *byte = td_pin_byte(heap, at);
  /* relaxed, both: see gc/roots/pin.h. */
  uint8_t seen = byte ? atomic_load_explicit(byte, memory_order_relaxed) : 0;
  if (seen & TD_PIN_PINNED) return TIDE_ERROR_STATE;
  if (seen & TD_PIN_LISTED) {
    atomic_store_explicit(byte, TD_PIN_PINNED | TD_PIN_LISTED, memory_order_relaxed);
    return TIDE_OK;
  }
  pthread_mutex_lock(&heap->roots->lock);
  enum tide_status status = add(heap, at);
  pthread_mutex_unlock(&heap->roots->lock);
  return status;
}

enum tide_status tide_object_unpin(struct tide_mutator *mutator, void *object) {
  if (!td_mutator_may_act(mutator, "tide_object_unpin")) return td_refusal(mutator);
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  return td_pin_remove(mutator->heap, (uintptr_t)object) ? TIDE_OK : TIDE_ERROR_ARGUMENT;
}

void td_pins_tidy(struct tide_heap *heap) {
  struct td_pins *pins = heap->pins;
  size_t kept = 0;
  for (size_t i = 0; i < pins->count; i++) {
    uintptr_t object = pins->listed[i];
    /* relaxed: world stopped. */
    if (td_pin_has(heap, object))
      pins->listed[kept++] = object;
    else
      atomic_store_explicit(td_pin_byte(heap, object), 0, memory_order_relaxed);
  }
  pins->count = kept;
  /* There may have been many more once. The list begins on a page. */
  size_t page = td_plat_page_bytes() / sizeof *pins->listed, shorter = pins->capacity / 4;
  if (shorter < page || kept >= pins->capacity / 16) return;
  td_pages_give(pins->listed + shorter, (pins->capacity - shorter) * sizeof *pins->listed);
  pins->capacity = shorter;
}

void td_pins_deinit(struct tide_heap *heap) {
  struct td_pins *pins = heap->pins;
  void *table =
      (void *)atomic_load_explicit(&pins->bytes, memory_order_relaxed); /* relaxed: alone */
  if (table) td_plat_release(table, bytes_of_table(heap));
  td_pages_give(pins->listed, pins->capacity * sizeof *pins->listed);
}
