/* The hash table of registered addresses. */
#include "gc/base/table.h"

#include "gc/base/pages.h"

#define CAPACITY_MIN 256u /* a page of entries */

static size_t home(const struct td_table *table, uintptr_t key) {
  uint64_t mixed = (uint64_t)key * 0x9e3779b97f4a7c15u; /* Fibonacci hashing */
  return (size_t)(mixed >> 32) & (table->capacity - 1);
}

/* The entry of the key, or the empty one where it would go. The table has room. */
static size_t find(const struct td_table *table, uintptr_t key) {
  size_t i = home(table, key);
  while (table->at[i].key && table->at[i].key != key)
    i = (i + 1) & (table->capacity - 1);
  return i;
}

size_t td_table_get(const struct td_table *table, uintptr_t key) {
  if (table->count == 0) return TD_TABLE_NONE;
  const struct td_table_entry *entry = &table->at[find(table, key)];
  return entry->key ? entry->value : TD_TABLE_NONE;
}

static bool grow(struct td_table *table) {
  size_t capacity = table->capacity ? table->capacity * 2 : CAPACITY_MIN;
  struct td_table larger = {.capacity = capacity, .count = table->count};
  larger.at = td_pages_take(capacity * sizeof *larger.at);
  if (!larger.at) return false;
  for (size_t i = 0; i < table->capacity; i++)
    if (table->at[i].key) larger.at[find(&larger, table->at[i].key)] = table->at[i];
  td_table_free(table);
  *table = larger;
  return true;
}

bool td_table_put(struct td_table *table, uintptr_t key, size_t value) {
  if (table->count) {
    struct td_table_entry *entry = &table->at[find(table, key)];
    if (entry->key) {
      entry->value = value;
      return true;
    }
  }
  if (table->count >= table->capacity / 4 * 3 && !grow(table)) return false;
  table->at[find(table, key)] = (struct td_table_entry){key, value};
  table->count++;
  return true;
}

bool td_table_remove(struct td_table *table, uintptr_t key) {
  if (table->count == 0) return false;
  size_t mask = table->capacity - 1, hole = find(table, key);
  if (!table->at[hole].key) return false;
  for (size_t i = (hole + 1) & mask; table->at[i].key; i = (i + 1) & mask) {
    /* An entry may move to the hole unless its home lies cyclically in (hole, i]. */
    size_t from_home = (i - home(table, table->at[i].key)) & mask;
    if (from_home >= ((i - hole) & mask)) {
      table->at[hole] = table->at[i];
      hole = i;
    }
  }
  table->at[hole] = (struct td_table_entry){0};
  table->count--;
  return true;
}

void td_table_free(struct td_table *table) {
  td_pages_give(table->at, table->capacity * sizeof *table->at);
  *table = (struct td_table){0};
}
