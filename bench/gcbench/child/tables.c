/* SPDX-License-Identifier: MIT */
/* Tables: a cache that drops its least recently used entry, and strings that come and go. */
#include "bench/gcbench/child/work.h"

#include <string.h>

/* ---- lru ------------------------------------------------------------------------------- */

#define CACHE_ENTRIES (UINT32_C(1) << 18) /* all shares together */
#define KEYS_PER_ENTRY 4u
#define VALUE_BYTES_MIN 32u
#define VALUE_BYTES_RANGE 256u

struct entry {
  uint64_t *value;
  struct entry *next;          /* of the same bucket */
  struct entry *newer, *older; /* the ring of all entries, which the cache's own entry closes */
  uint64_t key;
};

struct cache {
  struct entry **buckets;
  uint32_t mask, entries, limit;
  struct entry *ring;
};

static struct entry **bucket_of(const struct cache *cache, uint64_t key) {
  return &cache->buckets[(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & cache->mask];
}

static void ring_remove(struct memory *memory, struct entry *entry) {
  memory_write(memory, entry->newer, &entry->newer->older, entry->older);
  memory_write(memory, entry->older, &entry->older->newer, entry->newer);
}

static void ring_insert(struct memory *memory, const struct cache *cache, struct entry *entry) {
  struct entry *newest = cache->ring->older;
  memory_write(memory, entry, &entry->newer, cache->ring);
  memory_write(memory, entry, &entry->older, newest);
  memory_write(memory, newest, &newest->newer, entry);
  memory_write(memory, cache->ring, &cache->ring->older, entry);
}

static void evict(struct memory *memory, struct cache *cache) {
  struct entry *victim =
      cache->ring->newer; /* behind the newest, the ring goes on with the oldest */
  ring_remove(memory, victim);
  struct entry **link = bucket_of(cache, victim->key);
  void *holder = cache->buckets;
  for (; *link != victim; link = &(*link)->next)
    holder = *link;
  memory_write(memory, holder, link, victim->next);
  cache->entries--;
  memory_free(memory, victim->value);
  memory_free(memory, victim);
}

static struct entry *insert(struct memory *memory, struct cache *cache, uint64_t key,
                            size_t value_bytes) {
  uint64_t *value = memory_new(memory, MEMORY_LEAF, value_bytes);
  memset(value, (int)(key & 0xff), value_bytes);
  struct entry *entry = memory_new(memory, MEMORY_ENTRY, sizeof *entry);
  struct entry **bucket = bucket_of(cache, key);
  *entry = (struct entry){.key = key, .value = value, .next = *bucket};
  memory_write(memory, cache->buckets, bucket, entry);
  cache->entries++;
  return entry;
}

static uint64_t use(struct memory *memory, struct cache *cache, uint64_t key, size_t value_bytes) {
  struct entry *entry = *bucket_of(cache, key);
  while (entry && entry->key != key)
    entry = entry->next;
  if (entry) {
    ring_remove(memory, entry);
    ring_insert(memory, cache, entry);
    return 1 + (entry->value[0] & 0xff);
  }
  entry = insert(memory, cache, key, value_bytes);
  ring_insert(memory, cache, entry);
  if (cache->entries > cache->limit) evict(memory, cache);
  return 0;
}

/* A key is the smaller of two random numbers, so small keys are asked for much more often. */
uint64_t gcbench_work_lru(struct memory *memory, const struct gcbench_share *share) {
  struct cache cache = {.limit = CACHE_ENTRIES / share->mutators};
  uint32_t buckets = 1;
  while (buckets < cache.limit)
    buckets *= 2;
  cache.mask = buckets - 1;
  cache.buckets = memory_new_zeroed(memory, MEMORY_REFS, buckets * sizeof(struct entry *));
  cache.ring = memory_new_zeroed(memory, MEMORY_ENTRY, sizeof *cache.ring);
  cache.ring->newer = cache.ring->older = cache.ring;
  uint64_t state = gcbench_seed(share), sum = 0, count = gcbench_part(share, share->operations);
  for (uint64_t i = 0; i < count; i++) {
    uint32_t a = gcbench_below(&state, cache.limit * KEYS_PER_ENTRY);
    uint32_t b = gcbench_below(&state, cache.limit * KEYS_PER_ENTRY);
    uint32_t key = a < b ? a : b;
    sum += use(memory, &cache, key, VALUE_BYTES_MIN + gcbench_below(&state, VALUE_BYTES_RANGE));
  }
  sum += cache.entries;
  while (!MEMORY_COLLECTS && cache.entries > 0)
    evict(memory, &cache);
  memory_free(memory, cache.ring);
  memory_free(memory, cache.buckets);
  return sum;
}

/* ---- strings --------------------------------------------------------------------------- */

#define STRINGS (UINT32_C(1) << 17) /* all shares together */
#define STRING_BYTES_MAX 240u
#define PIECE_BYTES_MAX 48u

struct string {
  uint32_t length;
  char bytes[];
};

static struct string *string_new(struct memory *memory, uint32_t length) {
  struct string *string = memory_new(memory, MEMORY_LEAF, sizeof *string + length);
  string->length = length;
  return string;
}

static struct string *piece_of(struct memory *memory, const struct string *whole, uint64_t *state) {
  uint32_t most = whole->length < PIECE_BYTES_MAX ? whole->length : PIECE_BYTES_MAX;
  uint32_t length = 1 + gcbench_below(state, most);
  uint32_t from = gcbench_below(state, whole->length - length + 1);
  struct string *piece = string_new(memory, length);
  memcpy(piece->bytes, whole->bytes + from, length);
  return piece;
}

static struct string *joined(struct memory *memory, const struct string *a,
                             const struct string *b) {
  struct string *both = string_new(memory, a->length + b->length);
  memcpy(both->bytes, a->bytes, a->length);
  memcpy(both->bytes + a->length, b->bytes, b->length);
  return both;
}

static uint64_t hash(const struct string *string) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (uint32_t i = 0; i < string->length; i++)
    h = (h ^ (unsigned char)string->bytes[i]) * UINT64_C(0x100000001b3);
  return h;
}

/* Returns a string made from two of the table's. One that would be too long begins anew as a short
 * one. */
static struct string *next_string(struct memory *memory, struct string *const *table,
                                  uint32_t count, uint64_t *state) {
  const struct string *base = table[gcbench_below(state, count)];
  struct string *piece = piece_of(memory, table[gcbench_below(state, count)], state);
  if (base->length + piece->length > STRING_BYTES_MAX) return piece;
  struct string *both = joined(memory, base, piece);
  memory_free(memory, piece);
  return both;
}

uint64_t gcbench_work_strings(struct memory *memory, const struct gcbench_share *share) {
  uint32_t count = STRINGS / share->mutators;
  struct string **table = memory_new_zeroed(memory, MEMORY_REFS, count * sizeof(struct string *));
  uint64_t state = gcbench_seed(share), sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    memory_write(memory, table, &table[i], string_new(memory, 8));
    uint64_t bytes = gcbench_random(&state);
    memcpy(table[i]->bytes, &bytes, 8);
  }
  uint64_t operations = gcbench_part(share, share->operations);
  for (uint64_t i = 0; i < operations; i++) {
    uint32_t slot = gcbench_below(&state, count);
    struct string *fresh = next_string(memory, table, count, &state);
    sum += hash(fresh);
    memory_free(memory, table[slot]);
    memory_write(memory, table, &table[slot], fresh);
  }
  for (uint32_t i = 0; !MEMORY_COLLECTS && i < count; i++)
    memory_free(memory, table[i]);
  memory_free(memory, table);
  return sum;
}
