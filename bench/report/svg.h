/* SPDX-License-Identifier: MIT */
/* The pictures of the report: SVG, written into the page itself.
 *
 * Every picture has a title for those who cannot see it. Text is escaped here. */
#ifndef TD_BENCH_REPORT_SVG_H
#define TD_BENCH_REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/cli/plot.h"

/* Parts of a lane. Colours are variables of the page's style, which has two sets of them. */
#define TD_SVG_ROOTS "var(--roots)"
#define TD_SVG_TRACE "var(--trace)"
#define TD_SVG_IDLE "var(--idle)"
#define TD_SVG_AWAY "var(--away)"

/* A colour for the n-th engine. */
const char *td_svg_colour(size_t index);
/* A mark of its colour and shape, for a key. */
void td_svg_mark(FILE *out, size_t index);

/* Horizontal bars from zero, linear, with a whisker from low to high and the value in words. */
struct td_bar {
  char label[64];
  const char *colour;
  double value, low, high;
  bool gap_before; /* a little space: another group begins */
};
void td_svg_bars(FILE *out, const char *title, const struct td_bar *bars, size_t count);

/* Points on a common logarithmic axis, a line of them per category, 1 marked, with the colour and
 * the shape of the series. A whisker reaches from low to high; an open dot is drawn hollow. */
struct td_dot {
  double value, low, high; /* value not finite: left out */
  bool open, unsure;
};
struct td_dots {
  const char *name;
  const struct td_dot *at; /* [category_count] */
};
void td_svg_dots(FILE *out, const char *title, const char *const *categories, size_t category_count,
                 const struct td_dots *dots, size_t count);

/* What markers did over time: a lane each, from 0 to total_ns. */
struct td_lane {
  char label[32];
  char note[64]; /* to the right of the lane */
  double started_ns, ended_ns;
  double roots_ns, trace_ns, idle_ns; /* shares of the time in between, in this order */
  bool took_part;
};
void td_svg_lanes(FILE *out, const char *title, const struct td_lane *lanes, size_t count,
                  double total_ns);

/* Width of the frontier, level by level, logarithmic from one object. */
void td_svg_frontier(FILE *out, const char *title, const double *width, unsigned points,
                     uint64_t levels);

/* Latency by percentile, both axes logarithmic: of x operations one took longer than y µs. Points
 * that are not positive are left out. */
void td_svg_latency(FILE *out, const char *title, const struct td_series *curves, size_t count);

#endif
