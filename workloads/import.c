#include "workloads/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "workloads/heapsnapshot.h"
#include "workloads/hprof.h"
#include "workloads/import_source.h"
#include "workloads/thg_error.h"
#include "inspect/thg/format.h"

/* JSON may begin with white space, HPROF with its name only. */
static bool is_json(const uint8_t *bytes, size_t length) {
  size_t at = 0;
  while (at < length && strchr(" \t\r\n", bytes[at]) && bytes[at] != 0)
    at++;
  return at < length && bytes[at] == '{';
}

/* A graph that is one already, to be written anew: the library's own files are not compressed. */
static bool read_graph(struct td_import_source *source, struct td_thg *graph,
                       struct td_import_summary *summary) {
  bool done = source->memory ? td_thg_read_bytes(source->memory, source->length, source->name,
                                                 graph, source->error)
                             : td_thg_read(source->name, graph, source->error);
  for (uint64_t r = 0; done && r < graph->ref_count; r++)
    summary->null_slots += graph->refs[r] == TD_THG_NULL;
  return done;
}

static bool choose(struct td_import_source *source, struct td_thg *graph,
                   struct td_import_summary *summary) {
  size_t ready = td_source_fill(source);
  if (ready == 0) {
    return source->length == 0 ? td_source_fail(source, 0, "the file is empty") : false;
  }
  if (td_hprof_is(source->next, ready)) {
    summary->format = "hprof";
    return td_hprof_import(source, graph, summary);
  }
  if (is_json(source->next, ready)) {
    summary->format = "heapsnapshot";
    return td_heapsnapshot_import(source, graph, summary);
  }
  if (ready >= sizeof td_thg_magic &&
      memcmp(source->next, td_thg_magic, sizeof td_thg_magic) == 0) {
    summary->format = "thg";
    return read_graph(source, graph, summary);
  }
  if (ready >= 2 && source->next[0] == 0x1f && source->next[1] == 0x8b) {
    return td_source_fail(source, 0, "compressed with gzip: unpack it first");
  }
  return td_source_fail(source, 0, "neither an HPROF dump nor a V8 heap snapshot nor a graph");
}

static void sum_up(const struct td_thg *graph, struct td_import_summary *summary) {
  summary->objects = graph->object_count;
  summary->slots = graph->ref_count;
  summary->roots = graph->root_count;
  for (uint32_t i = 0; i < graph->object_count; i++)
    summary->heap_bytes += graph->size[i];
}

static bool import(struct td_import_source *source, struct td_thg *graph,
                   struct td_import_summary *summary, struct td_thg_error *error) {
  struct td_import_summary mine = {.input_bytes = source->length};
  memset(graph, 0, sizeof *graph);
  bool done = choose(source, graph, &mine);
  if (done && !graph->about) {
    char about[80];
    snprintf(about, sizeof about, "%s of %llu bytes", mine.format,
             (unsigned long long)source->length);
    graph->about = strdup(about);
    done = graph->about || td_thg_fail_memory(error, source->name, "its description");
  }
  if (!done) {
    td_thg_free(graph);
    return false;
  }
  sum_up(graph, &mine);
  if (summary) *summary = mine;
  return true;
}

/* The readers below rely on there being an error to fill in. */
static struct td_thg_error *clear(struct td_thg_error *error, struct td_thg_error *spare) {
  struct td_thg_error *used = error ? error : spare;
  memset(used, 0, sizeof *used);
  return used;
}

bool td_import_graph(const char *input, const struct td_thg_progress *progress,
                     struct td_thg *graph, struct td_import_summary *summary,
                     struct td_thg_error *error) {
  struct td_thg_error spare;
  struct td_import_source source;
  error = clear(error, &spare);
  memset(graph, 0, sizeof *graph);
  if (!input) return td_thg_fail(error, TD_THG_BAD_INPUT, 0, "no input file named");
  if (!td_source_open(&source, input, progress, error)) return false;
  bool done = import(&source, graph, summary, error);
  td_source_close(&source);
  return done;
}

bool td_import_bytes(const void *bytes, uint64_t length, const char *name, struct td_thg *graph,
                     struct td_import_summary *summary, struct td_thg_error *error) {
  struct td_thg_error spare;
  struct td_import_source source;
  error = clear(error, &spare);
  td_source_open_bytes(&source, bytes, length, name, error);
  bool done = import(&source, graph, summary, error);
  td_source_close(&source);
  return done;
}

static bool is_same_file(const char *a, const char *b) {
  struct stat first;
  struct stat second;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

bool td_import_file(const char *input, const char *output, const struct td_thg_progress *progress,
                    struct td_import_summary *summary, struct td_thg_error *error) {
  struct td_thg_error spare;
  struct td_thg graph;
  error = clear(error, &spare);
  if (!output) return td_thg_fail(error, TD_THG_NO_RESOURCES, 0, "no output file named");
  if (input && is_same_file(input, output)) {
    return td_thg_fail(error, TD_THG_BAD_INPUT, 0, "%s: would be overwritten by its own graph",
                       input);
  }
  if (!td_import_graph(input, progress, &graph, summary, error)) return false;
  bool done = td_thg_write(output, &graph, progress, error);
  td_thg_free(&graph);
  struct stat status;
  if (done && summary && stat(output, &status) == 0) {
    summary->output_bytes = (uint64_t)status.st_size;
  }
  return done;
}
