/* SPDX-License-Identifier: MIT */
/* Finalizers as the embedder sees them: those of which an object may have many, and the one that
 * may be set. */
#include "gc/check/caller/check.h"
#include "gc/object/find.h"
#include "gc/threads/inside.h"
#include "gc/threads/mutator/barrier.h"
#include "gc/weak/finalizers.h"
#include "tide/dropin.h"

enum tide_status tide_finalizer_add(struct tide_mutator *mutator, void *object,
                                    tide_finalizer_fn finalizer, void *context) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_finalizer_add")) return td_refusal(mutator);
  if (!object || !finalizer) return TIDE_ERROR_ARGUMENT;
  struct td_found found;
  if (!td_object_look(mutator, (uintptr_t)object, &found)) return TIDE_ERROR_ARGUMENT;
  struct td_finalizers *f = mutator->heap->finalizers;
  const struct td_finalizer entry = {.object = (uintptr_t)object,
                                     .call = finalizer,
                                     .context = context,
                                     .order = TD_FINALIZER_ADDED};
  pthread_mutex_lock(&f->lock);
  bool done = td_finalizers_add(f, &entry);
  pthread_mutex_unlock(&f->lock);
  return done ? TIDE_OK : TIDE_ERROR_MEMORY;
}

size_t tide_finalizer_remove(struct tide_mutator *mutator, void *object) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_finalizer_remove") || !object) return 0;
  return td_finalizers_forget(mutator->heap->finalizers, (uintptr_t)object, false);
}

/* ---- Running ---- */

size_t tide_finalizers_pending(struct tide_heap *heap) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap) return 0;
  bool held = td_inside_collection(heap); /* the collection holds the lock */
  if (!held && (td_self()->worlds > 0 || td_markers_is_helper()))
    return 0; /* another heap's holder may wait for us */
  if (!held) pthread_mutex_lock(&heap->finalizers->lock);
  size_t count = heap->finalizers->pending_count;
  if (!held) pthread_mutex_unlock(&heap->finalizers->lock);
  return count;
}

static bool take(struct td_finalizers *f, struct td_finalizer *taken) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  return td_finalizers_take(f, NULL, taken);
}

/* What was taken off becomes local roots at once: from then on nothing else holds it, and no
 * safepoint lies in between. */
static TD_KEEPS_CALL bool run_one(struct tide_mutator *mutator) {
  struct td_call call;
  struct td_finalizer taken;
  if (!take(mutator->heap->finalizers, &taken)) return false;
  struct td_local_root object = {taken.object, mutator->locals};
  struct td_local_root context = {(uintptr_t)taken.context, &object};
  mutator->locals = &context;
  td_call_begin(&call, "a finalizer");
  taken.call((void *)taken.object, taken.context);
  td_call_end(&call);
  mutator->locals = object.up;
  return true;
}

void td_finalizers_give(struct tide_mutator *mutator, size_t at) {
  struct td_finalizers *f = mutator->heap->finalizers;
  td_barrier_keep(mutator, (const void *)f->at[at].object);
  td_finalizers_queue(f, at);
}

static bool queue_all(struct tide_mutator *mutator) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct td_finalizers *f = mutator->heap->finalizers;
  pthread_mutex_lock(&f->lock);
  for (size_t i = 0; i < f->count; i++)
    if (f->at[i].object) td_finalizers_give(mutator, i);
  bool any = f->pending_count > 0;
  pthread_mutex_unlock(&f->lock);
  return any;
}

size_t tide_finalizers_run_all(struct tide_mutator *mutator) {
  size_t count = 0;
  if (!td_mutator_may_act(mutator, "tide_finalizers_run_all")) return 0;
  for (int round = 0; round < TIDE_FINALIZER_ROUNDS && queue_all(mutator); round++)
    for (size_t left = tide_finalizers_pending(mutator->heap); left-- > 0 && run_one(mutator);)
      count++;
  return count;
}

size_t tide_finalizers_run(struct tide_mutator *mutator, size_t most) {
  if (!td_mutator_may_act(mutator, "tide_finalizers_run")) return 0;
  size_t count = 0;
  while (count < most && run_one(mutator))
    count++;
  return count;
}

/* ---- One to an object ---- */

static bool exchange(struct td_finalizers *f, uintptr_t object,
                     const struct tide_finalizer_entry *entry,
                     struct tide_finalizer_entry *before) {
  size_t at = td_finalizers_find_set(f, object);
  struct tide_finalizer_entry had = {0};
  if (at != TD_TABLE_NONE)
    had = (struct tide_finalizer_entry){.call = f->at[at].call,
                                        .context = f->at[at].context,
                                        .order = (enum tide_finalizer_order)f->at[at].order};
  if (entry) {
    const struct td_finalizer wanted = {.object = object,
                                        .call = entry->call,
                                        .context = entry->context,
                                        .order = (uint8_t)entry->order};
    if (at != TD_TABLE_NONE)
      td_finalizers_replace(f, at, &wanted);
    else if (!td_finalizers_add(f, &wanted))
      return false;
  } else if (at != TD_TABLE_NONE) {
    td_finalizers_remove(f, at);
  }
  if (before) *before = had;
  return true;
}

enum tide_status tide_finalizer_set(struct tide_mutator *mutator, void *object,
                                    const struct tide_finalizer_entry *entry,
                                    struct tide_finalizer_entry *before) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_finalizer_set")) return td_refusal(mutator);
  if (entry && (!entry->call || (unsigned)entry->order > TIDE_FINALIZE_UNREACHABLE))
    return TIDE_ERROR_ARGUMENT;
  struct td_found found;
  if (!object || !td_object_look(mutator, (uintptr_t)object, &found)) return TIDE_ERROR_ARGUMENT;
  struct td_finalizers *f = mutator->heap->finalizers;
  pthread_mutex_lock(&f->lock);
  bool done = exchange(f, (uintptr_t)object, entry, before);
  pthread_mutex_unlock(&f->lock);
  return done ? TIDE_OK : TIDE_ERROR_MEMORY;
}

void *tide_finalizer_take(struct tide_mutator *mutator, struct tide_finalizer_entry *entry) {
  return tide_finalizer_take_only(mutator, NULL, entry);
}

void *tide_finalizer_take_only(struct tide_mutator *mutator, tide_finalizer_fn only,
                               struct tide_finalizer_entry *entry) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!entry || !td_mutator_may_act(mutator, "tide_finalizer_take")) return NULL;
  struct td_finalizer taken;
  if (!td_finalizers_take(mutator->heap->finalizers, only, &taken)) return NULL;
  *entry = (struct tide_finalizer_entry){
      .call = taken.call, .context = taken.context, .order = TIDE_FINALIZE_ORDERED};
  return (void *)taken.object;
}

size_t tide_finalizers_queue_all(struct tide_mutator *mutator, tide_finalizer_fn but) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_finalizers_queue_all")) return 0;
  struct td_finalizers *f = mutator->heap->finalizers;
  pthread_mutex_lock(&f->lock);
  size_t before = f->pending_count;
  for (size_t i = f->count; i-- > 0;)
    if (td_finalizer_is_set(&f->at[i]) && f->at[i].call != but) td_finalizers_give(mutator, i);
  size_t count = f->pending_count - before;
  pthread_mutex_unlock(&f->lock);
  return count;
}

void tide_finalizers_queued(struct tide_heap *heap, tide_queued_fn visit, void *context) {
  if (!heap || !visit || !td_inside_collection(heap)) return;
  const struct td_finalizers *f = heap->finalizers;
  for (size_t i = f->pending_before; i < f->pending_count; i++) {
    const struct td_finalizer *pending = &f->pending[(f->pending_first + i) % f->pending_capacity];
    visit((void *)pending->object, pending->call, context);
  }
}
