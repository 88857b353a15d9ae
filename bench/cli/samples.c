/* SPDX-License-Identifier: MIT */
#include "bench/cli/samples.h"

#include <math.h>
#include <stdlib.h>

/* Below this probability, chance is not taken for the reason. */
#define CHANCE (1.0 / 15)
/* From MANY rounds on, the normal distribution stands for the binomial one, whose deviation is
 * half the root of the count: this many roots away from the middle is as unlikely. */
#define MANY 500u
#define NORMAL 0.917
/* The same for the interval in which a median is sought: 19 times in 20. */
#define UNSURE 0.05
#define NORMAL_UNSURE 0.98

bool td_samples_add(struct td_samples *samples, double value) {
  if (samples->count == samples->capacity) {
    size_t capacity = samples->capacity ? samples->capacity * 2 : 16;
    double *at = realloc(samples->at, capacity * sizeof *at);
    if (!at) return false;
    samples->at = at;
    double *scratch = realloc(samples->scratch, capacity * sizeof *scratch);
    if (!scratch) return false;
    samples->scratch = scratch;
    samples->capacity = capacity;
  }
  samples->at[samples->count++] = value;
  return true;
}

void td_samples_free(struct td_samples *samples) {
  free(samples->at);
  free(samples->scratch);
  *samples = (struct td_samples){0};
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns how many values may be left out at either end so that the true median lies between the
 * rest 19 times in 20, and one more; 0 if even all are too few. For each value it is as likely to
 * be above as below, so the number below is that of a coin's heads. */
static size_t sure_rank(size_t count) {
  if (count > MANY) return (size_t)((double)count / 2 - NORMAL_UNSURE * sqrt((double)count));
  double ways = 1, sum = 0; /* ways: binomial coefficient over 2^count */
  for (size_t i = 0; i < count; i++)
    ways /= 2;
  size_t rank = 0;
  while (rank < count && 2 * (sum + ways) <= UNSURE) {
    sum += ways;
    ways = ways * (double)(count - rank) / (double)(rank + 1);
    rank++;
  }
  return rank;
}

/* Sorts `values` in place; none is NAN. */
static struct td_summary summarise(double *values, size_t count) {
  if (count == 0)
    return (struct td_summary){.median = NAN,
                               .min = NAN,
                               .max = NAN,
                               .low = NAN,
                               .high = NAN,
                               .sure_low = NAN,
                               .sure_high = NAN};
  qsort(values, count, sizeof *values, compare_doubles);
  double median = values[count / 2];
  if (count % 2 == 0) median = (values[count / 2 - 1] + median) / 2;
  size_t rank = sure_rank(count);
  return (struct td_summary){.median = median,
                             .min = values[0],
                             .max = values[count - 1],
                             .low = values[(count - 1) / 4],
                             .high = values[count - 1 - (count - 1) / 4],
                             .sure_low = rank > 0 ? values[rank - 1] : (double)NAN,
                             .sure_high = rank > 0 ? values[count - rank] : (double)NAN,
                             .count = count};
}

struct td_summary td_samples_summary(const struct td_samples *samples) {
  size_t count = 0;
  for (size_t i = 0; i < samples->count; i++)
    if (isfinite(samples->at[i])) samples->scratch[count++] = samples->at[i];
  return summarise(samples->scratch, count);
}

static size_t common_count(const struct td_samples *a, const struct td_samples *b) {
  return a->count < b->count ? a->count : b->count;
}

struct td_summary td_samples_ratio(const struct td_samples *samples,
                                   const struct td_samples *base) {
  size_t count = 0, most = common_count(samples, base);
  for (size_t i = 0; i < most; i++) {
    double ratio = samples->at[i] / base->at[i];
    if (isfinite(ratio)) samples->scratch[count++] = ratio;
  }
  return summarise(samples->scratch, count);
}

double td_summary_doubt(const struct td_summary *summary) {
  double below = summary->median - summary->sure_low, above = summary->sure_high - summary->median;
  double doubt = (below > above ? below : above) / summary->median;
  return isfinite(doubt) ? doubt : (double)INFINITY;
}

struct td_summary td_summary_over(struct td_summary summary, double divisor) {
  summary.median /= divisor;
  summary.min /= divisor;
  summary.max /= divisor;
  summary.low /= divisor;
  summary.high /= divisor;
  summary.sure_low /= divisor;
  summary.sure_high /= divisor;
  return summary;
}

/* Returns how likely `count` throws of a coin show at most `fewer` of one side, either side. */
static double chance_of(size_t count, size_t fewer) {
  double ways = 1, sum = 0; /* ways: binomial coefficient over 2^count */
  for (size_t i = 0; i < count; i++)
    ways /= 2;
  for (size_t k = 0; k <= fewer; k++) {
    sum += ways;
    ways = ways * (double)(count - k) / (double)(k + 1);
  }
  return 2 * sum;
}

bool td_samples_differ(const struct td_samples *a, const struct td_samples *b) {
  size_t shorter = 0, longer = 0;
  for (size_t i = 0; i < common_count(a, b); i++) {
    shorter += a->at[i] < b->at[i];
    longer += a->at[i] > b->at[i];
  }
  size_t count = shorter + longer;
  size_t fewer = shorter < longer ? shorter : longer;
  if (count > MANY) return (double)fewer < (double)count / 2 - NORMAL * sqrt((double)count);
  return count > 0 && chance_of(count, fewer) < CHANCE;
}
