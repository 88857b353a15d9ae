/* Registering finalizers, and the queue of pending ones. */
#include "gc/weak/finalizer.h"

#include <stdlib.h>

#include "gc/check/caller/call.h"
#include "gc/check/caller/check.h"
#include "gc/object/find.h"
#include "gc/threads/inside.h"
#include "gc/threads/thread.h"
#include "gc/weak/settled.h"

bool td_finalizers_init(struct td_finalizers *finalizers) {
  *finalizers = (struct td_finalizers){0};
  return pthread_mutex_init(&finalizers->lock, NULL) == 0;
}

void td_finalizers_deinit(struct td_finalizers *finalizers) {
  free(finalizers->at);
  td_table_free(&finalizers->index);
  free(finalizers->pending_objects);
  free(finalizers->pending);
  free(finalizers->pending_contexts);
  td_settled_deinit(&finalizers->set);
  pthread_mutex_destroy(&finalizers->lock);
}

/* ---- Registering; under the lock ---- */

static bool grow_entries(struct td_finalizers *f) {
  if (f->count < f->capacity) return true;
  size_t capacity = f->capacity ? f->capacity * 2 : 16;
  struct td_finalizer *larger = realloc(f->at, capacity * sizeof *larger);
  if (!larger) return false;
  f->at = larger;
  f->capacity = capacity;
  return true;
}

bool td_finalizers_grow_pending(struct td_finalizers *f) {
  size_t wanted = f->pending_count + (f->count - f->removed) + f->set.count + 1;
  if (wanted <= f->pending_capacity) return true;
  size_t capacity = f->pending_capacity ? f->pending_capacity * 2 : 16;
  while (capacity < wanted)
    capacity *= 2;
  uintptr_t *objects = malloc(capacity * sizeof *objects);
  uintptr_t *contexts = malloc(capacity * sizeof *contexts);
  struct td_finalizer *pending = malloc(capacity * sizeof *pending);
  if (!objects || !pending || !contexts) {
    free(objects);
    free(contexts);
    free(pending);
    return false;
  }
  for (size_t i = 0; i < f->pending_count; i++) {
    size_t at = (f->pending_first + i) % f->pending_capacity;
    objects[i] = f->pending_objects[at];
    contexts[i] = f->pending_contexts[at];
    pending[i] = f->pending[at];
  }
  free(f->pending_objects);
  free(f->pending_contexts);
  free(f->pending);
  f->pending_contexts = contexts;
  f->pending_objects = objects;
  f->pending = pending;
  f->pending_capacity = capacity;
  f->pending_first = 0;
  return true;
}

void td_finalizers_queue_settled(struct td_finalizers *f, size_t at) {
  const struct td_set_finalizers *set = &f->set;
  size_t to = (f->pending_first + f->pending_count++) % f->pending_capacity;
  f->pending[to] = (struct td_finalizer){
      .object = set->at[at].object, .call = set->at[at].call, .context = (void *)set->contexts[at]};
  f->pending_objects[to] = set->at[at].object;
  f->pending_contexts[to] = set->contexts[at];
  td_settled_forget(&f->set, at);
}

#define UNLINKED (TD_TABLE_NONE - 1)

/* Closes the gaps; keeps order. Cannot fail: every key is in the index already. */
static void compact(struct td_finalizers *f) {
  size_t count = 0;
  for (size_t i = 0; i < f->count; i++)
    if (f->at[i].object) f->at[count++] = f->at[i];
  f->count = count;
  f->removed = 0;
  for (size_t i = 0; i < count; i++)
    td_table_put(&f->index, f->at[i].object, UNLINKED);
  for (size_t i = count; i-- > 0;) {
    size_t later = td_table_get(&f->index, f->at[i].object);
    f->at[i].next = later == UNLINKED ? TD_TABLE_NONE : later;
    td_table_put(&f->index, f->at[i].object, i);
  }
}

static enum tide_status add(struct td_finalizers *f, uintptr_t object, tide_finalizer_fn call,
                            void *context) {
  if (f->removed > f->count / 2) compact(f);
  size_t at = f->count, first = td_table_get(&f->index, object);
  if (!grow_entries(f) || !td_finalizers_grow_pending(f) ||
      (first == TD_TABLE_NONE && !td_table_put(&f->index, object, at)))
    return TIDE_ERROR_MEMORY;
  /* relaxed: as in td_finalizers_forget. */
  atomic_store_explicit(&f->ever, true, memory_order_relaxed);
  f->at[f->count++] = (struct td_finalizer){
      .object = object, .call = call, .context = context, .next = TD_TABLE_NONE};
  if (first != TD_TABLE_NONE) {
    while (f->at[first].next != TD_TABLE_NONE)
      first = f->at[first].next;
    f->at[first].next = at;
  }
  return TIDE_OK;
}

enum tide_status tide_finalizer_add(struct tide_mutator *mutator, void *object,
                                    tide_finalizer_fn finalizer, void *context) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_finalizer_add"))
    return mutator ? TIDE_ERROR_STATE : TIDE_ERROR_ARGUMENT;
  if (!object || !finalizer) return TIDE_ERROR_ARGUMENT;
  if (!td_object_begins(mutator->heap, object)) return TIDE_ERROR_ARGUMENT;
  struct td_finalizers *f = mutator->heap->finalizers;
  pthread_mutex_lock(&f->lock);
  enum tide_status status = add(f, (uintptr_t)object, finalizer, context);
  pthread_mutex_unlock(&f->lock);
  return status;
}

size_t td_finalizers_forget_slow(struct tide_heap *heap, uintptr_t object) {
  struct td_finalizers *f = heap->finalizers;
  size_t count = 0;
  pthread_mutex_lock(&f->lock);
  size_t i = td_table_get(&f->index, object);
  for (; i != TD_TABLE_NONE; i = f->at[i].next, count++)
    f->at[i].object = 0;
  if (count) td_table_remove(&f->index, object);
  f->removed += count;
  pthread_mutex_unlock(&f->lock);
  return count;
}

size_t tide_finalizer_remove(struct tide_mutator *mutator, void *object) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_finalizer_remove") || !object) return 0;
  return td_finalizers_forget(mutator->heap, (uintptr_t)object);
}

/* ---- Running ---- */

size_t tide_finalizers_pending(struct tide_heap *heap) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap) return 0;
  bool held = td_inside_collection(heap);  /* the collection holds the lock */
  if (!held && td_in_callback()) return 0; /* another heap's may be held by who waits for us */
  if (!held) pthread_mutex_lock(&heap->finalizers->lock);
  size_t count = heap->finalizers->pending_count;
  if (!held) pthread_mutex_unlock(&heap->finalizers->lock);
  return count;
}

bool td_finalizers_take(struct td_finalizers *f, struct td_finalizer *taken) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  pthread_mutex_lock(&f->lock);
  bool any = f->pending_count > 0;
  if (any) {
    *taken = f->pending[f->pending_first];
    f->pending_first = (f->pending_first + 1) % f->pending_capacity;
    f->pending_count--;
  }
  pthread_mutex_unlock(&f->lock);
  return any;
}

/* What was taken off becomes local roots at once: from then on nothing else holds it, and no
 * safepoint lies in between. */
static TD_KEEPS_CALL bool run_one(struct tide_mutator *mutator) {
  struct td_call call;
  struct td_finalizer taken;
  if (!td_finalizers_take(mutator->heap->finalizers, &taken)) return false;
  struct td_local_root object = {taken.object, mutator->locals};
  struct td_local_root context = {(uintptr_t)taken.context, &object};
  mutator->locals = &context;
  td_call_begin(&call, "a finalizer");
  taken.call((void *)taken.object, taken.context);
  td_call_end(&call);
  mutator->locals = object.up;
  return true;
}

size_t tide_finalizers_run(struct tide_mutator *mutator, size_t most) {
  if (!td_mutator_may_act(mutator, "tide_finalizers_run")) return 0;
  size_t count = 0;
  while (count < most && run_one(mutator))
    count++;
  return count;
}
