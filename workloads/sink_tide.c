/* SPDX-License-Identifier: MIT */
/* Building graphs on a Tidemark heap. */
#include "workloads/sink_tide.h"

#include <stdlib.h>

/* Root slots come in chunks, each registered once: their addresses must not change. */
#define CHUNK_SLOTS 1024u

struct root_chunk {
  struct root_chunk *next;
  size_t used;
  void *slot[CHUNK_SLOTS];
};

struct td_graph_tide {
  struct tide_heap *heap;
  struct tide_mutator *mutator;
  struct root_chunk *roots; /* newest first; only that one has room */
  void (*progress)(void *context, uint64_t done, uint64_t total);
  void *progress_context;
  bool conservative;
  const char *reason; /* of the last failure */
  struct tide_error error;
};

/* ---- Calls of the builder -------------------------------------------------------------- */

/* Words up to the last reference: objects may be no longer than that. */
static size_t words_of(const struct td_thg_shape *shape) {
  size_t last = shape->bitmap_words - 1u;
  return last * 64 + 64 - (size_t)__builtin_clzll(shape->bitmap[last]);
}

static tide_layout layout_of(struct td_graph_tide *graph, const struct td_thg_shape *shape) {
  if (shape->kind == TD_THG_LEAF) return TIDE_LAYOUT_LEAF;
  if (graph->conservative) return TIDE_LAYOUT_CONSERVATIVE;
  if (shape->kind == TD_THG_BITMAP)
    return tide_layout_bitmap(graph->heap, shape->bitmap, words_of(shape), &graph->error);
  if (shape->prefix_words == 0) return TIDE_LAYOUT_REFS;
  return tide_layout_prefixed(graph->heap, shape->prefix_words, &graph->error);
}

static uint32_t shape(void *context, const struct td_thg_shape *description) {
  struct td_graph_tide *graph = context;
  tide_layout layout = layout_of(graph, description);
  if (layout != TIDE_LAYOUT_INVALID) return layout;
  graph->reason = graph->error.text;
  return TD_GRAPH_SHAPE_NONE;
}

static void *alloc(void *context, uint32_t number, size_t bytes) {
  struct td_graph_tide *graph = context;
  void *object = tide_alloc(graph->mutator, (tide_layout)number, bytes);
  if (object == NULL) graph->reason = tide_status_text(tide_alloc_status(graph->mutator));
  return object;
}

static bool add_chunk(struct td_graph_tide *graph) {
  struct root_chunk *chunk = calloc(1, sizeof *chunk);
  if (chunk == NULL) return false;
  enum tide_status status = tide_root_add_range(graph->heap, chunk->slot, CHUNK_SLOTS);
  if (status != TIDE_OK) {
    graph->reason = tide_status_text(status);
    free(chunk);
    return false;
  }
  chunk->next = graph->roots;
  graph->roots = chunk;
  return true;
}

static bool root(void *context, void *object) {
  struct td_graph_tide *graph = context;
  if ((graph->roots == NULL || graph->roots->used == CHUNK_SLOTS) && !add_chunk(graph))
    return false;
  graph->roots->slot[graph->roots->used++] = object;
  return true;
}

static void **table_new(void *context, size_t count) {
  struct td_graph_tide *graph = context;
  void **table = calloc(count, sizeof *table);
  if (table == NULL) return NULL;
  enum tide_status status = tide_root_add_range(graph->heap, table, count);
  if (status == TIDE_OK) return table;
  graph->reason = tide_status_text(status);
  free(table);
  return NULL;
}

static void table_free(void *context, void **table, size_t count) {
  struct td_graph_tide *graph = context;
  (void)count;
  tide_root_remove_range(graph->heap, table);
  free(table);
}

static void progress(void *context, uint64_t done, uint64_t total) {
  struct td_graph_tide *graph = context;
  graph->progress(graph->progress_context, done, total);
}

static const char *reason(void *context) {
  return ((struct td_graph_tide *)context)->reason;
}

/* ---- Life ------------------------------------------------------------------------------ */

struct td_graph_tide *td_graph_tide_new(struct tide_heap *heap, struct tide_mutator *mutator) {
  struct td_graph_tide *graph = calloc(1, sizeof *graph);
  if (graph == NULL) return NULL;
  graph->heap = heap;
  graph->mutator = mutator;
  return graph;
}

void td_graph_tide_free(struct td_graph_tide *graph) {
  if (graph == NULL) return;
  while (graph->roots != NULL) {
    struct root_chunk *chunk = graph->roots;
    graph->roots = chunk->next;
    tide_root_remove_range(graph->heap, chunk->slot);
    free(chunk);
  }
  free(graph);
}

void td_graph_tide_be_conservative(struct td_graph_tide *graph) {
  graph->conservative = true;
}

void td_graph_tide_progress(struct td_graph_tide *graph,
                            void (*report)(void *context, uint64_t done, uint64_t total),
                            void *context) {
  graph->progress = report;
  graph->progress_context = context;
}

void td_graph_tide_sink(struct td_graph_tide *graph, struct td_graph_sink *sink) {
  *sink = (struct td_graph_sink){
      .context = graph,
      .shape = shape,
      .alloc = alloc,
      .root = root,
      .table_new = table_new,
      .table_free = table_free,
      .progress = graph->progress == NULL ? NULL : progress,
      .reason = reason,
  };
}
