/* SPDX-License-Identifier: MIT */
#include "bench/report/svg.h"

#include <inttypes.h>
#include <math.h>

#include "bench/report/html.h"

/* Narrow enough for a telephone: names stand above what they name, and wide windows do not enlarge
 * a picture much. */
#define WIDTH 480.0
#define LABEL_WIDTH 64.0 /* to the left of lanes and of the frontier */
#define NOTE_WIDTH 116.0 /* to the right of lanes */
#define MARGIN 12.0
#define BAR_WIDTH (WIDTH - 2 * MARGIN)
#define LANE_WIDTH (WIDTH - LABEL_WIDTH - NOTE_WIDTH)
#define ROW_HEIGHT 34.0

const char *td_svg_colour(size_t index) {
  static const char *const colours[] = {"var(--e0)", "var(--e1)", "var(--e2)", "var(--e3)",
                                        "var(--e4)", "var(--e5)", "var(--e6)", "var(--e7)",
                                        "var(--e8)", "var(--e9)"};
  return colours[index % (sizeof colours / sizeof colours[0])];
}

/* As a path around (0, 0), in a square of ten. There are seven, and ten colours, so that seventy
 * engines differ. */
static const char *shape_of(size_t index) {
  static const char *const shapes[] = {"M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
                                       "M-4.5-4.5h9v9h-9z",
                                       "M0-5.5L5.5 4.5h-11z",
                                       "M0-6L6 0L0 6L-6 0z",
                                       "M0 5.5L5.5-4.5h-11z",
                                       "M-2-5.5h4v3.5h3.5v4h-3.5v3.5h-4v-3.5h-3.5v-4h3.5z",
                                       "M-6-2.5h12v5h-12z"};
  return shapes[index % (sizeof shapes / sizeof shapes[0])];
}

void td_svg_mark(FILE *out, size_t index) {
  fprintf(out,
          "<svg class=\"mark\" viewBox=\"-7 -7 14 14\" aria-hidden=\"true\"><path d=\"%s\" "
          "style=\"fill:%s\"/></svg>",
          shape_of(index), td_svg_colour(index));
}

static void begin(FILE *out, const char *title, double height) {
  fprintf(out, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\"><title>", WIDTH, height);
  td_html_text(out, title);
  fputs("</title>\n", out);
}

static void put_text(FILE *out, double x, double y, const char *class, const char *text) {
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
  td_html_text(out, text);
  fputs("</text>\n", out);
}

static void put_line(FILE *out, double x1, double y1, double x2, double y2, const char *class) {
  fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1, x2,
          y2, class);
}

static void put_box(FILE *out, double x, double y, double width, double height,
                    const char *colour) {
  if (width > 0)
    fprintf(out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" style=\"fill:%s\"/>\n",
            x, y, width, height, colour);
}

/* The round number 1, 2 or 5 times a power of ten that cuts [0, top] into four to nine parts. */
static double step_for(double top) {
  double power = pow(10, floor(log10(top)));
  double lead = top / power;
  return lead >= 8 ? 2 * power : lead >= 4 ? power : lead >= 2 ? power / 2 : power / 5;
}

/* ---- Bars ------------------------------------------------------------------------------ */

static void put_axis(FILE *out, double top, double height) {
  char text[32];
  double step = step_for(top);
  for (double v = 0; v <= top * 1.0001; v += step) {
    double x = MARGIN + v / top * BAR_WIDTH;
    put_line(out, x, 2, x, height - 18, "grid");
    snprintf(text, sizeof text, "%.6g", v);
    put_text(out, x, height - 4, "tick", text);
  }
}

static void put_bar(FILE *out, const struct td_bar *bar, double y, double top) {
  double scale = BAR_WIDTH / top;
  put_text(out, MARGIN, y + 12, "start", bar->label);
  put_box(out, MARGIN, y + 16, bar->value * scale, 13, bar->colour);
  double low = MARGIN + bar->low * scale, high = MARGIN + bar->high * scale;
  put_line(out, low, y + 22, high, y + 22, "whisker");
  put_line(out, low, y + 19, low, y + 25, "whisker");
  put_line(out, high, y + 19, high, y + 25, "whisker");
  char text[96];
  snprintf(text, sizeof text, "%.2f (%.2f–%.2f)", bar->value, bar->low, bar->high);
  put_text(out, WIDTH - MARGIN, y + 12, "end", text);
}

void td_svg_bars(FILE *out, const char *title, const struct td_bar *bars, size_t count) {
  double top = 0, height = 24;
  for (size_t i = 0; i < count; i++) {
    if (bars[i].high > top) top = bars[i].high;
    height += ROW_HEIGHT + (bars[i].gap_before ? 7 : 0);
  }
  if (!(top > 0)) return;
  begin(out, title, height);
  put_axis(out, top, height);
  double y = 2;
  for (size_t i = 0; i < count; i++) {
    if (bars[i].gap_before) y += 7;
    put_bar(out, &bars[i], y, top);
    y += ROW_HEIGHT;
  }
  fputs("</svg>\n", out);
}

/* ---- Dots ------------------------------------------------------------------------------ */

static double dot_place(double value, double low, double high) {
  return MARGIN + log(value / low) / log(high / low) * (WIDTH - 2 * MARGIN);
}

static void put_log_axis(FILE *out, double low, double high, double height) {
  static const double steps[] = {0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 20, 30, 50, 100};
  char text[32];
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    if (steps[i] < low || steps[i] > high) continue;
    double x = dot_place(steps[i], low, high);
    put_line(out, x, 2, x, height - 18, steps[i] == 1 ? "one" : "grid");
    snprintf(text, sizeof text, "%g ×", steps[i]);
    put_text(out, x, height - 4, "tick", text);
  }
}

/* Engines stand a little above each other, so that their whiskers can be told apart. */
static void put_dot(FILE *out, const struct td_dots *dots, size_t index, const struct td_dot *dot,
                    double y, double low, double high) {
  const char *colour = td_svg_colour(index);
  fprintf(out,
          "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" style=\"stroke:%s\" "
          "stroke-width=\"2\"/>\n",
          dot_place(dot->low, low, high), y, dot_place(dot->high, low, high), y, colour);
  fprintf(out,
          "<path transform=\"translate(%.1f %.1f)\" d=\"%s\" style=\"fill:%s;stroke:%s\" "
          "stroke-width=\"2\"><title>",
          dot_place(dot->value, low, high), y, shape_of(index), dot->open ? "var(--paper)" : colour,
          colour);
  td_html_text(out, dots->name);
  fprintf(out, ": %.2f × (quartiles %.2f–%.2f)%s%s</title></path>\n", dot->value, dot->low,
          dot->high, dot->open ? ", cannot be told apart from 1" : "",
          dot->unsure ? ", not known to 5 % by these rounds" : "");
}

static bool is_drawn(const struct td_dot *dot) {
  return isfinite(dot->value) && dot->value > 0 && dot->low > 0 && isfinite(dot->high);
}

void td_svg_dots(FILE *out, const char *title, const char *const *categories, size_t category_count,
                 const struct td_dots *dots, size_t count) {
  double low = 0.8, high = 1.25, step = 30 + 4 * (double)count;
  double height = 26 + step * (double)category_count;
  for (size_t i = 0; i < count * category_count; i++) {
    const struct td_dot *dot = &dots[i / category_count].at[i % category_count];
    if (!is_drawn(dot)) continue;
    low = fmin(low, dot->low / 1.15);
    high = fmax(high, dot->high * 1.15);
  }
  begin(out, title, height);
  put_log_axis(out, low, high, height);
  for (size_t c = 0; c < category_count; c++) {
    double top = step * (double)c, y = top + 18 + (step - 18) / 2;
    put_text(out, MARGIN, top + 12, "start", categories[c]);
    put_line(out, MARGIN, y, WIDTH - MARGIN, y, "grid");
    for (size_t i = 0; i < count; i++)
      if (is_drawn(&dots[i].at[c]))
        put_dot(out, &dots[i], i, &dots[i].at[c], y + 4 * ((double)i - ((double)count - 1) / 2),
                low, high);
  }
  fputs("</svg>\n", out);
}

/* ---- Lanes ----------------------------------------------------------------------------- */

static void put_lane(FILE *out, const struct td_lane *lane, double y, double total_ns) {
  double scale = LANE_WIDTH / total_ns;
  put_text(out, LABEL_WIDTH - 8, y + 15, "name", lane->label);
  put_box(out, LABEL_WIDTH, y + 3, LANE_WIDTH, 16, TD_SVG_AWAY);
  if (lane->took_part) {
    double x = LABEL_WIDTH + lane->started_ns * scale;
    double parts = lane->roots_ns + lane->trace_ns + lane->idle_ns;
    double span = (lane->ended_ns - lane->started_ns) * scale;
    double unit = parts > 0 ? span / parts : 0;
    put_box(out, x, y + 3, lane->roots_ns * unit, 16, TD_SVG_ROOTS);
    put_box(out, x + lane->roots_ns * unit, y + 3, lane->trace_ns * unit, 16, TD_SVG_TRACE);
    put_box(out, x + (lane->roots_ns + lane->trace_ns) * unit, y + 3, lane->idle_ns * unit, 16,
            TD_SVG_IDLE);
  }
  put_text(out, LABEL_WIDTH + LANE_WIDTH + 8, y + 15, "value", lane->note);
}

void td_svg_lanes(FILE *out, const char *title, const struct td_lane *lanes, size_t count,
                  double total_ns) {
  if (!(total_ns > 0)) return;
  double height = 24 * (double)count + 22;
  begin(out, title, height);
  for (size_t i = 0; i < count; i++)
    put_lane(out, &lanes[i], 24 * (double)i, total_ns);
  char text[32];
  for (int quarter = 0; quarter <= 4; quarter++) {
    double x = LABEL_WIDTH + LANE_WIDTH * quarter / 4;
    snprintf(text, sizeof text, "%.3g ms", total_ns * quarter / 4e6);
    put_line(out, x, 0, x, height - 18, "grid");
    put_text(out, x, height - 4, "tick", text);
  }
  fputs("</svg>\n", out);
}

/* ---- Frontier -------------------------------------------------------------------------- */

void td_svg_frontier(FILE *out, const char *title, const double *width, unsigned points,
                     uint64_t levels) {
  double widest = 2, height = 110, base = height - 20;
  for (unsigned i = 0; i < points; i++)
    widest = fmax(widest, width[i]);
  begin(out, title, height);
  char text[64];
  /* One object stands a little above the base, so that a list is a line and not nothing. */
  double decades = ceil(log10(widest)), unit = (base - 12) / (decades > 0 ? decades : 1);
  for (double d = 0; d <= decades; d += decades > 4 ? 2 : 1) {
    double y = base - 6 - d * unit;
    put_line(out, LABEL_WIDTH, y, WIDTH - MARGIN, y, "grid");
    snprintf(text, sizeof text, "%.0f", pow(10, d));
    put_text(out, LABEL_WIDTH - 8, y + 4, "name", text);
  }
  double step = points ? (WIDTH - MARGIN - LABEL_WIDTH) / points : 0;
  for (unsigned i = 0; i < points; i++) {
    double tall = width[i] >= 1 ? 6 + log10(width[i]) * unit : 3;
    put_box(out, LABEL_WIDTH + i * step, base - tall, step > 3 ? step - 1 : step, tall,
            "var(--frontier)");
  }
  put_line(out, LABEL_WIDTH, base, WIDTH - MARGIN, base, "whisker");
  put_text(out, LABEL_WIDTH, height - 4, "start", "the roots' objects");
  snprintf(text, sizeof text, "level %" PRIu64, levels);
  put_text(out, WIDTH - MARGIN, height - 4, "end", text);
  fputs("</svg>\n", out);
}

/* ---- Latency --------------------------------------------------------------------------- */

#define LATENCY_HEIGHT 300.0
#define POINTS_BETWEEN_MARKS 6u

/* The plane of a picture: both logarithms, and how many pixels one of them is. */
struct plane {
  double x_from, x_to, y_from, y_to, x_unit, y_unit;
};

static bool has_point(const struct td_series *curve, size_t i) {
  return curve->x[i] > 0 && curve->y[i] > 0;
}

static double plane_x(const struct plane *plane, double x) {
  return LABEL_WIDTH + (log10(x) - plane->x_from) * plane->x_unit;
}

static double plane_y(const struct plane *plane, double y) {
  return LATENCY_HEIGHT - 22 - (log10(y) - plane->y_from) * plane->y_unit;
}

/* From the median to the longest operation, and whole decades of time. */
static struct plane plane_of(const struct td_series *curves, size_t count) {
  struct plane plane = {log10(2), 1, INFINITY, -INFINITY, 0, 0};
  for (size_t c = 0; c < count; c++)
    for (size_t i = 0; i < curves[c].count; i++) {
      if (!has_point(&curves[c], i)) continue;
      plane.x_to = fmax(plane.x_to, log10(curves[c].x[i]));
      plane.y_from = fmin(plane.y_from, floor(log10(curves[c].y[i])));
      plane.y_to = fmax(plane.y_to, ceil(log10(curves[c].y[i])));
    }
  plane.y_to = fmax(plane.y_to, plane.y_from + 1);
  plane.x_unit = (WIDTH - MARGIN - LABEL_WIDTH) / (plane.x_to - plane.x_from);
  plane.y_unit = (LATENCY_HEIGHT - 30) / (plane.y_to - plane.y_from);
  return plane;
}

static void put_latency_axes(FILE *out, const struct plane *plane) {
  static const char *const units[] = {"ns", "µs", "ms", "s"};
  double left = LABEL_WIDTH, base = plane_y(plane, pow(10, plane->y_from));
  char text[32];
  for (double d = plane->y_from; d <= plane->y_to; d++) {
    double y = plane_y(plane, pow(10, d)), unit = fmax(0, fmin(3, floor(d / 3) + 1));
    put_line(out, left, y, WIDTH - MARGIN, y, "grid");
    snprintf(text, sizeof text, "%.0f %s", pow(10, d - 3 * unit + 3), units[(size_t)unit]);
    put_text(out, left - 8, y + 4, "name", text);
  }
  put_text(out, left, LATENCY_HEIGHT - 4, "tick", "50 %");
  for (double d = 1; d <= plane->x_to; d += plane->x_to > 7 ? 2 : 1) {
    double x = plane_x(plane, pow(10, d));
    put_line(out, x, 8, x, base, "grid");
    snprintf(text, sizeof text, "%.*f", (int)fmax(0, d - 2), 100 - pow(10, 2 - d));
    if (x < WIDTH - 2 * MARGIN) put_text(out, x, LATENCY_HEIGHT - 4, "tick", text);
  }
}

static void put_curve(FILE *out, const struct td_series *curve, size_t index,
                      const struct plane *plane) {
  const char *colour = td_svg_colour(index), *step = "M";
  fputs("<path class=\"curve\" d=\"", out);
  for (size_t i = 0; i < curve->count; i++) {
    if (!has_point(curve, i)) continue;
    fprintf(out, "%s%.1f %.1f", step, plane_x(plane, curve->x[i]), plane_y(plane, curve->y[i]));
    step = "L";
  }
  fprintf(out, "\" style=\"stroke:%s\"/>\n", colour);
  for (size_t i = 0; i < curve->count; i++) {
    bool longest = i + 1 == curve->count;
    if (!has_point(curve, i) ||
        (i % POINTS_BETWEEN_MARKS != index % POINTS_BETWEEN_MARKS && !longest))
      continue;
    fprintf(out, "<path transform=\"translate(%.1f %.1f)\" d=\"%s\" style=\"fill:%s\"><title>",
            plane_x(plane, curve->x[i]), plane_y(plane, curve->y[i]), shape_of(index), colour);
    td_html_text(out, curve->name);
    if (longest)
      fprintf(out, ": the longest %.1f µs</title></path>\n", curve->y[i]);
    else
      fprintf(out, ": %.6g %% within %.1f µs</title></path>\n", 100 - 100 / curve->x[i],
              curve->y[i]);
  }
}

void td_svg_latency(FILE *out, const char *title, const struct td_series *curves, size_t count) {
  struct plane plane = plane_of(curves, count);
  if (!isfinite(plane.y_from)) return;
  begin(out, title, LATENCY_HEIGHT);
  put_latency_axes(out, &plane);
  for (size_t i = 0; i < count; i++)
    put_curve(out, &curves[i], i, &plane);
  fputs("</svg>\n", out);
}
