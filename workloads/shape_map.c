/* SPDX-License-Identifier: MIT */
/* A chained hash map. */
#include <stdlib.h>

#include "workloads/build.h"
#include "workloads/random.h"

enum { KEY = 0, VALUE = 1, NEXT = 2, HASH = 3 };
#define ENTRY_BYTES 32u
#define ENTRY_BITS UINT64_C(7)
#define KEY_BYTES 8u
#define VALUE_BYTES 24u

enum { MAP_ENTRIES = 0 };
static const struct td_graph_key map_keys[] = {
    [MAP_ENTRIES] = {"entries", "entries", 2000000, 1, 1000000000, NULL},
};

/* The next power of two, so that a hash is reduced by a mask. */
static uint64_t bucket_count(uint64_t entries) {
  uint64_t buckets = 1;
  while (buckets < entries)
    buckets *= 2;
  return buckets;
}

/* Object 0 is the bucket array; entry e has key 1 + 3e, value 2 + 3e and entry object 3 + 3e. */
static uint64_t key_number(uint64_t entry) {
  return 1 + 3 * entry;
}
static uint64_t entry_number(uint64_t entry) {
  return 3 + 3 * entry;
}

static void plan_map(const struct td_graph_spec *spec, struct td_graph_plan *plan) {
  uint64_t entries = spec->value[MAP_ENTRIES];
  uint64_t bytes =
      entries * (KEY_BYTES + VALUE_BYTES + ENTRY_BYTES) + bucket_count(entries) * sizeof(void *);
  *plan = (struct td_graph_plan){true, 3 * entries + 1, bytes, true, 3 * entries + 1, 3 * entries};
}

static bool alloc_map(struct td_graph_builder *builder, uint64_t entries, uint64_t buckets) {
  uint32_t refs, leaf, entry;
  if (!td_build_prefix(builder, 0, &refs) || !td_build_leaf(builder, &leaf) ||
      !td_build_bitmap(builder, ENTRY_BITS, &entry) ||
      !td_build_alloc(builder, refs, buckets * sizeof(void *)))
    return false;
  for (uint64_t e = 0; e < entries; e++)
    if (!td_build_alloc(builder, leaf, KEY_BYTES) || !td_build_alloc(builder, leaf, VALUE_BYTES) ||
        !td_build_alloc(builder, entry, ENTRY_BYTES))
      return false;
  return true;
}

/* Puts each entry at the head of its chain.  head[b] is the object number of the chain's first
 * entry, 0 for none: no entry is object 0. */
static void link_map(struct td_graph_builder *builder, uint64_t entries, uint64_t buckets,
                     uint32_t *head) {
  struct td_random random = td_random_start();
  for (uint64_t e = 0; e < entries; e++) {
    uint32_t hash = td_random_next(&random);
    uint64_t bucket = hash & (buckets - 1), entry = entry_number(e), key = key_number(e);
    td_build_link(builder, entry, KEY, key);
    td_build_link(builder, entry, VALUE, key + 1);
    if (head[bucket] != 0) td_build_link(builder, entry, NEXT, head[bucket]);
    td_build_word(builder, entry, HASH, hash);
    td_build_word(builder, key, 0, e);
    head[bucket] = (uint32_t)entry;
    for (unsigned i = 0; i < 3; i++)
      td_build_step(builder);
  }
  for (uint64_t b = 0; b < buckets; b++)
    if (head[b] != 0) td_build_link(builder, 0, b, head[b]);
}

static bool build_map(struct td_graph_builder *builder) {
  uint64_t entries = builder->spec->value[MAP_ENTRIES], buckets = bucket_count(entries);
  uint32_t *head = calloc(buckets, sizeof *head);
  if (head == NULL) return td_build_no_memory(builder);
  bool built = alloc_map(builder, entries, buckets);
  if (built) link_map(builder, entries, buckets, head);
  free(head);
  return built && td_build_root(builder, 0);
}

const struct td_graph_kind td_graph_map = {
    "map",    "chained hash map: bucket array, entries, keys and values", map_keys, 1, plan_map,
    build_map};
