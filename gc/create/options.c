/* SPDX-License-Identifier: MIT */
/* Options of a heap: as given, then as the environment says, then defaults. */
#include "gc/create/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gc/state/error.h"
#include "gc/when/when.h"
#include "heap/create.h"
#include "marker/engine/engines.h"
#include "marker/queue/policies.h"

#define RESERVE_DEFAULT_LEAST ((size_t)1 << 30)

void tide_options_init(struct tide_options *options) {
  if (options) *options = (struct tide_options){.struct_size = sizeof *options};
}

void tide_advanced_options_init(struct tide_advanced_options *options) {
  if (options) *options = (struct tide_advanced_options){.struct_size = sizeof *options};
}

static bool power_of_two_or_zero(uint32_t value) {
  return value == 0 || (value >= 2 && (value & (value - 1)) == 0);
}

/* Returns what is wrong with the options, or NULL. */
static const char *objection(const struct tide_options *o) {
  if (o->heap_max_bytes && o->heap_max_bytes < TD_HEAP_MAX_LEAST)
    return "heap_max_bytes is under 1 MiB";
  if (o->heap_max_bytes > PTRDIFF_MAX || o->reserve_bytes > PTRDIFF_MAX)
    return "heap_max_bytes or reserve_bytes is over half of the address space";
  if (o->heap_max_bytes && o->heap_initial_bytes > o->heap_max_bytes)
    return "heap_initial_bytes is over heap_max_bytes";
  if (o->reserve_bytes && o->reserve_bytes < o->heap_max_bytes)
    return "reserve_bytes is under heap_max_bytes";
  if (o->markers > TIDE_MARKERS_MAX) return "markers is over TIDE_MARKERS_MAX";
  if ((int)o->collects < 0 || o->collects > TIDE_COLLECTS_AT_LIMIT) return "no such collects";
  if ((int)o->sizing < 0 || o->sizing > TIDE_SIZING_WEIGHTED) return "no such sizing";
  if (o->concurrent && !o->write_barrier) return "concurrent needs write_barrier";
  if (o->pause_goal_us && !td_pause_goal_is_in_range(o->pause_goal_us))
    return "pause_goal_us is under 100 or over 1,000,000";
  if (o->growth_factor != 0 && !(o->growth_factor > 1 && o->growth_factor <= TD_GROWTH_MOST))
    return "growth_factor is not over 1";
  return NULL;
}

static const char *advanced_objection(const struct tide_advanced_options *a) {
  if (!power_of_two_or_zero(a->queue_blocks) || !power_of_two_or_zero(a->queue_block_items))
    return "queue_blocks and queue_block_items must be powers of two, at least 2";
  if (a->adaptive_cost != 0 && !(a->adaptive_cost > 0 && a->adaptive_cost <= 1e12))
    return "adaptive_cost is not over 0";
  return NULL;
}

static bool copy_options(struct tide_options *o, struct tide_advanced_options *a,
                         const struct tide_options *given, struct tide_error *error) {
  tide_options_init(o);
  tide_advanced_options_init(a);
  if (given && !td_sized_copy(o, sizeof *o, given, "tide_heap_create", "tide_options_init", error))
    return false;
  if (o->advanced && !td_sized_copy(a, sizeof *a, o->advanced, "tide_heap_create",
                                    "tide_advanced_options_init", error))
    return false;
  o->advanced = a;
  return true;
}

static bool check_options(const struct tide_options *o, struct tide_error *error) {
  char names[TD_NAMES_BYTES];
  const struct tide_advanced_options *a = o->advanced;
  const char *wrong = objection(o);
  if (!wrong) wrong = advanced_objection(a);
  if (wrong)
    td_fail(error, TIDE_ERROR_ARGUMENT, "tide_heap_create: %s", wrong);
  else if (a->engine && !td_engine_find(a->engine))
    td_fail(error, TIDE_ERROR_ARGUMENT,
            "tide_heap_create: no engine is called %.32s; there are: %s", a->engine,
            td_list_names(names, tide_engine_name));
  else if (a->policy && !td_policy_find(a->policy))
    td_fail(error, TIDE_ERROR_ARGUMENT, "tide_heap_create: no policy has this name: %.64s",
            a->policy);
  else
    return true;
  return false;
}

/* ---- The environment ---- */

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

static bool read_numbers(struct td_environment *e, struct tide_error *error) {
  return read_number("TIDE_MARKERS", NULL, 1, TIDE_MARKERS_MAX, "a number from 1 to 256",
                     &e->markers, error) &&
         read_number("TIDE_CPUS", NULL, 1, UINT32_MAX, "a number from 1", &e->cpus, error) &&
         read_number("TIDE_HEAP_MAX", "KMGT", TD_HEAP_MAX_LEAST, PTRDIFF_MAX,
                     "a size of at least 1M (bytes, or with K, M, G, T)", &e->heap_max_bytes,
                     error) &&
         read_number("TIDE_PAUSE_GOAL_US", NULL, TD_GOAL_LEAST_US, TD_GOAL_MOST_US,
                     "a number from 100 to 1000000", &e->pause_goal_us, error) &&
         read_number("TIDE_STRESS", NULL, 0, UINT64_MAX, "a number of allocations", &e->stress,
                     error);
}

bool td_environment_read(struct td_environment *environment, struct tide_error *error) {
  *environment = (struct td_environment){
      .huge_pages = true, .young = true, .concurrent_given = value_of("TIDE_CONCURRENT") != NULL};
  return read_numbers(environment, error) && read_names(environment, error) &&
         read_flag("TIDE_HUGE_PAGES", &environment->huge_pages, error) &&
         read_flag("TIDE_YOUNG", &environment->young, error) &&
         read_flag("TIDE_CONCURRENT", &environment->concurrent, error) &&
         read_flag("TIDE_VERIFY", &environment->verify, error) &&
         read_flag("TIDE_LOG", &environment->log, error);
}

/* ---- All of them ---- */

/* Memcheck takes a kilobyte for each 64 KiB of address space that is reserved. */
#define MEMCHECK_MAX ((size_t)2 << 30)

static size_t usual_max(void) {
  const char *preloaded = value_of("LD_PRELOAD");
  bool memcheck = preloaded && strstr(preloaded, "vgpreload_memcheck");
  size_t bytes = td_space_share_of(td_plat_memory_bytes());
  return memcheck && bytes > MEMCHECK_MAX ? MEMCHECK_MAX : bytes;
}

bool td_options_read(const struct tide_options *given, struct tide_options *o,
                     struct tide_advanced_options *advanced, struct td_environment *environment,
                     struct tide_error *error) {
  if (!copy_options(o, advanced, given, error)) return false;
  if (!td_environment_read(environment, error)) return false;
  if (!check_options(o, error)) return false;
  if (!o->heap_max_bytes) o->heap_max_bytes = environment->heap_max_bytes;
  if (!o->heap_max_bytes) o->heap_max_bytes = usual_max();
  if (o->heap_max_bytes < TD_HEAP_MAX_LEAST) o->heap_max_bytes = TD_HEAP_MAX_LEAST;
  if (!o->markers && environment->markers) {
    o->markers = (unsigned)environment->markers;
    o->helpers_after_ms = 0;
  }
  if (!o->markers) o->markers = td_plat_cpus_allowed();
  if (o->markers > TIDE_MARKERS_MAX) o->markers = TIDE_MARKERS_MAX;
  if (!advanced->engine) advanced->engine = environment->engine;
  if (!advanced->engine) advanced->engine = tide_engine_name(0);
  if (!advanced->policy) advanced->policy = environment->policy;
  if (!advanced->policy) advanced->policy = td_policy_name(0);
  if (!environment->huge_pages) {
    o->small_pages = true;
    o->huge_pages_from = 0;
  }
  if (!o->pause_goal_us) o->pause_goal_us = (unsigned)environment->pause_goal_us;
  if (environment->concurrent_given) o->concurrent = environment->concurrent && o->write_barrier;
  if (!environment->young && !o->concurrent) o->write_barrier = false;
  /* Twice the limit, so that large objects find room between others. */
  if (!o->reserve_bytes) o->reserve_bytes = o->heap_max_bytes * 2;
  if (!(given && given->reserve_bytes) && o->reserve_bytes < RESERVE_DEFAULT_LEAST)
    o->reserve_bytes = RESERVE_DEFAULT_LEAST;
  if (!o->heap_initial_bytes) o->heap_initial_bytes = TD_INITIAL_DEFAULT;
  return true;
}
