/* SPDX-License-Identifier: MIT */
/* A series of measurements and what to say of it: median, quartiles, minimum, maximum.
 *
 * Other users of a shared machine only ever slow a run down, now and then by a lot. So there is no
 * mean and no standard deviation. Two series taken in the same rounds are compared round by round:
 * what disturbed a round disturbed both. */
#ifndef TD_BENCH_CLI_SAMPLES_H
#define TD_BENCH_CLI_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

struct td_samples {
  double *at;      /* in the order taken; NAN: a round without a measurement */
  double *scratch; /* [capacity], so that no summary can fail for want of memory */
  size_t count;
  size_t capacity;
};

struct td_summary {
  double median, min, max; /* NAN if there were none */
  double low, high;        /* the quartiles: a quarter of the values lies below, above */
  /* Between these two lies the median of all the values that could be measured, 19 times in 20.
   * They are values themselves, as far from the middle as a fair coin may be one-sided (order
   * statistics), and so ask nothing of the distribution. NAN for fewer than TD_VALUES_TO_BE_SURE.
   */
  double sure_low, sure_high;
  size_t count; /* of the values that were there */
};

/* Returns false if there is no memory. An all-zero struct is an empty series. */
bool td_samples_add(struct td_samples *samples, double value);
void td_samples_free(struct td_samples *samples);

struct td_summary td_samples_summary(const struct td_samples *samples);

/* Summarises at[i] / base[i] over the rounds that both have. */
struct td_summary td_samples_ratio(const struct td_samples *samples, const struct td_samples *base);

#define TD_VALUES_TO_BE_SURE 6u

/* Returns how far off the median may be, as a part of it: 0.05 if it is known to 5 %. INFINITY if
 * there are too few values to say. */
double td_summary_doubt(const struct td_summary *summary);

/* Divides all values of a summary. */
struct td_summary td_summary_over(struct td_summary summary, double divisor);

/* Returns whether the rounds show that one of the two takes longer. They do when enough of them
 * agree on which: a fair coin, thrown once a round, would be as one-sided in fewer than one
 * case in fifteen (a sign test). Fewer than five rounds never do. */
#define TD_ROUNDS_TO_DIFFER 5u
bool td_samples_differ(const struct td_samples *a, const struct td_samples *b);

#endif
