/* SPDX-License-Identifier: MIT */
/* Reading the environment. */
#include "gc/create/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gc/state/error.h"
#include "gc/when/when.h"
#include "marker/engine/list.h"
#include "marker/queue/policy.h"
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

static bool read_flag(const char *name, bool *flag, struct tide_error *error) {
  const char *value = getenv(name);
  if (!value || !*value) return true;
  if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
    return refuse(error, name, value, "0 or 1");
  *flag = *value == '1';
  return true;
}

static bool read_concurrent(struct td_environment *environment, struct tide_error *error) {
  const char *value = getenv("TIDE_CONCURRENT");
  environment->concurrent_given = value && *value;
  return read_flag("TIDE_CONCURRENT", &environment->concurrent, error);
}

static bool read_pause_goal(struct td_environment *environment, struct tide_error *error) {
  uint64_t number;
  const char *value = getenv("TIDE_PAUSE_GOAL_US");
  if (!value || !*value) return true;
  if (!parse(value, NULL, &number) || !td_pause_goal_is_in_range(number))
    return refuse(error, "TIDE_PAUSE_GOAL_US", value, "a number from 100 to 1000000");
  environment->pause_goal_us = (unsigned)number;
  return true;
}

bool td_environment_read(struct td_environment *environment, struct tide_error *error) {
  *environment = (struct td_environment){0};
  uint64_t number;
  const char *value = getenv("TIDE_MARKERS");
  if (value && *value) {
    if (!parse(value, NULL, &number) || number == 0 || number > TIDE_MARKERS_MAX)
      return refuse(error, "TIDE_MARKERS", value, "a number from 1 to 256");
    environment->markers = (unsigned)number;
  }
  value = getenv("TIDE_CPUS");
  if (value && *value) {
    if (!parse(value, NULL, &number) || number == 0 || number > UINT32_MAX)
      return refuse(error, "TIDE_CPUS", value, "a number from 1");
    environment->cpus = (unsigned)number;
  }
  value = getenv("TIDE_HEAP_MAX");
  if (value && *value) {
    if (!parse(value, "KMGT", &number) || number < TD_HEAP_MAX_LEAST || number > PTRDIFF_MAX)
      return refuse(error, "TIDE_HEAP_MAX", value,
                    "a size of at least 1M (bytes, or with K, M, G, T)");
    environment->heap_max_bytes = (size_t)number;
  }
  value = getenv("TIDE_ENGINE");
  if (value && *value) {
    if (!td_engine_find(value)) return refuse_name(error, "TIDE_ENGINE", value, td_engine_name);
    environment->engine = value;
  }
  value = getenv("TIDE_POLICY");
  if (value && *value) {
    enum td_policy_kind kind;
    if (!td_policy_find(value, &kind))
      return refuse_name(error, "TIDE_POLICY", value, tide_policy_name);
    environment->policy = value;
  }
  value = getenv("TIDE_MARKING");
  if (value && *value && !td_marking_find(value, &environment->marking))
    return refuse_name(error, "TIDE_MARKING", value, td_marking_name);
  value = getenv("TIDE_STRESS");
  if (value && *value && !parse(value, NULL, &environment->stress))
    return refuse(error, "TIDE_STRESS", value, "a number of allocations");
  bool huge_pages = true;
  if (!read_flag("TIDE_HUGE_PAGES", &huge_pages, error)) return false;
  environment->small_pages = !huge_pages;
  bool young = true;
  if (!read_flag("TIDE_YOUNG", &young, error)) return false;
  environment->no_young = !young;
  return read_concurrent(environment, error) && read_pause_goal(environment, error) &&
         read_flag("TIDE_VERIFY", &environment->verify, error) &&
         read_flag("TIDE_LOG", &environment->log, error);
}
