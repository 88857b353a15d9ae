/* SPDX-License-Identifier: MIT */
/* The table of layouts: equal descriptions share a number, others do not. */
#include "tests/unit/heap/common.h"

static struct td_layouts table;

static void begin(void) {
  struct td_layout *at = calloc(TIDE_LAYOUT_MAX, sizeof *at);
  cr_assert(at);
  td_layouts_init(&table, at);
}

static void end(void) {
  struct td_layout *at = table.at;
  td_layouts_deinit(&table);
  free(at);
}

TestSuite(layout, .init = begin, .fini = end);

static void trace_a(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  (void)object, (void)bytes, (void)tracer, (void)context;
}
static void trace_b(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  trace_a(object, bytes, tracer, context);
}

Test(layout, equal_descriptions_share_a_number) {
  uint64_t bits[] = {5, 1}, same_bits[] = {5, 1}, other_bits[] = {5, 3};
  int a, b;
  const struct td_layout all[] = {
      {.kind = TD_KIND_BITMAP, .map = 5},
      {.kind = TD_KIND_BITMAP, .map = 4},
      {.kind = TD_KIND_PREFIXED, .map = 5},
      {.kind = TD_KIND_PREFIXED, .map = 4},
      {.kind = TD_KIND_BITMAP_LONG, .words = 70, .bits = bits},
      {.kind = TD_KIND_BITMAP_LONG, .words = 71, .bits = bits},
      {.kind = TD_KIND_BITMAP_LONG, .words = 70, .bits = other_bits},
      {.kind = TD_KIND_TRACED, .trace = trace_a},
      {.kind = TD_KIND_TRACED, .trace = trace_b},
      {.kind = TD_KIND_TRACED, .trace = trace_a, .context = &a},
      {.kind = TD_KIND_TRACED, .trace = trace_a, .context = &b},
  };
  enum { COUNT = sizeof all / sizeof *all };
  for (unsigned i = 0; i < COUNT; i++)
    cr_assert_eq(td_layouts_intern(&table, &all[i]), TD_LAYOUT_FIRST_FREE + i);
  for (unsigned i = COUNT; i-- > 0;)
    cr_assert_eq(td_layouts_intern(&table, &all[i]), TD_LAYOUT_FIRST_FREE + i);
  struct td_layout again = {.kind = TD_KIND_BITMAP_LONG, .words = 70, .bits = same_bits};
  cr_assert_eq(td_layouts_intern(&table, &again), TD_LAYOUT_FIRST_FREE + 4, "compared by content");
  cr_assert_eq(table.count, TD_LAYOUT_FIRST_FREE + COUNT);
}

Test(layout, long_bitmaps_are_copied_and_name_themselves) {
  uint64_t bits[TIDE_LAYOUT_WORDS_MAX / 64];
  memset(bits, 0xa5, sizeof bits);
  struct td_layout wanted = {
      .kind = TD_KIND_BITMAP_LONG, .words = TIDE_LAYOUT_WORDS_MAX, .bits = bits};
  tide_layout number = td_layouts_intern(&table, &wanted);
  memset(bits, 0, sizeof bits);
  cr_assert_neq(table.at[number].bits, bits);
  cr_assert_eq(table.at[number].map, number);
  for (size_t i = 0; i < TIDE_LAYOUT_WORDS_MAX / 64; i++)
    cr_assert_eq(table.at[number].bits[i], UINT64_C(0xa5a5a5a5a5a5a5a5));
}

Test(layout, public_ones_are_there_from_the_start) {
  cr_assert_eq(table.at[TIDE_LAYOUT_LEAF].kind, TD_KIND_LEAF);
  cr_assert_eq(table.at[TIDE_LAYOUT_REFS].kind, TD_KIND_REFS);
  cr_assert_eq(table.at[TIDE_LAYOUT_CONSERVATIVE].kind, TD_KIND_CONSERVATIVE);
  struct td_layout refs = {.kind = TD_KIND_REFS};
  cr_assert_eq(td_layouts_intern(&table, &refs), TIDE_LAYOUT_REFS);
}

Test(layout, a_full_table_knows_what_it_has_and_refuses_more) {
  struct td_layout wanted = {.kind = TD_KIND_BITMAP};
  for (uint32_t i = TD_LAYOUT_FIRST_FREE; i < TIDE_LAYOUT_MAX; i++) {
    wanted.map = i;
    cr_assert_eq(td_layouts_intern(&table, &wanted), i);
  }
  wanted.map = TIDE_LAYOUT_MAX;
  cr_assert_eq(td_layouts_intern(&table, &wanted), TIDE_LAYOUT_INVALID);
  wanted.map = TD_LAYOUT_FIRST_FREE;
  cr_assert_eq(td_layouts_intern(&table, &wanted), TD_LAYOUT_FIRST_FREE);
}
