/* SPDX-License-Identifier: MIT */
/* A hash table from keys to objects: open addressing with linear probing in an array of references
 * to ephemerons, and one of their hashes. A slot that has a hash has been used, so probing goes on
 * behind it, also when its ephemeron has died or was removed. The next rehash forgets such hashes.
 *
 * How many entries have died is not known of one table, but of all ephemerons of the heap. If that
 * is an eighth of the slots since the last look at them, who adds looks again: dead ephemerons are
 * let go, and a table with few entries left shrinks. So deaths and additions pay for the looks.
 *
 * Several mutators may use a table. Its lock is held for short and without a safepoint: whatever
 * has to be allocated is allocated first, and then the table is looked at again. So a thread that
 * waits for the lock waits for a running thread only, a stop never finds it taken, and nor does a
 * fork. */
#include "gc/arrays/table.h"
#include "gc/weak_table.h"

#include <sched.h>

#include "gc/check/caller/check.h"
#include "gc/state/error.h"
#include "gc/threads/inside.h"
#include "gc/threads/mutator/barrier.h"
#include "gc/threads/mutator/callback.h"
#include "gc/weak/ephemeron.h"

#define CAPACITY_MIN 8u
#define HASH_USED ((uint64_t)1 << 63) /* no hash is 0 */

struct tide_weak_table {
  struct td_ephemeron_object **slots;
  uint64_t *hashes;    /* 0: the slot was never used */
  size_t capacity;     /* power of two */
  size_t used;         /* slots that have a hash */
  uint64_t cleared;    /* of the heap's ephemerons at the last look, less what was removed since */
  tide_hash_fn hash;   /* NULL: keys are compared by identity */
  tide_equal_fn equal; /* with `hash` */
  void *context;
  _Atomic(bool) locked;
};

tide_layout td_weak_table_layout(struct tide_heap *heap) {
  const size_t references[] = {offsetof(struct tide_weak_table, slots),
                               offsetof(struct tide_weak_table, hashes)};
  /* With a name, it is nobody else's. */
  return tide_layout_named(
      heap, tide_layout_offsets(heap, sizeof(struct tide_weak_table), references, 2, NULL),
      "weak table", NULL);
}

/* May the thread do so, and is this a table? Nothing but the block is asked, so that one that was
 * reclaimed passes. */
static bool may(bool (*allowed)(const struct tide_mutator *, const char *),
                const struct tide_mutator *mutator, const struct tide_weak_table *table,
                const char *function) {
  if (!allowed(mutator, function) || !table) return false;
  const struct td_block *block = td_block_at(&mutator->heap->space, (uintptr_t)table);
  if (block && block->layout == mutator->heap->weak_table_layout) return true;
  td_misuse("%s: %p is no weak table of this heap", function, (const void *)table);
  return false;
}

static void lock(struct tide_weak_table *table) {
  /* acquire [weak_table]: pairs with unlock. */
  while (atomic_exchange_explicit(&table->locked, true, memory_order_acquire))
    sched_yield();
}

static void unlock(struct tide_weak_table *table) {
  /* release [weak_table]: pairs with lock. */
  atomic_store_explicit(&table->locked, false, memory_order_release);
}

/* ---- Keys ---- */

/* Any hash will do that tells keys apart, by whatever bits: these are mixed. */
static uint64_t hash_of(const struct tide_weak_table *table, const void *key) {
  return td_mix(table->hash ? table->hash(key, table->context) : (uintptr_t)key) | HASH_USED;
}

/* Returns the slot of the key, or the empty one where the search ends: there is always one. */
static size_t find(const struct tide_weak_table *table, const void *key, uint64_t hash) {
  size_t i = (size_t)hash & (table->capacity - 1);
  for (; table->hashes[i]; i = (i + 1) & (table->capacity - 1)) {
    if (table->hashes[i] != hash || !table->slots[i]) continue;
    const void *inside = (const void *)table->slots[i]->key;
    if (inside == key) return i;
    if (inside && table->hash && table->equal(inside, key, table->context)) return i;
  }
  return i;
}

/* Around what calls the two functions, once and not for each. */
static void calls_begin(const struct tide_weak_table *table, struct td_call *call) {
  if (table->hash) td_quiet_call_begin(call, "a hash function, or one that compares keys,");
}
static void calls_end(const struct tide_weak_table *table, const struct td_call *call) {
  if (table->hash) td_quiet_call_end(call);
}

/* ---- Making room ---- */

/* Lets dead ephemerons go, which tells a marking, but no young collection: a NULL leads nowhere.
 * Returns how many are alive. */
static size_t drop_dead(struct tide_mutator *mutator, struct tide_weak_table *table) {
  size_t live = 0;
  for (size_t i = 0; i < table->capacity; i++) {
    if (!table->slots[i]) continue;
    if (table->slots[i]->key) {
      live++;
      continue;
    }
    td_barrier_keep(mutator, table->slots[i]);
    /* relaxed: markers may read it just now. */
    __atomic_store_n(&table->slots[i], NULL, __ATOMIC_RELAXED);
  }
  table->cleared = mutator->heap->ephemerons->cleared;
  return live;
}

static size_t capacity_for(size_t live) {
  size_t capacity = CAPACITY_MIN;
  while (capacity < 2 * (live + 1))
    capacity *= 2;
  return capacity;
}

/* The keys are all different. */
static void move_into(struct tide_weak_table *fresh, struct td_ephemeron_object *entry,
                      uint64_t hash) {
  size_t i = (size_t)hash & (fresh->capacity - 1);
  while (fresh->slots[i])
    i = (i + 1) & (fresh->capacity - 1);
  fresh->slots[i] = entry;
  fresh->hashes[i] = hash;
  fresh->used++;
}

/* Under the lock: what is alive goes to the new slots, at most half full, unless others have
 * added too much. */
static void move(struct tide_mutator *mutator, struct tide_weak_table *table,
                 struct td_ephemeron_object **slots, uint64_t *hashes, size_t capacity) {
  struct tide_weak_table fresh = {.slots = slots, .hashes = hashes, .capacity = capacity};
  if (capacity_for(drop_dead(mutator, table)) > capacity) return;
  tide_write_begin(mutator, slots, slots, capacity);
  for (size_t i = 0; i < table->capacity; i++)
    if (table->slots[i]) move_into(&fresh, table->slots[i], table->hashes[i]);
  tide_write(mutator, table, &table->slots, slots);
  tide_write(mutator, table, &table->hashes, hashes);
  table->capacity = capacity;
  table->used = fresh.used;
}

/* The table is held. */
static bool rehash(struct tide_mutator *mutator, struct tide_weak_table *table, size_t capacity) {
  void *slots = tide_alloc_array(mutator, TIDE_LAYOUT_REFS, capacity, sizeof *table->slots);
  if (!slots) return false;
  struct td_local_root keep = {(uintptr_t)slots, mutator->locals};
  mutator->locals = &keep;
  void *hashes = tide_alloc_array(mutator, TIDE_LAYOUT_LEAF, capacity, sizeof *table->hashes);
  mutator->locals = keep.up;
  if (!hashes) return false;
  lock(table);
  move(mutator, table, slots, hashes, capacity);
  unlock(table);
  return true;
}

static struct tide_weak_table *make(struct tide_mutator *mutator) {
  struct tide_weak_table *table =
      tide_alloc(mutator, mutator->heap->weak_table_layout, sizeof *table);
  if (!table) return NULL;
  struct td_local_root keep = {(uintptr_t)table, mutator->locals};
  mutator->locals = &keep;
  bool done = rehash(mutator, table, CAPACITY_MIN);
  mutator->locals = keep.up;
  return done ? table : NULL;
}

struct tide_weak_table *tide_weak_table_new(struct tide_mutator *mutator) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  return td_mutator_may_act(mutator, "tide_weak_table_new") ? make(mutator) : NULL;
}

struct tide_weak_table *tide_weak_table_new_by_content(struct tide_mutator *mutator,
                                                       tide_hash_fn hash, tide_equal_fn equal_keys,
                                                       void *context) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_weak_table_new_by_content")) return NULL;
  if (!hash || !equal_keys) {
    mutator->alloc_status = TIDE_ERROR_ARGUMENT;
    return NULL;
  }
  struct tide_weak_table *table = make(mutator);
  if (!table) return NULL;
  table->hash = hash;
  table->equal = equal_keys;
  table->context = context;
  return table;
}

/* ---- Adding ---- */

/* What is held while something is allocated. */
struct adding {
  struct td_local_root table, key, value, entry;
  uint64_t hash;   /* 0: not known yet */
  size_t capacity; /* that the table should have, 0: as it has */
  bool is_full;    /* it must */
};

/* Looks at the slots if they have no room, or enough may have died. */
static void decide(struct tide_mutator *mutator, struct tide_weak_table *table,
                   struct adding *adding) {
  uint64_t gone = mutator->heap->ephemerons->cleared - table->cleared;
  adding->is_full = table->used >= table->capacity / 4 * 3;
  adding->capacity = 0;
  if (!adding->is_full && gone <= table->capacity / 8) return;
  size_t capacity = capacity_for(drop_dead(mutator, table));
  if (adding->is_full || capacity < table->capacity) adding->capacity = capacity;
}

/* Under the lock. Returns the key that is in the table in the end; NULL if it has another capacity
 * first, or there is no entry yet. */
static void *add_locked(struct tide_mutator *mutator, struct tide_weak_table *table,
                        struct adding *adding, bool replaces) {
  size_t i = find(table, (const void *)adding->key.reference, adding->hash);
  struct td_ephemeron_object *there = table->slots[i];
  if (there) {
    td_barrier_keep(mutator, (void *)there->key);
    if (replaces) tide_write(mutator, there, &there->value, (void *)adding->value.reference);
    return (void *)there->key;
  }
  decide(mutator, table, adding);
  if (adding->capacity || !adding->entry.reference) return NULL;
  tide_write(mutator, table->slots, &table->slots[i], (void *)adding->entry.reference);
  table->hashes[i] = adding->hash;
  table->used++;
  return (void *)adding->key.reference;
}

static TD_KEEPS_CALL void *try_add(struct tide_mutator *mutator, struct tide_weak_table *table,
                                   struct adding *adding, bool replaces) {
  struct td_call call;
  calls_begin(table, &call);
  if (!adding->hash) adding->hash = hash_of(table, (const void *)adding->key.reference);
  lock(table);
  void *added = add_locked(mutator, table, adding, replaces);
  unlock(table);
  calls_end(table, &call);
  return added;
}

static void *add(struct tide_mutator *mutator, struct tide_weak_table *table, void *key,
                 void *value, bool replaces) {
  struct adding adding = {.hash = 0};
  adding.table = (struct td_local_root){(uintptr_t)table, mutator->locals};
  adding.key = (struct td_local_root){(uintptr_t)key, &adding.table};
  adding.value = (struct td_local_root){(uintptr_t)value, &adding.key};
  adding.entry = (struct td_local_root){0, &adding.value};
  mutator->locals = &adding.entry;
  void *added = NULL;
  for (bool more = true; more && !(added = try_add(mutator, table, &adding, replaces));) {
    if (adding.capacity)
      more = rehash(mutator, table, adding.capacity) || !adding.is_full;
    else
      more = (adding.entry.reference = (uintptr_t)tide_ephemeron_new(mutator, key, value)) != 0;
  }
  mutator->locals = adding.table.up;
  return added;
}

bool tide_weak_table_put(struct tide_mutator *mutator, struct tide_weak_table *table, void *key,
                         void *value) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!may(td_mutator_may_act, mutator, table, "tide_weak_table_put") || !key) return false;
  return add(mutator, table, key, value, true) != NULL;
}

void *tide_weak_table_intern(struct tide_mutator *mutator, struct tide_weak_table *table, void *key,
                             void *value) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!may(td_mutator_may_act, mutator, table, "tide_weak_table_intern") || !key) return NULL;
  return add(mutator, table, key, value, false);
}

/* ---- Looking and removing ---- */

/* What is in the entry lives on, as it is about to be given out or overwritten. */
static void keep_entry(struct tide_mutator *mutator, const struct td_ephemeron_object *entry) {
  td_barrier_keep(mutator, (void *)entry->key);
  td_barrier_keep(mutator, (void *)entry->value);
}

/* relaxed, both: markers may read them just now. */
static void empty(struct tide_weak_table *table, struct td_ephemeron_object *entry) {
  table->cleared--;
  __atomic_store_n(&entry->key, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&entry->value, 0, __ATOMIC_RELAXED);
}

/* Copies the entry. */
static TD_KEEPS_CALL bool look_up(struct tide_mutator *mutator, struct tide_weak_table *table,
                                  const void *key, struct td_ephemeron_object *found,
                                  bool removes) {
  struct td_call call;
  calls_begin(table, &call);
  uint64_t hash = hash_of(table, key);
  lock(table);
  struct td_ephemeron_object *entry = table->slots[find(table, key, hash)];
  if (entry) {
    keep_entry(mutator, entry);
    found->key = entry->key;
    found->value = entry->value;
  }
  if (entry && removes) empty(table, entry);
  unlock(table);
  calls_end(table, &call);
  return entry != NULL;
}

void *tide_weak_table_get(struct tide_mutator *mutator, struct tide_weak_table *table,
                          const void *key) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct td_ephemeron_object found;
  if (!may(td_mutator_may_look, mutator, table, "tide_weak_table_get") || !key) return NULL;
  return look_up(mutator, table, key, &found, false) ? (void *)found.value : NULL;
}

void *tide_weak_table_key(struct tide_mutator *mutator, struct tide_weak_table *table,
                          const void *key) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct td_ephemeron_object found;
  if (!may(td_mutator_may_look, mutator, table, "tide_weak_table_key") || !key) return NULL;
  return look_up(mutator, table, key, &found, false) ? (void *)found.key : NULL;
}

bool tide_weak_table_remove(struct tide_mutator *mutator, struct tide_weak_table *table,
                            const void *key) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct td_ephemeron_object found;
  if (!may(td_mutator_may_act, mutator, table, "tide_weak_table_remove") || !key) return false;
  return look_up(mutator, table, key, &found, true);
}

size_t tide_weak_table_count(struct tide_mutator *mutator, struct tide_weak_table *table) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!may(td_mutator_may_look, mutator, table, "tide_weak_table_count")) return 0;
  size_t count = 0;
  lock(table);
  for (size_t i = 0; i < table->capacity; i++)
    count += table->slots[i] && table->slots[i]->key;
  unlock(table);
  return count;
}

/* Under the lock. */
static TD_KEEPS_CALL size_t visit_all(struct tide_mutator *mutator, struct tide_weak_table *table,
                                      tide_weak_table_fn visit, void *context) {
  struct td_call call;
  size_t count = 0;
  enum tide_weak_visit next = TIDE_WEAK_KEEP;
  td_quiet_call_begin(&call, "a visit of a weak table");
  for (size_t i = 0; i < table->capacity && next != TIDE_WEAK_STOP; i++) {
    struct td_ephemeron_object *entry = table->slots[i];
    if (!entry || !entry->key) continue;
    keep_entry(mutator, entry);
    next = visit((void *)entry->key, (void *)entry->value, context);
    if (next == TIDE_WEAK_REMOVE) empty(table, entry);
    count++;
  }
  td_quiet_call_end(&call);
  return count;
}

size_t tide_weak_table_each(struct tide_mutator *mutator, struct tide_weak_table *table,
                            tide_weak_table_fn visit, void *context) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!may(td_mutator_may_act, mutator, table, "tide_weak_table_each") || !visit) return 0;
  lock(table);
  size_t count = visit_all(mutator, table, visit, context);
  unlock(table);
  return count;
}
