/* SPDX-License-Identifier: MIT */
#include "gc/stats/stats.h"

#include <string.h>

#include "gc/arrays/pages.h"
#include "gc/threads/inside.h"
#include "gc/threads/thread.h"
#include "platform/probes.h"

bool td_stats_init(struct tide_heap *heap) {
  /* Each has room for the most markers there may be: pages that are never written to take no
   * memory. */
  struct td_stats *stats = heap->stats;
  stats->last = td_pages_take(2 * sizeof *stats->last);
  stats->building = stats->last + 1;
  return stats->last && pthread_mutex_init(&stats->lock, NULL) == 0;
}

void td_stats_deinit(struct tide_heap *heap) {
  struct td_cycle_figures *last = heap->stats->last, *building = heap->stats->building;
  td_pages_give(last < building ? last : building, 2 * sizeof *last);
  pthread_mutex_destroy(&heap->stats->lock);
}

/* What a collection has counted is read by the thread that makes it, and by no other: young ones
 * beside a full one tell events, too. */
static void probe(const struct tide_heap *heap, enum tide_event event) {
  const struct tide_cycle_running *cycle = &heap->stats->running;
  if (event == TIDE_EVENT_CYCLE_BEGIN) TD_PROBE3(cycle__begin, heap, cycle->kind, cycle->cause);
  if (event == TIDE_EVENT_STOPPED) TD_PROBE1(stopped, heap);
  if (event == TIDE_EVENT_MARK_BEGIN) TD_PROBE1(mark__begin, heap);
  if (event == TIDE_EVENT_MARK_END) TD_PROBE1(mark__end, heap);
  if (event == TIDE_EVENT_WEAK_END) TD_PROBE2(weak__end, heap, heap->stats->building->all.objects);
  if (event == TIDE_EVENT_SWEEP_END) TD_PROBE2(sweep__end, heap, heap->stats->building->all.bytes);
  if (event == TIDE_EVENT_CYCLE_END) TD_PROBE2(cycle__end, heap, cycle->kind);
  if (event == TIDE_EVENT_HEAP_GREW) TD_PROBE1(heap__grew, heap);
  if (event == TIDE_EVENT_HEAP_SHRANK) TD_PROBE1(heap__shrank, heap);
  if (event == TIDE_EVENT_STOP_LATE) TD_PROBE1(stop__late, heap);
}

uint64_t td_stats_tell(struct tide_heap *heap, enum tide_event event) {
  uint64_t now = td_plat_now_ns();
  probe(heap, event);
  /* relaxed: a callback that is being set just now may miss an event. */
  if (!atomic_load_explicit(&heap->stats->has_event, memory_order_relaxed)) return now;
  pthread_mutex_lock(&heap->stats->lock);
  tide_event_fn call = heap->stats->event;
  void *context = heap->stats->event_context;
  pthread_mutex_unlock(&heap->stats->lock);
  if (!call) return now;
  const bool young = heap->space.has_young; /* else nobody asks for that clock, which is slow */
  uint64_t worked = young ? td_plat_thread_ns() : 0;
  call(heap, event, now, context);
  if (event <= TIDE_EVENT_CYCLE_END) { /* of a collection, from one thread */
    heap->stats->told_work_ns += (young ? td_plat_thread_ns() : 0) - worked;
    heap->stats->told_ns += td_plat_now_ns() - now;
  }
  return now;
}

uint64_t td_stats_begin(struct tide_heap *heap, enum tide_cycle_kind kind,
                        enum tide_cycle_cause cause) {
  pthread_mutex_lock(&heap->stats->lock);
  /* relaxed: changed under the world's lock, which this thread holds. */
  heap->stats->running.number = atomic_load_explicit(&heap->cycles, memory_order_relaxed) + 1;
  heap->stats->running.kind = kind;
  heap->stats->running.cause = cause;
  pthread_mutex_unlock(&heap->stats->lock);
  heap->stats->told_work_ns = 0;
  uint64_t now = td_stats_tell(heap, TIDE_EVENT_CYCLE_BEGIN);
  heap->stats->told_ns = 0;
  return now;
}

/* relaxed, all: asked at every run that is handed out; a change missed now is told next time, and
 * the lock orders the rest. */
bool td_stats_growth_is_news(struct tide_heap *heap) {
  uint32_t committed = atomic_load_explicit(&heap->space.committed_slabs, memory_order_relaxed);
  return committed !=
         atomic_load_explicit(&heap->stats->committed_slabs_seen, memory_order_relaxed);
}

void td_stats_tell_growth(struct tide_heap *heap) {
  if (!td_stats_growth_is_news(heap)) return;
  pthread_mutex_lock(&heap->space.lock);
  uint32_t committed = atomic_load_explicit(&heap->space.committed_slabs, memory_order_relaxed);
  uint32_t seen =
      atomic_exchange_explicit(&heap->stats->committed_slabs_seen, committed, memory_order_relaxed);
  pthread_mutex_unlock(&heap->space.lock);
  if (committed > seen) td_stats_tell(heap, TIDE_EVENT_HEAP_GREW);
  if (committed < seen) td_stats_tell(heap, TIDE_EVENT_HEAP_SHRANK);
}

void td_stats_abandon(struct tide_heap *heap) {
  pthread_mutex_lock(&heap->stats->lock);
  heap->stats->running = (struct tide_cycle_running){0};
  pthread_mutex_unlock(&heap->stats->lock);
}

static void count_pause(struct td_stats *stats, uint64_t pause_ns) {
  stats->totals.pause_ns_total += pause_ns;
  if (pause_ns > stats->totals.pause_ns_max) stats->totals.pause_ns_max = pause_ns;
  unsigned bucket = pause_ns ? 63u - (unsigned)__builtin_clzll(pause_ns) : 0;
  stats->pauses.bucket[bucket < 48 ? bucket : 47]++;
  stats->pauses.count++;
}

/* Under the lock: a collection has ended. */
static void add_up(struct td_stats *stats, const struct tide_cycle_stats *ended) {
  stats->totals.young_collections += ended->kind == TIDE_CYCLE_YOUNG;
  stats->totals.promoted_bytes += ended->promoted_bytes;
  stats->totals.mark_ns_total += ended->mark_ns;
  for (unsigned i = 0; i < ended->stops; i++)
    count_pause(stats, ended->stops_ns[i]);
  if (ended->stops == 0) count_pause(stats, ended->pause_ns);
}

void td_stats_publish(struct tide_heap *heap) {
  pthread_mutex_lock(&heap->stats->lock);
  struct td_cycle_figures *ended = heap->stats->building;
  heap->stats->building = heap->stats->last;
  heap->stats->last = ended;
  heap->stats->running = (struct tide_cycle_running){0};
  add_up(heap->stats, &ended->all);
  pthread_mutex_unlock(&heap->stats->lock);
}

void td_stats_publish_beside(struct tide_heap *heap, struct tide_cycle_stats *stats) {
  pthread_mutex_lock(&heap->stats->lock);
  /* relaxed: as in td_cycle_publish. */
  stats->number = atomic_fetch_add_explicit(&heap->cycles, 1, memory_order_relaxed) + 1;
  heap->stats->running.number++; /* of the one that goes on */
  heap->stats->last->all = *stats;
  heap->stats->last->marker[0] = (struct tide_marker_stats){.objects = stats->objects};
  add_up(heap->stats, stats);
  pthread_mutex_unlock(&heap->stats->lock);
}

void tide_heap_on_event(struct tide_heap *heap, tide_event_fn callback, void *context) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap) return;
  pthread_mutex_lock(&heap->stats->lock);
  heap->stats->event = callback;
  heap->stats->event_context = context;
  /* relaxed: the lock orders what the flag announces. */
  atomic_store_explicit(&heap->stats->has_event, callback != NULL, memory_order_relaxed);
  pthread_mutex_unlock(&heap->stats->lock);
}

/* Gives a caller what it knows of a structure, and zeroes for what this library does not. */
static void hand_over(void *to, size_t bytes, const void *from, size_t from_bytes) {
  if (!to) return;
  size_t known = bytes < from_bytes ? bytes : from_bytes;
  memcpy(to, from, known);
  memset((char *)to + known, 0, bytes - known);
}

static void fill_heap_stats(struct tide_heap *heap, struct tide_heap_stats *stats) {
  struct td_space *blocks = &heap->space;
  pthread_mutex_lock(&heap->stats->lock);
  *stats = heap->stats->totals;
  pthread_mutex_unlock(&heap->stats->lock);
  pthread_mutex_lock(&blocks->lock);
  stats->heap_bytes = (uint64_t)blocks->used_blocks * TD_BLOCK_BYTES;
  /* relaxed: under the lock. */
  stats->committed_bytes =
      (uint64_t)atomic_load_explicit(&blocks->committed_slabs, memory_order_relaxed) *
      TD_SLAB_BYTES;
  stats->committed_bytes -= (uint64_t)blocks->bare_blocks * TD_BLOCK_BYTES;
  stats->peak_committed_bytes = (uint64_t)blocks->peak_committed_slabs * TD_SLAB_BYTES;
  stats->heap_max_bytes = (uint64_t)blocks->max_blocks * TD_BLOCK_BYTES;
  stats->reserved_bytes = blocks->reserved_bytes;
  stats->young_bytes = blocks->young_due == SIZE_MAX ? 0 : blocks->young_due;
  stats->next_collection_bytes = (uint64_t)blocks->budget_blocks * TD_BLOCK_BYTES;
  pthread_mutex_unlock(&blocks->lock);
  /* relaxed, all: figures of some moment. */
  stats->allocated_bytes = atomic_load_explicit(&heap->allocated_bytes, memory_order_relaxed);
  stats->freed_bytes = atomic_load_explicit(&heap->freed_bytes, memory_order_relaxed);
  const struct tide_mutator *mutator = tide_current(heap);
  if (mutator) stats->freed_bytes += __atomic_load_n(&mutator->freed_bytes, __ATOMIC_RELAXED);
  stats->concurrent_collections =
      atomic_load_explicit(&heap->stats->concurrent, memory_order_relaxed);
  stats->degenerate_collections =
      atomic_load_explicit(&heap->stats->degenerate, memory_order_relaxed);
  stats->collections = atomic_load_explicit(&heap->cycles, memory_order_relaxed);
  stats->mutators = atomic_load_explicit(&heap->world->count, memory_order_relaxed);
}

void tide_heap_stats_sized(struct tide_heap *heap, struct tide_heap_stats *stats,
                           size_t struct_bytes) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct tide_heap_stats now = {0};
  if (heap) fill_heap_stats(heap, &now);
  hand_over(stats, struct_bytes, &now, sizeof now);
}

void tide_cycle_stats_sized(struct tide_heap *heap, struct tide_cycle_stats *stats,
                            size_t struct_bytes) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct tide_cycle_stats last = {0};
  if (heap) {
    pthread_mutex_lock(&heap->stats->lock);
    last = heap->stats->last->all;
    pthread_mutex_unlock(&heap->stats->lock);
  }
  hand_over(stats, struct_bytes, &last, sizeof last);
}

void tide_cycle_running_sized(struct tide_heap *heap, struct tide_cycle_running *running,
                              size_t struct_bytes) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct tide_cycle_running now = {0};
  if (heap) {
    pthread_mutex_lock(&heap->stats->lock);
    now = heap->stats->running;
    pthread_mutex_unlock(&heap->stats->lock);
  }
  hand_over(running, struct_bytes, &now, sizeof now);
}

size_t tide_marker_stats_sized(struct tide_heap *heap, struct tide_marker_stats *stats, size_t room,
                               size_t struct_bytes) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap) return 0;
  pthread_mutex_lock(&heap->stats->lock);
  size_t count = heap->stats->last->all.markers;
  for (size_t i = 0; stats && i < count && i < room; i++)
    hand_over((char *)stats + i * struct_bytes, struct_bytes, &heap->stats->last->marker[i],
              sizeof heap->stats->last->marker[i]);
  pthread_mutex_unlock(&heap->stats->lock);
  return count;
}

void tide_pause_histogram_sized(struct tide_heap *heap, struct tide_pause_histogram *histogram,
                                size_t struct_bytes) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct tide_pause_histogram now = {0};
  if (heap) {
    pthread_mutex_lock(&heap->stats->lock);
    now = heap->stats->pauses;
    pthread_mutex_unlock(&heap->stats->lock);
  }
  hand_over(histogram, struct_bytes, &now, sizeof now);
}
