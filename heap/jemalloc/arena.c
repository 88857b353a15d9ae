/* Extent hooks over a reserved range. jemalloc asks for address space by `alloc`, which goes up
 * through the range and never back. Address space that jemalloc gives up it retains, decommitted,
 * and uses again. */
#include "heap/jemalloc/arena.h"

#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/platform.h"

struct td_arena {
  extent_hooks_t hooks; /* first, because hooks find the arena by its address */
  unsigned index;
  bool fills; /* jemalloc was told to write into what it hands out */
  uintptr_t end;
  _Atomic(uintptr_t) next;     /* no extent was placed at or above it */
  _Atomic(size_t) committed;   /* relaxed: a figure of some moment */
  uintptr_t fresh, fresh_high; /* what was committed last; used by the taking thread only */
};

static bool commit(struct td_arena *arena, uintptr_t at, size_t bytes) {
  if (!td_plat_commit((void *)at, bytes)) return false;
  atomic_fetch_add_explicit(&arena->committed, bytes, memory_order_relaxed);
  arena->fresh = at;
  arena->fresh_high = at + bytes;
  return true;
}

/* ---- Hooks: those that return a bool return true if they refuse ---- */

static void *hook_alloc(extent_hooks_t *hooks, void *where, size_t bytes, size_t align, bool *zero,
                        bool *committed, unsigned index) {
  struct td_arena *arena = (struct td_arena *)hooks;
  (void)index;
  /* relaxed, both: only the number itself is shared. */
  uintptr_t next = atomic_load_explicit(&arena->next, memory_order_relaxed), at;
  do {
    at = (next + align - 1) & ~(uintptr_t)(align - 1);
    if (at < next || at > arena->end || bytes > arena->end - at) return NULL;
    if (where && at != (uintptr_t)where) return NULL;
  } while (!atomic_compare_exchange_weak_explicit(&arena->next, &next, at + bytes,
                                                  memory_order_relaxed, memory_order_relaxed));
  if (*committed && !commit(arena, at, bytes)) return NULL; /* these addresses are lost */
  *zero = true;
  return (void *)at;
}

static bool hook_dalloc(extent_hooks_t *hooks, void *at, size_t bytes, bool committed,
                        unsigned index) {
  (void)hooks, (void)at, (void)bytes, (void)committed, (void)index;
  return true; /* jemalloc keeps the addresses */
}

static void hook_destroy(extent_hooks_t *hooks, void *at, size_t bytes, bool committed,
                         unsigned index) {
  (void)hooks, (void)at, (void)bytes, (void)committed, (void)index; /* the range goes as a whole */
}

static bool hook_commit(extent_hooks_t *hooks, void *at, size_t bytes, size_t offset, size_t length,
                        unsigned index) {
  (void)bytes, (void)index;
  return !commit((struct td_arena *)hooks, (uintptr_t)at + offset, length);
}

static bool hook_decommit(extent_hooks_t *hooks, void *at, size_t bytes, size_t offset,
                          size_t length, unsigned index) {
  struct td_arena *arena = (struct td_arena *)hooks;
  (void)bytes, (void)index;
  if (!td_plat_decommit((char *)at + offset, length)) return true;
  atomic_fetch_sub_explicit(&arena->committed, length, memory_order_relaxed);
  return false;
}

static bool hook_purge(extent_hooks_t *hooks, void *at, size_t bytes, size_t offset, size_t length,
                       unsigned index) {
  (void)hooks, (void)bytes, (void)index;
  return !td_plat_purge((char *)at + offset, length);
}

static bool hook_split(extent_hooks_t *hooks, void *at, size_t bytes, size_t first, size_t second,
                       bool committed, unsigned index) {
  (void)hooks, (void)at, (void)bytes, (void)first, (void)second, (void)committed, (void)index;
  return false;
}

static bool hook_merge(extent_hooks_t *hooks, void *first, size_t first_bytes, void *second,
                       size_t second_bytes, bool committed, unsigned index) {
  (void)hooks, (void)first, (void)first_bytes, (void)second, (void)second_bytes;
  (void)committed, (void)index;
  return false;
}

/* ---- Life ---- */

/* Returns whether MALLOC_CONF makes jemalloc write into the memory that it hands out. */
static bool fills_memory(void) {
  const char *junk = NULL;
  size_t bytes = sizeof junk;
  return mallctl("opt.junk", &junk, &bytes, NULL, 0) == 0 && junk && strcmp(junk, "false") != 0;
}

struct td_arena *td_arena_open(void *start, size_t bytes) {
  struct td_arena *arena = calloc(1, sizeof *arena);
  if (!arena) return NULL;
  /* Without purge_lazy: pages freed lazily would count as this process's until memory is short. */
  arena->hooks = (extent_hooks_t){.alloc = hook_alloc,
                                  .dalloc = hook_dalloc,
                                  .destroy = hook_destroy,
                                  .commit = hook_commit,
                                  .decommit = hook_decommit,
                                  .purge_forced = hook_purge,
                                  .split = hook_split,
                                  .merge = hook_merge};
  atomic_init(&arena->next, (uintptr_t)start);
  arena->end = (uintptr_t)start + bytes;
  arena->fills = fills_memory();
  extent_hooks_t *hooks = &arena->hooks;
  size_t index_bytes = sizeof arena->index;
  int failed = mallctl("arenas.create", &arena->index, &index_bytes, &hooks, sizeof hooks);
  if (!failed) return arena;
  free(arena);
  errno = failed;
  return NULL;
}

static void control(const struct td_arena *arena, const char *what) {
  char name[64];
  snprintf(name, sizeof name, "arena.%u.%s", arena->index, what);
  mallctl(name, NULL, NULL, NULL, 0);
}

void td_arena_close(struct td_arena *arena) {
  if (!arena) return;
  control(arena, "destroy");
  free(arena);
}

void td_arena_decay(struct td_arena *arena) {
  control(arena, "decay");
}

size_t td_arena_committed_bytes(const struct td_arena *arena) {
  return atomic_load_explicit(&arena->committed, memory_order_relaxed);
}

/* ---- Memory ---- */

void *td_arena_take(struct td_arena *arena, size_t *bytes, size_t align, bool *zero) {
  int flags = MALLOCX_ARENA(arena->index) | MALLOCX_TCACHE_NONE | MALLOCX_ALIGN(align);
  size_t given = nallocx(*bytes, flags);
  if (given == 0) return NULL;
  arena->fresh = arena->fresh_high = 0;
  uintptr_t at = (uintptr_t)mallocx(*bytes, flags);
  if (!at) return NULL;
  *bytes = given;
  *zero = !arena->fills && arena->fresh <= at && at + given <= arena->fresh_high;
  return (void *)at;
}

void td_arena_give(struct td_arena *arena, void *start) {
  dallocx(start, MALLOCX_ARENA(arena->index) | MALLOCX_TCACHE_NONE);
}
