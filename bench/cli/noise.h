/* SPDX-License-Identifier: MIT */
/* What else the machine did while something was measured. */
#ifndef TD_BENCH_CLI_NOISE_H
#define TD_BENCH_CLI_NOISE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/cli/json.h"

/* What the kernel has counted so far. */
struct td_noise_count {
  double stolen_ms; /* CPU time that the hypervisor gave to others; NAN: the kernel tells nothing */
  uint64_t preempted; /* involuntary context switches of this process */
};

struct td_noise {
  double load_before,
      load_after;              /* load average of the last minute, of all programs; NAN: unknown */
  double seconds;              /* from begin to end */
  struct td_noise_count count; /* from begin to end */
  uint64_t begun_ns;
};

void td_noise_begin(struct td_noise *noise);
void td_noise_end(struct td_noise *noise);

/* For parts of a measurement: the counts now, and adding what has come since then to a sum. */
void td_noise_read(struct td_noise_count *count);
void td_noise_add_since(struct td_noise_count *sum, const struct td_noise_count *before);

/* Returns whether the figures deserve a warning: more than 1 % of the CPU time was stolen, or when
 * it began more threads wanted to run than there are CPUs. */
bool td_noise_is_loud(const struct td_noise *noise, unsigned cpus);

void td_noise_json(const struct td_noise *noise, struct td_json *json, const char *key);
/* One line, two if it was loud. */
void td_noise_print(const struct td_noise *noise, unsigned cpus, FILE *out);

#endif
