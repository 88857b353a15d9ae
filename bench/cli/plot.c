/* SPDX-License-Identifier: MIT */
#include "bench/cli/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/child.h"
#include "bench/cli/complain.h"
#include "bench/cli/output.h"
#include "bench/cli/utf8.h"

#define CHART_WIDTH 1100u
#define CHART_HEIGHT 460u

/* ---- The script ------------------------------------------------------------------------ */

/* In gnuplot's single-quoted strings, two quotes stand for one. There are no other escapes. */
static void write_quoted(FILE *script, const char *text) {
  fputc('\'', script);
  uint32_t c;
  while (text && (c = td_utf8_next(&text)) != 0) {
    if (c == '\'') fputc('\'', script);
    td_utf8_put(td_utf8_is_plain(c) ? c : TD_UTF8_REPLACEMENT, script);
  }
  fputc('\'', script);
}

static void write_value(FILE *script, double value) {
  if (isfinite(value))
    fprintf(script, " %.9g", value);
  else
    fputs(" NaN", script);
}

static void write_points(FILE *script, const struct td_chart *chart, size_t index) {
  const struct td_series *series = &chart->series[index];
  fprintf(script, "$s%zu << TIDEMARK_END\n", index);
  for (size_t i = 0; i < series->count; i++) {
    write_value(script, chart->categories ? (double)i : series->x[i]);
    write_value(script, series->y[i]);
    write_value(script, series->low ? series->low[i] : series->y[i]);
    write_value(script, series->high ? series->high[i] : series->y[i]);
    fputc('\n', script);
  }
  fputs("TIDEMARK_END\n", script);
}

static void write_tics(FILE *script, const struct td_chart *chart) {
  if (!chart->categories) {
    fputs("set xtics auto; set xrange [*:*]\n", script);
    return;
  }
  fputs("set xtics (", script);
  for (size_t i = 0; i < chart->category_count; i++) {
    if (i) fputs(", ", script);
    write_quoted(script, chart->categories[i]);
    fprintf(script, " %zu", i);
  }
  fprintf(script, ") noenhanced rotate by -15 left\nset xrange [-0.6:%.1f]\n",
          (double)chart->category_count - 0.4);
}

/* A logarithmic axis has no zero for a bar to stand on: dots, of shapes that do without colours. */
static void write_bars(FILE *script, const struct td_chart *chart) {
  double width = 0.84 / (double)chart->series_count;
  fprintf(script, "set boxwidth %.6f\nset style fill solid 0.85 noborder\nplot ", width);
  for (size_t i = 0; i < chart->series_count; i++) {
    double shift = ((double)i - ((double)chart->series_count - 1) / 2) * width;
    fprintf(script, "%s$s%zu using ($1+%.6f):2 with ", i ? ", " : "", i, shift);
    if (chart->log_y)
      fprintf(script, "points pointtype %zu ", 5 + 2 * (i % 5));
    else
      fputs("boxes ", script);
    fprintf(script, "linecolor %zu title ", i + 1);
    write_quoted(script, chart->series[i].name);
    if (chart->series[i].low)
      fprintf(script,
              ", $s%zu using ($1+%.6f):3:(0):($4-$3) with vectors heads "
              "size screen 0.003,90 linecolor rgb '#404040' notitle",
              i, shift);
  }
  fputc('\n', script);
}

static void write_lines(FILE *script, const struct td_chart *chart) {
  fputs("plot ", script);
  for (size_t i = 0; i < chart->series_count; i++) {
    fprintf(script, "%s$s%zu using 1:2%s with %s linecolor %zu pointtype %zu title ", i ? ", " : "",
            i, chart->series[i].low ? ":3:4" : "",
            chart->series[i].low ? "yerrorlines" : "linespoints", i + 1, i + 4);
    write_quoted(script, chart->series[i].name);
  }
  fputc('\n', script);
}

static void write_chart(FILE *script, const struct td_chart *chart) {
  for (size_t i = 0; i < chart->series_count; i++)
    write_points(script, chart, i);
  fputs("set title ", script);
  write_quoted(script, chart->title);
  fputs(" noenhanced\nset xlabel ", script);
  write_quoted(script, chart->x_label);
  fputs(" noenhanced\nset ylabel ", script);
  write_quoted(script, chart->y_label);
  fprintf(script, " noenhanced\n%s\n%s\n", chart->log_x ? "set logscale x" : "unset logscale x",
          chart->log_y ? "set logscale y; set yrange [*:*]" : "unset logscale y; set yrange [0:*]");
  if (chart->log_y && chart->log_y_from > 0)
    fprintf(script, "set yrange [%.9g:*]\n", chart->log_y_from);
  write_tics(script, chart);
  if (chart->categories)
    write_bars(script, chart);
  else
    write_lines(script, chart);
}

static void write_script(FILE *script, const struct td_chart *charts, size_t count, bool png) {
  static const char *const colours[] = {"#1b6ca8", "#e07b39", "#3a9d5d", "#b23a48", "#7a5ba6",
                                        "#8c6d46", "#5c7285", "#c2a83e", "#2a9d9d", "#d16ba5"};
  fprintf(script, "set terminal %s size %u,%u font 'sans,11'\n", png ? "pngcairo" : "svg",
          CHART_WIDTH, CHART_HEIGHT * (unsigned)count);
  fputs("set key outside right top noenhanced\nset grid ytics linetype 1 linewidth 0.5 linecolor "
        "rgb '#d4d8de'\n"
        "set border 3\nset tics nomirror\n",
        script);
  for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
    fprintf(script, "set linetype %zu linecolor rgb '%s' linewidth 1.6\n", i + 1, colours[i]);
  fprintf(script, "set linetype cycle %zu\n", sizeof colours / sizeof colours[0]);
  if (count > 1) fprintf(script, "set multiplot layout %zu,1\n", count);
  for (size_t i = 0; i < count; i++)
    write_chart(script, &charts[i]);
  if (count > 1) fputs("unset multiplot\n", script);
}

/* ---- Running gnuplot ------------------------------------------------------------------- */

/* The script comes from a file and not through a pipe, so that a gnuplot that dies early cannot end
 * this program by SIGPIPE. */
static int run_gnuplot(FILE *script, FILE *drawing, const char *path) {
  char name[] = "gnuplot";
  char *arguments[] = {name, NULL};
  const struct td_child_start start = {
      .arguments = arguments, .in = fileno(script), .out = fileno(drawing), .errors = -1};
  pid_t child;
  int error = td_child_start(&start, &child);
  if (error == ENOENT)
    return td_complain(TD_EXIT_RESOURCES,
                       "cannot draw '%s': gnuplot is not installed (Debian: gnuplot-nox)", path);
  if (error != 0)
    return td_complain(TD_EXIT_RESOURCES, "cannot draw '%s': starting gnuplot: %s", path,
                       strerror(error));
  int ended = td_child_wait(child);
  if (ended == 0) return TD_EXIT_OK;
  char what[160];
  snprintf(what, sizeof what, "gnuplot, drawing '%.100s'", path);
  return td_child_complain(what, ended);
}

static const char *suffix_of(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot ? dot : "";
}

int td_plot_check(const char *path) {
  if (!path) return TD_EXIT_OK;
  if (strcmp(suffix_of(path), ".svg") != 0 && strcmp(suffix_of(path), ".png") != 0)
    return td_complain(TD_EXIT_USAGE, "--plot: '%s': it must be FILE.svg or FILE.png", path);
  return TD_EXIT_OK;
}

int td_plot_write(const struct td_chart *charts, size_t count, const char *path) {
  struct td_output output;
  int status = td_output_open(&output, path);
  if (status != TD_EXIT_OK) return status;
  FILE *script = tmpfile();
  if (!script) {
    td_output_discard(&output);
    return td_complain(TD_EXIT_RESOURCES, "cannot make a temporary file: %s", strerror(errno));
  }
  write_script(script, charts, count, strcmp(suffix_of(path), ".png") == 0);
  if (fflush(script) != 0 || ferror(script) || fseek(script, 0, SEEK_SET) != 0)
    status = td_complain(TD_EXIT_RESOURCES, "cannot write gnuplot's script: %s", strerror(errno));
  else
    status = run_gnuplot(script, output.file, path);
  fclose(script);
  if (status == TD_EXIT_OK) return td_output_commit(&output);
  td_output_discard(&output);
  return status;
}
