/* SPDX-License-Identifier: MIT */
/* The limit of a heap bounds its memory, not only what is in use. */
#include "tests/unit/gc/common.h"

#define LIMIT (64 * MIB)

static size_t resident_bytes(void) {
  unsigned long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  cr_assert_not_null(file);
  cr_assert_eq(fscanf(file, "%lu %lu", &pages, &resident), 2);
  fclose(file);
  return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static void *fill(struct world *w, size_t bytes) {
  void *object = tide_alloc(w->m, TIDE_LAYOUT_LEAF, bytes);
  cr_assert_not_null(object, "%zu bytes", bytes);
  memset(object, 1, bytes);
  return object;
}

/* Fills the heap with objects of a block, keeps every 16th of them, and fills it with objects that
 * do not fit in between: what is free lies scattered in slabs that are partly in use. Then small
 * ones again. Returns the most that was resident. */
static size_t churn(struct world *w) {
  enum { BLOCKS = 960, KEPT = BLOCKS / 16, LONG = 16 };
  void ***all = (void ***)tide_handle(w->m, NULL);
  size_t most = 0;
  for (int round = 0; round < 3; round++) {
    *all = (void **)tide_alloc_array(w->m, TIDE_LAYOUT_REFS, BLOCKS, sizeof(void *));
    for (int i = 0; i < BLOCKS; i++)
      (*all)[i] = fill(w, 65536);
    for (int i = 0; i < BLOCKS; i++)
      if (i % 16) (*all)[i] = NULL;
    cr_assert_eq(tide_collect(w->m), TIDE_OK);
    for (int i = 1; i <= LONG; i++)
      (*all)[i] = fill(w, 3 * MIB);
    size_t now = resident_bytes();
    if (now > most) most = now;
    *all = NULL;
  }
  return most;
}

static void expect_bounded(bool small_pages) {
  size_t before = resident_bytes();
  SCOPED_WORLD w = WORLD(.small_pages = small_pages, .heap_max_bytes = LIMIT);
  size_t most = churn(&w) - before;
  struct tide_heap_stats stats = stats_of(w.heap);
  cr_log_info("resident %zu KiB, committed %zu KiB", most >> 10,
              (size_t)stats.peak_committed_bytes >> 10);
#ifndef TD_SANITIZE_address /* has shadow memory for it */
  cr_assert_leq(most, LIMIT + LIMIT / 8, "%zu KiB", most >> 10);
#endif
  cr_assert_leq(stats.peak_committed_bytes, LIMIT + LIMIT / 8);
  expect_order(&w);
}

Test(resident, a_heap_with_huge_pages_keeps_to_its_limit) {
  expect_bounded(false);
}
Test(resident, a_heap_with_small_pages_keeps_to_its_limit) {
  expect_bounded(true);
}

static size_t huge_bytes(void) {
  char line[256];
  size_t kib = 0, all = 0;
  FILE *file = fopen("/proc/self/smaps", "r");
  cr_assert_not_null(file);
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "AnonHugePages: %zu", &kib) == 1) all += kib << 10;
  fclose(file);
  return all;
}

static struct world world_with_small_pages(size_t huge_pages_from) {
  return WORLD(.small_pages = true, .huge_pages_from = huge_pages_from,
               .heap_initial_bytes = LIMIT);
}

/* Fills `mib` MiB more, and looks how much of all is in huge pages. */
static void expect_huge(struct world *w, int mib, UNUSED size_t least, UNUSED size_t most) {
  for (int i = 0; i < mib * 1024; i++)
    fill(w, 1024);
#ifndef TD_SANITIZE_address /* its own memory changes */
  size_t huge = huge_bytes();
  cr_assert(huge >= least && huge <= most, "%zu", huge);
#endif
}

/* Nor for its marks: those of 20 MiB are 1.25 MiB. Says nothing where the system makes none. */
Test(resident, a_heap_with_small_pages_has_no_huge_ones) {
  size_t before = huge_bytes();
  SCOPED_WORLD w = world_with_small_pages(0);
  expect_huge(&w, 20, before, before);
}

/* A heap that may have huge pages behind its first 16 MiB has none before, and no more than what
 * lies behind. Says nothing of that part where the system makes none. */
Test(resident, huge_pages_begin_where_they_are_told_to) {
  size_t before = huge_bytes();
  SCOPED_WORLD w = world_with_small_pages(16 * MIB);
  expect_huge(&w, 14, before, before);
  expect_huge(&w, 24, 0, before + 24 * MIB);
}

#ifndef TD_SANITIZE_address /* has shadow memory for it */
/* An object of each size, each in a block of its own, costs pages and not blocks. */
Test(resident, few_objects_of_many_sizes_cost_their_pages) {
  SCOPED_WORLD w = WORLD(.small_pages = true);
  fill(&w, 16);
  size_t before = resident_bytes(), asked = 0;
  for (size_t bytes = 32; bytes <= 4096; bytes += bytes < 512 ? 16 : bytes / 4) {
    fill(&w, bytes);
    asked += bytes;
  }
  size_t cost = resident_bytes() - before;
  cr_assert_lt(cost, MIB, "%zu KiB for %zu KiB", cost >> 10, asked >> 10);
}
#endif
