/* SPDX-License-Identifier: MIT */
/* Creating and destroying heaps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gc/alloc/dead.h"
#include "gc/check/caller/check.h"
#include "gc/create/fork.h"
#include "gc/create/options.h"
#include "gc/cycle/asked.h"
#include "gc/cycle/beside.h"
#include "gc/cycle/beside_thread.h"
#include "gc/when/when.h"
#include "gc/cycle/young.h"
#include "gc/cycle/young_beside.h"
#include "gc/foreign/weak_slots.h"
#include "gc/layout/layouts.h"
#include "gc/object/runs.h"
#include "gc/roots/pin.h"
#include "gc/roots/set.h"
#include "gc/state/error.h"
#include "gc/stats/stats.h"
#include "gc/threads/inside.h"
#include "gc/threads/mutator/attach.h"
#include "gc/threads/mutator/resting.h"
#include "gc/threads/mutator/written.h"
#include "gc/threads/stop/registers.h"
#include "gc/threads/stop/safe.h"
#include "gc/threads/stop/world.h"
#include "gc/threads/thread.h"
#include "gc/weak/ephemeron.h"
#include "gc/weak/finalizers.h"
#include "gc/weak_table.h"
#include "heap/create.h"
#include "marker/engine/engines.h"
#include "marker/queue/policies.h"

/* Not zeroed: small heaps never touch it. */
struct whole_room {
  struct td_root_room roots[2];
  struct td_ephemeron_room ephemerons;
};

/* A heap and what its rooms keep of it. */
struct whole {
  struct tide_heap heap;
  struct td_world world;
  struct td_retired retired;
  struct td_run_pool run_pool;
  struct td_root_set roots;
  struct td_pins pins;
  struct td_finalizers finalizers;
  struct td_weak_slots weak_slots[TD_WEAK_KINDS];
  struct td_serial_traces serial;
  struct td_when when;
  struct td_asked asked;
  struct td_stats stats;
  struct td_written written;
  struct td_resting resting;
  struct td_young_beside young_beside;
  struct td_ephemerons ephemerons;
  struct whole_room room;
};

/* Returns NULL if there is no memory. */
static struct tide_heap *take_whole(void) {
  size_t bytes = (sizeof(struct whole) + TD_CACHE_LINE - 1) / TD_CACHE_LINE * TD_CACHE_LINE;
  struct whole *w = aligned_alloc(TD_CACHE_LINE, bytes);
  if (!w) return NULL;
  memset(w, 0, offsetof(struct whole, room));
  w->heap.world = &w->world;
  w->heap.retired = &w->retired;
  w->heap.run_pool = &w->run_pool;
  w->heap.roots = &w->roots;
  w->heap.pins = &w->pins;
  w->heap.finalizers = &w->finalizers;
  w->heap.ephemerons = &w->ephemerons;
  w->heap.weak_slots = w->weak_slots;
  w->heap.serial = &w->serial;
  w->heap.when = &w->when;
  w->heap.asked = &w->asked;
  w->heap.stats = &w->stats;
  w->heap.written = &w->written;
  w->heap.resting = &w->resting;
  w->heap.young_beside = &w->young_beside;
  return &w->heap;
}

static void start_sizing(struct tide_heap *heap, const struct tide_options *o) {
  size_t initial = (o->heap_initial_bytes + TD_BLOCK_BYTES - 1) / TD_BLOCK_BYTES;
  uint32_t most = heap->space.max_blocks;
  double cost = o->advanced->adaptive_cost;
  heap->when->sizing = (struct td_sizing){
      .kind = o->sizing,
      .growth_factor = o->growth_factor,
      .adaptive_cost = cost != 0 ? cost : TD_ADAPTIVE_COST_DEFAULT,
      .young = heap->space.has_young,
      .beside = heap->concurrent != NULL,
      .initial_blocks = initial < most ? (uint32_t)initial : most,
      .max_blocks = most,
  };
  heap->when->ended_ns = td_plat_now_ns();
  td_when_set(heap, (struct td_facts){.kind = TIDE_CYCLE_FULL, .asked = true});
  td_young_begin(heap, o->pause_goal_us);
}

static bool build_heap(struct tide_heap *heap, const struct tide_options *o,
                       struct tide_error *error) {
  for (int kind = 0; kind < TD_WEAK_KINDS; kind++)
    td_weak_slots_init(&heap->weak_slots[kind]);
  struct whole_room *room = &((struct whole *)heap)->room;
  bool rooted = td_roots_init(heap->roots, room->roots);
  td_ephemerons_init(heap->ephemerons, &room->ephemerons);
  heap->markers = td_markers_create(&heap->space, &heap->config, error);
  if (!heap->markers) return false;
  if (!rooted || !td_stats_init(heap) || !td_world_init(heap->world) ||
      !td_finalizers_init(heap->finalizers) || pthread_mutex_init(&heap->serial->lock, NULL) != 0 ||
      pthread_mutex_init(&heap->written->lock, NULL) != 0 ||
      pthread_mutex_init(&heap->resting->lock, NULL) != 0 ||
      (o->concurrent && !td_beside_open(heap)) ||
      (heap->weak_table_layout = td_weak_table_layout(heap)) == TIDE_LAYOUT_INVALID) {
    td_fail(error, TIDE_ERROR_MEMORY, "tide_heap_create: out of memory");
    return false;
  }
  start_sizing(heap, o);
  const char *refused = td_heaps_add(heap);
  if (refused) td_fail(error, TIDE_ERROR_SYSTEM, "tide_heap_create: %s", refused);
  return !refused;
}

static void free_heap(struct tide_heap *heap) {
  td_beside_close(heap);
  td_young_beside_deinit(heap->young_beside);
  pthread_mutex_destroy(&heap->written->lock);
  pthread_mutex_destroy(&heap->resting->lock);
  td_markers_destroy(heap->markers);
  td_mutators_free_pools(heap);
  td_ephemerons_deinit(heap->ephemerons);
  td_finalizers_deinit(heap->finalizers);
  for (int kind = 0; kind < TD_WEAK_KINDS; kind++)
    td_weak_slots_deinit(&heap->weak_slots[kind]);
  td_serial_traces_deinit(heap);
  td_pins_deinit(heap);
  td_roots_deinit(heap->roots);
  td_world_deinit(heap->world);
  td_stats_deinit(heap);
  td_space_deinit(&heap->space);
  free(heap);
}

static void configure_markers(struct td_marker_config *config, const struct tide_options *o,
                              unsigned cpus) {
  const struct tide_advanced_options *a = o->advanced;
  *config = (struct td_marker_config){.engine = td_engine_find(a->engine),
                                      .policy = td_policy_find(a->policy),
                                      .markers = o->markers,
                                      .cpus = cpus,
                                      .helpers_after_ns = o->helpers_after_ms * UINT64_C(1000000),
                                      .queue_blocks = a->queue_blocks,
                                      .queue_block_items = a->queue_block_items};
}

/* The heap was made, but perhaps with less address space than was meant for it. */
static void remark(const struct tide_heap *heap, size_t wanted, struct tide_error *error) {
  struct tide_error said;
  size_t reserved = heap->space.reserved_bytes;
  bool less = reserved + TD_SLAB_BYTES <= wanted;
  td_succeed(&said);
  if (less)
    td_fail(&said, TIDE_OK,
            "the system gave %zu MiB of address space for a heap instead of %zu MiB",
            reserved >> 20, wanted >> 20);
  if (error) *error = said;
  if (heap->log && said.text[0]) fprintf(stderr, "tidemark: %s\n", said.text);
}

static struct tide_heap *create_heap(const struct tide_options *options, struct tide_error *error) {
  struct tide_options o;
  struct tide_advanced_options advanced;
  struct td_environment environment;
  if (td_in_callback()) {
    td_fail(error, TIDE_ERROR_STATE, "tide_heap_create: inside a collection");
    return NULL;
  }
  if (!td_options_read(options, &o, &advanced, &environment, error)) return NULL;
  struct tide_heap *heap = take_whole();
  if (!heap) {
    td_fail(error, TIDE_ERROR_MEMORY, "tide_heap_create: out of memory");
    return NULL;
  }
  heap->out_of_memory = o.out_of_memory;
  heap->out_of_memory_context = o.out_of_memory_context;
  heap->stress = environment.stress;
  heap->verify = environment.verify;
  heap->log = environment.log;
  heap->collects = o.collects;
  configure_markers(&heap->config, &o, (unsigned)environment.cpus);
  heap->config.marking = environment.marking;
  if (!td_space_init(&heap->space, o.write_barrier && environment.young, o.reserve_bytes,
                     o.heap_max_bytes, error)) {
    free(heap);
    return NULL;
  }
  heap->space.has_quarantine = heap->verify;
  heap->space.stress = heap->stress != 0 || heap->verify;
  if (o.small_pages) td_space_use_small_pages(&heap->space, o.huge_pages_from);
  if (!build_heap(heap, &o, error)) {
    free_heap(heap);
    return NULL;
  }
  remark(heap, o.reserve_bytes, error);
  return heap;
}

/* Files are read and threads joined, which are points of cancellation. */
struct tide_heap *tide_heap_create(const struct tide_options *options, struct tide_error *error) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  int before, disabled;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  struct tide_heap *heap = create_heap(options, error);
  pthread_setcancelstate(before, &disabled);
  return heap;
}

/* The collecting thread may wait for a fork, which waits for this thread in its other heaps. */
static void stop_beside(void *heap) {
  td_thread_enter_safe(NULL);
  td_beside_stop(heap);
  td_thread_leave_safe(NULL);
}

static enum tide_status destroy_heap(struct tide_heap *heap) {
  if (!heap) return TIDE_OK;
  if (td_in_callback()) return TIDE_ERROR_STATE;
  td_world_lock(heap);
  /* relaxed: changed under the lock that we hold. */
  bool attached = atomic_load_explicit(&heap->world->count, memory_order_relaxed) != 0;
  td_world_unlock(heap);
  if (attached) return TIDE_ERROR_STATE;
  td_stack_call(stop_beside, heap);
  td_dead_tell_all(heap);
  td_heaps_remove(heap);
  free_heap(heap);
  return TIDE_OK;
}

enum tide_status tide_heap_destroy(struct tide_heap *heap) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  int before, disabled;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  enum tide_status status = destroy_heap(heap);
  pthread_setcancelstate(before, &disabled);
  return status;
}
