/* Heap sizing. The growth factor lets the heap reach a multiple of what survived; the adaptive
 * rule is MemBalancer's (Kirisame, Shenoy, Panchekha: Optimal Heap Limits for Reducing Browser
 * Memory Use, OOPSLA 2022): room = sqrt(live * allocation rate / (cost * marking rate)), which
 * gives the memory to where a byte of it saves most marking. The default rule is the greater of
 * both, but the root counts up to a bound only: so heaps with little alive stay small and go round
 * within the caches, and those of some dozen MiB get the room that their rates ask for. */
#include "gc/when/sizing.h"

#include "heap/space.h"

/* The default rule's cost per MiB, and the most that the root may ask for. Heaps with little alive
 * are not slower for cycling through 4 MiB than through 32: measured on binary trees. */
#define DEFAULT_COST 0.002
#define DEFAULT_ROOM_MOST ((double)(72 << 20))
/* Where young collections find most of the garbage, full ones are few, and room saves little time
 * while they are short: docs/notes/allocation.md. Heaps up to SAVING_MOST save room, those from
 * SPENDING_LEAST on do not, and between them the one rule passes into the other: a heap that went
 * a little past a bound would take half as much again. */
#define YOUNG_ROOM_MOST ((double)(32 << 20))
#define SAVING_MOST ((double)(128 << 20))
#define SPENDING_LEAST ((double)(288 << 20))
/* By what is read: what an object without references and what a root counts, and the extra room of
 * small heaps, as a part of what is alive and at most. Found by trying on programs for Boehm GC:
 * docs/boehm.md has their figures. */
#define LEAF_WEIGHT (1.0 / 2)
#define ROOT_WEIGHT (1.0 / 2)
#define EXTRA_PART (1.0 / 4)
#define EXTRA_MOST ((double)(1 << 20))

/* So that one library needs no libm: Newton's iteration from an estimate off by a power of two
 * at most, quadratic from there. */
static double square_root(double x) {
  if (!(x > 0)) return 0;
  double root = 1;
  while (root * root < x)
    root *= 2;
  while (root * root > 4 * x)
    root /= 2;
  for (int i = 0; i < 6; i++)
    root = (root + x / root) / 2;
  return root;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

double td_smooth(double old, double fresh) {
  return old > 0 ? old + TD_SMOOTHING * (fresh - old) : fresh;
}

static void note_rates(struct td_sizing *sizing, const struct td_sizing_facts *facts) {
  double mutator_ns = (double)(facts->mutator_ns ? facts->mutator_ns : 1);
  double collect_ns = (double)(facts->collect_ns ? facts->collect_ns : 1);
  sizing->allocation_rate =
      td_smooth(sizing->allocation_rate, (double)facts->allocated_bytes / mutator_ns);
  sizing->marking_rate = td_smooth(sizing->marking_rate, (double)facts->live_bytes / collect_ns);
}

static double root_room(const struct td_sizing *sizing, double live, double cost_per_mib) {
  if (sizing->marking_rate <= 0) return 0;
  double cost = cost_per_mib / (1 << 20); /* per byte */
  return square_root(live * sizing->allocation_rate / (cost * sizing->marking_rate));
}

/* Returns how much of the room for speed a heap gets that saves memory: 0 to 1. */
static double spending(const struct td_sizing *sizing, double live) {
  bool saves = sizing->young && sizing->kind == TIDE_SIZING_DEFAULT;
  if (!saves || live > SPENDING_LEAST) return 1;
  return live > SAVING_MOST ? (live - SAVING_MOST) / (SPENDING_LEAST - SAVING_MOST) : 0;
}

static double between(double least, double most, double part) {
  return least + (most - least) * part;
}

static double growth_factor(const struct td_sizing *sizing, double live) {
  if (sizing->growth_factor != 0) return sizing->growth_factor;
  return between(TD_GROWTH_YOUNG, TD_GROWTH_DEFAULT, spending(sizing, live));
}

/* What may be allocated per collection grows with what a collection has to read. */
static double growth_room(const struct td_sizing *sizing, double live, double roots) {
  return (live + roots) * (growth_factor(sizing, live) - 1);
}

/* A collection does not read what holds no references, but it finds and sorts it. A root takes less
 * than a word of an object, which has to be found, marked and sorted too. Where little is alive,
 * the fixed costs are most of it, and a little more room saves much. */
static double scanned_room(const struct td_sizing *sizing, const struct td_sizing_facts *facts,
                           double live) {
  double read = live - (double)facts->leaf_bytes * (1 - LEAF_WEIGHT);
  double extra = live * EXTRA_PART < EXTRA_MOST ? live * EXTRA_PART : EXTRA_MOST;
  return growth_room(sizing, read, (double)facts->root_bytes * ROOT_WEIGHT) + extra;
}

static double default_room(const struct td_sizing *sizing, double live, double roots) {
  double room = root_room(sizing, live, DEFAULT_COST);
  double most = between(YOUNG_ROOM_MOST, DEFAULT_ROOM_MOST, spending(sizing, live));
  return larger(room < most ? room : most, growth_room(sizing, live, roots));
}

/* How much of what was free in partly empty blocks has been allocated since? The rest was of
 * layouts and sizes that are not asked for. */
static void note_use(struct td_sizing *sizing, const struct td_sizing_facts *facts) {
  double fresh = (double)facts->used_blocks + facts->freed_blocks - sizing->used_blocks;
  double reused = (double)facts->allocated_bytes - (fresh > 0 ? fresh : 0) * TD_BLOCK_BYTES;
  double part = sizing->free_bytes > 0 && reused < sizing->free_bytes
                    ? 1 - (reused > 0 ? reused : 0) / sizing->free_bytes
                    : 0;
  if (!facts->asked || part < sizing->unusable)
    sizing->unusable += TD_SMOOTHING * (part - sizing->unusable);
  sizing->used_blocks = facts->used_blocks;
  sizing->free_bytes = (double)facts->used_blocks * TD_BLOCK_BYTES - (double)facts->live_bytes;
  if (sizing->free_bytes < 0) sizing->free_bytes = 0;
}

/* A heap shall really have its room, so what cannot be used is added. The
 * part is that of free bytes, so what is added is not missed again when it has become partly empty:
 * a heap with constant live bytes does not grow for ever. */
static double usable_blocks(const struct td_sizing *sizing, double room) {
  double missing = room - sizing->free_bytes * (1 - sizing->unusable);
  return sizing->used_blocks + (missing > 0 ? missing / TD_BLOCK_BYTES : 0);
}

/* By a factor, and not by rates? */
static bool grows(const struct td_sizing *sizing) {
  return sizing->kind == TIDE_SIZING_GROWTH || sizing->kind == TIDE_SIZING_WEIGHTED;
}

static uint32_t bounded(const struct td_sizing *sizing, double blocks) {
  return blocks < (double)sizing->max_blocks ? (uint32_t)blocks : sizing->max_blocks;
}

uint32_t td_sizing_next(struct td_sizing *sizing, const struct td_sizing_facts *facts) {
  double external = (double)facts->external_bytes;
  double live = (double)facts->live_bytes + external, target;
  double roots = (double)facts->root_bytes;
  note_rates(sizing, facts);
  note_use(sizing, facts);
  switch (sizing->kind) {
  case TIDE_SIZING_FIXED:
    target = (double)sizing->max_blocks * TD_BLOCK_BYTES + external;
    break;
  case TIDE_SIZING_ADAPTIVE:
    target = live + root_room(sizing, live, sizing->adaptive_cost);
    break;
  case TIDE_SIZING_GROWTH:
    target = live + growth_room(sizing, live, roots);
    break;
  case TIDE_SIZING_WEIGHTED:
    target = live + scanned_room(sizing, facts, live);
    break;
  default:
    target = live + default_room(sizing, live, roots);
  }
  double blocks = (target - external) / TD_BLOCK_BYTES + 1;
  blocks = larger(blocks, usable_blocks(sizing, target - live));
  blocks = larger(blocks, sizing->initial_blocks);
  sizing->recent[sizing->recent_at++ % TD_KEEP_CYCLES] = bounded(sizing, blocks);
  /* A heap that grows by a factor uses the memory that it keeps: a program whose live set swings
   * would collect all the time while it is small. */
  if (grows(sizing)) blocks = larger(blocks, td_sizing_keep(sizing));
  double due = sizing->kind == TIDE_SIZING_FIXED ? (double)(UINT64_MAX / 2)
                                                 : blocks * TD_BLOCK_BYTES + external;
  sizing->due_bytes = due < (double)(UINT64_MAX / 2) ? (uint64_t)due : UINT64_MAX / 2;
  return bounded(sizing, blocks);
}

void td_sizing_raised(struct td_sizing *sizing, uint32_t budget) {
  uint32_t *newest = &sizing->recent[(sizing->recent_at + TD_KEEP_CYCLES - 1) % TD_KEEP_CYCLES];
  if (*newest < budget) *newest = budget;
}

uint32_t td_sizing_keep(const struct td_sizing *sizing) {
  uint32_t keep = 0;
  for (unsigned i = 0; i < TD_KEEP_CYCLES; i++)
    if (sizing->recent[i] > keep) keep = sizing->recent[i];
  return keep;
}
