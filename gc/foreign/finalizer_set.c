/* SPDX-License-Identifier: MIT */
/* Finalizers of which an object has one. */
#include "gc/check/caller/check.h"
#include "gc/object/find.h"
#include "gc/threads/inside.h"
#include "gc/weak/finalizers.h"
#include "tide/dropin.h"

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
