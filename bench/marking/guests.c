/* SPDX-License-Identifier: MIT */
#include "bench/marking/guests.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bench/cli/complain.h"
#include "bench/cli/host.h"

/* Each process holds the graph once more: is there room? Its heap is a little larger than ours, and
 * it keeps a list of the objects. */
static int refuse_guests(const struct td_graph_rows *graph, const struct tide_heap_stats *stats) {
  uint64_t guests = 0;
  for (size_t i = 0; i < graph->row_count; i++)
    guests += graph->rows[i].engine.kind != TD_ENGINE_TIDE;
  uint64_t need = guests * (stats->heap_bytes + stats->heap_bytes / 2);
  uint64_t available = td_host_memory_available();
  if (need <= available) return TD_EXIT_OK;
  return td_complain(TD_EXIT_RESOURCES,
                     "%s: %" PRIu64 " Boehm GC processes need about %" PRIu64 " MiB; %" PRIu64
                     " MiB are available",
                     graph->spec->text, guests, need >> 20, available >> 20);
}

/* The limit that the user set, by option or by TIDE_HEAP_MAX, holds for Boehm GC too; 0: none. */
static uint64_t limit_of(const struct tide_heap_stats *stats, uint64_t asked) {
  const char *environment = getenv("TIDE_HEAP_MAX");
  return asked || (environment && *environment) ? stats->heap_max_bytes : 0;
}

int td_guests_start(struct td_graph_rows *graph, struct tide_heap *heap, uint64_t heap_max_bytes) {
  struct tide_heap_stats stats;
  tide_heap_stats(heap, &stats);
  int status = refuse_guests(graph, &stats);
  for (size_t i = 0; i < graph->row_count && status == TD_EXIT_OK; i++) {
    struct td_row *row = &graph->rows[i];
    if (row->engine.kind == TD_ENGINE_TIDE) continue;
    status =
        td_boehm_start(graph->spec->text, row->markers, row->engine.kind == TD_ENGINE_BOEHM_TYPED,
                       limit_of(&stats, heap_max_bytes), &row->boehm);
  }
  return status;
}

void td_guests_stop(struct td_graph_rows *graph) {
  for (size_t i = 0; i < graph->row_count; i++) {
    td_boehm_stop(graph->rows[i].boehm);
    graph->rows[i].boehm = NULL;
  }
}
