/* SPDX-License-Identifier: MIT */
/* Victim choice: whose queue a thief tries next. The marker and `tidemark queue` use it.
 *
 * A policy is a thief's own plain data: it allocates nothing, shares nothing, and has a random
 * generator of its own. The thief asks for a victim, tries to steal, and tells how it went:
 *
 *   uint32_t victim = td_policy_next(&policy);
 *   int32_t count = ... steal from victim ...;
 *   td_policy_tell(&policy, victim, count > 0);
 *
 * random        any other, all equally likely
 * best-of-two   of two random ones, the one that has more to steal
 *
 * bench/rivals/policies.c has more, for the program.
 *
 * How much there is to steal is an estimate (td_Q_size of marker/queue/contract.h), read from the
 * metadata of one block. That costs the victim's owner little, but not nothing. So a thief
 * with only one victim does not ask: then no policy costs anything. */
#ifndef TD_MARKER_QUEUE_POLICY_H
#define TD_MARKER_QUEUE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What td_policy_next returns where there is no other queue to steal from. */
#define TD_POLICY_NOBODY UINT32_MAX

struct td_policy;

/* A way to choose. */
struct td_policy_kind {
  const char *name;
  /* Returns a victim. There are two at least. */
  uint32_t (*choose)(struct td_policy *policy);
  /* How the steal went. NULL: it does not matter. */
  void (*learn)(struct td_policy *policy, uint32_t victim, bool taken);
  /* What is in force where others are not differently far. NULL: distances do not matter. */
  const struct td_policy_kind *without_distances;
  /* Before the first choice. NULL: nothing is to be done. */
  void (*begin)(struct td_policy *policy);
};

extern const struct td_policy_kind td_policy_random, td_policy_best_of_two;

/* Returns roughly how many items could be stolen from the victim. The thief calls it; it must not
 * wait. */
typedef uint64_t td_policy_size(void *context, uint32_t victim);

struct td_policy_options {
  const struct td_policy_kind *kind;
  uint32_t self;  /* this thief's number, < count */
  uint32_t count; /* of thieves and victims together */
  /* For kinds that compare sizes. The others ignore it. */
  td_policy_size *size;
  void *context;
  /* For kinds that go by distance: distances[v] is the distance from here to v, for all v < count.
   * The array is the caller's and outlives the policy. Where it is NULL, or all others are equally
   * far, there is nothing to choose by. */
  const uint32_t *distances;
};

struct td_policy {
  struct td_policy_options options;
  const struct td_policy_kind *kind; /* in force, see td_policy_init */
  uint32_t only;   /* the victim if there is one, TD_POLICY_NOBODY if there are more */
  uint32_t random; /* never 0 */
  /* What kinds of bench/rivals/policies.c remember. */
  uint32_t turn, radius, patience;
  uint64_t longest;
};

/* options.self < options.count, and size is set if the kind compares sizes. Returns the kind in
 * force: kinds that go by distance become others where there are no different ones, and the caller
 * should say so. */
const struct td_policy_kind *td_policy_init(struct td_policy *policy,
                                            const struct td_policy_options *options);

/* What the next one does where there is not exactly one victim. */
uint32_t td_policy_choose(struct td_policy *policy);

/* Returns a victim other than self, or TD_POLICY_NOBODY if there is none at all. */
static inline uint32_t td_policy_next(struct td_policy *policy) {
  return policy->only != TD_POLICY_NOBODY ? policy->only : td_policy_choose(policy);
}

/* Tells how the steal went. */
static inline void td_policy_tell(struct td_policy *policy, uint32_t victim, bool taken) {
  if (policy->only == TD_POLICY_NOBODY && policy->kind->learn)
    policy->kind->learn(policy, victim, taken);
}

/* ---- For kinds ---- */

/* Returns a random number of all 32-bit numbers but 0; */
uint32_t td_policy_draw(struct td_policy *policy);
/* one of [0, n), uniform but for a bias below n / 2^32. */
uint32_t td_policy_below(struct td_policy *policy, uint32_t n);
/* Returns other number `index`: the others are numbered from 0, in order, self left out. */
static inline uint32_t td_policy_other(const struct td_policy *policy, uint32_t index) {
  return index < policy->options.self ? index : index + 1;
}
static inline uint64_t td_policy_size_of(const struct td_policy *policy, uint32_t victim) {
  return policy->options.size(policy->options.context, victim);
}

#endif
