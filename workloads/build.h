/* SPDX-License-Identifier: MIT */
/* What graphs are built with: the sink, which knows a collector, and the builder, which numbers
 * objects.
 *
 * A definition (shape_*.c) allocates all its objects with td_build_alloc, which numbers them from
 * 0, then links and roots them by number.  Allocation can fail; linking cannot.
 *
 * Invariants
 *  - Every object is in the sink's table, and so kept alive, from its allocation until the graph
 *    is rooted; a collection may happen at any allocation.
 *  - Words that are not references hold numbers below 65536, where no system maps anything: even
 *    a conservative collector cannot take them for references.
 *  - A store happens at most once per slot, and never of NULL: memory handed out by `alloc` must
 *    be zeroed where it can hold references.
 * Threads: one builds; the sink decides which thread that must be. */
#ifndef TD_WORKLOADS_BUILD_H
#define TD_WORKLOADS_BUILD_H

#include "workloads/kind.h"
#include "workloads/thg.h"

#define TD_GRAPH_SHAPE_NONE UINT32_MAX

/* What a graph is built on.  Shapes are those of recorded graphs: TD_THG_LEAF, TD_THG_BITMAP,
 * TD_THG_PREFIX (prefix_words 0: every word is a reference). */
struct td_graph_sink {
  void *context; /* first argument of each call */

  /* Returns a number that stands for the shape in `alloc`, or TD_GRAPH_SHAPE_NONE.  The description
   * is the caller's and may be gone afterwards.  Called a few times, before the first `alloc`. */
  uint32_t (*shape)(void *context, const struct td_thg_shape *shape);

  /* Returns a zeroed object, or NULL when there is no memory. */
  void *(*alloc)(void *context, uint32_t shape, size_t bytes);

  /* Makes word `slot` of the object refer to the target.  NULL: objects are plain memory, and
   * the builder writes it itself (as it then does with words that are not references). */
  void (*store)(void *context, void *object, uint64_t slot, void *target);

  /* Makes the object a root for as long as the sink lives.  Returns false when there is no memory.
   */
  bool (*root)(void *context, void *object);

  /* Returns an array of `count` NULL pointers that keeps alive what is put into it; NULL when there
   * is no memory. */
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

/* What is written into words that are not references; see above. */
#define TD_BUILD_WORD_MASK UINT64_C(0xFFFF)
#define TD_BUILD_TICK_MASK UINT64_C(0xFFFF)

struct td_graph_builder {
  const struct td_graph_spec *spec; /* NULL when a graph in memory is built */
  const struct td_thg *recorded;    /* NULL otherwise */
  const char *name;                 /* the spec's text, for messages */
  const struct td_graph_sink *sink;
  struct td_graph_error *error;
  void **object;        /* the sink's table, by number */
  uint64_t capacity;    /* of the table */
  uint64_t done, total; /* for progress: an object counts twice, allocated and linked */
  struct td_graph_built built;
};

/* Gets a table for that many objects from the sink and runs the definition with it. */
bool td_build_run(struct td_graph_builder *builder, bool (*definition)(struct td_graph_builder *),
                  uint64_t objects);

/* Returns whether the machine and the control group have that much memory at all; if not, reports
 * it.  A system that promises more than it has would end the process later, without a word. */
bool td_build_fits(const char *name, uint64_t bytes, struct td_graph_error *error);

/* Reports out of memory; returns false. */
bool td_build_no_memory(struct td_graph_builder *builder);
void td_build_tick(struct td_graph_builder *builder);

/* Gets the sink's number of a shape.  On failure returns false and *number is not to be used. */
bool td_build_shape(struct td_graph_builder *builder, const struct td_thg_shape *shape,
                    uint32_t *number);
/* The usual ones: no references; words [0, 64) by bitmap; `prefix` plain words, then references. */
bool td_build_leaf(struct td_graph_builder *builder, uint32_t *number);
bool td_build_bitmap(struct td_graph_builder *builder, uint64_t bits, uint32_t *number);
bool td_build_prefix(struct td_graph_builder *builder, uint32_t prefix, uint32_t *number);

/* Makes object `index` a root. */
bool td_build_root(struct td_graph_builder *builder, uint64_t index);

static inline void td_build_step(struct td_graph_builder *builder) {
  if ((++builder->done & TD_BUILD_TICK_MASK) == 0) td_build_tick(builder);
}

/* Allocates the next object; its number is builder->built.objects as it was before. */
static inline bool td_build_alloc(struct td_graph_builder *builder, uint32_t shape,
                                  uint64_t bytes) {
  void *object = builder->sink->alloc(builder->sink->context, shape, bytes);
  if (object == NULL) return td_build_no_memory(builder);
  builder->object[builder->built.objects++] = object;
  builder->built.bytes += bytes;
  td_build_step(builder);
  return true;
}

static inline void td_build_link(struct td_graph_builder *builder, uint64_t from, uint64_t slot,
                                 uint64_t to) {
  void *object = builder->object[from], *target = builder->object[to];
  if (builder->sink->store == NULL)
    ((void **)object)[slot] = target;
  else
    builder->sink->store(builder->sink->context, object, slot, target);
  builder->built.edges++;
}

/* Writes a number into a word that is not a reference, where objects are plain memory. */
static inline void td_build_word(struct td_graph_builder *builder, uint64_t index, uint64_t word,
                                 uint64_t value) {
  if (builder->sink->store == NULL)
    ((uint64_t *)builder->object[index])[word] = value & TD_BUILD_WORD_MASK;
}

#endif
