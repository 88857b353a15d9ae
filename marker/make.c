/* SPDX-License-Identifier: MIT */
#include "marker/make.h"

#include <stdlib.h>

#include "marker/region/regions.h"
#include "marker/test/tester.h"

static size_t rounded(size_t bytes) {
  return (bytes + TD_CACHE_LINE - 1) / TD_CACHE_LINE * TD_CACHE_LINE;
}

void td_marker_free(struct td_marker *marker) {
  if (!marker) return;
  free(marker->memory);
  td_growth_close(&marker->growth);
  free(marker->events.at);
  td_visitor_free(marker->visitor);
  td_tester_free(marker->tester);
  free(marker);
}

struct td_marker *td_marker_make(struct td_markers *set, unsigned id) {
  struct td_marker *marker = aligned_alloc(TD_CACHE_LINE, rounded(sizeof *marker));
  if (!marker) return NULL;
  *marker = (struct td_marker){.set = set, .id = id, .cpu = -1};
  marker->visitor = td_visitor_make(marker);
  marker->tester = td_tester_make(marker);
  if (marker->visitor && marker->tester) return marker;
  td_marker_free(marker);
  return NULL;
}

/* ---- Queues ---- */

/* What a queue needs. It becomes the marker's when there is enough for all markers. */
struct queue_memory {
  void *parts; /* shared part, owner's part, slots */
  struct td_growth growth;
};

static void give_back(struct queue_memory *memory) {
  free(memory->parts);
  td_growth_close(&memory->growth);
}

static bool get_memory(struct queue_memory *memory, const struct td_engine *engine, uint32_t blocks,
                       uint32_t items) {
  size_t bytes = rounded(engine->queue_bytes) + rounded(engine->owner_bytes) +
                 rounded(engine->storage_bytes(blocks, items));
  *memory = (struct queue_memory){.parts = aligned_alloc(TD_CACHE_LINE, bytes)};
  bool grows = engine->queue->room == TD_QUEUE_GROWS;
  if (memory->parts && (!grows || td_growth_open(&memory->growth, TD_GROWTH_BYTES))) return true;
  give_back(memory);
  return false;
}

/* Makes a queue in that memory, which belongs to the marker from now on. */
static void make_queue(struct td_marker *marker, const struct td_engine *engine, uint32_t blocks,
                       uint32_t items, const struct queue_memory *memory) {
  give_back(&(struct queue_memory){.parts = marker->memory, .growth = marker->growth});
  marker->memory = marker->queue = memory->parts;
  marker->growth = memory->growth;
  marker->owner = (char *)marker->queue + rounded(engine->queue_bytes);
  marker->storage = (char *)marker->owner + rounded(engine->owner_bytes);
  engine->init(marker, blocks, items);
}

bool td_marker_queues_make(struct td_markers *set, const struct td_engine *engine, uint32_t blocks,
                           uint32_t items, unsigned count) {
  struct queue_memory memory[TIDE_MARKERS_MAX];
  bool same = set->engine == engine && set->queue_blocks == blocks && set->queue_items == items;
  unsigned first = same ? set->limit : 0;
  /* The memory of all queues comes first, so that nothing has changed when there is not enough. */
  for (unsigned i = first; i < count; i++) {
    if (get_memory(&memory[i], engine, blocks, items)) continue;
    while (i-- > first)
      give_back(&memory[i]);
    return false;
  }
  for (unsigned i = first; i < count; i++)
    make_queue(set->marker[i], engine, blocks, items, &memory[i]);
  return true;
}
