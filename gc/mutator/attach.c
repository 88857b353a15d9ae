/* Attaching and detaching threads. */
#include "gc/mutator/attach.h"

#include <stdlib.h>
#include <string.h>

#include "gc/mutator/handles.h"
#include "gc/mutator/stacks.h"
#include "gc/stop/world.h"
#include "heap/alloc.h"

#define RUNS ((size_t)TIDE_LAYOUT_MAX * TIDE_BUMP_SLOTS)
#define RUNS_BYTES (RUNS * sizeof(struct tide_bump))
#define TABLE_BYTES (RUNS_BYTES + RUNS * sizeof(uint32_t)) /* runs, then `filled` */

static _Thread_local struct tide_mutator *thread_mutators;
static _Thread_local char identity;

const void *td_thread_identity(void) {
  return &identity;
}
struct tide_mutator *td_thread_mutators(void) {
  return thread_mutators;
}

/* ---- Once per process ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t exit_key;
static bool exit_key_made;
static struct tide_bump *no_runs;

static void detach(struct tide_mutator *mutator);

/* Runs at a thread's end. Other destructors may still want the heap: wait for one round. */
static void thread_ends(void *round) {
  static char second;
  /* The frames that they lie in are gone if the thread ended in a callback. */
  for (struct tide_mutator *m = thread_mutators; m; m = m->thread_next)
    m->locals = NULL;
  if (round != &second) {
    pthread_setspecific(exit_key, &second);
    return;
  }
  while (thread_mutators)
    detach(thread_mutators);
}

static void prepare_process(void) {
  exit_key_made = pthread_key_create(&exit_key, thread_ends) == 0;
  no_runs = td_plat_reserve(RUNS_BYTES, td_plat_page_bytes());
  if (no_runs && !td_plat_commit(no_runs, RUNS_BYTES)) {
    td_plat_release(no_runs, RUNS_BYTES);
    no_runs = NULL;
  }
}

void td_mutator_show_runs(struct tide_mutator *mutator) {
  bool allowed = mutator->blocking_depth == 0 && !mutator->callback;
  mutator->fast.bump = allowed ? mutator->runs : no_runs;
}

/* ---- Checks ---- */

bool td_mutator_check(const struct tide_mutator *mutator, const char *function) {
  if (!mutator) {
    td_misuse("%s: the mutator is NULL", function);
  } else if (!mutator->heap) {
    td_misuse("%s: mutator %p is detached", function, (const void *)mutator);
  } else if (mutator->thread != &identity) {
    td_misuse("%s: mutator %p belongs to another thread%s", function, (const void *)mutator,
              td_markers_has_thread(mutator->heap->markers) ? " (called in a trace function)" : "");
  } else {
    return true;
  }
  return false;
}

bool td_mutator_may_look(const struct tide_mutator *mutator, const char *function) {
  if (!td_mutator_check(mutator, function)) return false;
  if (mutator->blocking_depth == 0) return true;
  td_misuse("%s: mutator %p is in a blocking region", function, (const void *)mutator);
  return false;
}

bool td_mutator_may_act(const struct tide_mutator *mutator, const char *function) {
  if (!td_mutator_may_look(mutator, function)) return false;
  /* relaxed: as in td_inside_collection, whose other half no thread with a mutator needs. */
  if (atomic_load_explicit(&mutator->heap->world.holder, memory_order_relaxed) != &identity)
    return true;
  td_misuse("%s in a trace function, root callback, event or visit", function);
  return false;
}

void td_mutator_begin_callback(struct tide_mutator *mutator, struct td_callback *call,
                               uintptr_t held, const char *name) {
  call->keep = (struct td_local_root){held, mutator->locals};
  mutator->locals = &call->keep;
  mutator->callback = name;
  td_mutator_show_runs(mutator);
}

void td_mutator_end_callback(struct tide_mutator *mutator, const struct td_callback *call) {
  mutator->locals = call->keep.up;
  mutator->callback = NULL;
  td_mutator_show_runs(mutator);
}

struct tide_mutator *tide_current(struct tide_heap *heap) {
  struct tide_mutator *m = thread_mutators;
  while (m && m->heap != heap)
    m = m->thread_next;
  return heap ? m : NULL;
}

struct tide_heap *tide_heap_of(struct tide_mutator *mutator) {
  return mutator ? mutator->heap : NULL;
}

/* ---- Runs ---- */

static struct tide_bump *take_table(struct tide_heap *heap) {
  if (heap->pooled_table_count) return heap->pooled_tables[--heap->pooled_table_count];
  struct tide_bump *table = td_plat_reserve(TABLE_BYTES, td_plat_page_bytes());
  if (table && !td_plat_commit(table, TABLE_BYTES)) {
    td_plat_release(table, TABLE_BYTES);
    return NULL;
  }
  return table;
}

static void give_table(struct tide_heap *heap, struct tide_bump *table) {
  if (heap->pooled_table_count < TD_POOLED_TABLES)
    heap->pooled_tables[heap->pooled_table_count++] = table;
  else
    td_plat_release(table, TABLE_BYTES);
}

void td_mutator_retire_runs(struct tide_mutator *mutator) {
  struct td_space *space = &mutator->heap->space;
  for (uint32_t i = 0; i < mutator->filled_count; i++) {
    struct tide_bump *run = &mutator->runs[mutator->filled[i]];
    td_space_retire(space, run);
    *run = (struct tide_bump){0};
  }
  mutator->filled_count = 0;
  td_mutator_flush_counts(mutator);
}

void td_mutator_flush_counts(struct tide_mutator *mutator) {
  /* relaxed: a statistic. */
  atomic_fetch_add_explicit(&mutator->heap->allocated_bytes, mutator->handed_out,
                            memory_order_relaxed);
  mutator->handed_out = 0;
}

/* ---- Attach ---- */

void tide_attach_options_init(struct tide_attach_options *options) {
  if (options) *options = (struct tide_attach_options){.struct_size = sizeof *options};
}

static bool read_options(const struct tide_attach_options *options,
                         struct tide_attach_options *read, struct tide_error *error) {
  tide_attach_options_init(read);
  if (options) {
    if (options->struct_size < sizeof(size_t) || options->struct_size > 4096) {
      td_fail(error, TIDE_ERROR_ARGUMENT,
              "tide_attach: options without tide_attach_options_init (struct_size %zu)",
              options->struct_size);
      return false;
    }
    memcpy(read, options,
           options->struct_size < sizeof *read ? options->struct_size : sizeof *read);
  }
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
  mutator->thread = &identity;
  if (options->stack == TIDE_STACK_CONSERVATIVE && !td_stack_init(mutator)) {
    put_mutator(heap, mutator);
    return TIDE_ERROR_SYSTEM;
  }
  mutator->runs = take_table(heap);
  if (!mutator->runs) {
    put_mutator(heap, mutator);
    return TIDE_ERROR_MEMORY;
  }
  mutator->filled = (uint32_t *)((char *)mutator->runs + RUNS_BYTES);
  mutator->fast.bump = mutator->runs;
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
  if (!exit_key_made || !no_runs || pthread_setspecific(exit_key, &identity) != 0) {
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
    mutator->thread_next = thread_mutators;
    thread_mutators = mutator;
  }
  td_world_unlock(heap);
  if (status != TIDE_OK)
    td_fail(error, status, "tide_attach: %s",
            status == TIDE_ERROR_SYSTEM ? "the system does not tell this thread's stack bounds"
                                        : "out of memory for a mutator");
  else
    td_fail(error, TIDE_OK, "%s", "");
  return mutator;
}

/* ---- Detach ---- */

/* Takes a mutator apart. Under the world's lock, no stop under way or the stopper calling. */
static void dismantle(struct tide_heap *heap, struct tide_mutator *mutator) {
  td_mutator_retire_runs(mutator);
  struct tide_mutator **link = &heap->world.mutators;
  while (*link != mutator)
    link = &(*link)->next;
  *link = mutator->next;
  /* relaxed: changed under the lock only. */
  atomic_fetch_sub_explicit(&heap->world.count, 1, memory_order_relaxed);
  td_stack_deinit(mutator);
  td_handles_deinit(mutator);
  give_table(heap, mutator->runs);
  mutator->fast.bump = no_runs;
  mutator->fast.stop = 0;
  mutator->runs = NULL;
  mutator->heap = NULL;
  mutator->alloc_status = TIDE_ERROR_STATE;
  put_mutator(heap, mutator);
}

static void detach(struct tide_mutator *mutator) {
  struct tide_heap *heap = mutator->heap;
  td_world_lock(heap);
  struct tide_mutator **link = &thread_mutators;
  while (*link != mutator)
    link = &(*link)->thread_next;
  *link = mutator->thread_next;
  dismantle(heap, mutator);
  td_world_unlock(heap);
  /* So that nothing of ours is called at the thread's end: the library may be gone by then. */
  if (!thread_mutators) pthread_setspecific(exit_key, NULL);
}

enum tide_status tide_detach(struct tide_mutator *mutator) {
  if (!mutator) return TIDE_OK;
  if (!mutator->heap || mutator->thread != &identity || mutator->scope) return TIDE_ERROR_STATE;
  /* Local roots: a finalizer or the out-of-memory hook runs, and wants the mutator back. */
  if (mutator->locals || td_inside_collection(mutator->heap)) return TIDE_ERROR_STATE;
  detach(mutator);
  return TIDE_OK;
}

void td_mutator_drop_others(struct tide_heap *heap, struct tide_mutator *keep) {
  for (struct tide_mutator *m = heap->world.mutators, *next; m; m = next) {
    next = m->next;
    if (m != keep) dismantle(heap, m);
  }
}

void td_mutator_free_pools(struct tide_heap *heap) {
  while (heap->retired_first) {
    struct tide_mutator *next = heap->retired_first->next;
    free(heap->retired_first);
    heap->retired_first = next;
  }
  while (heap->pooled_table_count)
    td_plat_release(heap->pooled_tables[--heap->pooled_table_count], TABLE_BYTES);
}

/* ---- Safepoints ---- */

static void stand_still(void *unused) {
  (void)unused;
  td_thread_enter_safe(NULL);
  td_thread_leave_safe(NULL);
}

void tide_safepoint_slow(struct tide_mutator *mutator) {
  if (!td_mutator_check(mutator, "tide_safepoint") || mutator->blocking_depth) return;
  /* relaxed: a stop that is not seen now is seen at the next safepoint. */
  if (atomic_load_explicit(&mutator->state, memory_order_relaxed) & TD_STOP)
    td_stack_call(stand_still, NULL);
}
