/* SPDX-License-Identifier: MIT */
/* The budget of blocks: what a full collection sets, and keeping to it.
 *
 * By a factor, what may be allocated grows with what a collection reads. The adaptive rule is
 * MemBalancer's (Kirisame, Shenoy, Panchekha: Optimal Heap Limits for Reducing Browser Memory Use,
 * OOPSLA 2022): room = sqrt(live * allocation rate / (cost * marking rate)), which gives the memory
 * to where a byte of it saves most marking. The default rule is the greater of both, but the root
 * counts up to a bound only: so heaps with little alive go round within the caches, and those of
 * some dozen MiB get the room that their rates ask for. */
#include "gc/when/when.h"

#include "gc/stats/stats.h"
#include "heap/memory/backing.h"
#include "heap/memory/blocks.h"

static double larger(double a, double b) {
  return a > b ? a : b;
}

static double smaller(double a, double b) {
  return a < b ? a : b;
}

/* Newton's, so that one library needs no libm: each step halves what is far too large. */
static double square_root(double x) {
  double root = 1 + x;
  for (int i = 0; i < 64; i++)
    root = (root + x / root) / 2;
  return root;
}

static void note_rates(struct td_when *when, const struct td_facts *facts) {
  struct td_sizing *sizing = &when->sizing;
  double allocation_rate = (double)when->grown_bytes / (double)(when->mutator_ns + 1);
  double marking_rate = (double)facts->live_bytes / (double)(facts->collect_ns + 1);
  sizing->allocation_rate = td_smooth(sizing->allocation_rate, allocation_rate);
  sizing->marking_rate = td_smooth(sizing->marking_rate, marking_rate);
}

/* How much of what was free in partly empty blocks has been allocated since? The rest was of
 * layouts and sizes that are not asked for. */
static void note_use(struct td_when *when, const struct td_facts *facts) {
  struct td_sizing *sizing = &when->sizing;
  double used = (double)facts->used_blocks;
  double fresh = larger(used + facts->freed_blocks - sizing->used_blocks, 0) * TD_BLOCK_BYTES;
  double reused = larger((double)when->grown_bytes - fresh, 0);
  double part = reused < sizing->free_bytes ? 1 - reused / sizing->free_bytes : 0;
  if (!facts->asked || part < sizing->unusable)
    sizing->unusable += TD_SMOOTHING * (part - sizing->unusable);
  sizing->used_blocks = facts->used_blocks;
  sizing->free_bytes = larger(used * TD_BLOCK_BYTES - (double)facts->live_bytes, 0);
}

static double root_room(const struct td_sizing *sizing, double live, double cost_per_mib) {
  if (sizing->marking_rate <= 0) return 0;
  double cost = cost_per_mib / (double)TD_MIB; /* per byte */
  return square_root(live * sizing->allocation_rate / (cost * sizing->marking_rate));
}

static double growth_room(const struct td_sizing *sizing, double read) {
  double factor = sizing->growth_factor != 0 ? sizing->growth_factor : TD_GROWTH_DEFAULT;
  return read * (factor - 1);
}

static double weighted_room(const struct td_sizing *sizing, const struct td_facts *facts,
                            double live) {
  double light = (double)facts->root_bytes - (double)facts->leaf_bytes;
  return growth_room(sizing, live + light * TD_LIGHT) +
         smaller(live * TD_EXTRA_PART, (double)TD_EXTRA_MOST);
}

static double default_room(const struct td_sizing *sizing, double live, double read) {
  const bool saves = sizing->young && !sizing->beside;
  double most = (double)(saves ? TD_ROOT_MOST_YOUNG : TD_ROOT_MOST);
  if (saves && sizing->growth_factor == 0)
    read -= smaller(read, (double)TD_SAVED_OF) * TD_SAVED_PART;
  return larger(smaller(root_room(sizing, live, TD_ROOT_COST), most), growth_room(sizing, read));
}

static double room_of(const struct td_sizing *sizing, const struct td_facts *facts) {
  double live = (double)facts->live_bytes + (double)facts->external_bytes;
  double read = live + (double)facts->root_bytes;
  switch (sizing->kind) {
  case TIDE_SIZING_FIXED:
    return (double)INT64_MAX; /* never */
  case TIDE_SIZING_ADAPTIVE:
    return root_room(sizing, live, sizing->adaptive_cost);
  case TIDE_SIZING_GROWTH:
    return growth_room(sizing, read);
  case TIDE_SIZING_WEIGHTED:
    return weighted_room(sizing, facts, live);
  default:
    return default_room(sizing, live, read);
  }
}

/* By a factor? */
static bool grows(const struct td_sizing *sizing) {
  return sizing->kind == TIDE_SIZING_GROWTH || sizing->kind == TIDE_SIZING_WEIGHTED;
}

/* Objects of many kinds and sizes, each of which has a block to itself, use up a small heap's
 * blocks with few bytes. Returns how many blocks there may be then, or 0. */
static double blocks_for_kinds(const struct td_when *when, const struct td_facts *facts) {
  double room = (double)facts->budget_blocks * TD_BLOCK_BYTES - (double)facts->live_bytes;
  bool little =
      !facts->asked && !facts->withholds && (double)when->grown_bytes * TD_LITTLE_PART < room;
  double budget = facts->budget_blocks, initial = when->sizing.initial_blocks;
  return little ? budget + smaller(budget / TD_ADDED_PART, initial) : 0;
}

/* Holes in blocks are room too, as far as they can be used. A heap that grows by a factor shall
 * really have its room, so what cannot be used is added: a part of the free bytes, so it is not
 * missed again when it has become partly empty. Others get some blocks if little of the last room
 * was used. Not always: a heap with constant live bytes shall not grow for ever. */
static double least_blocks(const struct td_when *when, const struct td_facts *facts, double room) {
  const struct td_sizing *sizing = &when->sizing;
  double used = (double)facts->used_blocks;
  double missing = room - sizing->free_bytes * (1 - sizing->unusable);
  if (grows(sizing))
    return larger(used + larger(missing, 0) / TD_BLOCK_BYTES, blocks_for_kinds(when, facts));
  bool scarce = !facts->asked && (double)when->grown_bytes < sizing->room / 2;
  return scarce ? used + used / TD_ADDED_PART + sizing->initial_blocks / 2.0 : used;
}

uint32_t td_sizing_next(struct td_when *when, const struct td_facts *facts) {
  struct td_sizing *sizing = &when->sizing;
  note_rates(when, facts);
  note_use(when, facts);
  double room = room_of(sizing, facts), most = (double)sizing->max_blocks;
  double least = least_blocks(when, facts, room);
  double blocks = ((double)facts->live_bytes + room) / TD_BLOCK_BYTES + 1;
  blocks = larger(larger(blocks, least), sizing->initial_blocks);
  sizing->recent[sizing->recent_at++ % TD_KEEP_CYCLES] = (uint32_t)smaller(blocks, most);
  /* A heap that grows by a factor uses the memory that it keeps: a program whose live set swings
   * would collect all the time while it is small. */
  if (grows(sizing)) blocks = larger(blocks, td_sizing_keep(sizing));
  when->mutator_ns = when->grown_bytes = 0;
  sizing->room = room;
  double live = (double)facts->live_bytes + (double)facts->external_bytes;
  sizing->room_share = sizing->kind == TIDE_SIZING_FIXED ? 0 : room / (live + 1);
  double due = blocks * TD_BLOCK_BYTES + (double)facts->external_bytes;
  sizing->due_bytes = (uint64_t)smaller(due, (double)INT64_MAX);
  return (uint32_t)smaller(blocks, most);
}

uint32_t td_sizing_keep(const struct td_sizing *sizing) {
  uint32_t keep = 0;
  for (unsigned i = 0; i < TD_KEEP_CYCLES; i++)
    if (sizing->recent[i] > keep) keep = sizing->recent[i];
  return keep;
}

/* ---- The decision after a collection, and keeping to it ---- */

uint32_t td_when_next(struct td_when *when, const struct td_facts *facts) {
  bool full = facts->kind == TIDE_CYCLE_FULL;
  when->mutator_ns += facts->mutator_ns;
  when->grown_bytes += full ? facts->allocated_bytes : facts->promoted_bytes;
  uint32_t budget = full ? td_sizing_next(when, facts) : facts->budget_blocks;
  /* Holes in blocks that are in use are room, too. */
  uint32_t end = budget > facts->used_blocks ? budget : facts->used_blocks;
  double room = (double)end * TD_BLOCK_BYTES - (double)facts->live_bytes;
  if (when->sizing.young) td_youth_next(&when->youth, facts, room);
  return budget;
}

void td_budget_reserve(struct tide_heap *heap, uint32_t used) {
  if (heap->collects != TIDE_COLLECTS_WHEN_ASKED) return;
  const struct td_space *space = &heap->space;
  uint32_t most = td_backing_most(space), free = most > used ? most - used : 0;
  uint32_t part = (free + TD_ASKED_RESERVE - 1) / TD_ASKED_RESERVE;
  heap->when->sizing.reserve_blocks = space->max_blocks - most + part;
}

void td_when_set(struct tide_heap *heap, struct td_facts facts) {
  pthread_mutex_lock(&heap->space.lock);
  /* What is free as soon as the program was told of it counts as free. */
  facts.used_blocks = heap->space.used_blocks - heap->space.dying_free_blocks;
  facts.freed_blocks += heap->space.dying_free_blocks;
  facts.budget_blocks = heap->space.budget_blocks;
  facts.withholds = heap->space.has_quarantine;
  facts.allocated_bytes += heap->when->external.young_bytes;
  facts.external_bytes = td_external_begin(heap->when, facts.kind);
  td_budget_reserve(heap, facts.used_blocks);
  uint32_t budget = td_when_next(heap->when, &facts), most = td_budget_bound(heap);
  heap->space.budget_blocks = budget < most ? budget : most;
  pthread_mutex_unlock(&heap->space.lock);
}

uint32_t td_budget_most(struct tide_heap *heap) {
  pthread_mutex_lock(&heap->space.lock);
  uint32_t most = heap->space.max_blocks;
  pthread_mutex_unlock(&heap->space.lock);
  return most;
}

bool td_budget_grow(struct tide_heap *heap, uint32_t blocks) {
  struct td_sizing *sizing = &heap->when->sizing;
  pthread_mutex_lock(&heap->space.lock);
  uint32_t used = heap->space.used_blocks, most = heap->space.max_blocks;
  uint32_t before = heap->space.budget_blocks;
  uint64_t wanted = (uint64_t)used + used / 8 + blocks;
  if (wanted <= before) wanted = (uint64_t)before + blocks;
  bool grew = before < most;
  if (grew) {
    uint32_t after = heap->space.budget_blocks = wanted < most ? (uint32_t)wanted : most;
    uint32_t *newest = &sizing->recent[(sizing->recent_at - 1) % TD_KEEP_CYCLES];
    if (*newest < after) *newest = after;
    sizing->due_bytes += (uint64_t)(after - before) * TD_BLOCK_BYTES;
  }
  pthread_mutex_unlock(&heap->space.lock);
  return grew;
}

void td_budget_trim(struct tide_heap *heap) {
  pthread_mutex_lock(&heap->space.lock);
  /* relaxed: under the lock. */
  size_t committed = atomic_load_explicit(&heap->space.committed_slabs, memory_order_relaxed);
  committed *= TD_SLAB_BYTES;
  size_t used = (size_t)heap->space.used_blocks * TD_BLOCK_BYTES;
  size_t keep = (size_t)td_sizing_keep(&heap->when->sizing) * TD_BLOCK_BYTES;
  pthread_mutex_unlock(&heap->space.lock);
  if (committed <= keep + TD_SLAB_BYTES) return;
  if (td_space_trim(&heap->space, keep > used ? keep - used : 0)) td_stats_tell_growth(heap);
}
