/* SPDX-License-Identifier: MIT */
/* tidemark import: from a heap dump to a graph file. */
#include "bench/import/import.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/cli/args.h"
#include "bench/cli/cleanup.h"
#include "bench/cli/complain.h"
#include "bench/cli/document.h"
#include "bench/cli/options.h"
#include "bench/cli/progress.h"
#include "bench/cli/utf8.h"
#include "workloads/import.h"

static void print(const struct td_import_summary *s, const char *output, FILE *out) {
  td_utf8_put_plain(output, out);
  fprintf(out, ": %s, %.1f MiB read, %.1f MiB written\n", s->format,
          (double)s->input_bytes / (1 << 20), (double)s->output_bytes / (1 << 20));
  fprintf(out,
          "%" PRIu64 " objects of %.1f MiB, %" PRIu64 " references (%" PRIu64 " null), %" PRIu64
          " roots\n",
          s->objects, (double)s->heap_bytes / (1 << 20), s->slots, s->null_slots, s->roots);
  if (s->dangling || s->roots_lost || s->weak_edges)
    fprintf(out,
            "left out: %" PRIu64 " references and %" PRIu64
            " roots to objects that the dump does not hold, %" PRIu64 " weak references\n",
            s->dangling, s->roots_lost, s->weak_edges);
  if (s->map_edges)
    fprintf(out, "left out: %" PRIu64 " references to V8 maps (object headers)\n", s->map_edges);
}

static int write_json(const char *path, const char *graph, const struct td_import_summary *s) {
  if (!path) return TD_EXIT_OK;
  struct td_document document;
  int status = td_document_begin(&document, path, NULL);
  if (status != TD_EXIT_OK) return status;
  struct td_json *json = &document.json;
  td_json_string(json, "file", graph);
  td_json_string(json, "format", s->format);
  td_json_count(json, "input_bytes", s->input_bytes);
  td_json_count(json, "output_bytes", s->output_bytes);
  td_json_count(json, "objects", s->objects);
  td_json_count(json, "heap_bytes", s->heap_bytes);
  td_json_count(json, "slots", s->slots);
  td_json_count(json, "null_slots", s->null_slots);
  td_json_count(json, "roots", s->roots);
  td_json_count(json, "dangling", s->dangling);
  td_json_count(json, "roots_lost", s->roots_lost);
  td_json_count(json, "weak_edges", s->weak_edges);
  td_json_count(json, "map_edges", s->map_edges);
  return td_document_commit(&document);
}

static bool exists(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0;
}

/* Chooses a name for the graph where none was given. *chosen is to be freed. The file must not be
 * there yet. Returns 0, or an exit status after saying why not. */
static int choose_output(const char *input, char **chosen) {
  if (strcmp(input, "-") == 0)
    return td_complain(TD_EXIT_USAGE,
                       "import: -o FILE.thg is missing, as standard input has no name to go by");
  *chosen = td_import_output_name(input);
  if (!*chosen) return td_complain(TD_EXIT_RESOURCES, "import: not enough memory for a file name");
  if (!exists(*chosen)) return TD_EXIT_OK;
  return td_complain(TD_EXIT_USAGE,
                     "import: '%s' is there already; give -o FILE.thg to replace it or to choose "
                     "another name",
                     *chosen);
}

/* A signal while the graph is written must not leave its temporary file. */
struct temporary {
  sigset_t before;
  char *path; /* NULL: there is none, or there was no memory to note it */
};

static void note_temporary(void *context, enum td_thg_temporary state, const char *path) {
  struct temporary *temporary = context;
  switch (state) {
  case TD_THG_TEMPORARY_COMES:
    td_cleanup_hold(&temporary->before);
    break;
  case TD_THG_TEMPORARY_IS_THERE:
    temporary->path = strdup(path);
    if (temporary->path) td_cleanup_note_file(temporary->path);
    td_cleanup_release(&temporary->before);
    break;
  case TD_THG_TEMPORARY_IS_GONE:
    if (temporary->path)
      td_cleanup_forget_file(temporary->path);
    else
      td_cleanup_release(&temporary->before); /* held still if it could not be made */
    free(temporary->path);
    temporary->path = NULL;
    break;
  }
}

static int run(const char *input, const char *output, const char *json_path) {
  const struct td_output_option outputs[] = {{"output", output, false}, {"json", json_path, true}};
  int status = td_outputs_check("import", outputs, 2);
  if (status != TD_EXIT_OK) return status;
  struct temporary temporary = {0};
  const struct td_thg_progress progress = {
      .report = td_progress_report, .temporary = note_temporary, .context = &temporary};
  struct td_import_summary summary = {0};
  struct td_thg_error error = {0};
  bool imported = td_import_file(input, output, &progress, &summary, &error);
  td_progress_end();
  if (!imported)
    return td_complain(error.kind == TD_THG_BAD_INPUT ? TD_EXIT_INPUT : TD_EXIT_RESOURCES, "%s",
                       error.text);
  print(&summary, output, td_human(json_path));
  return write_json(json_path, output, &summary);
}

int td_command_import(int argc, char **argv) {
  struct td_words words = {0};
  const char *output = NULL, *json_path = NULL;
  bool quiet = false;
  const struct td_option options[] = {
      td_option_word("output", "FILE.thg", &output,
                     "the graph file to write (also -o); default: the input's name with .thg"),
      td_option_json(&json_path, "what was found, as JSON"),
      td_option_quiet(&quiet),
  };
  const struct td_usage usage = {
      .command = "import",
      .positional = "FILE.hprof|FILE.heapsnapshot|FILE.thg|-",
      .words = &words,
      .words_min = 1,
      .words_max = 1,
      .summary =
          "Turns a heap dump of a Java machine (HPROF) or of V8 (.heapsnapshot) into a graph\n"
          "file: sizes, references and roots as in the dump, nothing else. A graph file of the\n"
          "library's tide_heap_snapshot_thg is compressed. Which of them it is shows in the\n"
          "content, not in the name. Dumps may be packed with gzip, and - is standard input.",
      .options = options,
      .option_count = sizeof options / sizeof options[0],
      .details = "The graph is then used as file:FILE.thg; see tidemark graph --help."};
  int status = td_args_parse(&usage, argc, argv);
  if (status != TD_ARGS_GO_ON) return status;
  char *chosen = NULL;
  status = output ? TD_EXIT_OK : choose_output(words.at[0], &chosen);
  if (status == TD_EXIT_OK) {
    td_progress_setup(quiet);
    td_progress_at_once();
    status = run(words.at[0], output ? output : chosen, json_path);
  }
  free(chosen);
  return status;
}
