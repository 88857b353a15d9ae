/* SPDX-License-Identifier: MIT */
/* Options and environment: defaults, precedence, refusals. */
#include <limits.h>

#include "gc/create/options.h"
#include "tests/unit/gc/common.h"
#include "tide/advanced.h"

static void accepted(const struct tide_options *options) {
  struct tide_error error = {0};
  struct tide_heap *heap = tide_heap_create(options, &error);
  cr_assert_not_null(heap, "%s", error.text);
  cr_assert_eq(tide_heap_destroy(heap), TIDE_OK);
}

static void refused(struct tide_options *options, enum tide_status status, const char *named) {
  struct tide_error error = {0};
  struct tide_heap *heap = tide_heap_create(options, &error);
  cr_assert_null(heap, "%s", named);
  cr_assert_eq(error.status, status, "%s: %d %s", named, (int)error.status, error.text);
  cr_assert_not_null(strstr(error.text, named), "'%s' does not name %s", error.text, named);
  cr_assert_null(strchr(error.text, '\n'));
}

/* With one option that means nothing. */
#define OPTION_REFUSED(option, value)                                                              \
  do {                                                                                             \
    struct tide_options o = small_options();                                                       \
    o.option = (value);                                                                            \
    refused(&o, TIDE_ERROR_ARGUMENT, #option);                                                     \
  } while (0)

Test(options, nonsense_is_refused) {
  OPTION_REFUSED(struct_size, 0);
  OPTION_REFUSED(heap_max_bytes, 1000);
  OPTION_REFUSED(heap_max_bytes, SIZE_MAX);
  OPTION_REFUSED(heap_initial_bytes, small_options().heap_max_bytes + 1);
  OPTION_REFUSED(reserve_bytes, 4096);
  OPTION_REFUSED(markers, 257);
  OPTION_REFUSED(sizing, (enum tide_sizing)17);
  OPTION_REFUSED(collects, (enum tide_collects)3);
  OPTION_REFUSED(collects, (enum tide_collects) - 1);
  double factors[] = {1.0, 0.5, -2, 1e300, (double)__builtin_nanf("")};
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    OPTION_REFUSED(growth_factor, factors[i]);
}

static void advanced_refused(const struct tide_advanced_options *advanced, const char *named) {
  struct tide_options o = small_options();
  o.advanced = advanced;
  refused(&o, TIDE_ERROR_ARGUMENT, named);
}

#define ADVANCED_REFUSED(option, value, named)                                                     \
  do {                                                                                             \
    struct tide_advanced_options a;                                                                \
    tide_advanced_options_init(&a);                                                                \
    a.option = (value);                                                                            \
    advanced_refused(&a, named);                                                                   \
  } while (0)

Test(options, advanced_nonsense_is_refused) {
  ADVANCED_REFUSED(struct_size, 0, "tide_advanced_options_init");
  ADVANCED_REFUSED(struct_size, SIZE_MAX, "tide_advanced_options_init");
  ADVANCED_REFUSED(engine, "steam", "steam");
  ADVANCED_REFUSED(policy, "diplomacy", "diplomacy");
  uint32_t shapes[] = {1, 3, 6, UINT32_MAX, UINT32_C(1) << 31};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    ADVANCED_REFUSED(queue_blocks = a.queue_block_items, shapes[i], "blocks");
  double costs[] = {-1, 1e300, (double)__builtin_nanf("")};
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
    ADVANCED_REFUSED(adaptive_cost, costs[i], "adaptive_cost");
}

Test(options, advanced_structures_of_other_headers_work) {
  struct {
    struct tide_advanced_options known;
    uint64_t unknown;
  } newer = {.unknown = 0};
  tide_advanced_options_init(&newer.known);
  newer.known.struct_size = sizeof newer;
  newer.known.engine = "chase-lev";
  struct tide_options o = small_options();
  o.advanced = &newer.known;
  accepted(&o);
  newer.unknown = 1;
  advanced_refused(&newer.known, "newer header");
  newer.known.struct_size = offsetof(struct tide_advanced_options, policy);
  newer.known.policy = "not read";
  accepted(&o);
}

/* Returns the address space of a heap with that limit. */
static uint64_t reserved_with(size_t heap_max_bytes) {
  struct tide_options options = OPTIONS(.heap_max_bytes = heap_max_bytes);
  struct tide_heap *heap = tide_heap_create(&options, NULL);
  cr_assert_not_null(heap);
  uint64_t reserved = stats_of(heap).reserved_bytes;
  tide_heap_destroy(heap);
  return reserved;
}

Test(options, the_highest_limit_is_no_low_one) {
  cr_assert_geq(reserved_with(PTRDIFF_MAX), reserved_with((size_t)64 << 30));
}

Test(options, an_older_program_s_shorter_structure_works) {
  struct tide_options o = small_options();
  o.struct_size = offsetof(struct tide_options, reserve_bytes);
  o.advanced = (const struct tide_advanced_options *)"not read";
  struct tide_heap *heap = tide_heap_create(&o, NULL);
  cr_assert_not_null(heap);
  cr_assert_eq(stats_of(heap).heap_max_bytes, (uint64_t)64 << 20);
  tide_heap_destroy(heap);
}

Test(options, a_newer_program_s_longer_structure_works_while_the_rest_is_not_used) {
  struct {
    struct tide_options known;
    uint64_t unknown;
  } newer = {small_options(), 0};
  newer.known.struct_size = sizeof newer;
  accepted(&newer.known);
  newer.unknown = 1;
  refused(&newer.known, TIDE_ERROR_ARGUMENT, "newer header");
  newer.known.struct_size = SIZE_MAX;
  refused(&newer.known, TIDE_ERROR_ARGUMENT, "struct_size");
}

/* Returns how many markers had a thread in the second collection of a heap. */
static unsigned markers_at_hand(const struct tide_options *options) {
  struct world w = world_with(*options, TIDE_STACK_PRECISE);
  tide_collect(w.m);
  tide_collect(w.m);
  struct tide_cycle_stats stats = cycle_of(w.heap);
  world_end(&w);
  return stats.available;
}

Test(options, helpers_wait_until_marking_has_taken_long_enough) {
  struct tide_options o = small_options();
  cr_expect_eq(markers_at_hand(&o), 2);
  o.helpers_after_ms = UINT_MAX;
  cr_expect_eq(markers_at_hand(&o), 1);
  o.markers = 0;
  setenv("TIDE_MARKERS", "3", 1);
  cr_expect_eq(markers_at_hand(&o), 3, "who says how many wants them");
}

Test(environment, values_that_mean_nothing_are_named) {
  static const struct {
    const char *name, *values[8];
  } wrong[] = {
      {"TIDE_MARKERS", {"0", "257", "two", "-1", "2x"}},
      {"TIDE_CPUS", {"0", "-2", "many", "4294967296"}},
      {"TIDE_HUGE_PAGES", {"yes", "2"}},
      {"TIDE_HEAP_MAX", {"0", "10", "1Q", "1MM", "M", "99999999999999999999", "99999999T"}},
      {"TIDE_ENGINE", {"steam"}},
      {"TIDE_POLICY", {"diplomacy", "Random"}},
      {"TIDE_MARKING", {"tset", "Follow"}},
      {"TIDE_VERIFY", {"yes", "2"}},
      {"TIDE_YOUNG", {"yes", "2"}},
      {"TIDE_STRESS", {"often", "1 "}},
      {"TIDE_LOG", {"verbose"}},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    for (const char *const *value = wrong[i].values; *value; value++) {
      cr_assert_eq(setenv(wrong[i].name, *value, 1), 0);
      refused(NULL, TIDE_ERROR_ENVIRONMENT, wrong[i].name);
      refused(NULL, TIDE_ERROR_ENVIRONMENT, *value);
    }
    unsetenv(wrong[i].name);
  }
}

Test(environment, names_that_would_do_are_listed) {
  setenv("TIDE_POLICY", "a long name that is cut, so that the others fit into the line", 1);
  for (size_t i = 0; tide_policy_name(i); i++)
    refused(NULL, TIDE_ERROR_ENVIRONMENT, tide_policy_name(i));
  unsetenv("TIDE_POLICY");
  setenv("TIDE_ENGINE", "a long name that is cut, so that the others fit into the line", 1);
  for (size_t i = 0; tide_engine_name(i); i++)
    refused(NULL, TIDE_ERROR_ENVIRONMENT, tide_engine_name(i));
}

Test(environment, good_values_are_read) {
  struct td_environment e;
  struct tide_error error;
  cr_assert(td_environment_read(&e, &error));
  cr_assert(e.markers == 0 && e.heap_max_bytes == 0 && !e.engine && !e.policy && !e.verify &&
            !e.stress);
  cr_assert(e.huge_pages);
  static const char *const good[][2] = {{"TIDE_MARKERS", "3"},          {"TIDE_CPUS", "1000"},
                                        {"TIDE_HEAP_MAX", "2G"},        {"TIDE_ENGINE", "abp"},
                                        {"TIDE_POLICY", "best-of-two"}, {"TIDE_VERIFY", "1"},
                                        {"TIDE_STRESS", "12"},          {"TIDE_LOG", "0"},
                                        {"TIDE_HUGE_PAGES", "0"}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    setenv(good[i][0], good[i][1], 1);
  cr_assert(td_environment_read(&e, &error));
  cr_assert_eq(e.markers, 3);
  cr_assert_eq(e.cpus, 1000);
  cr_assert_eq(e.heap_max_bytes, (size_t)2 << 30);
  cr_assert_str_eq(e.engine, "abp");
  cr_assert_str_eq(e.policy, "best-of-two");
  cr_assert(e.verify && !e.log && !e.huge_pages);
  setenv("TIDE_HUGE_PAGES", "1", 1);
  cr_assert(td_environment_read(&e, &error) && e.huge_pages);
  cr_assert_eq(e.stress, 12);
  setenv("TIDE_HEAP_MAX", "3145728", 1);
  cr_assert(td_environment_read(&e, &error));
  cr_assert_eq(e.heap_max_bytes, (size_t)3 << 20);
}

/* It takes a kilobyte for each 64 KiB that is reserved: a minute for some dozen GiB. */
Test(environment, memcheck_is_spared_a_large_range) {
  setenv("LD_PRELOAD", "/lib/vgpreload_core-x.so:/lib/vgpreload_memcheck-x.so", 1);
  struct tide_heap *heap = tide_heap_create(NULL, NULL);
  struct tide_heap_stats stats;
  tide_heap_stats(heap, &stats);
  cr_assert_leq(stats.heap_max_bytes, (size_t)2 << 30);
  cr_assert_leq(stats.reserved_bytes, (size_t)4 << 30);
  cr_assert_eq(tide_heap_destroy(heap), TIDE_OK);
}

Test(environment, options_win) {
  setenv("TIDE_HEAP_MAX", "8M", 1);
  setenv("TIDE_MARKERS", "3", 1);
  setenv("TIDE_ENGINE", "abp", 1);
  struct tide_options o;
  struct tide_advanced_options a;
  tide_options_init(&o);
  tide_advanced_options_init(&a);
  o.advanced = &a;
  for (int given = 0; given < 2; given++) {
    struct world w = world_with(o, TIDE_STACK_PRECISE);
    tide_collect(w.m);
    struct tide_cycle_stats cycle = cycle_of(w.heap);
    cr_assert_eq(stats_of(w.heap).heap_max_bytes, (uint64_t)(given ? 16 : 8) << 20);
    cr_assert_eq(cycle.markers, given ? 2 : 3);
    cr_assert_str_eq(cycle.engine, given ? "chase-lev" : "abp");
    world_end(&w);
    o.heap_max_bytes = (size_t)16 << 20;
    o.markers = 2;
    a.engine = "chase-lev";
  }
}

/* That each finds the same is for marking_graphs and marking_switch. */
HeapTest(engines, and_policies_can_be_changed_by_name) {
  struct tide_error error;
  cr_assert_eq(tide_heap_set_markers(w.heap, 1, &error), TIDE_OK);
  size_t count = 0;
  for (; tide_engine_name(count); count++) {
    cr_assert_not_null(tide_engine_text(count));
    cr_assert_eq(tide_heap_set_engine(w.heap, tide_engine_name(count), &error), TIDE_OK);
    cr_assert_eq(tide_collect(w.m), TIDE_OK);
    cr_assert_str_eq(cycle_of(w.heap).engine, tide_engine_name(count));
  }
  cr_assert_geq(count, 4);
  cr_assert_null(tide_engine_text(count));
  cr_assert_eq(tide_heap_set_engine(w.heap, "steam", &error), TIDE_ERROR_ARGUMENT);
  cr_assert_not_null(strstr(error.text, "steam"));
  cr_assert_not_null(strstr(error.text, "serial"), "it lists the names");
  cr_assert_eq(tide_heap_set_markers(w.heap, 0, &error), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_heap_set_markers(w.heap, 257, &error), TIDE_ERROR_ARGUMENT);
  for (count = 0; tide_policy_name(count); count++)
    cr_assert_eq(tide_heap_set_policy(w.heap, tide_policy_name(count), &error), TIDE_OK);
  cr_assert_eq(count, 2);
  cr_assert_null(tide_policy_name(SIZE_MAX));
  cr_assert_eq(tide_heap_set_policy(w.heap, "diplomacy", &error), TIDE_ERROR_ARGUMENT);
  cr_assert_not_null(strstr(error.text, "diplomacy"));
  cr_assert_not_null(strstr(error.text, "best-of-two"), "it lists the names");
  cr_assert_eq(tide_heap_set_policy(w.heap, NULL, &error), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_heap_set_policy(w.heap, "random", NULL), TIDE_OK);
}
