#include "bench/subject/graphs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cli/complain.h"
#include "bench/cli/place.h"

int td_graphs_parse(const struct td_words *words, struct td_graph_spec **specs, size_t *count) {
  *count = 0;
  *specs = calloc(words->count + 1, sizeof **specs);
  if (!*specs) return td_complain(TD_EXIT_RESOURCES, "no memory for the graphs");
  int status = TD_EXIT_OK;
  for (size_t i = 0; i < words->count && status == TD_EXIT_OK; i++) {
    struct td_graph_spec *spec = &(*specs)[i];
    struct td_graph_error error = {0};
    if (!td_graph_spec_parse(words->at[i], spec, &error)) {
      status = td_complain((int)error.status, "%s", error.text);
      break;
    }
    *count += 1;
    if (spec->path && access(spec->path, R_OK) != 0)
      status = td_complain(TD_EXIT_INPUT, "%s: %s", spec->path, strerror(errno));
  }
  if (status == TD_EXIT_OK) return status;
  td_graph_specs_free(*specs, *count);
  *specs = NULL;
  *count = 0;
  return status;
}

/* One of the real heaps that come with the program. */
static void add_shipped(struct td_words *words, const char *name) {
  static char *kept[4]; /* specs must live as long as the program; leak checkers find them here */
  static size_t kept_count;
  char installed[64], *source = NULL, *prefix = NULL;
  snprintf(installed, sizeof installed, "../share/tidemark/graphs/%s", name);
  char *path = NULL, *spec = NULL;
  if (asprintf(&source, TD_SOURCE_GRAPHS "/%s", name) > 0 &&
      asprintf(&prefix, TD_INSTALLED_GRAPHS "/%s", name) > 0)
    path = td_place_find(installed, source, prefix, NULL);
  if (path && kept_count < 4 && asprintf(&spec, "file:%s", path) > 0)
    words->at[words->count++] = kept[kept_count++] = spec;
  else
    td_note("the graph %s is left out: it is not beside this program", name);
  free(path);
  free(source);
  free(prefix);
}

void td_graphs_default(struct td_words *words) {
  static const char *const synthetic[] = {
      "tree:depth=22",  "tree:depth=22,order=shuffled", "random:objects=5M,degree=4,roots=1024",
      "list:length=5M", "lists:count=1000,length=5000", "wide:leaves=5M",
      "map:entries=2M",
  };
  words->count = 0;
  add_shipped(words, "javac.thg");
  add_shipped(words, "ast.thg");
  for (size_t i = 0; i < sizeof synthetic / sizeof synthetic[0]; i++)
    words->at[words->count++] = synthetic[i];
}
