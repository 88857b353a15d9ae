/* A hash table from non-zero words to sizes, for addresses that were registered; or a set of such
 * words. Linear probing; removal moves later entries back, so there are no tombstones. Not
 * thread-safe. Its memory is not malloc's: verification fills one while the world stands still. */
#ifndef TD_GC_BASE_TABLE_H
#define TD_GC_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_table {
  /* Entries: a key, 0 if it is empty, and in a table that is no set the key's value behind it. */
  uintptr_t *at;
  size_t capacity; /* in entries: a power of two, or 0 */
  size_t count;
  bool is_set; /* said when the table is made, and never changed */
};

#define TD_TABLE_NONE SIZE_MAX

/* The value, or TD_TABLE_NONE. Not of a set. */
size_t td_table_get(const struct td_table *table, uintptr_t key);
/* Adds or replaces; false: out of memory, nothing changed. Replacing cannot fail. */
bool td_table_put(struct td_table *table, uintptr_t key, size_t value);
/* Adds to a set. */
enum td_table_added { TD_TABLE_ADDED, TD_TABLE_WAS_THERE, TD_TABLE_NO_MEMORY };
enum td_table_added td_table_add(struct td_table *set, uintptr_t key);
/* Is the key in the table, or set? */
bool td_table_has(const struct td_table *table, uintptr_t key);
bool td_table_remove(struct td_table *table, uintptr_t key);
/* Makes a table shorter that is nearly empty. Without memory for that it stays as it is. */
void td_table_fit(struct td_table *table);
void td_table_free(struct td_table *table);

#endif
