/* SPDX-License-Identifier: MIT */
/* What the program has registered, of one kind: a dense array of entries, each of which begins with
 * what it is known by. That is one word, and then a table finds it; or it is longer, where there
 * are few, and they keep their order. Not thread-safe. */
#ifndef TD_GC_ARRAYS_REGISTRY_H
#define TD_GC_ARRAYS_REGISTRY_H

#include "gc/arrays/table.h"
#include "tide/tide.h"

struct td_registry {
  void *at; /* of the kind's own type */
  size_t count, capacity;
  struct td_table index; /* first word -> number */
  /* Constant. */
  size_t bytes_each, bytes_known; /* of an entry, and of what it is known by */
};

#define TD_REGISTRY(entry, known)                                                                  \
  { .bytes_each = sizeof(entry), .bytes_known = sizeof(known) }

void td_registry_deinit(struct td_registry *registry);
/* Returns the number of the entry that is known by *known, or TD_TABLE_NONE. */
size_t td_registry_find(const struct td_registry *registry, const void *known);
/* Returns TIDE_ERROR_STATE if there is one that is known by the same, or TIDE_ERROR_MEMORY. */
enum tide_status td_registry_add(struct td_registry *registry, const void *entry);
/* Returns TIDE_ERROR_ARGUMENT if there is none. */
enum tide_status td_registry_remove(struct td_registry *registry, const void *known);
/* Removes number `at`. Where a table finds them, the last one takes its place. */
void td_registry_drop(struct td_registry *registry, size_t at);
/* Number `at` is known by another word from now on. Returns TIDE_ERROR_STATE and TIDE_ERROR_MEMORY
 * as td_registry_add. */
enum tide_status td_registry_rename(struct td_registry *registry, size_t at, uintptr_t known);

#endif
