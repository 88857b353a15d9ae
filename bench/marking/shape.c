/* SPDX-License-Identifier: MIT */
#include "bench/marking/shape.h"

#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/cli/progress.h"
#include "workloads/thg_read.h"
#include "workloads/thg.h"

/* Reads a recorded graph once, for its shape and for what it says of itself. */
static bool profile_file(struct td_graph_rows *graph, struct td_graph_error *error) {
  struct td_thg recording;
  struct td_thg_error read_error = {0};
  if (!td_thg_read(graph->spec->path, &recording, &read_error))
    return td_graph_fail(
        error, read_error.kind == TD_THG_BAD_INPUT ? TD_GRAPH_BAD_FILE : TD_GRAPH_NO_RESOURCES,
        "%s", read_error.text);
  bool done = true;
  if (recording.about && !(graph->about = strdup(recording.about)))
    done = td_graph_fail(error, TD_GRAPH_NO_RESOURCES,
                         "%s: not enough memory for what it says of itself", graph->spec->path);
  done = done && td_graph_profile_thg(&recording, graph->label, graph->profile, error);
  td_thg_free(&recording);
  return done;
}

int td_shape_read(struct td_graph_rows *graph) {
  char what[96];
  snprintf(what, sizeof what, "describing %.64s", graph->label);
  graph->profile = calloc(1, sizeof *graph->profile);
  if (!graph->profile) return td_complain(TD_EXIT_RESOURCES, "not enough memory for the results");
  struct td_graph_error error = {0};
  td_progress_watch(what);
  bool done = graph->spec->path ? profile_file(graph, &error)
                                : td_graph_profile(graph->spec, graph->profile, &error);
  td_progress_unwatch();
  return done ? TD_EXIT_OK : td_complain((int)error.status, "%s", error.text);
}
