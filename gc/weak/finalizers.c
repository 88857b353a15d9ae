/* SPDX-License-Identifier: MIT */
#include "gc/weak/finalizers.h"

#include <stdlib.h>

#include "gc/weak/ephemeron.h"

bool td_finalizers_init(struct td_finalizers *f) {
  *f = (struct td_finalizers){0};
  return pthread_mutex_init(&f->lock, NULL) == 0;
}

void td_finalizers_deinit(struct td_finalizers *f) {
  free(f->at);
  free(f->held);
  td_table_free(&f->index);
  free(f->pending);
  free(f->pending_objects);
  free(f->pending_held);
  pthread_mutex_destroy(&f->lock);
}

static bool is_added(const struct td_finalizer *entry) {
  return entry->order == TD_FINALIZER_ADDED;
}

/* Contexts of finalizers that were set are roots. */
static uintptr_t held_by(const struct td_finalizer *entry) {
  return is_added(entry) ? 0 : (uintptr_t)entry->context;
}

/* ---- Room ---- */

static bool grow_entries(struct td_finalizers *f) {
  if (f->count < f->capacity) return true;
  size_t capacity = f->capacity ? f->capacity * 2 : 16;
  struct td_finalizer *at = realloc(f->at, capacity * sizeof *at);
  if (at) f->at = at;
  uintptr_t *held = realloc(f->held, capacity * sizeof *held);
  if (held) f->held = held;
  if (!at || !held) return false;
  f->capacity = capacity;
  return true;
}

/* Room in the queue for one more than is registered. */
static bool grow_pending(struct td_finalizers *f) {
  size_t wanted = f->pending_count + f->added + f->set + 1;
  if (wanted <= f->pending_capacity) return true;
  size_t capacity = f->pending_capacity ? f->pending_capacity * 2 : 16;
  while (capacity < wanted)
    capacity *= 2;
  struct td_finalizer *pending = malloc(capacity * sizeof *pending);
  uintptr_t *objects = malloc(capacity * sizeof *objects);
  uintptr_t *held = malloc(capacity * sizeof *held);
  bool good = pending && objects && held;
  for (size_t i = 0; good && i < f->pending_count; i++) {
    size_t at = (f->pending_first + i) % f->pending_capacity;
    pending[i] = f->pending[at];
    objects[i] = f->pending_objects[at];
    held[i] = f->pending_held[at];
  }
  free(good ? f->pending : pending);
  free(good ? f->pending_objects : objects);
  free(good ? f->pending_held : held);
  if (!good) return false;
  f->pending = pending;
  f->pending_objects = objects;
  f->pending_held = held;
  f->pending_capacity = capacity;
  f->pending_first = 0;
  return true;
}

#define UNLINKED (TD_TABLE_NONE - 1)

/* Closes the gaps; keeps order. Cannot fail: every key is in the index already. */
static void compact(struct td_finalizers *f) {
  size_t count = 0;
  for (size_t i = 0; i < f->count; i++) {
    if (!f->at[i].object) continue;
    f->at[count] = f->at[i];
    f->held[count++] = f->held[i];
  }
  f->count = count;
  f->moves++;
  for (size_t i = 0; i < count; i++)
    td_table_put(&f->index, f->at[i].object, UNLINKED);
  for (size_t i = count; i-- > 0;) {
    size_t later = td_table_get(&f->index, f->at[i].object);
    f->at[i].next = later == UNLINKED ? TD_TABLE_NONE : later;
    td_table_put(&f->index, f->at[i].object, i);
  }
}

/* ---- Registering and removing ---- */

static void append_to(struct td_finalizers *f, size_t first, size_t at) {
  while (f->at[first].next != TD_TABLE_NONE)
    first = f->at[first].next;
  f->at[first].next = at;
}

bool td_finalizers_add(struct td_finalizers *f, const struct td_finalizer *entry) {
  if (f->added + f->set < f->count / 2) compact(f);
  size_t at = f->count, first = td_table_get(&f->index, entry->object);
  if (!grow_entries(f) || !grow_pending(f) ||
      (first == TD_TABLE_NONE && !td_table_put(&f->index, entry->object, at)))
    return false;
  uint32_t bit = td_finalizers_bit(entry->object);
  /* relaxed: as in td_finalizers_freed. */
  atomic_fetch_or_explicit(&f->seen[bit / 64], (uint64_t)1 << (bit % 64), memory_order_relaxed);
  f->at[at] = *entry;
  f->at[at].next = TD_TABLE_NONE;
  f->held[at] = held_by(entry);
  if (first != TD_TABLE_NONE) append_to(f, first, at);
  f->count++;
  ++*(is_added(entry) ? &f->added : &f->set);
  return true;
}

size_t td_finalizers_find_set(const struct td_finalizers *f, uintptr_t object) {
  size_t i = td_table_get(&f->index, object);
  while (i != TD_TABLE_NONE && is_added(&f->at[i]))
    i = f->at[i].next;
  return i;
}

void td_finalizers_replace(struct td_finalizers *f, size_t at, const struct td_finalizer *entry) {
  size_t next = f->at[at].next;
  f->at[at] = *entry;
  f->at[at].next = next;
  f->held[at] = held_by(entry);
}

/* Takes it out of its object's chain. */
static void unlink_entry(struct td_finalizers *f, size_t at) {
  size_t next = f->at[at].next, i = td_table_get(&f->index, f->at[at].object);
  if (i == at && next == TD_TABLE_NONE) {
    td_table_remove(&f->index, f->at[at].object);
  } else if (i == at) {
    td_table_put(&f->index, f->at[at].object, next); /* there already: cannot fail */
  } else {
    while (f->at[i].next != at)
      i = f->at[i].next;
    f->at[i].next = next;
  }
}

void td_finalizers_remove(struct td_finalizers *f, size_t at) {
  unlink_entry(f, at);
  --*(is_added(&f->at[at]) ? &f->added : &f->set);
  f->at[at].object = 0;
  f->held[at] = 0;
}

size_t td_finalizers_forget(struct td_finalizers *f, uintptr_t object, bool all) {
  size_t count = 0, next;
  pthread_mutex_lock(&f->lock);
  for (size_t i = td_table_get(&f->index, object); i != TD_TABLE_NONE; i = next) {
    next = f->at[i].next;
    if (!all && !is_added(&f->at[i])) continue;
    td_finalizers_remove(f, i);
    count++;
  }
  pthread_mutex_unlock(&f->lock);
  return count;
}

/* ---- The queue ---- */

void td_finalizers_queue(struct td_finalizers *f, size_t at) {
  size_t to = (f->pending_first + f->pending_count++) % f->pending_capacity;
  f->pending[to] = f->at[at];
  f->pending_objects[to] = f->at[at].object;
  f->pending_held[to] = f->held[at];
  td_finalizers_remove(f, at);
}

void td_finalizers_mark_queued(struct tide_heap *heap, size_t before) {
  const struct td_finalizers *f = heap->finalizers;
  if (f->pending_count == before) return;
  size_t first = (f->pending_first + before) % f->pending_capacity;
  size_t count = f->pending_count - before, to_end = f->pending_capacity - first;
  struct td_span spans[2] = {
      {f->pending_objects + first, count < to_end ? count : to_end, TD_SPAN_SLOTS},
      {f->pending_objects, count < to_end ? 0 : count - to_end, TD_SPAN_SLOTS}};
  if (heap->beside) {
    for (size_t i = 0; i < count; i++)
      heap->ephemerons->objects += td_mark_from_outside(
          heap->markers, f->pending_objects[(first + i) % f->pending_capacity]);
    return;
  }
  td_mark_phase(heap->markers,
                &(struct td_roots){.spans = spans, .span_count = spans[1].count ? 2 : 1});
  td_ephemerons_close(heap);
}

static size_t pending_at(const struct td_finalizers *f, size_t i) {
  return (f->pending_first + i) % f->pending_capacity;
}

/* Those in front of number i move up by one. */
static void drop_pending(struct td_finalizers *f, size_t i) {
  if (i < f->pending_before) f->pending_before--; /* a collection may go on beside this */
  for (; i > 0; i--) {
    size_t to = pending_at(f, i), from = pending_at(f, i - 1);
    f->pending[to] = f->pending[from];
    f->pending_objects[to] = f->pending_objects[from];
    f->pending_held[to] = f->pending_held[from];
  }
  f->pending_first = pending_at(f, 1);
  f->pending_count--;
}

bool td_finalizers_take(struct td_finalizers *f, tide_finalizer_fn only,
                        struct td_finalizer *taken) {
  size_t i = 0;
  pthread_mutex_lock(&f->lock);
  while (only && i < f->pending_count && f->pending[pending_at(f, i)].call != only)
    i++;
  bool found = i < f->pending_count;
  if (found) {
    *taken = f->pending[pending_at(f, i)];
    drop_pending(f, i);
  }
  pthread_mutex_unlock(&f->lock);
  return found;
}
