/* SPDX-License-Identifier: MIT */
#include "bench/engines/engines.h"

#include <stdlib.h>
#include <string.h>

#include "bench/boehm/guest.h"
#include "bench/cli/args.h"
#include "bench/cli/complain.h"
#include "bench/cli/document.h"
#include "bench/cli/grid.h"
#include "bench/cli/options.h"
#include "bench/rivals/list.h"
#include "marker/queue/policies.h"
#include "tide/advanced.h"
#include "tide/tide.h"

static const struct td_bench_engine guests[] = {
    {"boehm", "Boehm GC, objects conservative, in a process of its own", TD_ENGINE_BOEHM, false,
     TD_OBJECTS_CONSERVATIVE, "boehm"},
    {"boehm-typed", "Boehm GC, objects described by typed kinds, in a process of its own",
     TD_ENGINE_BOEHM_TYPED, false, TD_OBJECTS_PRECISE, "boehm-typed"},
};

bool td_bench_engine_at(size_t index, struct td_bench_engine *engine) {
  size_t own = 0;
  while (tide_engine_name(own))
    own++;
  if (index >= own) {
    index -= own;
    if (index >= sizeof guests / sizeof guests[0]) return false;
    *engine = guests[index];
    return true;
  }
  const char *name = tide_engine_name(index);
  *engine =
      (struct td_bench_engine){.name = name,
                               .text = tide_engine_text(index),
                               .kind = TD_ENGINE_TIDE,
                               .one_marker = td_queue_find(name)->sharing == TD_QUEUE_NOT_SHARED};
  td_bench_engine_set_objects(engine, TD_OBJECTS_PRECISE);
  return true;
}

const char *td_objects_name(size_t objects) {
  static const char *const names[TD_OBJECTS_KINDS] = {
      [TD_OBJECTS_PRECISE] = "precise", [TD_OBJECTS_CONSERVATIVE] = "conservative"};
  return objects < TD_OBJECTS_KINDS ? names[objects] : NULL;
}

int td_objects_find(const char *command, const struct td_words *names,
                    enum td_objects kinds[TD_OBJECTS_KINDS], size_t *count) {
  bool found[TD_OBJECTS_KINDS] = {false};
  *count = 0;
  for (size_t i = 0; i < names->count; i++) {
    size_t kind = 0;
    while (kind < TD_OBJECTS_KINDS && strcmp(names->at[i], td_objects_name(kind)) != 0)
      kind++;
    if (kind == TD_OBJECTS_KINDS)
      return td_args_no_such(command, "kind of objects", names->at[i], td_objects_name);
    if (!found[kind]) kinds[(*count)++] = (enum td_objects)kind;
    found[kind] = true;
  }
  if (*count == 0) kinds[(*count)++] = TD_OBJECTS_PRECISE;
  return TD_EXIT_OK;
}

int td_objects_find_one(const char *command, const struct td_words *names, enum td_objects *kind) {
  enum td_objects kinds[TD_OBJECTS_KINDS];
  size_t count;
  int status = td_objects_find(command, names, kinds, &count);
  *kind = kinds[0];
  if (status != TD_EXIT_OK || count == 1) return status;
  return td_complain(TD_EXIT_USAGE, "%s: --objects: one kind is wanted, not two", command);
}

void td_bench_engine_set_objects(struct td_bench_engine *engine, enum td_objects objects) {
  engine->objects = objects;
  snprintf(engine->label, sizeof engine->label, "%.30s%s", engine->name,
           objects == TD_OBJECTS_CONSERVATIVE ? " (conservative)" : "");
}

int td_bench_no_choice(const char *command, const struct td_bench_engine *engine) {
  return td_complain(TD_EXIT_USAGE,
                     "%s: --objects: the objects of %s are always %s; the choice is for Tidemark's "
                     "engines",
                     command, engine->name, td_objects_name(engine->objects));
}

static const char *name_at(size_t index) {
  struct td_bench_engine engine;
  return td_bench_engine_at(index, &engine) ? engine.name : NULL;
}

int td_bench_engine_find(const char *command, const char *name, struct td_bench_engine *engine) {
  for (size_t i = 0; td_bench_engine_at(i, engine); i++)
    if (strcmp(engine->name, name) == 0) return TD_EXIT_OK;
  return td_args_no_such(command, "engine", name, name_at);
}

int td_bench_policy_choose(const char *command, const char *name, const char **policy) {
  const struct td_policy_kind *kind = td_policy_find(name ? name : getenv("TIDE_POLICY"));
  if (name && !kind) return td_args_no_such(command, "policy", name, tide_policy_name);
  if (!kind) kind = td_policies[0]; /* nonsense in the environment is told when the heap is made */
  if (kind->without_distances)
    td_note("policy %s chooses like %s: where markers run is not known", kind->name,
            kind->without_distances->name);
  *policy = kind->name;
  return TD_EXIT_OK;
}

static int write_json(const char *path) {
  struct td_document document;
  int status = td_document_begin(&document, path, NULL);
  if (status != TD_EXIT_OK) return status;
  struct td_json *json = &document.json;
  td_json_array_begin(json, "engines");
  struct td_bench_engine engine;
  for (size_t i = 0; td_bench_engine_at(i, &engine); i++) {
    td_json_object_begin(json, NULL);
    td_json_string(json, "name", engine.name);
    td_json_string(json, "text", engine.text);
    td_json_bool(json, "one_marker", engine.one_marker);
    td_json_array_begin(json, "objects");
    for (size_t kind = 0; kind < TD_OBJECTS_KINDS; kind++)
      if (engine.kind == TD_ENGINE_TIDE || engine.objects == kind)
        td_json_string(json, NULL, td_objects_name(kind));
    td_json_array_end(json);
    td_json_bool(json, "available", engine.kind == TD_ENGINE_TIDE || td_boehm_is_there());
    td_json_object_end(json);
  }
  td_json_array_end(json);
  return td_document_commit(&document);
}

int td_command_engines(int argc, char **argv) {
  const char *json_path = NULL;
  bool quiet = false;
  const struct td_option options[] = {td_option_json(&json_path, "the list as JSON"),
                                      td_option_quiet(&quiet)};
  const struct td_usage usage = {
      .command = "engines",
      .summary =
          "Lists what can mark a graph: the marking queues, which all run under the same\n"
          "marker, and Boehm GC. --engine takes these names; TIDE_ENGINE takes those of queues.",
      .options = options,
      .option_count = sizeof options / sizeof options[0]};
  int status = td_args_parse(&usage, argc, argv);
  if (status != TD_ARGS_GO_ON) return status;
  const struct td_output_option output = {"json", json_path, true};
  status = td_outputs_check("engines", &output, 1);
  if (status != TD_EXIT_OK) return status;
  struct td_grid grid;
  td_grid_begin(&grid, "engine what_it_is");
  struct td_bench_engine engine;
  for (size_t i = 0; td_bench_engine_at(i, &engine); i++) {
    bool there = engine.kind == TD_ENGINE_TIDE || td_boehm_is_there();
    td_grid_cell(&grid, "%s", engine.name);
    td_grid_cell(&grid, "%s%s", engine.text, there ? "" : " (not built here)");
  }
  status = td_grid_print(&grid, td_human(json_path));
  return status == TD_EXIT_OK && json_path ? write_json(json_path) : status;
}
