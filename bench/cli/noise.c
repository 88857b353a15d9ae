/* SPDX-License-Identifier: MIT */
#include "bench/cli/noise.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/cli/clock.h"

/* Returns milliseconds of all CPUs, from the first line of /proc/stat:
 * cpu user nice system idle iowait irq softirq steal … */
static double read_stolen_ms(void) {
  char line[256];
  int file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return NAN;
  ssize_t length = read(file, line, sizeof line - 1);
  close(file);
  if (length <= 0) return NAN;
  line[length] = '\0';
  uint64_t ticks;
  long per_second = sysconf(_SC_CLK_TCK);
  if (per_second <= 0 || sscanf(line, "cpu %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &ticks) != 1)
    return NAN;
  return (double)ticks * 1e3 / (double)per_second;
}

static double read_load(void) {
  double load;
  return getloadavg(&load, 1) == 1 ? load : (double)NAN;
}

void td_noise_read(struct td_noise_count *count) {
  struct rusage usage;
  count->stolen_ms = read_stolen_ms();
  count->preempted = getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

void td_noise_add_since(struct td_noise_count *sum, const struct td_noise_count *before) {
  struct td_noise_count now;
  td_noise_read(&now);
  sum->stolen_ms += now.stolen_ms - before->stolen_ms;
  sum->preempted += now.preempted - before->preempted;
}

void td_noise_begin(struct td_noise *noise) {
  *noise = (struct td_noise){.load_before = read_load(), .load_after = NAN};
  td_noise_read(&noise->count);
  noise->begun_ns = td_now_ns();
}

void td_noise_end(struct td_noise *noise) {
  struct td_noise_count before = noise->count;
  noise->count = (struct td_noise_count){0};
  td_noise_add_since(&noise->count, &before);
  noise->seconds = (double)(td_now_ns() - noise->begun_ns) / 1e9;
  noise->load_after = read_load();
}

static double stolen_percent(const struct td_noise *noise, unsigned cpus) {
  double all_ms = noise->seconds * 1e3 * cpus;
  return all_ms > 0 ? 100 * noise->count.stolen_ms / all_ms : 0;
}

/* Comparisons with NAN are false: what is unknown is not loud. */
bool td_noise_is_loud(const struct td_noise *noise, unsigned cpus) {
  return stolen_percent(noise, cpus) > 1 || noise->load_before > cpus;
}

void td_noise_json(const struct td_noise *noise, struct td_json *json, const char *key) {
  td_json_object_begin(json, key);
  td_json_real(json, "seconds", noise->seconds);
  td_json_real(json, "load_before", noise->load_before);
  td_json_real(json, "load_after", noise->load_after);
  td_json_real(json, "stolen_ms", noise->count.stolen_ms);
  td_json_count(json, "involuntary_switches", noise->count.preempted);
  td_json_object_end(json);
}

void td_noise_print(const struct td_noise *noise, unsigned cpus, FILE *out) {
  fprintf(out, "While measuring: %.1f s, load average %.1f before and %.1f after on %u CPUs",
          noise->seconds, noise->load_before, noise->load_after, cpus);
  if (isfinite(noise->count.stolen_ms))
    fprintf(out, ", %.0f ms stolen (%.1f %%)", noise->count.stolen_ms, stolen_percent(noise, cpus));
  fprintf(out, ", %" PRIu64 " involuntary switches\n", noise->count.preempted);
  if (td_noise_is_loud(noise, cpus))
    fputs("A NOISY RUN: others used the processors. Measure again on a quiet machine before you "
          "believe it.\n",
          out);
}
