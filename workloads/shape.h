/* What the graph definitions (shape_*.c) share: the builder, the random numbers, the shapes.
 *
 * A definition allocates all its objects with td_build_alloc, which numbers them from 0, then
 * links and roots them by number.  Allocation can fail; linking cannot.
 * Internal to workloads/. */
#ifndef TD_WORKLOADS_SHAPE_H
#define TD_WORKLOADS_SHAPE_H

#include "workloads/graph.h"

/* What is written into words that are not references; see graph.h. */
#define TD_BUILD_WORD_MASK UINT64_C(0xFFFF)
#define TD_BUILD_TICK_MASK UINT64_C(0xFFFF)

struct td_graph_builder {
  const struct td_graph_spec *spec; /* NULL when a recorded graph is built */
  const struct td_thg *recorded;    /* NULL otherwise */
  const char *name;                 /* the spec's text, for messages */
  const struct td_graph_sink *sink;
  struct td_graph_error *error;
  void **object;        /* the sink's table, by number */
  uint64_t capacity;    /* of the table */
  uint64_t done, total; /* for progress: an object counts twice, allocated and linked */
  struct td_graph_built built;
};

extern const struct td_graph_kind td_graph_tree, td_graph_forest, td_graph_random, td_graph_dag,
    td_graph_list, td_graph_lists, td_graph_comb, td_graph_star, td_graph_wide, td_graph_array,
    td_graph_map, td_graph_ast, td_graph_records, td_graph_file;

/* Builds builder->recorded; the table must have room for its objects. */
bool td_build_recorded(struct td_graph_builder *builder);

/* Whether the machine has that much memory at all; if not, reports it.  Asking first matters: a
 * system that promises more than it has ends the process later, without a word. */
bool td_build_fits(const char *name, uint64_t bytes, struct td_graph_error *error);

/* Reports out of memory; returns false. */
bool td_build_no_memory(struct td_graph_builder *builder);
void td_build_tick(struct td_graph_builder *builder);

/* The sink's number of a shape.  On failure returns false and *number is not to be used. */
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

/* ---- Random numbers: xorshift32 (Marsaglia 2003), shifts 13, 17, 5 ---------------------- */

struct td_random {
  uint32_t state;
};

static inline struct td_random td_random_start(void) {
  return (struct td_random){UINT32_C(2463534242)};
}

static inline uint32_t td_random_next(struct td_random *random) {
  uint32_t x = random->state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  random->state = x;
  return x;
}

static inline uint32_t td_random_below(struct td_random *random, uint64_t n) {
  return (uint32_t)(td_random_next(random) % n);
}

/* Fisher-Yates from the top, malloc'ed; NULL when there is no memory. */
uint32_t *td_random_permutation(struct td_random *random, uint64_t count);

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
