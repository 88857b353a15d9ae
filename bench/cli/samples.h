/* A series of measurements and what to say of it: median, minimum, maximum.
 *
 * Neighbours on a shared machine only ever slow a run down, now and then by a lot, so there is
 * no mean and no standard deviation. Two series taken in the same rounds are compared round by
 * round: what disturbed a round disturbed both. */
#ifndef TD_BENCH_CLI_SAMPLES_H
#define TD_BENCH_CLI_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

struct td_samples {
  double *at; /* in the order taken */
  size_t count;
  size_t capacity;
};

struct td_summary {
  double median, min, max; /* NAN if there were none */
  size_t count;
};

/* Returns false if there is no memory. An all-zero struct is an empty series. */
bool td_samples_add(struct td_samples *samples, double value);
void td_samples_free(struct td_samples *samples);

struct td_summary td_samples_summary(const struct td_samples *samples);

/* at[i] / base[i] for every i both have; count 0 and NANs if either is empty or memory ran out. */
struct td_summary td_samples_ratio(const struct td_samples *samples, const struct td_samples *base);

#endif
