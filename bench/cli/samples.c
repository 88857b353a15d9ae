#include "bench/cli/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool td_samples_add(struct td_samples *samples, double value) {
  if (samples->count == samples->capacity) {
    size_t capacity = samples->capacity ? samples->capacity * 2 : 16;
    double *grown = realloc(samples->at, capacity * sizeof *grown);
    if (!grown) return false;
    samples->at = grown;
    samples->capacity = capacity;
  }
  samples->at[samples->count++] = value;
  return true;
}

void td_samples_free(struct td_samples *samples) {
  free(samples->at);
  *samples = (struct td_samples){0};
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts `values` in place. */
static struct td_summary summarise(double *values, size_t count) {
  if (count == 0) return (struct td_summary){.median = NAN, .min = NAN, .max = NAN};
  qsort(values, count, sizeof *values, compare_doubles);
  double median = values[count / 2];
  if (count % 2 == 0) median = (values[count / 2 - 1] + median) / 2;
  return (struct td_summary){
      .median = median, .min = values[0], .max = values[count - 1], .count = count};
}

struct td_summary td_samples_summary(const struct td_samples *samples) {
  double *copy = malloc((samples->count + 1) * sizeof *copy);
  if (!copy) return summarise(NULL, 0);
  if (samples->count) memcpy(copy, samples->at, samples->count * sizeof *copy);
  struct td_summary summary = summarise(copy, samples->count);
  free(copy);
  return summary;
}

struct td_summary td_samples_ratio(const struct td_samples *samples,
                                   const struct td_samples *base) {
  size_t count = samples->count < base->count ? samples->count : base->count;
  double *ratios = malloc((count + 1) * sizeof *ratios);
  if (!ratios) return summarise(NULL, 0);
  for (size_t i = 0; i < count; i++)
    ratios[i] = samples->at[i] / base->at[i];
  struct td_summary summary = summarise(ratios, count);
  free(ratios);
  return summary;
}
