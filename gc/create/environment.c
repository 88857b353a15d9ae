/* SPDX-License-Identifier: MIT */
/* Reading the environment. */
#include "gc/create/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gc/state/error.h"
#include "gc/when/when.h"
#include "marker/engine/engines.h"
#include "marker/queue/policies.h"
#include "tide/advanced.h"

static bool refuse(struct tide_error *error, const char *name, const char *value,
                   const char *wanted) {
  td_fail(error, TIDE_ERROR_ENVIRONMENT, "environment: %s=%.64s: %s is needed", name, value,
          wanted);
  return false;
}

static bool refuse_name(struct tide_error *error, const char *name, const char *value,
                        const char *(*known)(size_t index)) {
  char names[TD_NAMES_BYTES];
  td_fail(error, TIDE_ERROR_ENVIRONMENT, "environment: %s=%.32s: is none of %s", name, value,
          td_list_names(names, known));
  return false;
}

/* Decimal digits, then one of `suffixes` if it is not NULL, each 1024 times the one before. */
static bool parse(const char *text, const char *suffixes, uint64_t *value) {
  if (*text < '0' || *text > '9') return false;
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  if (errno) return false;
  if (*end && suffixes) {
    const char *suffix = strchr(suffixes, *end);
    if (!suffix) return false;
    unsigned shift = 10 * ((unsigned)(suffix - suffixes) + 1);
    if (*value > UINT64_MAX >> shift) return false;
    *value <<= shift;
    end++;
  }
  return *end == 0;
}

/* The value of a variable; NULL where it is not set or empty. */
static const char *value_of(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

/* A number in a range, or what *number was. */
static bool read_number(const char *name, const char *suffixes, uint64_t least, uint64_t most,
                        const char *wanted, uint64_t *number, struct tide_error *error) {
  const char *value = value_of(name);
  return !value || (parse(value, suffixes, number) && *number >= least && *number <= most) ||
         refuse(error, name, value, wanted);
}

static bool read_flag(const char *name, bool *flag, struct tide_error *error) {
  uint64_t number = *flag;
  const char *value = value_of(name);
  if (value && value[1]) return refuse(error, name, value, "0 or 1");
  bool good = read_number(name, NULL, 0, 1, "0 or 1", &number, error);
  *flag = number;
  return good;
}

static bool read_names(struct td_environment *environment, struct tide_error *error) {
  const char *value;
  environment->engine = value_of("TIDE_ENGINE");
  environment->policy = value_of("TIDE_POLICY");
  if ((value = environment->engine) && !td_engine_find(value))
    return refuse_name(error, "TIDE_ENGINE", value, tide_engine_name);
  if ((value = environment->policy) && !td_policy_find(value))
    return refuse_name(error, "TIDE_POLICY", value, tide_policy_name);
  if ((value = value_of("TIDE_MARKING")) && !td_marking_find(value, &environment->marking))
    return refuse_name(error, "TIDE_MARKING", value, td_marking_name);
  return true;
}

static bool read_numbers(struct td_environment *environment, struct tide_error *error) {
  uint64_t markers = 0, cpus = 0, heap_max = 0, goal = 0;
  bool good = read_number("TIDE_MARKERS", NULL, 1, TIDE_MARKERS_MAX, "a number from 1 to 256",
                          &markers, error) &&
              read_number("TIDE_CPUS", NULL, 1, UINT32_MAX, "a number from 1", &cpus, error) &&
              read_number("TIDE_HEAP_MAX", "KMGT", TD_HEAP_MAX_LEAST, PTRDIFF_MAX,
                          "a size of at least 1M (bytes, or with K, M, G, T)", &heap_max, error) &&
              read_number("TIDE_PAUSE_GOAL_US", NULL, TD_GOAL_LEAST_US, TD_GOAL_MOST_US,
                          "a number from 100 to 1000000", &goal, error) &&
              read_number("TIDE_STRESS", NULL, 0, UINT64_MAX, "a number of allocations",
                          &environment->stress, error);
  environment->markers = (unsigned)markers;
  environment->cpus = (unsigned)cpus;
  environment->heap_max_bytes = (size_t)heap_max;
  environment->pause_goal_us = (unsigned)goal;
  return good;
}

bool td_environment_read(struct td_environment *environment, struct tide_error *error) {
  *environment = (struct td_environment){.concurrent_given = value_of("TIDE_CONCURRENT") != NULL};
  bool huge_pages = true, young = true;
  bool good = read_numbers(environment, error) && read_names(environment, error) &&
              read_flag("TIDE_HUGE_PAGES", &huge_pages, error) &&
              read_flag("TIDE_YOUNG", &young, error) &&
              read_flag("TIDE_CONCURRENT", &environment->concurrent, error) &&
              read_flag("TIDE_VERIFY", &environment->verify, error) &&
              read_flag("TIDE_LOG", &environment->log, error);
  environment->small_pages = !huge_pages;
  environment->no_young = !young;
  return good;
}
