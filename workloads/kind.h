/* SPDX-License-Identifier: MIT */
/* What a kind of graph is, what a spec says of one graph, and what goes wrong with either.
 *
 * Invariants of a parsed spec: value[i] belongs to kind->keys[i] and lies in its range;
 * choices are stored as their index; path is NULL except where the kind takes one.
 * Threads: a parsed spec is constant; any thread may read it. */
#ifndef TD_WORKLOADS_KIND_H
#define TD_WORKLOADS_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_GRAPH_KEYS_MAX 4u

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
  bool (*build)(struct td_graph_builder *builder); /* build.h */
};

struct td_graph_spec {
  const struct td_graph_kind *kind;
  char *text; /* the spec as given */
  char *path; /* `file` only: inside text */
  uint64_t value[TD_GRAPH_KEYS_MAX];
};

/* Fills in what the graph will hold. */
void td_graph_plan(const struct td_graph_spec *spec, struct td_graph_plan *plan);

/* Sets *error (may be NULL) and returns false, so that callers can return it. */
bool td_graph_fail(struct td_graph_error *error, enum td_graph_status status, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

/* ---- Sums for plans: what does not fit is UINT64_MAX ------------------------------------ */

static inline uint64_t td_plan_add(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t td_plan_multiply(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

#endif
