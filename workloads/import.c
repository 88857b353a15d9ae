/* SPDX-License-Identifier: MIT */
#include "workloads/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workloads/heapsnapshot.h"
#include "workloads/hprof.h"
#include "workloads/import_source.h"
#include "inspect/thg/format.h"
#include "workloads/thg_read.h"
#include "workloads/thg_write.h"

/* As much of a dump as must be seen to tell what it is. */
#define LOOK_BYTES 4096u

/* JSON may begin with white space, HPROF with its name only. */
static bool is_json(const uint8_t *bytes, size_t length) {
  size_t at = 0;
  while (at < length && strchr(" \t\r\n", bytes[at]) && bytes[at] != 0)
    at++;
  return at < length && bytes[at] == '{';
}

/* All bytes of a source. */
struct loaded {
  uint8_t *bytes;
  uint64_t length, capacity;
};

static bool make_room(struct td_import_source *source, struct loaded *loaded, size_t count) {
  static const char what[] = "the file itself";
  if (count <= loaded->capacity - loaded->length) return true;
  uint64_t wanted = 2 * loaded->capacity + count;
  if (!td_source_allows(source, wanted, what)) return false;
  uint8_t *grown = realloc(loaded->bytes, (size_t)wanted);
  if (!grown) return td_thg_fail_memory(source->error, source->name, what);
  loaded->bytes = grown;
  loaded->capacity = wanted;
  return true;
}

static bool load(struct td_import_source *source, struct loaded *loaded) {
  td_source_rewind(source, "reading", true);
  for (size_t ready; (ready = td_source_fill(source, 1)) > 0; loaded->length += ready) {
    if (!make_room(source, loaded, ready)) return false;
    memcpy(loaded->bytes + loaded->length, source->next, ready);
    source->next += ready;
  }
  return !source->failed;
}

/* A graph that is one already, to be written anew: the library's own files are not compressed. */
static bool read_graph(struct td_import_source *source, struct td_thg *graph,
                       struct td_import_summary *summary) {
  if (source->is_packed) {
    return td_source_fail(source, 0, "a graph file inside gzip: unpack it with gunzip first");
  }
  struct loaded file = {0};
  bool done = load(source, &file) &&
              td_thg_read_bytes(file.bytes, file.length, source->name, graph, source->error);
  free(file.bytes);
  for (uint64_t r = 0; done && r < graph->ref_count; r++)
    summary->null_slots += graph->refs[r] == TD_THG_NULL;
  return done;
}

static bool choose(struct td_import_source *source, struct td_thg *graph,
                   struct td_import_summary *summary) {
  size_t ready = td_source_fill(source, LOOK_BYTES);
  if (source->failed) return false;
  if (ready == 0) return td_source_fail(source, 0, "the file is empty");
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
  struct td_import_summary mine = {0};
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
  mine.input_bytes = td_input_seen(&source->input);
  sum_up(graph, &mine);
  if (summary) *summary = mine;
  return true;
}

/* Returns an empty error to fill in, which the readers rely on: the caller's, or the spare one. */
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
  memset(graph, 0, sizeof *graph);
  if (!td_source_open_bytes(&source, bytes, length, name, error)) return false;
  bool done = import(&source, graph, summary, error);
  td_source_close(&source);
  return done;
}

/* The input may be "-", standard input. */
static bool is_same_file(const char *input, const char *output) {
  struct stat first;
  struct stat second;
  bool is_there =
      strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &first) == 0 : stat(input, &first) == 0;
  return is_there && stat(output, &second) == 0 && first.st_dev == second.st_dev &&
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
                       output);
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

/* Returns whether `name` of `length` bytes ends so, and takes the ending off. */
static bool drop_ending(const char *name, size_t *length, const char *ending) {
  size_t bytes = strlen(ending);
  if (*length <= bytes || memcmp(name + *length - bytes, ending, bytes) != 0) return false;
  *length -= bytes;
  return name[*length - 1] != '/';
}

char *td_import_output_name(const char *input) {
  size_t length = strlen(input);
  size_t kept = length;
  if (drop_ending(input, &kept, ".gz")) length = kept;
  if (drop_ending(input, &kept, ".hprof") || drop_ending(input, &kept, ".heapsnapshot") ||
      drop_ending(input, &kept, ".thg")) {
    length = kept;
  }
  char *name = malloc(length + sizeof ".thg");
  if (!name) return NULL;
  memcpy(name, input, length);
  memcpy(name + length, ".thg", sizeof ".thg");
  return name;
}
