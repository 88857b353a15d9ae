/* SPDX-License-Identifier: MIT */
#include "marker/queue/policy.h"

#include <string.h>

/* prob: how many victims are looked at. The last one is accepted in any case: a size is an
 * estimate, and a thief that never tries would never find out. */
#define LOOKS_MOST 8u

/* prob: `longest` loses an eighth with each look, so that it follows the queues down as well. */
#define FORGET_SHIFT 3u

static const char *const names[] = {
    [TD_POLICY_RANDOM] = "random",
    [TD_POLICY_SEQUENTIAL] = "sequential",
    [TD_POLICY_LAST] = "last",
    [TD_POLICY_BEST_OF_TWO] = "best-of-two",
    [TD_POLICY_BEST_OF_MANY] = "best-of-many",
    [TD_POLICY_NUMA] = "numa",
    [TD_POLICY_RANDOM_PROB] = "random+prob",
    [TD_POLICY_NUMA_PROB] = "numa+prob",
};
#define NAME_COUNT (sizeof names / sizeof names[0])

const char *td_policy_name(enum td_policy_kind kind) {
  return (size_t)kind < NAME_COUNT ? names[kind] : NULL;
}

bool td_policy_find(const char *name, enum td_policy_kind *kind) {
  for (size_t i = 0; name && i < NAME_COUNT; i++) {
    if (strcmp(names[i], name) != 0) continue;
    *kind = (enum td_policy_kind)i;
    return true;
  }
  return false;
}

enum td_policy_kind td_policy_without_distances(enum td_policy_kind kind) {
  if (kind == TD_POLICY_NUMA) return TD_POLICY_RANDOM;
  if (kind == TD_POLICY_NUMA_PROB) return TD_POLICY_RANDOM_PROB;
  return kind;
}

static bool is_numa(enum td_policy_kind kind) {
  return td_policy_without_distances(kind) != kind;
}

/* ---- Random choice --------------------------------------------------------------------- */

static uint32_t draw(struct td_policy *p) {
  uint32_t x = p->random;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return p->random = x;
}

/* Returns a number of [0, n), uniform but for a bias below n / 2^32. */
static uint32_t below(struct td_policy *p, uint32_t n) {
  return (uint32_t)((uint64_t)draw(p) * n >> 32);
}

/* The others are numbered from 0, in order, self left out. */
static uint32_t other(const struct td_policy *p, uint32_t index) {
  return index < p->options.self ? index : index + 1;
}

static uint32_t choose_random(struct td_policy *p) {
  return other(p, below(p, p->options.count - 1));
}

/* ---- In order -------------------------------------------------------------------------- */

static uint32_t after(const struct td_policy *p, uint32_t victim) {
  uint32_t next = victim + 1 < p->options.count ? victim + 1 : 0;
  if (next == p->options.self) next = next + 1 < p->options.count ? next + 1 : 0;
  return next;
}

static uint32_t choose_in_turn(struct td_policy *p) {
  uint32_t victim = p->turn;
  p->turn = after(p, victim);
  return victim;
}

/* ---- By size --------------------------------------------------------------------------- */

static uint64_t size_of(const struct td_policy *p, uint32_t victim) {
  return p->options.size(p->options.context, victim);
}

static uint32_t choose_best_of_two(struct td_policy *p) {
  uint32_t others = p->options.count - 1;
  uint32_t i = below(p, others);
  /* A second one that is not the first: skip 1 to others - 1 places. */
  uint32_t j = (uint32_t)(((uint64_t)i + 1 + below(p, others - 1)) % others);
  uint32_t a = other(p, i), b = other(p, j);
  return size_of(p, a) >= size_of(p, b) ? a : b;
}

/* Starts anywhere, so that thieves which see equal sizes do not meet. */
static uint32_t choose_best_of_many(struct td_policy *p) {
  uint32_t others = p->options.count - 1;
  uint32_t start = below(p, others);
  uint32_t best = other(p, start);
  uint64_t most = size_of(p, best);
  for (uint32_t i = 1; i < others; i++) {
    uint32_t victim = other(p, (uint32_t)(((uint64_t)start + i) % others));
    uint64_t size = size_of(p, victim);
    if (size <= most) continue;
    most = size;
    best = victim;
  }
  return best;
}

bool td_policy_accepts(uint64_t size, uint64_t longest, uint32_t dice) {
  if (size == 0) return false;
  if (size >= longest) return true;
  /* size / longest > dice / 2^32; scaled first, so that no product overflows. */
  while (longest > UINT32_MAX) {
    size >>= 1;
    longest >>= 1;
  }
  return size << 32 > (uint64_t)dice * longest;
}

/* ---- By distance ----------------------------------------------------------------------- */

static uint32_t distance_to(const struct td_policy *p, uint32_t victim) {
  return p->options.distances[victim];
}

/* Returns the smallest distance to another that is more than `than`, or `than` itself if there is
 * none. */
static uint32_t distance_over(const struct td_policy *p, uint32_t than, bool *found) {
  uint32_t next = than;
  *found = false;
  for (uint32_t i = 0; i + 1 < p->options.count; i++) {
    uint32_t distance = distance_to(p, other(p, i));
    if (distance <= than || (*found && distance >= next)) continue;
    next = distance;
    *found = true;
  }
  return next;
}

static uint32_t count_within(const struct td_policy *p, uint32_t radius) {
  uint32_t count = 0;
  for (uint32_t i = 0; i + 1 < p->options.count; i++)
    count += distance_to(p, other(p, i)) <= radius;
  return count;
}

/* On average, each victim within the radius is tried twice before the radius grows. */
static void look_within(struct td_policy *p, uint32_t radius) {
  p->radius = radius;
  p->patience = 2 * count_within(p, radius);
}

static uint32_t nearest(const struct td_policy *p) {
  uint32_t least = UINT32_MAX;
  for (uint32_t i = 0; i + 1 < p->options.count; i++)
    if (distance_to(p, other(p, i)) < least) least = distance_to(p, other(p, i));
  return least;
}

static uint32_t choose_near(struct td_policy *p) {
  uint32_t skip = below(p, count_within(p, p->radius));
  for (uint32_t i = 0; i + 1 < p->options.count; i++)
    if (distance_to(p, other(p, i)) <= p->radius && skip-- == 0) return other(p, i);
  return choose_random(p); /* the distances have changed under us */
}

static bool has_choice(const struct td_policy *p) {
  if (!p->options.distances || p->options.count < 2) return false;
  bool found;
  distance_over(p, nearest(p), &found);
  return found;
}

/* ---- The policy ------------------------------------------------------------------------ */

enum td_policy_kind td_policy_init(struct td_policy *p, const struct td_policy_options *options) {
  *p = (struct td_policy){.options = *options, .kind = options->kind};
  /* Any seed but 0 will do. Thieves have different ones. */
  p->random = 2463534242u ^ (options->self + 1) * 0x9E3779B9u;
  if (p->random == 0) p->random = 2463534242u;
  p->turn = after(p, options->self);
  p->only = options->count == 2 ? p->turn : TD_POLICY_NOBODY;
  if (!has_choice(p)) p->kind = td_policy_without_distances(p->kind);
  if (is_numa(p->kind)) look_within(p, nearest(p));
  return p->kind;
}

static uint32_t choose_with_prob(struct td_policy *p) {
  uint32_t victim = TD_POLICY_NOBODY;
  for (uint32_t look = 0; look < LOOKS_MOST; look++) {
    victim = p->kind == TD_POLICY_NUMA_PROB ? choose_near(p) : choose_random(p);
    uint64_t size = size_of(p, victim);
    p->longest -= p->longest >> FORGET_SHIFT;
    if (size > p->longest) p->longest = size;
    if (td_policy_accepts(size, p->longest, draw(p))) break;
  }
  return victim;
}

uint32_t td_policy_choose(struct td_policy *p) {
  if (p->options.count < 2) return TD_POLICY_NOBODY;
  switch (p->kind) {
  case TD_POLICY_SEQUENTIAL:
  case TD_POLICY_LAST:
    return choose_in_turn(p);
  case TD_POLICY_BEST_OF_TWO:
    return choose_best_of_two(p);
  case TD_POLICY_BEST_OF_MANY:
    return choose_best_of_many(p);
  case TD_POLICY_NUMA:
    return choose_near(p);
  case TD_POLICY_RANDOM_PROB:
  case TD_POLICY_NUMA_PROB:
    return choose_with_prob(p);
  case TD_POLICY_RANDOM:
    break;
  }
  return choose_random(p);
}

void td_policy_learn(struct td_policy *p, uint32_t victim, bool taken) {
  if (p->kind == TD_POLICY_LAST && taken) p->turn = victim;
  if (!is_numa(p->kind)) return;
  if (taken) {
    look_within(p, nearest(p));
  } else if (p->patience == 0 || --p->patience == 0) {
    bool farther;
    uint32_t radius = distance_over(p, p->radius, &farther);
    look_within(p, farther ? radius : nearest(p));
  }
}
