/* Registering the one finalizer of an object, and taking pending ones off the queue. */
#include "gc/weak/finalizer_set.h"

#include "gc/check/caller/check.h"
#include "gc/object/find.h"
#include "gc/threads/inside.h"
#include "gc/weak/finalizer.h"
#include "tide/dropin.h"

static bool put(struct td_finalizers *f, uintptr_t object, size_t at,
                const struct tide_finalizer_entry *entry) {
  const struct td_set_finalizer finalizer = {
      .object = object, .call = entry->call, .order = (uint8_t)entry->order};
  return td_finalizers_grow_pending(f) &&
         td_settled_put(&f->set, at, &finalizer, (uintptr_t)entry->context);
}

static bool exchange(struct td_finalizers *f, uintptr_t object,
                     const struct tide_finalizer_entry *entry,
                     struct tide_finalizer_entry *before) {
  struct td_set_finalizers *set = &f->set;
  size_t at = td_table_get(&set->index, object);
  struct tide_finalizer_entry had = {0};
  if (at != TD_TABLE_NONE)
    had = (struct tide_finalizer_entry){.call = set->at[at].call,
                                        .context = (void *)set->contexts[at],
                                        .order = (enum tide_finalizer_order)set->at[at].order};
  if (entry && !put(f, object, at, entry)) return false;
  if (!entry && at != TD_TABLE_NONE) td_settled_forget(set, at);
  if (before) *before = had;
  return true;
}

enum tide_status tide_finalizer_set(struct tide_mutator *mutator, void *object,
                                    const struct tide_finalizer_entry *entry,
                                    struct tide_finalizer_entry *before) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_finalizer_set"))
    return mutator ? TIDE_ERROR_STATE : TIDE_ERROR_ARGUMENT;
  if (entry && (!entry->call || (unsigned)entry->order > TIDE_FINALIZE_UNREACHABLE))
    return TIDE_ERROR_ARGUMENT;
  if (!object || !td_object_begins(mutator->heap, object)) return TIDE_ERROR_ARGUMENT;
  struct td_finalizers *f = mutator->heap->finalizers;
  pthread_mutex_lock(&f->lock);
  bool done = exchange(f, (uintptr_t)object, entry, before);
  pthread_mutex_unlock(&f->lock);
  return done ? TIDE_OK : TIDE_ERROR_MEMORY;
}

void *tide_finalizer_take(struct tide_mutator *mutator, struct tide_finalizer_entry *entry) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!entry || !td_mutator_may_act(mutator, "tide_finalizer_take")) return NULL;
  struct td_finalizer taken;
  if (!td_finalizers_take(mutator->heap->finalizers, &taken)) return NULL;
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
  for (size_t i = f->set.count; i-- > 0;)
    if (f->set.at[i].call != but) td_finalizers_queue_settled(f, i);
  size_t count = f->pending_count - before;
  pthread_mutex_unlock(&f->lock);
  return count;
}

static void visit_pending(const struct td_finalizer *pending, tide_queued_fn visit, void *context) {
  visit((void *)pending->object, pending->call, context);
}

void tide_finalizers_queued(struct tide_heap *heap, tide_queued_fn visit, void *context) {
  if (!heap || !visit || !td_inside_collection(heap)) return;
  const struct td_finalizers *f = heap->finalizers;
  for (size_t i = f->pending_before; i < f->pending_count; i++)
    visit_pending(&f->pending[(f->pending_first + i) % f->pending_capacity], visit, context);
}

void td_finalizer_set_forget_slow(struct tide_heap *heap, uintptr_t object) {
  struct td_finalizers *f = heap->finalizers;
  pthread_mutex_lock(&f->lock);
  size_t at = td_table_get(&f->set.index, object);
  if (at != TD_TABLE_NONE) td_settled_forget(&f->set, at);
  pthread_mutex_unlock(&f->lock);
}
