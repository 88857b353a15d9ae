/* Import a heap dump as a recorded graph.
 *
 * HPROF (JAVA PROFILE 1.0.1 and 1.0.2), V8's .heapsnapshot and graphs (which are only compressed
 * anew) are told apart by content, not by name.  What each importer keeps, leaves out and assumes
 * is written in docs/importing.md. */
#ifndef TD_WORKLOADS_IMPORT_H
#define TD_WORKLOADS_IMPORT_H

#include "workloads/thg.h"

struct td_import_summary {
  const char *format; /* "hprof", "heapsnapshot" or "thg" */
  uint64_t input_bytes;
  uint64_t output_bytes; /* 0 where nothing was written */
  uint64_t objects;
  uint64_t slots;      /* references, nulls included */
  uint64_t null_slots; /* of these, the dump says null */
  uint64_t dangling;   /* of these, the dump does not hold the target: made null */
  uint64_t roots;      /* kept */
  uint64_t roots_lost; /* root records whose object the dump does not hold: left out */
  uint64_t weak_edges; /* edges left out because the collector would not follow them */
  uint64_t map_edges;  /* V8: edges left out because they stand for an object's header */
  uint64_t heap_bytes; /* sum of object sizes */
};

/* Read the dump `input` and write the graph to `output`, all or nothing.
 * progress and summary may be NULL.  Returns whether it succeeded; if not, *error says why and
 * `output` is as it was. */
bool td_import_file(const char *input, const char *output, const struct td_thg_progress *progress,
                    struct td_import_summary *summary, struct td_thg_error *error);

/* The same, but leaving the graph in memory: *graph is to be freed by td_thg_free. */
bool td_import_graph(const char *input, const struct td_thg_progress *progress,
                     struct td_thg *graph, struct td_import_summary *summary,
                     struct td_thg_error *error);

/* The same from bytes in memory; name stands in for the path in messages. */
bool td_import_bytes(const void *bytes, uint64_t length, const char *name, struct td_thg *graph,
                     struct td_import_summary *summary, struct td_thg_error *error);

#endif
