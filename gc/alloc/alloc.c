/* Allocation behind the inlined fast path. */
#include "gc/alloc/room.h"
#include "gc/layout/layouts.h"
#include "gc/object/runs.h"
#include "gc/state/error.h"
#include "gc/stats/stats.h"
#include "gc/threads/inside.h"
#include "gc/threads/mutator/callback.h"
#include "heap/log.h"
#include "heap/medium.h"

/* A mutator adds to the heap's count of allocated bytes this often. */
#define FLUSH_BYTES ((uint64_t)256 << 10)

static TD_KEEPS_CALL void tell_growth(struct tide_mutator *mutator, void *object) {
  struct td_callback call;
  td_callback_begin(mutator, &call, (uintptr_t)object, "an event");
  td_stats_tell_growth(mutator->heap);
  td_callback_end(mutator, &call);
  /* If it has collected, the object is old by now. But its first stores need no barrier. */
  if (mutator->heap->space.has_young) td_log_fresh_if_old(&mutator->heap->space, (uintptr_t)object);
}

static inline void *take(struct tide_mutator *mutator, struct td_request *request) {
  struct td_space *space = &mutator->heap->space;
  struct td_cache *cache = &mutator->cache;
  void *object = NULL;
  if (TIDE_LIKELY(td_request_is_small(request))) {
    object = td_cache_take(space, cache, request->layout, request->bytes,
                           request->step == TD_STEP_CHECK ? NULL : &request->room);
    if (cache->handed_out > FLUSH_BYTES) td_runs_flush_counts(mutator);
  } else if (!td_layout_fits(&space->layouts.at[request->layout], request->bytes)) {
    request->room = TD_ROOM_UNFIT;
  } else {
    object = td_space_alloc_long(space, request->layout, request->bytes, request->in_blocks,
                                 &request->room);
    if (object) cache->handed_out += request->bytes;
  }
  /* relaxed: see td_stats_tell. */
  if (object && atomic_load_explicit(&mutator->heap->stats->has_event, memory_order_relaxed) &&
      td_stats_growth_is_news(mutator->heap))
    tell_growth(mutator, object);
  return object;
}

/* May the mutator go on in its run as inlined code would? All checks were made when the block was
 * taken; where allocation is forbidden inlined code sees no run. */
static bool goes_on(const struct tide_mutator *mutator, tide_layout layout, size_t bytes) {
  /* relaxed: as in tide_safepoint; a collection that waits is for the longer way. */
  return bytes - 1 < TIDE_BUMP_INLINE_BYTES && layout < TIDE_LAYOUT_MAX &&
         !__atomic_load_n(&mutator->fast.stop, __ATOMIC_RELAXED) &&
         mutator->fast.bump == mutator->cache.runs && !mutator->heap->stress;
}

/* Takes, `at_once` the first time, as long as there may be room. */
static inline void *allocate(struct tide_mutator *mutator, struct td_request *request,
                             bool at_once) {
  void *object = NULL;
  while (!object && (at_once || td_make_room(mutator, request))) {
    object = take(mutator, request);
    at_once = false;
  }
  return object;
}

/* What most calls come to is that the run goes on where it ended, or further on in its block. */
void *tide_alloc_slow(struct tide_mutator *mutator, tide_layout layout, size_t bytes) {
  if (!mutator) {
    (void)td_may_allocate(mutator); /* says what is wrong */
    return NULL;
  }
  td_allocation_begin(mutator);
  const bool at_once = goes_on(mutator, layout, bytes);
  struct td_request request = {.layout = layout, .bytes = bytes};
  void *object = allocate(mutator, &request, at_once);
  td_allocation_end(mutator);
  return object;
}

static void *refuse(struct tide_mutator *mutator, enum tide_status status) {
  mutator->alloc_status = status;
  return NULL;
}

void *tide_alloc_array(struct tide_mutator *mutator, tide_layout layout, size_t count,
                       size_t bytes_each) {
  size_t bytes;
  if (__builtin_mul_overflow(count, bytes_each, &bytes))
    return td_may_allocate(mutator) ? refuse(mutator, TIDE_ERROR_ARGUMENT) : NULL;
  if (count > 1 && layout > TIDE_LAYOUT_CONSERVATIVE && layout < TIDE_LAYOUT_MAX) {
    if (!td_may_allocate(mutator)) return NULL;
    enum tide_status status = td_layout_of_array(mutator->heap, &layout, bytes_each);
    if (status != TIDE_OK) return refuse(mutator, status);
  }
  if (!mutator) return tide_alloc_slow(mutator, layout, bytes);
  return tide_alloc(mutator, layout, bytes);
}

void *tide_alloc_aligned(struct tide_mutator *mutator, tide_layout layout, size_t bytes,
                         size_t alignment) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_may_allocate(mutator)) return NULL;
  if (alignment == 0 || (alignment & (alignment - 1)) || alignment > TD_BLOCK_BYTES)
    return refuse(mutator, TIDE_ERROR_ARGUMENT);
  struct td_request request = {.layout = layout, .bytes = bytes ? bytes : 1};
  if (alignment > TD_GRANULE_BYTES) {
    /* Cells of a block start at multiples of their size; large objects at a block's start. */
    unsigned size_class =
        bytes <= TD_SMALL_BYTES_MAX ? td_class_aligned(request.bytes, alignment) : 0;
    request.in_blocks = size_class == 0;
    if (size_class) request.bytes = td_class_bytes(size_class);
  }
  return allocate(mutator, &request, false);
}

enum tide_status tide_alloc_status(const struct tide_mutator *mutator) {
  if (!mutator) return TIDE_ERROR_ARGUMENT;
  return mutator->thread == td_thread_identity() ? mutator->alloc_status : TIDE_ERROR_STATE;
}
