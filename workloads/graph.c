/* SPDX-License-Identifier: MIT */
#include "workloads/graph.h"

bool td_graph_build(const struct td_graph_spec *spec, const struct td_graph_sink *sink,
                    struct td_graph_built *built, struct td_graph_error *error) {
  struct td_graph_plan plan;
  td_graph_plan(spec, &plan);
  if (built != NULL) *built = (struct td_graph_built){0};
  uint64_t table_bytes = td_plan_multiply(plan.objects, sizeof(void *));
  if (!td_build_fits(spec->text, td_plan_add(plan.bytes, table_bytes), error)) return false;
  struct td_graph_builder builder = {
      .spec = spec, .name = spec->text, .sink = sink, .error = error};
  /* A file's size is known once it is read: its definition then calls td_build_run itself. */
  bool done = plan.known ? td_build_run(&builder, spec->kind->build, plan.objects)
                         : spec->kind->build(&builder);
  if (built != NULL) *built = builder.built;
  return done;
}
