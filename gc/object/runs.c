/* Tables of bump runs. A table has an entry for each layout and size class there can be, so that
 * inlined code needs no test; pages of it that are never touched cost nothing. */
#include "gc/object/runs.h"

#include <string.h>

#include "gc/threads/thread.h"
#include "heap/alloc.h"
#include "heap/log.h"
#include "heap/young.h"

#define RUNS ((size_t)TIDE_LAYOUT_MAX * TIDE_BUMP_SLOTS)
#define RUNS_BYTES (RUNS * sizeof(struct tide_bump))
/* The runs, then `freed`, `filled` and `freed_at`. */
#define TABLE_BYTES (RUNS_BYTES + RUNS * (sizeof(uintptr_t) + 2 * sizeof(uint32_t)))

/* Runs that are all empty, for mutators that may not allocate. */
static struct tide_bump *no_runs;

static void *map_zeroed(size_t bytes) {
  void *table = td_plat_reserve(bytes, td_plat_page_bytes());
  if (table && !td_plat_commit(table, bytes)) {
    td_plat_release(table, bytes);
    return NULL;
  }
  return table;
}

bool td_runs_prepare(void) {
  no_runs = map_zeroed(RUNS_BYTES);
  return no_runs != NULL;
}

void td_runs_end(void) {
  td_plat_release(no_runs, RUNS_BYTES);
  no_runs = NULL;
}

bool td_runs_open(struct tide_heap *heap, struct tide_mutator *mutator) {
  mutator->runs = heap->run_pool->count ? heap->run_pool->tables[--heap->run_pool->count]
                                        : map_zeroed(TABLE_BYTES);
  if (!mutator->runs) return false;
  mutator->freed = (uintptr_t *)((char *)mutator->runs + RUNS_BYTES);
  mutator->filled = (uint32_t *)(mutator->freed + RUNS);
  mutator->freed_at = mutator->filled + RUNS;
  mutator->fast.bump = mutator->runs;
  return true;
}

void td_runs_close(struct tide_heap *heap, struct tide_mutator *mutator) {
  if (heap->run_pool->count < TD_POOLED_TABLES)
    heap->run_pool->tables[heap->run_pool->count++] = mutator->runs;
  else
    td_plat_release(mutator->runs, TABLE_BYTES);
  mutator->fast.bump = no_runs;
  mutator->runs = NULL;
}

void td_runs_free_pool(struct tide_heap *heap) {
  while (heap->run_pool->count)
    td_plat_release(heap->run_pool->tables[--heap->run_pool->count], TABLE_BYTES);
}

void td_runs_show(struct tide_mutator *mutator) {
  bool allowed = mutator->blocking_depth == 0 && !mutator->callback && td_self()->worlds == 0;
  mutator->fast.bump = allowed ? mutator->runs : no_runs;
}

/* ---- Freed cells ---- */

/* A list's head has this bit once its index stands in freed_at. */
#define LISTED ((uintptr_t)1)

static uintptr_t *words_of(uintptr_t cell) {
  return (uintptr_t *)cell;
}

void td_runs_put_freed(struct tide_mutator *mutator, uint32_t index, uintptr_t cell) {
  uintptr_t *head = &mutator->freed[index];
  if (*head == 0) mutator->freed_at[mutator->freed_count++] = index;
  words_of(cell)[0] = *head & ~LISTED;
  words_of(cell)[1] = td_runs_seal(cell);
  *head = cell | LISTED;
}

void *td_runs_take_freed_slow(struct tide_mutator *mutator, uint32_t index, size_t bytes) {
  uintptr_t cell = mutator->freed[index] & ~LISTED;
  if (!cell) return NULL;
  mutator->freed[index] = words_of(cell)[0] | LISTED;
  mutator->handed_out += bytes;
  struct td_space *space = &mutator->heap->space;
  if (space->has_young) td_log_fresh_if_old(space, cell);
  /* The link and the seal go in any case. */
  if (space->layouts.at[index / TIDE_BUMP_SLOTS].unzeroed) bytes = 2 * sizeof(uintptr_t);
  return memset((void *)cell, 0, bytes);
}

/* A young collection then finds the cell free, if its block is old. */
static void clear_mark(struct td_space *space, uintptr_t cell) {
  uint64_t granule = td_granule_of(space->base, cell);
  space->marks[granule] = 0;
  td_young_touch(space, td_block_of_granule(granule), 0);
}

/* Forgets the lists. If the world is stopped, the cells are no objects from now on. A mutator that
 * gets one of them unzeroed shall find no seal in it. */
static void forget_freed(struct tide_mutator *mutator, bool stopped) {
  struct td_space *space = &mutator->heap->space;
  for (uint32_t i = 0; i < mutator->freed_count; i++) {
    uintptr_t *head = &mutator->freed[mutator->freed_at[i]];
    for (uintptr_t cell = *head & ~LISTED; cell; cell = words_of(cell)[0]) {
      words_of(cell)[1] = 0;
      if (stopped) clear_mark(space, cell);
    }
    *head = 0;
  }
  mutator->freed_count = 0;
}

/* ---- Retiring ---- */

struct tide_bump *td_runs_none(void) {
  return no_runs;
}

/* Inlined code takes cells from runs of these classes only. */
static bool is_inlined(uint32_t index) {
  return index % TIDE_BUMP_SLOTS * TD_GRANULE_BYTES <= TIDE_BUMP_INLINE_BYTES;
}

static void hold(struct tide_mutator *mutator) {
  struct td_space *space = &mutator->heap->space;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < mutator->filled_count; i++) {
    uint32_t index = mutator->filled[i];
    struct tide_bump *run = &mutator->runs[index];
    if (is_inlined(index))
      td_space_hold(space, run);
    else
      td_space_retire(space, run);
    if (run->limit) mutator->filled[kept++] = index;
  }
  mutator->filled_count = kept;
}

void td_runs_hand_back(struct tide_mutator *mutator) {
  for (uint32_t i = 0; mutator->interrupted && i < mutator->filled_count; i++)
    td_space_hand_back(&mutator->heap->space, &mutator->runs[mutator->filled[i]]);
}

static void retire(struct tide_mutator *mutator) {
  for (uint32_t i = 0; i < mutator->filled_count; i++)
    td_space_retire(&mutator->heap->space, &mutator->runs[mutator->filled[i]]);
  mutator->filled_count = 0;
}

void td_runs_retire(struct tide_mutator *mutator) {
  if (mutator->interrupted)
    hold(mutator);
  else
    retire(mutator);
  forget_freed(mutator, true);
  td_runs_flush_counts(mutator);
}

/* Of a run that was held, others may sweep the block just now: its cells are garbage until the next
 * collection. */
void td_runs_drop(struct tide_mutator *mutator) {
  for (uint32_t i = 0; i < mutator->filled_count; i++) {
    struct tide_bump *run = &mutator->runs[mutator->filled[i]];
    if (run->limit & TD_RUN_HELD) *run = (struct tide_bump){0};
  }
  retire(mutator);
  forget_freed(mutator, false);
  td_runs_flush_counts(mutator);
}

void td_runs_flush_counts(struct tide_mutator *mutator) {
  /* relaxed: a statistic. */
  atomic_fetch_add_explicit(&mutator->heap->allocated_bytes, mutator->handed_out,
                            memory_order_relaxed);
  atomic_fetch_add_explicit(&mutator->heap->freed_bytes, mutator->freed_bytes,
                            memory_order_relaxed); /* relaxed: as above */
  mutator->handed_out = mutator->freed_bytes = 0;
}
