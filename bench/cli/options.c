/* SPDX-License-Identifier: MIT */
#include "bench/cli/options.h"

#include "tide/tide.h"

/* ---- In general ------------------------------------------------------------------------ */

struct td_option td_option_number(const char *name, const char *argument, uint64_t *target,
                                  double min, double max, const char *text) {
  return (struct td_option){
      .name = name, .argument = argument, .number = target, .min = min, .max = max, .text = text};
}

struct td_option td_option_real(const char *name, const char *argument, double *target, double min,
                                double max, const char *text) {
  return (struct td_option){
      .name = name, .argument = argument, .real = target, .min = min, .max = max, .text = text};
}

struct td_option td_option_words(const char *name, const char *argument, struct td_words *target,
                                 const char *text) {
  return (struct td_option){.name = name, .argument = argument, .words = target, .text = text};
}

struct td_option td_option_numbers(const char *name, const char *argument,
                                   struct td_numbers *target, double min, double max,
                                   const char *text) {
  return (struct td_option){
      .name = name, .argument = argument, .numbers = target, .min = min, .max = max, .text = text};
}

struct td_option td_option_reals(const char *name, const char *argument, struct td_reals *target,
                                 double min, double max, const char *text) {
  return (struct td_option){
      .name = name, .argument = argument, .reals = target, .min = min, .max = max, .text = text};
}

struct td_option td_option_word(const char *name, const char *argument, const char **target,
                                const char *text) {
  return (struct td_option){.name = name, .argument = argument, .word = target, .text = text};
}

/* ---- Shared by several commands -------------------------------------------------------- */

static struct td_option graph_option(const char *argument, struct td_words *target,
                                     const char *text) {
  struct td_option option = td_option_words("graph", argument, target, text);
  option.separator = ';';
  return option;
}

struct td_option td_option_graph(struct td_words *target, const char *text) {
  return graph_option("SPEC", target, text);
}

struct td_option td_option_graphs(struct td_words *target, const char *text) {
  return graph_option("SPEC[;SPEC…]", target, text);
}

struct td_option td_option_engine(const char **target, const char *text) {
  return (struct td_option){.name = "engine", .argument = "E", .word = target, .text = text};
}

struct td_option td_option_engines(struct td_words *target, const char *text) {
  return td_option_words("engine", "E[,E…]", target, text);
}

struct td_option td_option_objects(struct td_words *target, const char *argument) {
  return td_option_words("objects", argument, target,
                         "what the marker knows of Tidemark's objects: where their references are, "
                         "or nothing (default: precise)");
}

struct td_option td_option_markers(uint64_t *target, const char *text) {
  return td_option_number("markers", "N", target, 1, TIDE_MARKERS_MAX, text);
}

struct td_option td_option_marker_counts(struct td_numbers *target, const char *text) {
  return td_option_numbers("markers", "N[,N…]", target, 1, TIDE_MARKERS_MAX, text);
}

struct td_option td_option_rounds(uint64_t *target, const char *text) {
  return td_option_number("rounds", "R", target, 1, 10000, text);
}

struct td_option td_option_run_ms(double *target, const char *text) {
  return td_option_real("run-ms", "MS", target, 0.01, 10000, text);
}

struct td_option td_option_check(bool *target) {
  return (struct td_option){.name = "check",
                            .text = "compare the marks with an independent serial marking",
                            .flag = target};
}

struct td_option td_option_heap_max(uint64_t *target, const char *text) {
  static const char usual[] = "most memory that a heap may use, as 512M or 4G (default: "
                              "TIDE_HEAP_MAX, else what the machine has)";
  struct td_option option =
      td_option_number("heap-max", "BYTES", target, 1 << 20, 0x1p47, text ? text : usual);
  option.is_bytes = true;
  return option;
}

struct td_option td_option_json(const char **target, const char *text) {
  return td_option_word("json", "FILE|-", target, text);
}

struct td_option td_option_policy(const char **target) {
  return td_option_word(
      "policy", "V", target,
      "whom idle markers steal from (default: TIDE_POLICY, else random); the names "
      "are those of tidemark queue --policy");
}

struct td_option td_option_plot(const char **target) {
  return td_option_word("plot", "FILE.svg|.png", target, "the figures as charts (needs gnuplot)");
}

struct td_option td_option_report(const char **target) {
  return td_option_word("report", "FILE.html", target,
                        "one page that explains and shows everything");
}

struct td_option td_option_quiet(bool *target) {
  return (struct td_option){.name = "quiet", .text = "no progress line", .flag = target};
}
