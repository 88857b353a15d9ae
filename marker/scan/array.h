/* Objects that are arrays: all references, references behind a prefix, or conservative words. */
#ifndef TD_MARKER_SCAN_ARRAY_H
#define TD_MARKER_SCAN_ARRAY_H

#include <stdbool.h>

#include "marker/scan/scan.h"

/* The slots [from, to) of an object. */
struct td_array {
  const uintptr_t *slots;
  size_t from, to;
  bool conservative;
};

static inline bool td_kind_is_array(uint8_t kind) {
  return kind == TD_KIND_REFS || kind == TD_KIND_PREFIXED || kind == TD_KIND_CONSERVATIVE;
}

/* Returns the slots of an object whose kind is an array. By value, so that the compiler knows that
 * nobody else keeps the address of the result. */
struct td_array td_array_of(const struct td_space *space, uintptr_t object);

TD_INLINE void td_array_scan(const struct td_array *array, struct td_words *words, size_t from,
                             size_t to, td_visit visit, void *context) {
  if (array->conservative)
    td_scan_conservative(words, array->slots, from, to, visit, context);
  else
    td_scan_words(array->slots, from, to, visit, context);
}

#endif
