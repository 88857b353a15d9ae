/* Attaching and detaching threads. */
#include "gc/mutator/attach.h"

#include <stdlib.h>
#include <string.h>

#include "gc/base/error.h"
#include "gc/base/runs.h"
#include "gc/base/sized.h"
#include "gc/base/thread.h"
#include "gc/mutator/fiber.h"
#include "gc/mutator/handles.h"
#include "gc/stop/world.h"
#include "heap/alloc.h"

/* ---- Once per process ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t exit_key;
static bool exit_key_made;
static bool runs_ready;

static void detach(struct tide_mutator *mutator);

/* Runs at a thread's end. Other destructors may still want the heap: wait for one round. */
static void thread_ends(void *round) {
  static char second;
  /* The frames that they lie in are gone if the thread ended in a callback. */
  for (struct tide_mutator *m = td_thread_mutators(); m; m = m->thread_next)
    m->locals = NULL;
  if (round != &second) {
    pthread_setspecific(exit_key, &second);
    return;
  }
  while (td_thread_mutators())
    detach(td_thread_mutators());
}

static void prepare_process(void) {
  exit_key_made = pthread_key_create(&exit_key, thread_ends) == 0;
  runs_ready = td_runs_prepare();
}

/* ---- Attach ---- */

void tide_attach_options_init(struct tide_attach_options *options) {
  if (options) *options = (struct tide_attach_options){.struct_size = sizeof *options};
}

static bool read_options(const struct tide_attach_options *options,
                         struct tide_attach_options *read, struct tide_error *error) {
  tide_attach_options_init(read);
  if (options &&
      !td_sized_copy(read, sizeof *read, options, "tide_attach", "tide_attach_options_init", error))
    return false;
  if (read->stack != TIDE_STACK_CONSERVATIVE && read->stack != TIDE_STACK_PRECISE) {
    td_fail(error, TIDE_ERROR_ARGUMENT, "tide_attach: no stack kind has number %d",
            (int)read->stack);
    return false;
  }
  return true;
}

/* A structure that was detached long ago, or a new one. Under the world's lock. */
static struct tide_mutator *take_mutator(struct tide_heap *heap) {
  if (heap->retired_count <= TD_QUARANTINE)
    return aligned_alloc(TD_CACHE_LINE, sizeof(struct tide_mutator));
  struct tide_mutator *mutator = heap->retired_first;
  heap->retired_first = mutator->next;
  heap->retired_count--;
  return mutator;
}

/* A detached structure stays readable for a while, so that its use is told instead of corrupting
 * somebody else's. Under the world's lock. */
static void put_mutator(struct tide_heap *heap, struct tide_mutator *mutator) {
  mutator->next = NULL;
  if (heap->retired_count++ == 0)
    heap->retired_first = mutator;
  else
    heap->retired_last->next = mutator;
  heap->retired_last = mutator;
}

static enum tide_status build(struct tide_heap *heap, const struct tide_attach_options *options,
                              struct tide_mutator **built) {
  struct tide_mutator *mutator = take_mutator(heap);
  if (!mutator) return TIDE_ERROR_MEMORY;
  memset(mutator, 0, sizeof *mutator);
  mutator->stack_kind = options->stack;
  mutator->own.high = 1; /* a precise mutator's stack is never looked at */
  mutator->current = &mutator->own;
  mutator->thread = td_thread_identity();
  if (options->stack == TIDE_STACK_CONSERVATIVE && !td_fibers_open(mutator)) {
    put_mutator(heap, mutator);
    return TIDE_ERROR_SYSTEM;
  }
  if (!td_runs_open(heap, mutator)) {
    put_mutator(heap, mutator);
    return TIDE_ERROR_MEMORY;
  }
  mutator->heap = heap;
  *built = mutator;
  return TIDE_OK;
}

struct tide_mutator *tide_attach(struct tide_heap *heap, const struct tide_attach_options *options,
                                 struct tide_error *error) {
  struct tide_attach_options read;
  struct tide_mutator *mutator = NULL;
  if (!heap) {
    td_fail(error, TIDE_ERROR_ARGUMENT, "tide_attach: heap is NULL");
    return NULL;
  }
  if (!read_options(options, &read, error)) return NULL;
  if (tide_current(heap) || td_inside_collection(heap)) {
    td_fail(error, TIDE_ERROR_STATE, "tide_attach: %s",
            tide_current(heap) ? "this thread is attached to the heap already"
                               : "in a trace function, root callback or event");
    return NULL;
  }
  pthread_once(&once, prepare_process);
  if (!exit_key_made || !runs_ready || pthread_setspecific(exit_key, td_thread_identity()) != 0) {
    td_fail(error, TIDE_ERROR_SYSTEM, "tide_attach: no thread key or address space left");
    return NULL;
  }
  td_world_lock(heap);
  enum tide_status status = build(heap, &read, &mutator);
  if (status == TIDE_OK) {
    mutator->next = heap->world.mutators;
    heap->world.mutators = mutator;
    /* relaxed: changed under the lock only. */
    atomic_fetch_add_explicit(&heap->world.count, 1, memory_order_relaxed);
    td_thread_add(mutator);
  }
  td_world_unlock(heap);
  if (status != TIDE_OK)
    td_fail(error, status, "tide_attach: %s",
            status == TIDE_ERROR_SYSTEM ? "the system does not tell this thread's stack bounds"
                                        : "out of memory for a mutator");
  else
    td_succeed(error);
  return mutator;
}

/* ---- Detach ---- */

/* Takes a mutator apart. Under the world's lock, no stop under way or the stopper calling. */
static void dismantle(struct tide_heap *heap, struct tide_mutator *mutator) {
  td_runs_retire(mutator);
  struct tide_mutator **link = &heap->world.mutators;
  while (*link != mutator)
    link = &(*link)->next;
  *link = mutator->next;
  /* relaxed: changed under the lock only. */
  atomic_fetch_sub_explicit(&heap->world.count, 1, memory_order_relaxed);
  td_fibers_close(mutator);
  td_handles_close(mutator);
  td_runs_close(heap, mutator);
  mutator->fast.stop = 0;
  mutator->heap = NULL;
  mutator->alloc_status = TIDE_ERROR_STATE;
  put_mutator(heap, mutator);
}

static void detach(struct tide_mutator *mutator) {
  struct tide_heap *heap = mutator->heap;
  td_world_lock(heap);
  td_thread_remove(mutator);
  dismantle(heap, mutator);
  td_world_unlock(heap);
  /* So that nothing of ours is called at the thread's end: the library may be gone by then. */
  if (!td_thread_mutators()) pthread_setspecific(exit_key, NULL);
}

enum tide_status tide_detach(struct tide_mutator *mutator) {
  if (!mutator) return TIDE_OK;
  if (!mutator->heap || mutator->thread != td_thread_identity() || mutator->scope)
    return TIDE_ERROR_STATE;
  /* Local roots: a finalizer or the out-of-memory hook runs, and wants the mutator back. */
  if (mutator->locals || td_inside_collection(mutator->heap)) return TIDE_ERROR_STATE;
  detach(mutator);
  return TIDE_OK;
}

void td_mutators_drop_others(struct tide_heap *heap, struct tide_mutator *keep) {
  for (struct tide_mutator *m = heap->world.mutators, *next; m; m = next) {
    next = m->next;
    if (m != keep) dismantle(heap, m);
  }
}

void td_mutators_free_pools(struct tide_heap *heap) {
  while (heap->retired_first) {
    struct tide_mutator *next = heap->retired_first->next;
    free(heap->retired_first);
    heap->retired_first = next;
  }
  td_runs_free_pool(heap);
}
