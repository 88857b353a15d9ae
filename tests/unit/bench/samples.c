/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "bench/cli/samples.h"
#include "tests/random.h"
#include "tests/scoped.h"

#include <math.h>
#include <stdint.h>

#define SCOPED_SAMPLES SCOPED(td_samples_free) struct td_samples

static struct td_samples series(const double *values, size_t count) {
  struct td_samples samples = {0};
  for (size_t i = 0; i < count; i++)
    cr_assert(td_samples_add(&samples, values[i]));
  return samples;
}

Test(samples, none_and_one) {
  struct td_samples samples = {0};
  struct td_summary summary = td_samples_summary(&samples);
  cr_assert(isnan(summary.median) && isnan(summary.min) && isnan(summary.max));
  cr_assert_eq(summary.count, 0);
  SCOPED_SAMPLES one = series((double[]){4.5}, 1);
  summary = td_samples_summary(&one);
  cr_assert(summary.median == 4.5 && summary.min == 4.5 && summary.max == 4.5);
}

Test(samples, odd_and_even_medians) {
  SCOPED_SAMPLES samples = series((double[]){9, 1, 5}, 3);
  cr_assert(td_samples_summary(&samples).median == 5);
  cr_assert(td_samples_add(&samples, 6));
  struct td_summary summary = td_samples_summary(&samples);
  cr_assert(summary.median == 5.5 && summary.min == 1 && summary.max == 9);
  cr_assert(samples.at[0] == 9, "the order of taking is kept");
}

/* A round that was slow for both leaves its ratio as it was. */
Test(samples, ratios_are_taken_pairwise) {
  SCOPED_SAMPLES base = series((double[]){10, 100, 10}, 3);
  SCOPED_SAMPLES other = series((double[]){20, 200, 25}, 3);
  struct td_summary ratio = td_samples_ratio(&other, &base);
  cr_assert(ratio.median == 2 && ratio.min == 2 && ratio.max == 2.5);
  struct td_samples none = {0};
  cr_assert_eq(td_samples_ratio(&other, &none).count, 0);
}

Test(samples, rounds_without_a_measurement_are_left_out) {
  SCOPED_SAMPLES samples = series((double[]){4, (double)NAN, 2}, 3);
  SCOPED_SAMPLES base = series((double[]){2, 1, (double)NAN}, 3);
  struct td_summary summary = td_samples_summary(&samples);
  cr_assert(summary.count == 2 && summary.median == 3 && summary.min == 2);
  struct td_summary ratio = td_samples_ratio(&samples, &base);
  cr_assert(ratio.count == 1 && ratio.median == 2);
}

Test(samples, quartiles) {
  SCOPED_SAMPLES samples = series((double[]){9, 8, 7, 6, 5, 4, 3, 2, 1}, 9);
  struct td_summary summary = td_samples_summary(&samples);
  cr_assert(summary.low == 3 && summary.median == 5 && summary.high == 7);
  td_samples_free(&samples);
  samples = series((double[]){3, 1, 2}, 3);
  summary = td_samples_summary(&samples);
  cr_assert(summary.low == 1 && summary.high == 3, "of so few, the smallest and the largest");
}

/* By the binomial distribution: of 6, 2 * P(0) = 3 %; of 9, 2 * P(1 or fewer) = 4 %; of 100, 2 *
 * P(39 or fewer) = 3.5 %. */
Test(samples, where_the_median_lies) {
  static const struct {
    size_t count;
    double low, high;
  } bounds[] = {{6, 1, 6},     {8, 1, 8},       {9, 2, 8},          {20, 6, 15},
                {100, 40, 61}, {500, 228, 273}, {10000, 4902, 5099}};
  for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
    SCOPED_SAMPLES samples = {0};
    for (size_t v = bounds[i].count; v >= 1; v--)
      cr_assert(td_samples_add(&samples, (double)v));
    struct td_summary summary = td_samples_summary(&samples);
    cr_expect(summary.sure_low == bounds[i].low && summary.sure_high == bounds[i].high,
              "%zu: %g to %g", bounds[i].count, summary.sure_low, summary.sure_high);
  }
}

Test(samples, too_few_values_say_nothing) {
  SCOPED_SAMPLES samples = {0};
  for (unsigned i = 0; i < TD_VALUES_TO_BE_SURE; i++) {
    struct td_summary summary = td_samples_summary(&samples);
    cr_expect(isnan(summary.sure_low) && isnan(summary.sure_high));
    cr_expect(isinf(td_summary_doubt(&summary)));
    cr_assert(td_samples_add(&samples, 7));
  }
  struct td_summary summary = td_samples_summary(&samples);
  cr_expect(summary.sure_low == 7 && td_summary_doubt(&summary) == 0);
}

Test(samples, doubt_is_a_part_of_the_median) {
  SCOPED_SAMPLES samples = series((double[]){90, 95, 99, 101, 104, 106}, 6);
  struct td_summary summary = td_samples_summary(&samples);
  cr_expect(fabs(td_summary_doubt(&summary) - 0.1) < 1e-12);
  summary = td_summary_over(summary, 10);
  cr_expect(fabs(td_summary_doubt(&summary) - 0.1) < 1e-12);
}

/* Ratios of times that are now and then much too long, taken until their median is known to 5 %:
 * how often does it lie where it was said to lie? Looking after every round costs a little. */
Test(samples, the_median_lies_where_it_is_said_to) {
  enum { TRIALS = 2000, ROUNDS = 300 };
  uint32_t x = 2463534242u;
  unsigned stopped = 0, right = 0;
  for (unsigned trial = 0; trial < TRIALS; trial++) {
    SCOPED_SAMPLES samples = {0};
    struct td_summary summary;
    do {
      double sum = -6; /* of twelve even choices: nearly normal, deviation 1 */
      for (unsigned i = 0; i < 12; i++)
        sum += random_next(&x) / 4294967296.0;
      cr_assert(td_samples_add(&samples, exp(0.1 * sum) * (x % 10 == 0   ? 2
                                                           : x % 10 == 1 ? 0.5
                                                                         : 1)));
      summary = td_samples_summary(&samples);
    } while (td_summary_doubt(&summary) > 0.05 && samples.count < ROUNDS);
    stopped += samples.count < ROUNDS;
    right += summary.sure_low <= 1 && summary.sure_high >= 1;
  }
  cr_expect_gt(stopped, TRIALS * 95 / 100);
  cr_expect_gt(right, TRIALS * 90 / 100, "%u of %u", right, TRIALS);
}

/* b is the longer one in all rounds but the first `exceptions`. */
static bool differ(size_t rounds, size_t exceptions) {
  SCOPED_SAMPLES a = {0}, b = {0};
  for (size_t i = 0; i < rounds; i++)
    cr_assert(td_samples_add(&a, 10) && td_samples_add(&b, i < exceptions ? 9 : 11));
  bool found = td_samples_differ(&a, &b);
  cr_assert_eq(td_samples_differ(&b, &a), found, "whichever comes first");
  return found;
}

/* The bounds are those of the binomial distribution: 2 * P(k or fewer of n) < 1/15. */
Test(samples, so_many_rounds_must_agree) {
  static const struct {
    size_t rounds, most_exceptions;
  } bounds[] = {{5, 0}, {6, 0}, {7, 0}, {8, 0}, {9, 1}, {15, 3}, {100, 40}};
  for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
    cr_expect(differ(bounds[i].rounds, bounds[i].most_exceptions), "%zu", bounds[i].rounds);
    cr_expect_not(differ(bounds[i].rounds, bounds[i].most_exceptions + 1), "%zu", bounds[i].rounds);
  }
  for (size_t rounds = 0; rounds < TD_ROUNDS_TO_DIFFER; rounds++)
    cr_expect_not(differ(rounds, 0), "%zu rounds", rounds);
  cr_expect(differ(10000, 4900) && !differ(10000, 4910), "the normal distribution, near enough");
}

Test(samples, what_is_equal_does_not_differ) {
  struct td_samples a = series((double[]){1, 2, 3, 4, 5, 6}, 6), none = {0};
  cr_expect_not(td_samples_differ(&a, &a));
  cr_expect_not(td_samples_differ(&a, &none));
  td_samples_free(&a);
}
