/* SPDX-License-Identifier: MIT */
#include "bench/subject/graphs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cli/complain.h"
#include "bench/cli/place.h"

/* ---- What was meant? ------------------------------------------------------------------- */

enum kind { SOMETHING, GRAPH_FILE, HEAP_DUMP };

static bool ends_in(const char *text, const char *ending) {
  size_t length = strlen(text), tail = strlen(ending);
  return length > tail && strcmp(text + length - tail, ending) == 0;
}

/* Names say what people mean, even of files that are not there. */
static enum kind kind_by_name(const char *path) {
  if (ends_in(path, ".thg")) return GRAPH_FILE;
  return ends_in(path, ".hprof") || ends_in(path, ".heapsnapshot") ? HEAP_DUMP : SOMETHING;
}

static enum kind kind_by_content(const char *path) {
  static const struct {
    const char *start;
    enum kind kind;
  } known[] = {{"\x89"
                "THG",
                GRAPH_FILE},
               {"JAVA PROFILE ", HEAP_DUMP},
               {"{\"snapshot\"", HEAP_DUMP}};
  char start[16] = "";
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return SOMETHING;
  ssize_t length = read(file, start, sizeof start - 1);
  close(file);
  for (size_t i = 0; length > 0 && i < sizeof known / sizeof known[0]; i++)
    if (strncmp(start, known[i].start, strlen(known[i].start)) == 0) return known[i].kind;
  return SOMETHING;
}

static int say_import_first(int status, const char *path) {
  return td_complain(status,
                     "'%s' is a heap dump, not a graph: run tidemark import '%s' -o FILE.thg, then "
                     "use file:FILE.thg",
                     path, path);
}

/* A word that is no spec may be the name of a file. */
static int complain_of_word(const char *word, const struct td_graph_error *error) {
  enum kind kind = kind_by_name(word);
  if (kind == SOMETHING) kind = kind_by_content(word);
  if (kind == HEAP_DUMP) return say_import_first((int)error->status, word);
  if (kind == GRAPH_FILE)
    return td_complain((int)error->status, "'%s' is no graph spec; did you mean file:%s?", word,
                       word);
  return td_complain((int)error->status, "%s", error->text);
}

static int check_file(const char *path) {
  if (access(path, R_OK) != 0) return td_complain(TD_EXIT_INPUT, "%s: %s", path, strerror(errno));
  return kind_by_content(path) == HEAP_DUMP ? say_import_first(TD_EXIT_INPUT, path) : TD_EXIT_OK;
}

/* ---- From words to specs --------------------------------------------------------------- */

int td_graphs_parse(const struct td_words *words, struct td_graph_spec **specs, size_t *count) {
  *count = 0;
  *specs = calloc(words->count + 1, sizeof **specs);
  if (!*specs) return td_complain(TD_EXIT_RESOURCES, "not enough memory for the graphs");
  int status = TD_EXIT_OK;
  for (size_t i = 0; i < words->count && status == TD_EXIT_OK; i++) {
    struct td_graph_spec *spec = &(*specs)[i];
    struct td_graph_error error = {0};
    if (!td_graph_spec_parse(words->at[i], spec, &error)) {
      status = complain_of_word(words->at[i], &error);
      break;
    }
    *count += 1;
    if (spec->path) status = check_file(spec->path);
  }
  if (status == TD_EXIT_OK) return status;
  td_graph_specs_free(*specs, *count);
  *specs = NULL;
  *count = 0;
  return status;
}

/* Adds one of the real heaps that come with the program. */
static void add_shipped(struct td_words *words, const char *name) {
  static char *kept[4]; /* specs must live as long as the program; leak checkers find them here */
  static size_t kept_count;
  char installed[64], source[4096], prefix[4096], path[TD_PLACE_BYTES], *spec;
  snprintf(installed, sizeof installed, "../share/tidemark/graphs/%s", name);
  snprintf(source, sizeof source, TD_SOURCE_GRAPHS "/%s", name);
  snprintf(prefix, sizeof prefix, TD_INSTALLED_GRAPHS "/%s", name);
  if (!td_place_find(path, installed, source, prefix, NULL))
    td_note("the graph %s is left out: it is not beside this program", name);
  else if (kept_count == 4 || asprintf(&spec, "file:%s", path) < 0)
    td_note("the graph %s is left out: not enough memory", name);
  else
    words->at[words->count++] = kept[kept_count++] = spec;
}

void td_graphs_default(struct td_words *words) {
  static const char *const synthetic[] = {
      "tree:depth=22",  "tree:depth=22,order=shuffled", "random:objects=5M,degree=4,roots=1024",
      "list:length=5M", "lists:count=1000,length=5000", "wide:leaves=5M",
      "map:entries=2M",
  };
  words->count = 0;
  add_shipped(words, "javac.thg");
  add_shipped(words, "service.thg");
  add_shipped(words, "ast.thg");
  for (size_t i = 0; i < sizeof synthetic / sizeof synthetic[0]; i++)
    words->at[words->count++] = synthetic[i];
}
