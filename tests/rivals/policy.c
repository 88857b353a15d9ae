/* SPDX-License-Identifier: MIT */
/* Victim choice: who is chosen, who never is, and how sizes, distances and results steer it. */
#include "bench/rivals/policies.h"

#include <criterion/criterion.h>
#include <string.h>

#include "marker/queue/policies.h"

#define COUNT_MOST 64u
#define KINDS 8u

static uint64_t sizes[COUNT_MOST];
static unsigned looks;

static uint64_t size_of(void *context, uint32_t victim) {
  cr_assert_eq(context, (void *)sizes);
  cr_assert_lt(victim, COUNT_MOST);
  looks++;
  return sizes[victim];
}

static struct td_policy_options options_of(const char *kind, uint32_t self, uint32_t count) {
  return (struct td_policy_options){.kind = td_policy_find(kind),
                                    .self = self,
                                    .count = count,
                                    .size = size_of,
                                    .context = sizes};
}

/* Two nodes: even numbers on one, odd ones on the other. */
static const uint32_t *two_nodes(uint32_t self) {
  static uint32_t distances[COUNT_MOST];
  for (uint32_t v = 0; v < COUNT_MOST; v++)
    distances[v] = v % 2 == self % 2 ? 10 : 21;
  return distances;
}

static struct td_policy policy_of(const char *kind, uint32_t self, uint32_t count) {
  struct td_policy policy;
  struct td_policy_options options = options_of(kind, self, count);
  options.distances = two_nodes(self);
  td_policy_init(&policy, &options);
  return policy;
}

static void set_sizes(uint64_t size) {
  for (uint32_t v = 0; v < COUNT_MOST; v++)
    sizes[v] = size;
}

Test(policy, names_are_found_again) {
  for (size_t k = 0; k < KINDS; k++) {
    cr_assert_eq(td_policy_find(td_policy_name(k)), td_policies[k]);
    cr_assert_str_eq(td_policy_name(k), td_policies[k]->name);
  }
  cr_assert_eq(td_policies[0], &td_policy_random, "the default");
  cr_assert_null(td_policy_name(KINDS));
  cr_assert_null(td_policy_name(SIZE_MAX));
  cr_assert_null(td_policy_find(""));
  cr_assert_null(td_policy_find("Random"));
  cr_assert_null(td_policy_find("random+"));
  cr_assert_null(td_policy_find(NULL));
}

/* With any number of threads, any results and any sizes: in range, never self. */
Test(policy, victims_are_others) {
  static const uint32_t counts[] = {2, 3, 4, 7, COUNT_MOST};
  for (unsigned k = 0; k < KINDS; k++)
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
      for (uint32_t self = 0; self < counts[c]; self++) {
        struct td_policy policy = policy_of(td_policy_name(k), self, counts[c]);
        for (unsigned i = 0; i < 200; i++) {
          set_sizes(i % 3 ? i : 0);
          uint32_t victim = td_policy_next(&policy);
          cr_assert_lt(victim, counts[c], "%s", td_policy_name(k));
          cr_assert_neq(victim, self, "%s", td_policy_name(k));
          td_policy_tell(&policy, victim, i % 5 == 0);
        }
      }
}

/* Whoever has work is found, however it lies, in a bounded number of failing tries. */
Test(policy, everybody_is_tried_in_the_end) {
  for (unsigned k = 0; k < KINDS; k++) {
    bool tried[16] = {false};
    struct td_policy policy = policy_of(td_policy_name(k), 5, 16);
    set_sizes(0);
    for (unsigned i = 0; i < 2000; i++) {
      uint32_t victim = td_policy_next(&policy);
      tried[victim] = true;
      td_policy_tell(&policy, victim, false);
    }
    for (uint32_t v = 0; v < 16; v++)
      cr_assert_eq(tried[v], v != 5, "%s, victim %u", td_policy_name(k), v);
  }
}

Test(policy, alone_there_is_nobody) {
  for (unsigned k = 0; k < KINDS; k++) {
    struct td_policy policy = policy_of(td_policy_name(k), 0, 1);
    cr_assert_eq(td_policy_next(&policy), TD_POLICY_NOBODY);
  }
}

/* The second try finds something. */
static void expect_victims(const char *kind, uint32_t self, const uint32_t *expected,
                           size_t count) {
  struct td_policy policy = policy_of(kind, self, 4);
  for (size_t i = 0; i < count; i++) {
    cr_assert_eq(td_policy_next(&policy), expected[i], "%s, try %zu", kind, i);
    td_policy_tell(&policy, expected[i], i == 1);
  }
}

Test(policy, turns_and_returns) {
  expect_victims("sequential", 1, (const uint32_t[]){2, 3, 0, 2, 3, 0}, 6);
  expect_victims("last", 0, (const uint32_t[]){1, 2, 2, 3}, 4);
}

Test(policy, best_of_many_finds_the_longest) {
  struct td_policy policy = policy_of("best-of-many", 3, 9);
  for (uint32_t longest = 0; longest < 9; longest++) {
    if (longest == 3) continue;
    set_sizes(2);
    sizes[3] = 1000; /* its own does not count */
    sizes[longest] = 5;
    for (unsigned i = 0; i < 20; i++)
      cr_assert_eq(td_policy_next(&policy), longest);
  }
}

/* The shortest of all loses every comparison; among three victims the longest wins 2 of 3. */
Test(policy, best_of_two_prefers_the_longer) {
  struct td_policy policy = policy_of("best-of-two", 0, 4);
  sizes[1] = 1;
  sizes[2] = 2;
  sizes[3] = 3;
  unsigned chosen[4] = {0};
  for (unsigned i = 0; i < 3000; i++)
    chosen[td_policy_next(&policy)]++;
  cr_assert_eq(chosen[1], 0);
  cr_assert(chosen[3] > 1800 && chosen[3] < 2200, "%u", chosen[3]);
}

Test(policy, random_is_even) {
  struct td_policy policy = policy_of("random", 2, 5);
  unsigned chosen[5] = {0};
  looks = 0;
  for (unsigned i = 0; i < 8000; i++)
    chosen[td_policy_next(&policy)]++;
  for (uint32_t v = 0; v < 5; v++)
    cr_assert(v == 2 || (chosen[v] > 1800 && chosen[v] < 2200), "%u: %u", v, chosen[v]);
  cr_assert_eq(looks, 0, "random asks nobody for a size");
}

/* A look at a size costs its owner something. */
Test(policy, one_victim_is_not_asked) {
  looks = 0;
  for (unsigned k = 0; k < KINDS; k++) {
    struct td_policy policy = policy_of(td_policy_name(k), 1, 2);
    for (unsigned i = 0; i < 10; i++)
      cr_assert_eq(td_policy_next(&policy), 0);
  }
  cr_assert_eq(looks, 0);
}

Test(policy, thieves_differ) {
  struct td_policy a = policy_of("random", 0, 32), b = policy_of("random", 1, 32);
  unsigned same = 0;
  for (unsigned i = 0; i < 1000; i++)
    same += td_policy_next(&a) == td_policy_next(&b);
  cr_assert_lt(same, 100);
}

Test(policy, acceptance_is_monotone) {
  static const uint64_t longest_of[] = {1, 2, 100, 8192, UINT64_C(1) << 40, UINT64_MAX};
  static const uint32_t dice[] = {0, 1, 1u << 20, 1u << 31, UINT32_MAX};
  for (size_t l = 0; l < sizeof longest_of / sizeof longest_of[0]; l++)
    for (size_t d = 0; d < sizeof dice / sizeof dice[0]; d++) {
      uint64_t longest = longest_of[l], step = longest / 64 + 1;
      bool before = false;
      cr_assert_not(td_policy_accepts(0, longest, dice[d]));
      for (uint64_t size = 1, i = 0; i < 64 && size < longest; i++, size += step) {
        bool now = td_policy_accepts(size, longest, dice[d]);
        cr_assert(now || !before, "size %lu of %lu", (unsigned long)size, (unsigned long)longest);
        before = now;
      }
      cr_assert(td_policy_accepts(longest, longest, dice[d]));
      cr_assert(td_policy_accepts(UINT64_MAX, longest, dice[d]));
    }
  cr_assert_not(td_policy_accepts(0, 0, 0));
}

Test(policy, acceptance_is_the_ratio) {
  unsigned accepted = 0;
  for (uint32_t i = 0; i < 1000; i++)
    accepted += td_policy_accepts(25, 100, i * (UINT32_MAX / 1000));
  cr_assert(accepted >= 249 && accepted <= 251, "%u", accepted);
}

/* A queue ten times as long is chosen far more often, and an empty one hardly ever. */
Test(policy, prob_prefers_longer_queues) {
  struct td_policy policy = policy_of("random+prob", 0, 4);
  cr_assert_eq(policy.kind, td_policy_find("random+prob"));
  sizes[1] = 1000;
  sizes[2] = 100;
  sizes[3] = 0;
  unsigned chosen[4] = {0};
  for (unsigned i = 0; i < 4000; i++)
    chosen[td_policy_next(&policy)]++;
  cr_assert_gt(chosen[1], 3 * chosen[2]);
  cr_assert_gt(chosen[2], 100);
  cr_assert_lt(chosen[3], 200);
}

Test(policy, numa_stays_near_while_it_finds_something) {
  static const char *const kinds[] = {"numa", "numa+prob"};
  for (size_t k = 0; k < 2; k++) {
    struct td_policy policy = policy_of(kinds[k], 4, 16);
    cr_assert_eq(policy.kind, td_policy_find(kinds[k]));
    set_sizes(10);
    for (unsigned i = 0; i < 500; i++) {
      uint32_t victim = td_policy_next(&policy);
      cr_assert_eq(victim % 2, 0);
      td_policy_tell(&policy, victim, i % 4 == 0);
    }
    unsigned far = 0;
    for (unsigned i = 0; i < 500; i++) {
      uint32_t victim = td_policy_next(&policy);
      far += victim % 2;
      td_policy_tell(&policy, victim, false);
    }
    cr_assert_gt(far, 50, "failures widen the circle");
    td_policy_tell(&policy, 1, true);
    for (unsigned i = 0; i < 5; i++)
      cr_assert_eq(td_policy_next(&policy) % 2, 0, "success narrows it again");
  }
}

Test(policy, numa_without_nodes_says_so) {
  static const uint32_t equal[COUNT_MOST] = {0};
  struct td_policy policy;
  struct td_policy_options options = options_of("numa", 0, 4);
  cr_assert_eq(td_policy_init(&policy, &options), &td_policy_random, "no distances known");
  options.distances = equal;
  cr_assert_eq(td_policy_init(&policy, &options), &td_policy_random, "one node");
  options.kind = td_policy_find("numa+prob");
  cr_assert_eq(td_policy_init(&policy, &options), td_policy_find("random+prob"));
  options.kind = td_policy_find("last");
  cr_assert_eq(td_policy_init(&policy, &options), options.kind);
}
