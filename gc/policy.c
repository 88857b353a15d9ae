/* Heap sizing. The growth factor lets the heap reach a multiple of what survived; the adaptive
 * rule is MemBalancer's (Kirisame, Shenoy, Panchekha: Optimal Heap Limits for Reducing Browser
 * Memory Use, OOPSLA 2022): room = sqrt(live * allocation rate / (cost * marking rate)), which
 * gives the memory to where a byte of it saves most marking. The default rule takes the root with
 * rates that stay as they are, so that small heaps stay small and go round within the caches. */
#include "gc/policy.h"

#include "heap/heap.h"

/* Weight of the newest observation. */
#define SMOOTHING 0.5
/* The default rule's room: 16 MiB for a live MiB, as the root for others, until it reaches the
 * most; live bytes times (growth_factor - 1) where that is more. Measured on binary trees: heaps
 * with little alive are not slower for cycling through 4 MiB than through 32. */
#define ROOT_BYTES ((double)(256 << 20))
#define ROOM_MOST ((double)(80 << 20))

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

static double smooth(double old, double fresh) {
  return old > 0 ? old + SMOOTHING * (fresh - old) : fresh;
}

static double adaptive_room(struct td_sizing *policy, const struct td_sizing_facts *facts) {
  double live = (double)facts->live_bytes;
  double mutator_ns = (double)(facts->mutator_ns ? facts->mutator_ns : 1);
  double collect_ns = (double)(facts->collect_ns ? facts->collect_ns : 1);
  policy->allocation_rate =
      smooth(policy->allocation_rate, (double)facts->allocated_bytes / mutator_ns);
  policy->marking_rate = smooth(policy->marking_rate, live / collect_ns);
  if (policy->marking_rate <= 0) return 0;
  double cost = policy->adaptive_cost / (1 << 20); /* per byte */
  return square_root(live * policy->allocation_rate / (cost * policy->marking_rate));
}

static double default_room(const struct td_sizing *policy, double live) {
  double room = square_root(live * ROOT_BYTES);
  if (room > ROOM_MOST) room = ROOM_MOST;
  double grown = live * (policy->growth_factor - 1);
  return room > grown ? room : grown;
}

uint32_t td_sizing_next(struct td_sizing *policy, const struct td_sizing_facts *facts) {
  double live = (double)facts->live_bytes, target;
  switch (policy->kind) {
  case TIDE_SIZING_FIXED:
    target = (double)policy->max_blocks * TD_BLOCK_BYTES;
    break;
  case TIDE_SIZING_ADAPTIVE:
    target = live + adaptive_room(policy, facts);
    break;
  case TIDE_SIZING_GROWTH:
    target = live * policy->growth_factor;
    break;
  default:
    target = live + default_room(policy, live);
  }
  double blocks = target / TD_BLOCK_BYTES + 1;
  /* Blocks that are half empty may be of no use to what is allocated next: leave some whole
   * ones, an eighth of those in use. */
  double least = (double)facts->used_blocks + facts->used_blocks / 8 + 4;
  if (blocks < least) blocks = least;
  if (blocks < policy->initial_blocks) blocks = policy->initial_blocks;
  uint32_t budget = blocks < (double)policy->max_blocks ? (uint32_t)blocks : policy->max_blocks;
  policy->recent[policy->recent_at++ % TD_KEEP_CYCLES] = budget;
  return budget;
}

void td_sizing_raised(struct td_sizing *policy, uint32_t budget) {
  uint32_t *newest = &policy->recent[(policy->recent_at + TD_KEEP_CYCLES - 1) % TD_KEEP_CYCLES];
  if (*newest < budget) *newest = budget;
}

uint32_t td_sizing_keep(const struct td_sizing *policy) {
  uint32_t keep = 0;
  for (unsigned i = 0; i < TD_KEEP_CYCLES; i++)
    if (policy->recent[i] > keep) keep = policy->recent[i];
  return keep;
}
