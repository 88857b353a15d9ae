/* A hash table from object identity to object: open addressing with linear probing in an array
 * of references to ephemerons. Objects do not move, so an address is a fair hash for life. A slot
 * whose ephemeron has died, or was removed, is taken for a tombstone until the next rehash; it
 * has been used, so probing goes on behind it. */
#include "gc/weak_table.h"

#include "gc/check/caller/check.h"
#include "gc/threads/inside.h"

#define CAPACITY_MIN 8u

struct tide_weak_table {
  struct td_ephemeron_object **slots;
  size_t capacity; /* power of two */
  size_t used;     /* slots that are not NULL */
};

tide_layout td_weak_table_layout(struct tide_heap *heap) {
  size_t slots = offsetof(struct tide_weak_table, slots);
  return tide_layout_offsets(heap, sizeof(struct tide_weak_table), &slots, 1, NULL);
}

struct tide_weak_table *tide_weak_table_new(struct tide_mutator *mutator) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_weak_table_new")) return NULL;
  struct tide_weak_table *table =
      tide_alloc(mutator, mutator->heap->weak_table_layout, sizeof *table);
  if (!table) return NULL;
  struct td_local_root keep = {(uintptr_t)table, mutator->locals};
  mutator->locals = &keep;
  void *slots = tide_alloc_array(mutator, TIDE_LAYOUT_REFS, CAPACITY_MIN, sizeof *table->slots);
  mutator->locals = keep.up;
  if (!slots) return NULL;
  tide_write(mutator, table, &table->slots, slots); /* a collection may have seen it meanwhile */
  table->capacity = CAPACITY_MIN;
  return table;
}

static size_t home(const struct tide_weak_table *table, uintptr_t key) {
  return (size_t)((uint64_t)key * 0x9e3779b97f4a7c15u >> 32) & (table->capacity - 1);
}

/* The slot of the key, or the empty one where the search ends: there is always one. */
static struct td_ephemeron_object **find(const struct tide_weak_table *table, uintptr_t key) {
  size_t i = home(table, key);
  while (table->slots[i] && table->slots[i]->key != key)
    i = (i + 1) & (table->capacity - 1);
  return &table->slots[i];
}

static size_t count_live(const struct tide_weak_table *table) {
  size_t live = 0;
  for (size_t i = 0; i < table->capacity; i++)
    live += table->slots[i] && table->slots[i]->key;
  return live;
}

/* New slots, at most a third full, without the dead. */
static bool rehash(struct tide_mutator *mutator, struct tide_weak_table *table) {
  size_t capacity = CAPACITY_MIN;
  while (capacity < 3 * (count_live(table) + 1))
    capacity *= 2;
  struct td_ephemeron_object **slots =
      tide_alloc_array(mutator, TIDE_LAYOUT_REFS, capacity, sizeof *slots);
  if (!slots) return false;
  struct tide_weak_table fresh = {slots, capacity, 0};
  for (size_t i = 0; i < table->capacity; i++) {
    struct td_ephemeron_object *entry = table->slots[i];
    if (!entry || !entry->key) continue;
    *find(&fresh, entry->key) = entry;
    fresh.used++;
  }
  tide_write_begin(mutator, table, &table->slots, 1);
  *table = fresh;
  return true;
}

static bool put(struct tide_mutator *mutator, struct tide_weak_table *table, uintptr_t key,
                uintptr_t value) {
  struct td_ephemeron_object **slot = find(table, key);
  if (*slot) {
    tide_write_begin(mutator, *slot, &(*slot)->value, 1);
    (*slot)->value = value;
    return true;
  }
  if (table->used >= table->capacity / 4 * 3 && !rehash(mutator, table)) return false;
  struct tide_ephemeron *entry = tide_ephemeron_new(mutator, (void *)key, (void *)value);
  if (!entry) return false;
  tide_write(mutator, table->slots, find(table, key), entry);
  table->used++;
  return true;
}

bool tide_weak_table_put(struct tide_mutator *mutator, struct tide_weak_table *table, void *key,
                         void *value) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_weak_table_put") || !table || !key) return false;
  struct td_local_root keep_table = {(uintptr_t)table, mutator->locals};
  struct td_local_root keep_key = {(uintptr_t)key, &keep_table};
  struct td_local_root keep_value = {(uintptr_t)value, &keep_key};
  mutator->locals = &keep_value;
  bool done = put(mutator, table, (uintptr_t)key, (uintptr_t)value);
  mutator->locals = keep_table.up;
  return done;
}

void *tide_weak_table_get(struct tide_mutator *mutator, struct tide_weak_table *table,
                          const void *key) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_look(mutator, "tide_weak_table_get") || !table || !key) return NULL;
  const struct td_ephemeron_object *entry = *find(table, (uintptr_t)key);
  return entry ? (void *)entry->value : NULL;
}

bool tide_weak_table_remove(struct tide_mutator *mutator, struct tide_weak_table *table,
                            const void *key) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_weak_table_remove") || !table || !key) return false;
  struct td_ephemeron_object *entry = *find(table, (uintptr_t)key);
  if (!entry) return false;
  entry->key = entry->value = 0;
  return true;
}

size_t tide_weak_table_count(struct tide_mutator *mutator, struct tide_weak_table *table) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_look(mutator, "tide_weak_table_count") || !table) return 0;
  return count_live(table);
}
