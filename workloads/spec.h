/* Graph specs: the text `name:key=value,…` that says which heap graph to build.
 *
 * A spec names one of the graphs in the table below; keys left out have the table's defaults.
 * Numbers are decimal, with a decimal suffix K, M or G if wanted.  `file:PATH` takes the rest of
 * the text as a path.  docs/graphs.md defines every graph.
 *
 * Invariants of a parsed spec: value[i] belongs to kind->keys[i] and lies in its range;
 * choices are stored as their index; path is NULL except for `file`.
 * Threads: a parsed spec is constant; any thread may read it. */
#ifndef TD_WORKLOADS_SPEC_H
#define TD_WORKLOADS_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TD_GRAPH_KEYS_MAX 4u
#define TD_GRAPH_SPEC_BYTES_MAX 4096u

/* Objects are numbered with 32 bits, as in recorded graphs; the last number means "none". */
#define TD_GRAPH_OBJECTS_MAX (UINT64_C(0xFFFFFFFE))

/* The values are the program's exit statuses. */
enum td_graph_status {
  TD_GRAPH_OK = 0,
  TD_GRAPH_BAD_SPEC = 2,     /* unknown graph or key, bad number, out of range */
  TD_GRAPH_BAD_FILE = 3,     /* a recorded graph that is unreadable or damaged */
  TD_GRAPH_NO_RESOURCES = 4, /* memory, layouts */
};

struct td_graph_error {
  enum td_graph_status status;
  char text[1024]; /* one line, no newline: names the spec and what is wrong where */
};

struct td_graph_key {
  const char *name;
  const char *meaning;        /* one line */
  uint64_t fallback;          /* value when the key is left out */
  uint64_t min, max;          /* numbers: the range, both ends included */
  const char *const *choices; /* NULL for a number; else the words allowed, NULL at the end */
};

struct td_graph_spec;
struct td_graph_builder;

/* What a graph will hold, known before it is built.  Sums that do not fit are UINT64_MAX. */
struct td_graph_plan {
  bool known;       /* false for `file` only: then the rest is 0 */
  uint64_t objects; /* to be allocated, root arrays included */
  uint64_t bytes;   /* asked for, those objects together; for `ast` an upper bound */
  bool live_known;  /* the next two have a closed form */
  uint64_t live_objects;
  uint64_t live_edges; /* references that are not null, held by live objects */
};

struct td_graph_kind {
  const char *name;
  const char *meaning; /* one line */
  const struct td_graph_key *keys;
  size_t key_count;
  void (*plan)(const struct td_graph_spec *spec, struct td_graph_plan *plan);
  bool (*build)(struct td_graph_builder *builder); /* shape.h */
};

struct td_graph_spec {
  const struct td_graph_kind *kind;
  char *text; /* the spec as given */
  char *path; /* `file` only: inside text */
  uint64_t value[TD_GRAPH_KEYS_MAX];
};

/* The table of graphs, index from 0; NULL past the last. */
const struct td_graph_kind *td_graph_kind_at(size_t index);

/* Parses one spec.  On success fills *spec, to be freed by td_graph_spec_free.  On failure *spec
 * is empty and *error says why.  Does not look for the file of `file:`. */
bool td_graph_spec_parse(const char *text, struct td_graph_spec *spec,
                         struct td_graph_error *error);

/* Parses specs separated by `;` into a new array, at least one; freed by td_graph_specs_free. */
bool td_graph_specs_parse(const char *text, struct td_graph_spec **specs, size_t *count,
                          struct td_graph_error *error);

/* Frees what the spec holds and makes it empty.  NULL and an all-zero spec are fine. */
void td_graph_spec_free(struct td_graph_spec *spec);
void td_graph_specs_free(struct td_graph_spec *specs, size_t count);

/* What the graph will hold. */
void td_graph_plan(const struct td_graph_spec *spec, struct td_graph_plan *plan);

/* The table as text for --help: name, keys, defaults, ranges, meaning. */
void td_graph_print_help(FILE *out);

/* Sets *error (may be NULL) and returns false, so that callers can return it. */
bool td_graph_fail(struct td_graph_error *error, enum td_graph_status status, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

#endif
