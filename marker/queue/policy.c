/* SPDX-License-Identifier: MIT */
#include "marker/queue/policy.h"

uint32_t td_policy_draw(struct td_policy *p) {
  uint32_t x = p->random;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return p->random = x;
}

uint32_t td_policy_below(struct td_policy *p, uint32_t n) {
  return (uint32_t)((uint64_t)td_policy_draw(p) * n >> 32);
}

static uint32_t choose_random(struct td_policy *p) {
  return td_policy_other(p, td_policy_below(p, p->options.count - 1));
}

static uint32_t choose_best_of_two(struct td_policy *p) {
  uint32_t others = p->options.count - 1;
  uint32_t i = td_policy_below(p, others);
  /* A second one that is not the first: skip 1 to others - 1 places. */
  uint32_t j = (uint32_t)(((uint64_t)i + 1 + td_policy_below(p, others - 1)) % others);
  uint32_t a = td_policy_other(p, i), b = td_policy_other(p, j);
  return td_policy_size_of(p, a) >= td_policy_size_of(p, b) ? a : b;
}

const struct td_policy_kind td_policy_random = {.name = "random", .choose = choose_random};
const struct td_policy_kind td_policy_best_of_two = {.name = "best-of-two",
                                                     .choose = choose_best_of_two};

/* Are some of the others farther than others? */
static bool has_choice(const struct td_policy_options *options) {
  if (!options->distances || options->count < 2) return false;
  const uint32_t *d = options->distances, first = options->self == 0;
  for (uint32_t v = 0; v < options->count; v++)
    if (v != options->self && d[v] != d[first]) return true;
  return false;
}

const struct td_policy_kind *td_policy_init(struct td_policy *p,
                                            const struct td_policy_options *options) {
  *p = (struct td_policy){.options = *options, .kind = options->kind};
  /* Any seed but 0 will do. Thieves have different ones. */
  p->random = 2463534242u ^ (options->self + 1) * 0x9E3779B9u;
  if (p->random == 0) p->random = 2463534242u;
  p->only = options->count == 2 ? 1 - options->self : TD_POLICY_NOBODY;
  if (p->kind->without_distances && !has_choice(options)) p->kind = p->kind->without_distances;
  if (p->kind->begin) p->kind->begin(p);
  return p->kind;
}

uint32_t td_policy_choose(struct td_policy *p) {
  return p->options.count < 2 ? TD_POLICY_NOBODY : p->kind->choose(p);
}
