/* SPDX-License-Identifier: MIT */
#include "gc/arrays/registry.h"

#include <stdlib.h>
#include <string.h>

static char *entry_at(const struct td_registry *registry, size_t i) {
  return (char *)registry->at + i * registry->bytes_each;
}

static bool has_index(const struct td_registry *registry) {
  return registry->bytes_known == sizeof(uintptr_t);
}

static uintptr_t word_of(const void *entry) {
  return *(const uintptr_t *)entry;
}

void td_registry_deinit(struct td_registry *registry) {
  free(registry->at);
  td_table_free(&registry->index);
}

static inline size_t find(const struct td_registry *registry, const void *known) {
  if (has_index(registry)) return td_table_get(&registry->index, word_of(known));
  for (size_t i = 0; i < registry->count; i++)
    if (memcmp(entry_at(registry, i), known, registry->bytes_known) == 0) return i;
  return TD_TABLE_NONE;
}

size_t td_registry_find(const struct td_registry *registry, const void *known) {
  return find(registry, known);
}

static bool make_room(struct td_registry *registry) {
  if (registry->count < registry->capacity) return true;
  size_t capacity = registry->capacity ? registry->capacity * 2 : 16;
  if (capacity > SIZE_MAX / registry->bytes_each) return false;
  void *larger = realloc(registry->at, capacity * registry->bytes_each);
  if (!larger) return false;
  registry->at = larger;
  registry->capacity = capacity;
  return true;
}

enum tide_status td_registry_add(struct td_registry *registry, const void *entry) {
  if (find(registry, entry) != TD_TABLE_NONE) return TIDE_ERROR_STATE;
  if (!make_room(registry) ||
      (has_index(registry) && !td_table_put(&registry->index, word_of(entry), registry->count)))
    return TIDE_ERROR_MEMORY;
  memcpy(entry_at(registry, registry->count++), entry, registry->bytes_each);
  return TIDE_OK;
}

void td_registry_drop(struct td_registry *registry, size_t at) {
  size_t last = --registry->count;
  char *gone = entry_at(registry, at);
  if (!has_index(registry)) {
    memmove(gone, gone + registry->bytes_each, (last - at) * registry->bytes_each);
    return;
  }
  td_table_remove(&registry->index, word_of(gone));
  if (at == last) return;
  memcpy(gone, entry_at(registry, last), registry->bytes_each);
  td_table_put(&registry->index, word_of(gone), at); /* there already: cannot fail */
}

enum tide_status td_registry_remove(struct td_registry *registry, const void *known) {
  size_t at = find(registry, known);
  if (at == TD_TABLE_NONE) return TIDE_ERROR_ARGUMENT;
  td_registry_drop(registry, at);
  return TIDE_OK;
}

enum tide_status td_registry_rename(struct td_registry *registry, size_t at, uintptr_t known) {
  if (td_table_get(&registry->index, known) != TD_TABLE_NONE) return TIDE_ERROR_STATE;
  if (!td_table_put(&registry->index, known, at)) return TIDE_ERROR_MEMORY;
  td_table_remove(&registry->index, word_of(entry_at(registry, at)));
  *(uintptr_t *)entry_at(registry, at) = known;
  return TIDE_OK;
}
