/* SPDX-License-Identifier: MIT */
/* What threads of the wild driver do with objects. */
#include "tests/wild/wild.h"

void wild_make(struct at *at) {
  void *value = pick(at);
  void *object = object_new(at->place, at->m, (enum shape)below(at, SHAPES), some_bytes(at));
  if (!object) return;
  size_t slots = object_slots(at->place, object);
  for (unsigned i = 0; slots && i < 3; i++) {
    void **slot = object_slot(at->place, object, below(at, (uint32_t)slots));
    if (at->w->kind == SIGNALLED)
      slot_set(at->m, object, slot, value);
    else
      __atomic_store_n(slot, value, __ATOMIC_RELEASE); /* fresh: no barrier */
  }
  uint32_t dice = below(at, 16);
  if (dice == 0)
    __atomic_store_n(&at->place->shared[below(at, SHARED)], object, __ATOMIC_RELEASE);
  else
    at->mine->pool[below(at, POOL)] = object;
}

void wild_store(struct at *at) {
  void *object = pick(at);
  at->mine->scratch[1] = object;
  void *value = below(at, 8) ? pick(at) : NULL;
  size_t slots = object ? object_slots(at->place, object) : 0;
  if (!slots) return;
  slot_set(at->m, object, object_slot(at->place, object, below(at, (uint32_t)slots)), value);
}

void wild_store_shared(struct at *at) {
  void *value = pick(at);
  void **slot = (void **)at->place->table + 1 + below(at, TABLE_SLOTS - 1);
  slot_set(at->m, at->place->table, slot, value);
}

void wild_cut(struct at *at) {
  for (unsigned i = 0; i < POOL / 2; i++)
    at->mine->pool[below(at, POOL)] = NULL;
  for (unsigned i = 0; i < 16; i++)
    __atomic_store_n(&at->place->shared[below(at, SHARED)], NULL, __ATOMIC_RELEASE);
  void **table = at->place->table;
  for (unsigned i = 0; i < 64; i++)
    slot_set(at->m, table, &table[1 + below(at, TABLE_SLOTS - 1)], NULL);
}

/* ---- Objects of one's own: in bulk, resized, freed ---- */

static void *own(struct at *at) {
  static const enum shape shapes[PRIVATE] = {REFS, PREFIXED, REPEATED};
  unsigned i = below(at, PRIVATE);
  void **held = &at->mine->alone[i];
  if (*held && below(at, 8) == 0) {
    void *object = *held;
    *held = NULL; /* first: a signal may bring a collection right behind the call */
    CHECK(tide_free(at->m, object) == TIDE_OK);
    count(&wild_counts.freed);
  }
  if (!*held) *held = object_new(at->place, at->m, shapes[i], 3000 + below(at, 200000));
  return *held;
}

void wild_bulk(struct at *at) {
  void *object = own(at), *values[64];
  if (!object) return;
  size_t slots = object_slots(at->place, object);
  void *value = pick(at);
  for (unsigned i = 0; i < 64; i++)
    values[i] = i % 5 ? value : NULL;
  if (tide_object_layout(at->place->heap, object) == at->place->array) {
    void **slot = object_slot(at->place, object, below(at, (uint32_t)slots));
    tide_write(at->m, object, slot, value);
    return;
  }
  size_t count = below(at, 65);
  size_t from = below(at, (uint32_t)(slots - 64)), to = below(at, (uint32_t)(slots - 64));
  tide_write_range(at->m, object, object_slot(at->place, object, from), values, count);
  /* Within the object, over each other. */
  size_t most = slots - (from > to ? from : to);
  size_t length = below(at, (uint32_t)(most < 3000 ? most : 3000));
  tide_write_range(at->m, object, object_slot(at->place, object, to),
                   object_slot(at->place, object, from), length);
}

void wild_resize(struct at *at) {
  void *object = own(at);
  if (!object) return;
  size_t bytes = tide_object_bytes(at->place->heap, object);
  size_t wanted = below(at, 2) ? bytes + below(at, 100000) : bytes - below(at, (uint32_t)bytes / 2);
  if (wanted < 2000) wanted = 2000;
  if (tide_resize_in_place(at->m, object, wanted))
    CHECK(tide_object_bytes(at->place->heap, object) >= wanted);
  object_check(at->place, object);
  size_t slots = object_slots(at->place, object);
  void **last = object_slot(at->place, object, slots - 1);
  tide_write(at->m, object, last, pick(at));
}

/* Logged, and freed right after. */
void wild_free_fresh(struct at *at) {
  void *value = pick(at);
  for (unsigned i = 0; i < 4; i++) {
    size_t bytes = some_bytes(at);
    void *object = object_new(at->place, at->m, (enum shape)below(at, SHAPES), bytes);
    at->mine->scratch[2] = object;
    if (!object) return;
    if (below(at, 4) == 0) tide_collect_young(at->m);
    size_t slots = object_slots(at->place, object);
    if (slots) {
      void **slot = object_slot(at->place, object, below(at, (uint32_t)slots));
      tide_write(at->m, object, slot, value);
    }
    at->mine->scratch[2] = NULL;
    CHECK(tide_free(at->m, object) == TIDE_OK);
    count(&wild_counts.freed);
  }
}

/* ---- Weak things ---- */

void wild_weak(struct at *at) {
  unsigned i = below(at, WEAK);
  struct tide_weak *old = at->mine->weak[i];
  if (old) object_check(at->place, tide_weak_get(at->m, old));
  if (below(at, 2)) return;
  void *target = pick(at);
  at->mine->weak[i] = tide_weak_new(at->m, target, below(at, 2));
  if (at->mine->weak[i]) CHECK(tide_weak_get(at->m, at->mine->weak[i]) == target);
}

void wild_ephemeron(struct at *at) {
  unsigned i = below(at, WEAK);
  struct tide_ephemeron *old = at->mine->ephemeron[i];
  if (old) {
    object_check(at->place, tide_ephemeron_key(at->m, old));
    object_check(at->place, tide_ephemeron_value(at->m, old));
    void *value = pick(at);
    tide_ephemeron_set(at->m, old, value);
  }
  if (below(at, 2)) return;
  at->mine->scratch[1] = pick(at);
  at->mine->ephemeron[i] = tide_ephemeron_new(at->m, at->mine->scratch[1], pick(at));
}

static void use_table(struct at *at, struct tide_weak_table *table) {
  for (unsigned i = 0; i < 3; i++) {
    void *key = pick(at);
    at->mine->scratch[1] = key;
    if (!key) continue;
    object_check(at->place, tide_weak_table_get(at->m, table, key));
    if (below(at, 4) == 0)
      tide_weak_table_remove(at->m, table, key);
    else
      tide_weak_table_put(at->m, table, key, pick(at));
  }
  if (below(at, 16) == 0) tide_weak_table_count(at->m, table);
}

void wild_weak_table(struct at *at) {
  if (!at->mine->table || below(at, 64) == 0) at->mine->table = tide_weak_table_new(at->m);
  if (at->mine->table) use_table(at, at->mine->table);
  if (pthread_mutex_trylock(&at->place->table_lock)) return;
  use_table(at, at->place->weak_table);
  pthread_mutex_unlock(&at->place->table_lock);
}

/* Not of guests, which may be cancelled and cannot take it away then. */
void wild_weak_slot(struct at *at) {
  void **slot = &at->seat->slot;
  if (at->w->guest) return;
  enum tide_weak_kind kind = TIDE_WEAK_BEFORE;
  (void)tide_weak_slot_remove(at->m, slot, kind);
  void *target = pick(at);
  *slot = NULL;
  if (target && tide_weak_slot_add(at->m, slot, target, kind) == TIDE_OK)
    *slot = (void *)((uintptr_t)target | 3);
}

/* ---- Finalizers ---- */

/* Makes things, collects, and lets the object live on. Handles hold what a precise stack does not.
 */
static void finalize(void *object, void *context) {
  struct place *place = context;
  struct tide_mutator *m = tide_current(place->heap);
  uint64_t number = atomic_fetch_add_explicit(&wild_counts.finalized, 1, memory_order_relaxed);
  size_t scope = tide_scope_open(m);
  if (scope == SIZE_MAX) return;
  void **held = tide_handle(m, object), **fresh = tide_handle(m, NULL);
  object_check(place, object);
  if (held && fresh) {
    *fresh = object_new(place, m, PAIR, 32);
    if (number % 64 == 0) tide_collect_young(m);
    if (number % 256 == 0) tide_collect(m);
    if (*fresh && object_slots(place, object))
      slot_set(m, object, object_slot(place, object, 0), *fresh);
    if (number % 4 == 0) tide_finalizer_add(m, object, finalize, place);
    __atomic_store_n(&place->shared[0], object, __ATOMIC_RELEASE);
  }
  CHECK(tide_scope_close(m, scope) == TIDE_OK);
}

void wild_finalizers(struct at *at) {
  void *object = pick(at);
  if (object && below(at, 2)) (void)tide_finalizer_add(at->m, object, finalize, at->place);
  if (object && below(at, 4) == 0) {
    struct tide_finalizer_entry entry = {finalize, at->place,
                                         (enum tide_finalizer_order)below(at, 4)};
    (void)tide_finalizer_set(at->m, object, &entry, NULL);
  }
  if (object && below(at, 16) == 0) tide_finalizer_remove(at->m, object);
  if (below(at, 16) == 0) {
    struct tide_finalizer_entry entry;
    at->mine->scratch[1] = tide_finalizer_take(at->m, &entry);
    if (at->mine->scratch[1]) entry.call(at->mine->scratch[1], entry.context);
  }
  if (below(at, 64) == 0) tide_finalizers_queue_all(at->m, NULL);
  if (below(at, 4) == 0) tide_finalizers_run(at->m, below(at, 8));
}
