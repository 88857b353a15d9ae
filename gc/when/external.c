/* SPDX-License-Identifier: MIT */
/* Memory outside the heap that lives and dies with objects.
 *
 * What is taken counts as allocated: it fills the young part, and uses up the budget. What is given
 * back makes room again. Most of what a collection finds dead is given back after it, when the
 * budget has been set as if all of it lived; so the budget falls with the least that was there
 * since. What is given back for an object that was found dead was there, whatever was taken since:
 * it makes the budget fall in any case. */
#include "gc/when/when.h"

#include "heap/young/young.h"

/* The budget hears of it by such steps, so that most calls take no lock. */
#define STEP TD_BLOCK_BYTES

bool td_external_add(struct td_external *external, ptrdiff_t bytes, bool dead) {
  /* relaxed, both: a count that nothing hangs on. */
  size_t before = atomic_load_explicit(&external->bytes, memory_order_relaxed), after;
  do {
    if (__builtin_add_overflow(before, bytes, &after) || after > PTRDIFF_MAX) return false;
  } while (!atomic_compare_exchange_weak_explicit(&external->bytes, &before, after,
                                                  memory_order_relaxed, memory_order_relaxed));
  if (dead && bytes < 0)
    atomic_fetch_add_explicit(&external->dead, -(size_t)bytes, memory_order_relaxed); /* as above */
  return true;
}

/* Returns what the budget does not know yet: what was taken or given back and, of the latter, what
 * for dead objects. */
static ptrdiff_t unnoted(const struct td_external *external, size_t *dead) {
  /* relaxed, all: as above; another thread may be noting it. */
  *dead = atomic_load_explicit(&external->dead, memory_order_relaxed);
  return (ptrdiff_t)(atomic_load_explicit(&external->bytes, memory_order_relaxed) -
                     atomic_load_explicit(&external->noted, memory_order_relaxed));
}

size_t td_external_taken(const struct td_external *external) {
  size_t dead;
  ptrdiff_t change = unnoted(external, &dead) + (ptrdiff_t)dead;
  return change > 0 ? (size_t)change / STEP : 0;
}

/* A heap that grows by a factor shall not keep the room that they got: see td_sizing_keep. */
static void forget_room(struct td_sizing *sizing, double bytes) {
  uint32_t *recent = &sizing->recent[(sizing->recent_at - 1) % TD_KEEP_CYCLES];
  double blocks = *recent - bytes / TD_BLOCK_BYTES;
  *recent = blocks > sizing->initial_blocks ? (uint32_t)blocks : sizing->initial_blocks;
}

/* There are `bytes` left, and of what has gone `dead` bytes belonged to dead objects. What young
 * collections may have found dead came after the last full one, which has set the budget. */
static void note_fall(struct td_when *when, size_t bytes, size_t dead) {
  struct td_sizing *sizing = &when->sizing;
  struct td_external *external = &when->external;
  size_t young = dead < external->passed ? dead : external->passed;
  external->passed -= young;
  dead -= young;
  size_t live = external->least > dead ? external->least - dead : 0;
  if (live > bytes) live = bytes;
  if (live == external->least) return;
  double fewer = (double)(external->least - live);
  double fall = fewer * (1 + sizing->room_share);
  double least = (double)sizing->initial_blocks * TD_BLOCK_BYTES + (double)live;
  double due = (double)sizing->due_bytes - fall;
  external->least = live;
  forget_room(sizing, fewer * sizing->room_share);
  if (due < least) due = least;
  if (due < (double)sizing->due_bytes) sizing->due_bytes = (uint64_t)due;
}

/* Under the lock. Only what came since the last collection is taken off what is young. */
static void note_young(struct td_space *space, struct td_external *external, ptrdiff_t change) {
  size_t most = external->young_bytes < space->young_bytes ? external->young_bytes
                                                           : (size_t)space->young_bytes;
  if (change < -(ptrdiff_t)most) change = -(ptrdiff_t)most;
  external->young_bytes += (size_t)change;
  space->young_bytes += (uint64_t)(int64_t)change;
}

static void note(struct tide_heap *heap, size_t bytes, ptrdiff_t taken, size_t dead) {
  struct td_space *space = &heap->space;
  struct td_external *external = &heap->when->external;
  note_young(space, external, taken);
  note_fall(heap->when, bytes, dead);
  if (bytes < external->left) external->left = bytes;
  uint64_t due = heap->when->sizing.due_bytes;
  uint64_t left = due > bytes ? (due - bytes) >> TD_BLOCK_LOG2 : 0;
  uint32_t used = space->used_blocks - space->dying_free_blocks;
  if (left < used) left = used;
  uint32_t most = td_budget_bound(heap);
  space->budget_blocks = left < most ? (uint32_t)left : most;
  /* relaxed, both: hints. */
  atomic_store_explicit(&external->noted, bytes, memory_order_relaxed);
  atomic_fetch_sub_explicit(&external->dead, dead, memory_order_relaxed);
}

/* Is the budget used up, and by how much that is old? Another young collection would not help then.
 */
static bool is_over(const struct tide_heap *heap, size_t external_bytes, uint64_t young_bytes) {
  const struct td_space *space = &heap->space;
  uint64_t used = (uint64_t)(space->used_blocks - space->dying_free_blocks) * TD_BLOCK_BYTES;
  return used + external_bytes > heap->when->sizing.due_bytes + young_bytes;
}

enum td_room td_external_note(struct tide_heap *heap, struct td_wish *wish) {
  struct td_space *space = &heap->space;
  struct td_external *external = &heap->when->external;
  size_t dead;
  ptrdiff_t change = unnoted(external, &dead);
  if (change < (ptrdiff_t)STEP && change > -(ptrdiff_t)STEP && dead < STEP) return TD_ROOM;
  /* Not to wait, nor for itself: the next call notes as well. */
  if (pthread_mutex_trylock(&space->lock) != 0) return TD_ROOM;
  change = unnoted(external, &dead);
  ptrdiff_t taken = change + (ptrdiff_t)dead;
  /* relaxed: as above. */
  size_t bytes = atomic_load_explicit(&external->noted, memory_order_relaxed) + (size_t)change;
  note(heap, bytes, taken, dead);
  const uint64_t young_in_heap = space->young_bytes - external->young_bytes;
  const bool old_is_over = is_over(heap, external->left, young_in_heap);
  enum td_room room = taken <= 0                               ? TD_ROOM
                      : !old_is_over && td_young_is_due(space) ? TD_ROOM_YOUNG_DUE
                      : is_over(heap, bytes, 0)                ? TD_ROOM_OVER_BUDGET
                                                               : TD_ROOM;
  *wish = td_when_due(heap->when, room, old_is_over ? 0 : td_young_bytes(space));
  pthread_mutex_unlock(&space->lock);
  return room;
}

size_t td_external_begin(struct td_when *when, enum tide_cycle_kind kind) {
  struct td_external *external = &when->external;
  size_t dead;
  ptrdiff_t taken = unnoted(external, &dead) + (ptrdiff_t)dead;
  /* relaxed, all: as above. */
  size_t bytes = atomic_load_explicit(&external->bytes, memory_order_relaxed);
  atomic_store_explicit(&external->noted, bytes, memory_order_relaxed);
  atomic_store_explicit(&external->dead, 0, memory_order_relaxed);
  if (kind == TIDE_CYCLE_FULL) {
    external->least = bytes;
    external->passed = 0;
  } else {
    external->passed += external->young_bytes + (taken > 0 ? (size_t)taken : 0);
  }
  external->young_bytes = 0;
  external->left = bytes;
  return bytes;
}
