/* SPDX-License-Identifier: MIT */
#include "gc/arrays/table.h"

#include <string.h>

#include "gc/arrays/pages.h"

#define CAPACITY_MIN 256u
#define WORDS_EACH 2u

static uintptr_t *entry(const struct td_table *table, size_t i) {
  return &table->at[i * WORDS_EACH];
}

static size_t bytes_of(const struct td_table *table) {
  return table->capacity * WORDS_EACH * sizeof *table->at;
}

static size_t home(const struct td_table *table, uintptr_t key) {
  return (size_t)td_mix(key) & (table->capacity - 1);
}

/* The entry of the key, or the empty one where it would go. The table has room. */
static size_t find(const struct td_table *table, uintptr_t key) {
  size_t i = home(table, key);
  while (*entry(table, i) && *entry(table, i) != key)
    i = (i + 1) & (table->capacity - 1);
  return i;
}

size_t td_table_get(const struct td_table *table, uintptr_t key) {
  if (table->count == 0) return TD_TABLE_NONE;
  const uintptr_t *at = entry(table, find(table, key));
  return at[0] ? at[1] : TD_TABLE_NONE;
}

static void copy(uintptr_t *to, const uintptr_t *from) {
  memcpy(to, from, WORDS_EACH * sizeof *to);
}

static bool grow(struct td_table *table) {
  struct td_table other = *table;
  other.capacity = table->capacity ? table->capacity * 2 : CAPACITY_MIN;
  other.at = td_pages_take(bytes_of(&other));
  if (!other.at) return false;
  for (size_t i = 0; i < table->capacity; i++) {
    const uintptr_t *at = entry(table, i);
    if (*at) copy(entry(&other, find(&other, *at)), at);
  }
  td_pages_give(table->at, bytes_of(table));
  *table = other;
  return true;
}

/* Returns the entry of the key, which is new if its first word is 0; NULL: out of memory. */
static uintptr_t *place(struct td_table *table, uintptr_t key) {
  if (table->capacity) {
    uintptr_t *at = entry(table, find(table, key));
    if (*at || table->count < table->capacity / 4 * 3) return at;
  }
  return grow(table) ? entry(table, find(table, key)) : NULL;
}

bool td_table_put(struct td_table *table, uintptr_t key, size_t value) {
  uintptr_t *at = place(table, key);
  if (!at) return false;
  table->count += *at == 0;
  at[0] = key;
  at[1] = value;
  return true;
}

bool td_table_remove(struct td_table *table, uintptr_t key) {
  if (table->count == 0) return false;
  size_t mask = table->capacity - 1, hole = find(table, key);
  if (!*entry(table, hole)) return false;
  for (size_t i = (hole + 1) & mask; *entry(table, i); i = (i + 1) & mask) {
    /* An entry may move to the hole unless its home lies cyclically in (hole, i]. */
    size_t from_home = (i - home(table, *entry(table, i))) & mask;
    if (from_home >= ((i - hole) & mask)) {
      copy(entry(table, hole), entry(table, i));
      hole = i;
    }
  }
  *entry(table, hole) = 0;
  table->count--;
  return true;
}

void td_table_free(struct td_table *table) {
  td_pages_give(table->at, bytes_of(table));
  *table = (struct td_table){0};
}
