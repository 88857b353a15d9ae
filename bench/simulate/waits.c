/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1
#include "bench/simulate/waits.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cli/child.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"

#define INLINED " (inlined by) "
#define CALLERS_MOST 5 /* functions that are named for a place */

/* Starts addr2line with all addresses of a row. Each is told as that of an instruction before the
 * one to which the access's call returns. */
static int ask(const struct td_simulated *row, pid_t *child, FILE **answer) {
  static char address[TD_WAITS_MOST][24];
  char path[TD_PLACE_BYTES];
  char *arguments[TD_WAITS_MOST + 8] = {"addr2line", "-a", "-f", "-i", "-p", "-s", "-e", path};
  int ends[2];
  if (!td_simulate_program(path) || pipe2(ends, O_CLOEXEC) != 0)
    return td_complain(TD_EXIT_RESOURCES, "simulate: cannot ask for places of the program");
  for (unsigned i = 0; i < row->waits; i++) {
    snprintf(address[i], sizeof address[i], "%" PRIx64, row->wait[i].address - 1);
    arguments[8 + i] = address[i];
  }
  const struct td_child_start start = {
      .arguments = arguments, .in = -1, .out = ends[1], .errors = -1};
  int error = td_child_start(&start, child);
  close(ends[1]);
  *answer = error == 0 ? fdopen(ends[0], "r") : NULL;
  if (*answer) return TD_EXIT_OK;
  close(ends[0]);
  return td_complain(TD_EXIT_RESOURCES, "simulate: cannot start addr2line: %s", strerror(error));
}

/* One line of the answer: "ADDRESS: FUNCTION at FILE:LINE", or the function into which that one was
 * inlined. Adds "FUNCTION FILE:LINE" to the text. */
static void add_place(char *text, size_t room, char *line) {
  size_t length = strlen(text);
  line[strcspn(line, "\n(")] = 0; /* what is in brackets are discriminators */
  char *at = strstr(line, " at ");
  if (!at) return;
  *at = 0;
  snprintf(text + length, room - length, "%s%s %s", length ? " < " : "", line, at + 4);
}

/* Reads what is said of one place; `line` holds its first line and then that of the next one. */
static void read_place(FILE *answer, char *line, size_t size, char *text, size_t room) {
  char *name = strstr(line, ": ");
  *text = 0;
  if (!name) return;
  add_place(text, room, name + 2);
  for (int callers = 1; fgets(line, (int)size, answer);) {
    if (strncmp(line, INLINED, sizeof INLINED - 1) != 0) return;
    if (callers++ < CALLERS_MOST) add_place(text, room, line + sizeof INLINED - 1);
  }
  *line = 0;
}

static void print_places(struct td_grid *grid, const struct td_simulate_row *row, FILE *answer) {
  const double whole = row->at.mark_ns * row->at.markers;
  char line[1024] = "", text[512];
  if (!fgets(line, sizeof line, answer)) *line = 0;
  for (unsigned i = 0; i < row->at.waits; i++) {
    const struct td_wait *wait = &row->at.wait[i];
    read_place(answer, line, sizeof line, text, sizeof text);
    td_grid_cell(grid, "%s", row->graph);
    td_grid_cell(grid, "%s", row->at.engine);
    td_grid_cell(grid, "%u", row->at.markers);
    td_grid_cell(grid, "%.1f", 100 * wait->ns / whole);
    td_grid_cell(grid, "%s", td_spent_name(wait->what));
    td_grid_cell(grid, "%s", *text ? text : "?");
  }
}

int td_simulate_print_waits(const struct td_simulate_result *result, FILE *out) {
  struct td_grid grid;
  td_grid_begin(&grid, "graph <engine >markers >% <for <asked_for_by");
  for (size_t i = 0; i < result->row_count; i++) {
    const struct td_simulate_row *row = &result->rows[i];
    pid_t child;
    FILE *answer;
    if (row->at.waits == 0) continue;
    int status = ask(&row->at, &child, &answer);
    if (status != TD_EXIT_OK) return status;
    td_grid_rule(&grid);
    print_places(&grid, row, answer);
    fclose(answer);
    td_child_wait(child);
  }
  fputs("\nWhere the markers wait, in percent of their time\n\n", out);
  return td_grid_print(&grid, out);
}
