#include <criterion/criterion.h>

#include "bench/cli/samples.h"

#include <math.h>

static struct td_samples series(const double *values, size_t count) {
  struct td_samples samples = {0};
  for (size_t i = 0; i < count; i++)
    cr_assert(td_samples_add(&samples, values[i]));
  return samples;
}

Test(samples, nothing_has_no_median) {
  struct td_samples samples = {0};
  struct td_summary summary = td_samples_summary(&samples);
  cr_assert(isnan(summary.median) && isnan(summary.min) && isnan(summary.max));
  cr_assert_eq(summary.count, 0);
}

Test(samples, one_is_all) {
  struct td_samples samples = series((double[]){4.5}, 1);
  struct td_summary summary = td_samples_summary(&samples);
  cr_assert(summary.median == 4.5 && summary.min == 4.5 && summary.max == 4.5);
  td_samples_free(&samples);
}

Test(samples, odd_and_even_medians) {
  struct td_samples samples = series((double[]){9, 1, 5}, 3);
  cr_assert(td_samples_summary(&samples).median == 5);
  cr_assert(td_samples_add(&samples, 6));
  struct td_summary summary = td_samples_summary(&samples);
  cr_assert(summary.median == 5.5 && summary.min == 1 && summary.max == 9);
  cr_assert(samples.at[0] == 9, "the order of taking is kept");
  td_samples_free(&samples);
}

Test(samples, grows) {
  struct td_samples samples = {0};
  for (int i = 1000; i >= 1; i--)
    cr_assert(td_samples_add(&samples, i));
  struct td_summary summary = td_samples_summary(&samples);
  cr_assert(summary.count == 1000 && summary.median == 500.5 && summary.max == 1000);
  td_samples_free(&samples);
}

/* A round that was slow for both leaves its ratio as it was. */
Test(samples, ratios_are_taken_pairwise) {
  struct td_samples base = series((double[]){10, 100, 10}, 3);
  struct td_samples other = series((double[]){20, 200, 25}, 3);
  struct td_summary ratio = td_samples_ratio(&other, &base);
  cr_assert(ratio.median == 2 && ratio.min == 2 && ratio.max == 2.5);
  struct td_samples none = {0};
  cr_assert_eq(td_samples_ratio(&other, &none).count, 0);
  td_samples_free(&base);
  td_samples_free(&other);
}
