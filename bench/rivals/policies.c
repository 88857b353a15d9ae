/* SPDX-License-Identifier: MIT */
#include "bench/rivals/policies.h"

#include "marker/queue/policies.h"

/* prob: how many victims are looked at. The last one is accepted in any case: a size is an
 * estimate, and a thief that never tries would never find out. */
#define LOOKS_MOST 8u

/* prob: `longest` loses an eighth with each look, so that it follows the queues down as well. */
#define FORGET_SHIFT 3u

/* ---- In order -------------------------------------------------------------------------- */

static uint32_t after(const struct td_policy *p, uint32_t victim) {
  uint32_t next = victim + 1 < p->options.count ? victim + 1 : 0;
  if (next == p->options.self) next = next + 1 < p->options.count ? next + 1 : 0;
  return next;
}

static void begin_in_turn(struct td_policy *p) {
  p->turn = after(p, p->options.self);
}

static uint32_t choose_in_turn(struct td_policy *p) {
  uint32_t victim = p->turn;
  p->turn = after(p, victim);
  return victim;
}

static void learn_last(struct td_policy *p, uint32_t victim, bool taken) {
  if (taken) p->turn = victim;
}

/* ---- By size --------------------------------------------------------------------------- */

/* Starts anywhere, so that thieves which see equal sizes do not meet. */
static uint32_t choose_best_of_many(struct td_policy *p) {
  uint32_t others = p->options.count - 1;
  uint32_t start = td_policy_below(p, others);
  uint32_t best = td_policy_other(p, start);
  uint64_t most = td_policy_size_of(p, best);
  for (uint32_t i = 1; i < others; i++) {
    uint32_t victim = td_policy_other(p, (uint32_t)(((uint64_t)start + i) % others));
    uint64_t size = td_policy_size_of(p, victim);
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

static uint32_t choose_with_prob(struct td_policy *p, uint32_t (*choose)(struct td_policy *p)) {
  uint32_t victim = TD_POLICY_NOBODY;
  for (uint32_t look = 0; look < LOOKS_MOST; look++) {
    victim = choose(p);
    uint64_t size = td_policy_size_of(p, victim);
    p->longest -= p->longest >> FORGET_SHIFT;
    if (size > p->longest) p->longest = size;
    if (td_policy_accepts(size, p->longest, td_policy_draw(p))) break;
  }
  return victim;
}

static uint32_t choose_random_with_prob(struct td_policy *p) {
  return choose_with_prob(p, td_policy_random.choose);
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
    uint32_t distance = distance_to(p, td_policy_other(p, i));
    if (distance <= than || (*found && distance >= next)) continue;
    next = distance;
    *found = true;
  }
  return next;
}

static uint32_t count_within(const struct td_policy *p, uint32_t radius) {
  uint32_t count = 0;
  for (uint32_t i = 0; i + 1 < p->options.count; i++)
    count += distance_to(p, td_policy_other(p, i)) <= radius;
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
    if (distance_to(p, td_policy_other(p, i)) < least)
      least = distance_to(p, td_policy_other(p, i));
  return least;
}

static void begin_near(struct td_policy *p) {
  look_within(p, nearest(p));
}

static uint32_t choose_near(struct td_policy *p) {
  uint32_t skip = td_policy_below(p, count_within(p, p->radius));
  for (uint32_t i = 0; i + 1 < p->options.count; i++)
    if (distance_to(p, td_policy_other(p, i)) <= p->radius && skip-- == 0)
      return td_policy_other(p, i);
  return td_policy_random.choose(p); /* the distances have changed under us */
}

static uint32_t choose_near_with_prob(struct td_policy *p) {
  return choose_with_prob(p, choose_near);
}

static void learn_near(struct td_policy *p, uint32_t victim, bool taken) {
  (void)victim;
  if (taken) {
    look_within(p, nearest(p));
  } else if (p->patience == 0 || --p->patience == 0) {
    bool farther;
    uint32_t radius = distance_over(p, p->radius, &farther);
    look_within(p, farther ? radius : nearest(p));
  }
}

/* ---- The kinds ------------------------------------------------------------------------- */

static const struct td_policy_kind sequential = {
    .name = "sequential", .choose = choose_in_turn, .begin = begin_in_turn};
static const struct td_policy_kind last = {
    .name = "last", .choose = choose_in_turn, .learn = learn_last, .begin = begin_in_turn};
static const struct td_policy_kind best_of_many = {.name = "best-of-many",
                                                   .choose = choose_best_of_many};
static const struct td_policy_kind numa = {.name = "numa",
                                           .choose = choose_near,
                                           .learn = learn_near,
                                           .without_distances = &td_policy_random,
                                           .begin = begin_near};
static const struct td_policy_kind random_prob = {.name = "random+prob",
                                                  .choose = choose_random_with_prob};
static const struct td_policy_kind numa_prob = {.name = "numa+prob",
                                                .choose = choose_near_with_prob,
                                                .learn = learn_near,
                                                .without_distances = &random_prob,
                                                .begin = begin_near};

/* What is linked with this file has all policies, not the library's alone. */
const struct td_policy_kind *const td_policies[] = {&td_policy_random,      &sequential,   &last,
                                                    &td_policy_best_of_two, &best_of_many, &numa,
                                                    &random_prob,           &numa_prob,    NULL};
