/* SPDX-License-Identifier: MIT */
/* The debugging calls: objects with guards around what the program sees. */
#include <string.h>

#include "bdwgc/alloc/alloc.h"
#include "bdwgc/alloc/kinds.h"
#include "bdwgc/debug/guard.h"
#include "bdwgc/debug/leaks.h"
#include "bdwgc/figures.h"
#include "bdwgc/kinds/kinds.h"
#include "bdwgc/say.h"
#include "bdwgc/threads/start.h"

EXPORT const size_t GC_debug_header_size = sizeof(struct td_guard);
EXPORT size_t GC_get_debug_header_size(void) {
  return sizeof(struct td_guard);
}

/* ---- Allocation ---- */

/* A pointer one past the end points at a guard. Too much stays too much. */
static size_t with_guards(size_t bytes) {
  size_t more = TD_GUARD_BYTES - td_interior_extra_bytes;
  return bytes < SIZE_MAX - more ? bytes + more : SIZE_MAX;
}

#define ALLOC(name, plain)                                                                         \
  EXPORT void *GC_debug_##name(size_t bytes, const char *file, int line) {                         \
    return td_guard_put("GC_debug_" #name, plain(with_guards(bytes)), bytes, file, line);          \
  }
ALLOC(malloc, GC_malloc)
ALLOC(malloc_atomic, GC_malloc_atomic)
ALLOC(malloc_stubborn, GC_malloc)
ALLOC(malloc_ignore_off_page, GC_malloc)
ALLOC(malloc_atomic_ignore_off_page, GC_malloc_atomic)
ALLOC(malloc_uncollectable, GC_malloc_uncollectable)
ALLOC(malloc_atomic_uncollectable, GC_malloc_atomic_uncollectable)

EXPORT void *GC_debug_generic_or_special_malloc(size_t bytes, int kind, const char *file,
                                                int line) {
  return td_guard_put("GC_debug_generic_or_special_malloc", td_kind_alloc(with_guards(bytes), kind),
                      bytes, file, line);
}

/* The table's address is the first word that the program sees: of this kind the program's
 * procedure is told that there is a header. */
EXPORT void *GC_debug_gcj_malloc(size_t bytes, void *table, const char *file, int line) {
  void *object = td_kind_alloc(with_guards(bytes), GC_gcj_debug_kind);
  void **seen = td_guard_put("GC_debug_gcj_malloc", object, bytes, file, line);
  if (seen) *seen = table;
  return seen;
}

EXPORT char *GC_debug_strndup(const char *text, size_t most, const char *file, int line) {
  if (!text) return NULL;
  size_t length = strnlen(text, most);
  return td_bdwgc_fill_text(GC_debug_malloc_atomic(length + 1, file, line), text, length);
}
EXPORT char *GC_debug_strdup(const char *text, const char *file, int line) {
  return GC_debug_strndup(text, SIZE_MAX, file, line);
}

/* ---- Freeing ---- */

/* Returns the header of the object that the program sees at this address, or NULL. */
static struct td_guard *guard_of(const char *function, void *seen) {
  struct td_guard *guard = tide_object_find(td_bdwgc_heap, seen);
  if (guard && (void *)(guard + 1) == seen &&
      td_guard_look(guard, tide_object_bytes(td_bdwgc_heap, guard)) != TD_GUARD_NONE)
    return guard;
  td_bdwgc_tell("%s: %p is no debugging object", function, seen);
  return NULL;
}

/* What the program still writes to is found when nothing refers to it; until then the memory
 * stays. */
static void free_later(struct td_guard *guard, size_t cell_bytes) {
  td_guard_fill(guard, cell_bytes);
  td_figures_add_freed(cell_bytes);
}

static void free_guarded(struct td_guard *guard) {
  size_t cell_bytes;
  int kind = GC_get_kind_and_size(guard, &cell_bytes);
  const void *smashed = td_guard_smashed(guard, cell_bytes);
  if (td_guard_look(guard, cell_bytes) == TD_GUARD_FREED) {
    td_bdwgc_tell("GC_debug_free: %p was freed before", (void *)(guard + 1));
    return;
  }
  if (smashed) td_guard_tell("GC_debug_free", guard, smashed);
  bool held = kind == GC_I_UNCOLLECTABLE || kind == GC_I_AUNCOLLECTABLE;
  if (held || (td_leaks_on() && !td_leaks_delay_free())) {
    guard->bytes = cell_bytes; /* what still points there may keep it as an object for a while */
    GC_free(guard);
  } else {
    free_later(guard, cell_bytes);
  }
}

EXPORT void GC_debug_free(void *seen) {
  if (!seen) return;
  td_bdwgc_start();
  struct td_guard *guard = guard_of("GC_debug_free", seen);
  if (guard)
    free_guarded(guard);
  else if (tide_object_find(td_bdwgc_heap, seen) == seen)
    GC_free(seen);
}

/* ---- Resizing ---- */

EXPORT void *GC_debug_realloc(void *seen, size_t bytes, const char *file, int line) {
  if (!seen) return GC_debug_malloc(bytes, file, line);
  if (bytes == 0) {
    GC_debug_free(seen);
    return NULL;
  }
  struct td_guard *volatile guard = guard_of("GC_debug_realloc", seen);
  if (!guard) return GC_realloc(seen, bytes);
  size_t cell_bytes, old_bytes = guard->bytes;
  int kind = GC_get_kind_and_size(guard, &cell_bytes);
  void *moved = GC_debug_generic_or_special_malloc(bytes, kind, file, line);
  if (!moved) return NULL;
  if (old_bytes > cell_bytes - TD_GUARD_BYTES) old_bytes = cell_bytes - TD_GUARD_BYTES;
  memcpy(moved, seen, old_bytes < bytes ? old_bytes : bytes);
  GC_debug_free(seen);
  return moved;
}

#define UNKNOWN_PLACE "unknown", 0
EXPORT void *GC_debug_malloc_replacement(size_t bytes) {
  return GC_debug_malloc(bytes, UNKNOWN_PLACE);
}
EXPORT void *GC_debug_realloc_replacement(void *seen, size_t bytes) {
  return GC_debug_realloc(seen, bytes, UNKNOWN_PLACE);
}

/* ---- Pointers into objects ---- */

EXPORT void GC_debug_register_displacement(size_t bytes) {
  GC_register_displacement(bytes);
  GC_register_displacement(sizeof(struct td_guard) + bytes);
}
