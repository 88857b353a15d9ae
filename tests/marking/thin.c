/* SPDX-License-Identifier: MIT */
/* Texts as a pager keeps them: each line knows the next one and the one before, and has parts of
 * other layouts, so that half of all references lead to marked objects. One text is followed all
 * the same: a frontier of a few objects makes no groups. Many texts are tested. */
#include "tests/marking/rig.h"

enum { LINES = 100000, PARTS = 3, TEXTS = 1000 };

struct line {
  void **part[PARTS]; /* come first, and are followed first */
  struct line *next, *before;
};

static struct rig r;
static tide_layout lines;
static struct line *text[TEXTS], *last[TEXTS]; /* their first and last lines: roots */

static void line_add(size_t i) {
  struct line *line = tide_alloc(r.m, lines, sizeof *line);
  CHECK(line);
  line->before = last[i];
  *(text[i] ? &last[i]->next : &text[i]) = line;
  last[i] = line;
  for (size_t p = 0; p < PARTS; p++) {
    CHECK(line->part[p] = tide_alloc(r.m, TIDE_LAYOUT_REFS, (p + 1) * sizeof(void *)));
    line->part[p][0] = line;
  }
}

/* Returns the part of all objects that were tested. */
static double part_tested(size_t texts) {
  memset(text, 0, sizeof text);
  memset(last, 0, sizeof last);
  for (size_t i = 0; i < LINES; i++)
    line_add(i % texts);
  memset(last, 0, sizeof last);
  CHECK(rig_collect(&r, "lines of texts") == (uint64_t)LINES * (1 + PARTS));
  return (double)r.marker[0].test_objects / (double)r.marked;
}

int main(void) {
  rig_open(&r, (size_t)256 << 20, 0, 0);
  const size_t at[] = {0, 8, 16, 24, 32};
  lines = tide_layout_offsets(r.heap, sizeof(struct line), at, 2 + PARTS, NULL);
  CHECK(lines);
  CHECK(tide_root_add_range(r.heap, (void **)text, TEXTS) == TIDE_OK);
  CHECK(tide_root_add_range(r.heap, (void **)last, TEXTS) == TIDE_OK);
  double one = part_tested(1), many = part_tested(TEXTS);
  printf("tested: %.2f of one text, %.2f of %d\n", one, many, TEXTS);
  CHECK(one < 0.05);
  CHECK(many > 0.5);
  rig_close(&r);
  return 0;
}
