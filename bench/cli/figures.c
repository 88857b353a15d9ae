/* SPDX-License-Identifier: MIT */
#include "bench/cli/figures.h"

void td_json_summary(struct td_json *json, const char *key, struct td_summary summary) {
  td_json_object_begin(json, key);
  td_json_real(json, "median", summary.median);
  td_json_real(json, "min", summary.min);
  td_json_real(json, "max", summary.max);
  td_json_real(json, "low_quartile", summary.low);
  td_json_real(json, "high_quartile", summary.high);
  td_json_object_end(json);
}

void td_json_differs(struct td_json *json, const char *key, const struct td_samples *samples,
                     const struct td_samples *base) {
  if (!base || samples == base || td_samples_ratio(samples, base).count == 0)
    td_json_null(json, key);
  else
    td_json_bool(json, key, td_samples_differ(samples, base));
}
