/* Building a heap graph on any collector.
 *
 * The builder knows graphs, the sink knows a collector: the same sequence of calls builds the
 * same graph everywhere.  All objects are allocated in index order first, then linked, then
 * rooted; docs/graphs.md defines each graph.
 *
 * Invariants
 *  - Every object is in the sink's table, and so kept alive, from its allocation until the graph
 *    is rooted; a collection may happen at any allocation.
 *  - Words that are not references hold numbers below 65536, where no system maps anything: even
 *    a conservative collector cannot take them for references.
 *  - A store happens at most once per slot, and never of NULL: memory handed out by `alloc` must
 *    be zeroed where it can hold references.
 * Threads: one builds; the sink decides which thread that must be. */
#ifndef TD_WORKLOADS_GRAPH_H
#define TD_WORKLOADS_GRAPH_H

#include "workloads/spec.h"
#include "workloads/thg.h"

#define TD_GRAPH_SHAPE_NONE UINT32_MAX

/* What a graph is built on.  Shapes are those of recorded graphs: TD_THG_LEAF, TD_THG_BITMAP,
 * TD_THG_PREFIX (prefix_words 0: every word is a reference). */
struct td_graph_sink {
  void *context; /* first argument of each call */

  /* A number that stands for the shape in `alloc`, or TD_GRAPH_SHAPE_NONE.  The description is
   * the caller's and may be gone afterwards.  Called a few times, before the first `alloc`. */
  uint32_t (*shape)(void *context, const struct td_thg_shape *shape);

  /* A zeroed object, or NULL when there is no memory. */
  void *(*alloc)(void *context, uint32_t shape, size_t bytes);

  /* Makes word `slot` of the object refer to the target.  NULL: objects are plain memory, and
   * the builder writes it itself (as it then does with words that are not references). */
  void (*store)(void *context, void *object, uint64_t slot, void *target);

  /* Makes the object a root for as long as the sink lives.  False when there is no memory. */
  bool (*root)(void *context, void *object);

  /* An array of `count` NULL pointers that keeps alive what is put into it; NULL when there is
   * no memory. */
  void **(*table_new)(void *context, size_t count);
  void (*table_free)(void *context, void **table, size_t count);

  /* Both may be NULL. progress: done <= total, now and then.  reason: why the last call failed. */
  void (*progress)(void *context, uint64_t done, uint64_t total);
  const char *(*reason)(void *context);
};

/* What building did: garbage included, so not always what is live (see td_graph_plan). */
struct td_graph_built {
  uint64_t objects;
  uint64_t edges; /* references stored */
  uint64_t bytes; /* asked for */
  uint64_t roots;
};

/* Builds the graph.  built may be NULL.  On failure the sink may hold some objects and some
 * roots, but not the graph: throw it away. */
bool td_graph_build(const struct td_graph_spec *spec, const struct td_graph_sink *sink,
                    struct td_graph_built *built, struct td_graph_error *error);

/* Reads the recorded graph of a `file` spec; freed by td_thg_free. */
bool td_graph_read(const struct td_graph_spec *spec, struct td_thg *graph,
                   struct td_graph_error *error);

/* Builds a recorded graph that is in memory already.  name stands in for the spec in messages. */
bool td_graph_build_thg(const struct td_thg *graph, const char *name,
                        const struct td_graph_sink *sink, struct td_graph_built *built,
                        struct td_graph_error *error);

#endif
