/* SPDX-License-Identifier: MIT */
/* A hash table from non-zero words to sizes, for addresses that were registered. Linear probing;
 * removal moves later entries back, so there are no tombstones. Not thread-safe. Its memory is not
 * malloc's: verification fills one while the world stands still. */
#ifndef TD_GC_ARRAYS_TABLE_H
#define TD_GC_ARRAYS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_table {
  /* Entries: a key, 0 if it is empty, and the key's value behind it. */
  uintptr_t *at;
  size_t capacity; /* in entries: a power of two, or 0 */
  size_t count;
};

#define TD_TABLE_NONE SIZE_MAX

/* Mixes all bits of a word, so that any of the result's tell keys apart. Addresses lie in rows: one
 * multiplication would leave some rows in clusters. */
static inline uint64_t td_mix(uint64_t key) {
  uint64_t mixed = key * 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15u;
  return mixed ^ mixed >> 32;
}

/* The value, or TD_TABLE_NONE. */
size_t td_table_get(const struct td_table *table, uintptr_t key);
/* Adds or replaces; false: out of memory, nothing changed. Replacing cannot fail. */
bool td_table_put(struct td_table *table, uintptr_t key, size_t value);
bool td_table_remove(struct td_table *table, uintptr_t key);
void td_table_free(struct td_table *table);

#endif
