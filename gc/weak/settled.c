/* The list of objects that have one finalizer of their own. */
#include "gc/weak/settled.h"

#include <stdlib.h>

void td_settled_deinit(struct td_set_finalizers *set) {
  free(set->at);
  free(set->contexts);
  td_table_free(&set->index);
}

static bool make_room(struct td_set_finalizers *set) {
  if (set->count < set->capacity) return true;
  size_t capacity = set->capacity ? set->capacity * 2 : 16;
  struct td_set_finalizer *at = realloc(set->at, capacity * sizeof *at);
  if (at) set->at = at;
  uintptr_t *contexts = realloc(set->contexts, capacity * sizeof *contexts);
  if (contexts) set->contexts = contexts;
  if (!at || !contexts) return false;
  set->capacity = capacity;
  return true;
}

bool td_settled_put(struct td_set_finalizers *set, size_t at,
                    const struct td_set_finalizer *finalizer, uintptr_t context) {
  uint32_t bit = td_settled_bit(finalizer->object);
  /* relaxed: whoever frees an object that has a finalizer knows of the object, and so of this. */
  atomic_fetch_or_explicit(&set->seen[bit / 64], (uint64_t)1 << (bit % 64), memory_order_relaxed);
  if (at == TD_TABLE_NONE) {
    if (!make_room(set) || !td_table_put(&set->index, finalizer->object, set->count)) return false;
    at = set->count++;
  }
  set->at[at] = *finalizer;
  set->contexts[at] = context;
  return true;
}

void td_settled_forget(struct td_set_finalizers *set, size_t at) {
  uintptr_t object = set->at[at].object;
  size_t last = --set->count;
  set->at[at] = set->at[last];
  set->contexts[at] = set->contexts[last];
  td_table_put(&set->index, set->at[at].object, at); /* there already: cannot fail */
  td_table_remove(&set->index, object);
}
