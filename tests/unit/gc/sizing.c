/* SPDX-License-Identifier: MIT */
/* How large a heap may get before the next full collection. */
#include "gc/when/when.h"

#include <criterion/criterion.h>

static struct td_when make(enum tide_sizing kind) {
  return (struct td_when){.sizing = {.kind = kind,
                                     .growth_factor = 2,
                                     .adaptive_cost = TD_ADAPTIVE_COST_DEFAULT,
                                     .initial_blocks = 100,
                                     .max_blocks = 100000}};
}

/* After a full collection. */
static uint32_t next(struct td_when *when, struct td_facts facts) {
  facts.kind = TIDE_CYCLE_FULL;
  return td_when_next(when, &facts);
}

/* One collection, which takes as long as the program before it. Nothing is fragmented. */
Test(sizing, the_budget_is_a_function_of_what_lives_and_of_what_is_read) {
  enum { DEFAULT = TIDE_SIZING_DEFAULT, GROWTH = TIDE_SIZING_GROWTH, MIB = 16 };
  static const struct {
    int kind;
    bool young;
    double factor;
    uint32_t initial, live, roots, allocated, least, most; /* blocks */
  } rows[] = {
      {GROWTH, false, 2, 100, 0, 0, 0, 100, 100},
      {GROWTH, false, 2, 100, 1000, 0, 0, 2000, 2001},
      {GROWTH, false, 2, 100, 90000, 0, 0, 100000, 100000},
      {GROWTH, false, 1.5, 100, 1000, 400, 0, 1700, 1701},
      {TIDE_SIZING_WEIGHTED, false, 2, 1, 30, 0, 0, 68, 69}, /* a quarter more: it is small */
      {TIDE_SIZING_FIXED, false, 2, 100, 0, 0, 0, 100000, 100000},
      /* A root of what was allocated and lives, up to a bound, or growth. */
      {DEFAULT, false, 2, 4 * MIB, 0, 0, 0, 4 * MIB, 5 * MIB - 1},
      {DEFAULT, false, 2, 4 * MIB, 1 * MIB, 0, 1 * MIB, 23 * MIB, 24 * MIB - 1},
      {DEFAULT, false, 2, 4 * MIB, 8 * MIB, 0, 8 * MIB, 71 * MIB, 72 * MIB - 1},
      {DEFAULT, false, 2, 4 * MIB, 32 * MIB, 0, 32 * MIB, 104 * MIB, 105 * MIB - 1},
      {DEFAULT, false, 2, 4 * MIB, 80 * MIB, 0, 80 * MIB, 160 * MIB, 161 * MIB - 1},
      {DEFAULT, false, 2, 4 * MIB, 1 * MIB, 0, 4 * MIB, 45 * MIB, 46 * MIB - 1},
      {DEFAULT, false, 2, 4 * MIB, 32 * MIB, 0, 128 * MIB, 104 * MIB, 105 * MIB - 1},
      {DEFAULT, false, 2, 4 * MIB, 200 * MIB, 0, 800 * MIB, 400 * MIB, 401 * MIB - 1},
      {DEFAULT, false, 2, 4 * MIB, 32 * MIB, 0, 0, 64 * MIB, 65 * MIB - 1},
      /* With young collections the first 96 MiB grow by 1.6, unless the embedder has chosen. */
      {DEFAULT, true, 0, 100, 8 * MIB, 0, 8 * MIB, 40 * MIB, 41 * MIB - 1},
      {DEFAULT, true, 0, 100, 60 * MIB, 0, 60 * MIB, 96 * MIB, 97 * MIB - 1},
      {DEFAULT, true, 0, 100, 100 * MIB, 0, 100 * MIB, 161 * MIB, 162 * MIB - 1},
      {DEFAULT, true, 0, 100, 208 * MIB, 0, 208 * MIB, 377 * MIB, 378 * MIB - 1},
      {DEFAULT, true, 0, 100, 400 * MIB, 0, 400 * MIB, 761 * MIB, 762 * MIB - 1},
      {DEFAULT, true, 3, 100, 100 * MIB, 0, 100 * MIB, 300 * MIB, 301 * MIB - 1},
      {GROWTH, true, 0, 100, 100 * MIB, 0, 100 * MIB, 200 * MIB, 201 * MIB - 1},
      {GROWTH, true, 1.5, 100, 100 * MIB, 0, 100 * MIB, 150 * MIB, 151 * MIB - 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct td_when when = make((enum tide_sizing)rows[i].kind);
    when.sizing.young = rows[i].young;
    when.sizing.growth_factor = rows[i].factor;
    when.sizing.initial_blocks = rows[i].initial;
    struct td_facts facts = {.live_bytes = rows[i].live * TD_BLOCK_BYTES,
                             .root_bytes = rows[i].roots * TD_BLOCK_BYTES,
                             .used_blocks = rows[i].live,
                             .collect_ns = 1000000,
                             .mutator_ns = 1000000,
                             .allocated_bytes = rows[i].allocated * TD_BLOCK_BYTES};
    uint32_t budget = next(&when, facts);
    cr_assert(budget >= rows[i].least && budget <= rows[i].most, "row %zu: %u", i, budget);
  }
}

/* The same live bytes, with more and more of them in leaves; the factor's room is as large as what
 * is read, and a large heap gets 1 MiB on top. */
Test(sizing, scanned_room_goes_by_what_is_read) {
  uint32_t extra = (1 << 20) / TD_BLOCK_BYTES;
  for (uint32_t leaves = 0; leaves <= 1000; leaves += 100) {
    struct td_when when = make(TIDE_SIZING_WEIGHTED);
    struct td_facts facts = {.live_bytes = 1000 * TD_BLOCK_BYTES,
                             .leaf_bytes = leaves * TD_BLOCK_BYTES,
                             .used_blocks = 1000};
    uint32_t room = next(&when, facts) - 1000, read = 1000 - leaves / 2;
    cr_assert(room + 1 >= read + extra && room <= read + extra + 1, "%u leaves: %u", leaves, room);
  }
}

Test(sizing, a_root_is_half_as_dear_as_a_word_of_an_object) {
  struct td_facts facts = {.live_bytes = 1000 * TD_BLOCK_BYTES, .used_blocks = 1000};
  struct td_when without = make(TIDE_SIZING_WEIGHTED), with = without;
  uint32_t budget = next(&without, facts);
  facts.root_bytes = 400 * TD_BLOCK_BYTES;
  cr_assert_eq(next(&with, facts), budget + 200);
}

/* Nearly all blocks hold something, of sizes that are not asked for: once that has shown, the room
 * is one of whole blocks. */
Test(sizing, a_small_heap_without_whole_blocks_gets_some) {
  struct td_when when = make(TIDE_SIZING_DEFAULT);
  struct td_facts facts = {.live_bytes = 3 * TD_BLOCK_BYTES,
                           .used_blocks = 95,
                           .freed_blocks = 5,
                           .collect_ns = 60000,
                           .mutator_ns = 200000,
                           .allocated_bytes = 5 * TD_BLOCK_BYTES};
  uint32_t budget = 0;
  for (int i = 0; i < 10; i++)
    budget = next(&when, facts);
  cr_assert(budget > 95 + 50 && budget < 95 + 150, "%u", budget);
}

/* Of many kinds and sizes: few blocks hold anything afterwards, but each of them wants one. */
Test(sizing, a_heap_whose_blocks_held_little_gets_more) {
  struct td_facts facts = {
      .used_blocks = 7, .freed_blocks = 93, .budget_blocks = 100, .allocated_bytes = 10000};
  struct td_when when = make(TIDE_SIZING_WEIGHTED), much = when, asked = when;
  cr_assert_eq(next(&when, facts), 112);
  facts.asked = true;
  cr_assert_eq(next(&asked, facts), 100);
  facts.asked = false;
  facts.allocated_bytes = 50 * TD_BLOCK_BYTES;
  cr_assert_eq(next(&much, facts), 100);
}

Test(sizing, a_fragmented_heap_gets_whole_blocks_if_its_room_was_of_no_use) {
  struct td_when when = make(TIDE_SIZING_GROWTH);
  struct td_facts facts = {.live_bytes = 4000 * TD_BLOCK_BYTES, .used_blocks = 8000};
  next(&when, facts);
  facts.allocated_bytes = 1000 * TD_BLOCK_BYTES;
  cr_assert_gt(next(&when, facts), 8000 + 500);
}

static void expect_bound(enum tide_sizing kind) {
  struct td_when when = make(kind);
  struct td_facts facts = {
      .live_bytes = 2000 * TD_BLOCK_BYTES, .used_blocks = 2000, .collect_ns = 1000};
  for (int i = 0; i < 20; i++) {
    uint32_t budget = next(&when, facts);
    cr_assert_leq(budget, 4001);
    facts.used_blocks = budget; /* and no block became empty, but every cell was used */
    facts.allocated_bytes = ((uint64_t)budget * TD_BLOCK_BYTES - facts.live_bytes);
    facts.mutator_ns = 1000;
  }
}

Test(sizing, a_fragmented_heap_does_not_grow_for_ever) {
  expect_bound(TIDE_SIZING_DEFAULT);
  expect_bound(TIDE_SIZING_GROWTH);
}

/* Half of the cells are free, and next to none of them is of a size that is asked for. */
Test(sizing, a_growing_heap_gets_the_room_that_its_factor_promises) {
  struct td_when when = make(TIDE_SIZING_GROWTH);
  struct td_facts facts = {.live_bytes = 1000 * TD_BLOCK_BYTES, .used_blocks = 2000};
  uint32_t budget = next(&when, facts);
  for (int i = 0; i < 10; i++) {
    facts.allocated_bytes = (uint64_t)(budget - 2000) * TD_BLOCK_BYTES;
    facts.freed_blocks = budget - 2000;
    budget = next(&when, facts);
  }
  cr_assert(budget > 2900 && budget <= 3001, "%u", budget);
}

/* Nothing tells that what was free is of no use, where the program collects before it is used. */
Test(sizing, a_collection_that_was_asked_for_does_not_make_the_heap_grow) {
  static const enum tide_sizing kinds[] = {TIDE_SIZING_DEFAULT, TIDE_SIZING_GROWTH,
                                           TIDE_SIZING_WEIGHTED};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    struct td_when when = make(kinds[i]), early;
    struct td_facts facts = {.live_bytes = 1000 * TD_BLOCK_BYTES, .used_blocks = 3000};
    uint32_t budget = next(&when, facts);
    early = when;
    facts.allocated_bytes = 10 * TD_BLOCK_BYTES;
    for (int times = 0; times < 5; times++)
      next(&early, facts);
    cr_assert_gt(next(&early, facts), budget);
    facts.asked = true;
    for (int times = 0; times < 5; times++)
      cr_assert_eq(next(&when, facts), budget);
  }
}

/* What was used nevertheless was of use. */
Test(sizing, a_collection_that_was_asked_for_tells_what_could_be_used) {
  struct td_when when = make(TIDE_SIZING_GROWTH);
  struct td_facts facts = {.live_bytes = 1000 * TD_BLOCK_BYTES, .used_blocks = 2000};
  next(&when, facts);
  for (int i = 0; i < 10; i++)
    next(&when, facts); /* nothing of it was of use */
  double before = when.sizing.unusable;
  facts.asked = true;
  facts.allocated_bytes = 900 * TD_BLOCK_BYTES;
  next(&when, facts);
  cr_assert_lt(when.sizing.unusable, before);
}

Test(sizing, a_growing_heap_uses_its_memory_while_that_is_kept) {
  struct td_when when = make(TIDE_SIZING_GROWTH);
  struct td_facts large = {.live_bytes = 5000 * TD_BLOCK_BYTES, .used_blocks = 5000};
  struct td_facts small = {.live_bytes = 10 * TD_BLOCK_BYTES, .used_blocks = 10};
  uint32_t budget = next(&when, large);
  cr_assert_geq(budget, 10000);
  for (unsigned i = 1; i < TD_KEEP_CYCLES; i++) {
    cr_assert_eq(next(&when, small), budget);
    cr_assert_eq(td_sizing_keep(&when.sizing), budget);
  }
  cr_assert_eq(next(&when, small), when.sizing.initial_blocks);
  cr_assert_eq(td_sizing_keep(&when.sizing), when.sizing.initial_blocks);
}

Test(sizing, adaptive_room_grows_with_the_square_root_of_the_allocation_rate) {
  struct td_facts facts = {.live_bytes = (size_t)1000 << 20,
                           .used_blocks = 16000,
                           .collect_ns = 1000000000,
                           .mutator_ns = 1000000000,
                           .allocated_bytes = (uint64_t)1000 << 20};
  struct td_when slow = make(TIDE_SIZING_ADAPTIVE), fast = slow;
  double room_slow = (double)next(&slow, facts) - 16000;
  facts.allocated_bytes *= 4;
  double room_fast = (double)next(&fast, facts) - 16000;
  /* room = sqrt(1000 MiB * 1 / 0.005 per MiB) = 447 MiB = 7155 blocks, then twice as much */
  cr_assert_float_eq(room_slow, 7155, 20);
  cr_assert_float_eq(room_fast / room_slow, 2.0, 0.01);
}

Test(sizing, adaptive_without_figures_is_no_disaster) {
  struct td_when when = make(TIDE_SIZING_ADAPTIVE);
  cr_assert_eq(next(&when, (struct td_facts){0}), 100);
  cr_assert_geq(next(&when, (struct td_facts){.live_bytes = 1}), 100);
}
