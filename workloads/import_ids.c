/* SPDX-License-Identifier: MIT */
#include "workloads/import_ids.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/thg_memory.h"

#define CHUNK_LOG2 9u

/* Returns the table slot that holds the chunk of `key`, or the free one where it belongs. */
static uint64_t find_slot(const struct td_import_ids *ids, uint64_t key) {
  uint64_t slot = td_hash(&ids->hash_key, &key, 1) & ids->table_mask;
  while (ids->table[slot] != 0 && ids->chunks[ids->table[slot] - 1].key != key) {
    slot = (slot + 1) & ids->table_mask;
  }
  return slot;
}

static bool enlarge_table(struct td_import_ids *ids) {
  uint64_t size = ids->table ? (ids->table_mask + 1) * 2 : 1024;
  uint32_t *table = td_new_array(size, sizeof *table);
  if (!table) return false;
  free(ids->table);
  ids->table = table;
  ids->table_mask = size - 1;
  for (uint32_t c = 0; c < ids->chunk_count; c++) {
    table[find_slot(ids, ids->chunks[c].key)] = c + 1;
  }
  return true;
}

static struct td_import_chunk *add_chunk(struct td_import_ids *ids, uint64_t key) {
  if ((uint64_t)ids->chunk_count * 2 > ids->table_mask && !enlarge_table(ids)) return NULL;
  if (!td_grow((void **)&ids->chunks, &ids->chunk_capacity, ids->chunk_count,
               sizeof *ids->chunks)) {
    return NULL;
  }
  struct td_import_chunk *chunk = &ids->chunks[ids->chunk_count++];
  memset(chunk, 0, sizeof *chunk);
  chunk->key = key;
  ids->table[find_slot(ids, key)] = ids->chunk_count;
  return chunk;
}

static enum td_ids_result add_all(struct td_import_ids *ids, const uint64_t *identifiers,
                                  uint64_t count, uint64_t *where) {
  struct td_import_chunk *chunk = NULL;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t granule = identifiers[i] >> ids->granule_log2;
    uint64_t key = granule >> CHUNK_LOG2;
    if (!chunk || chunk->key != key) {
      uint32_t held = ids->table[find_slot(ids, key)];
      chunk = held ? &ids->chunks[held - 1] : add_chunk(ids, key);
      if (!chunk) return TD_IDS_NO_MEMORY;
    }
    uint64_t *word = &chunk->bits[granule >> 6 & 7];
    uint64_t bit = UINT64_C(1) << (granule & 63);
    if (*word & bit) {
      *where = i;
      return TD_IDS_TWICE;
    }
    *word |= bit;
  }
  return TD_IDS_OK;
}

static int compare_chunks(const void *left, const void *right) {
  uint64_t a = ((const struct td_import_chunk *)left)->key;
  uint64_t b = ((const struct td_import_chunk *)right)->key;
  return (a > b) - (a < b);
}

/* Sorts the chunks by key, so that counting up gives the order of identifiers. */
static void count_up(struct td_import_ids *ids) {
  qsort(ids->chunks, ids->chunk_count, sizeof *ids->chunks, compare_chunks);
  memset(ids->table, 0, (size_t)(ids->table_mask + 1) * sizeof *ids->table);
  uint32_t total = 0;
  for (uint32_t c = 0; c < ids->chunk_count; c++) {
    struct td_import_chunk *chunk = &ids->chunks[c];
    ids->table[find_slot(ids, chunk->key)] = c + 1;
    chunk->base = total;
    uint32_t within = 0;
    for (uint32_t w = 0; w < 8; w++) {
      chunk->below[w] = (uint16_t)within;
      within += (uint32_t)__builtin_popcountll(chunk->bits[w]);
    }
    total += within;
  }
}

enum td_ids_result td_ids_build(struct td_import_ids *ids, const uint64_t *identifiers,
                                uint64_t count, uint64_t *where) {
  *ids = (struct td_import_ids){.hash_key = td_hash_key_new()};
  uint64_t all = 0;
  for (uint64_t i = 0; i < count; i++)
    all |= identifiers[i];
  ids->granule_log2 = all ? (uint32_t)__builtin_ctzll(all) : 0;
  if (!enlarge_table(ids)) return TD_IDS_NO_MEMORY;
  enum td_ids_result result = add_all(ids, identifiers, count, where);
  if (result == TD_IDS_OK && ids->chunk_count) count_up(ids);
  return result;
}

uint32_t td_ids_find(const struct td_import_ids *ids, uint64_t identifier) {
  if (identifier & ((UINT64_C(1) << ids->granule_log2) - 1)) return TD_IDS_NONE;
  uint64_t granule = identifier >> ids->granule_log2;
  uint32_t held = ids->table[find_slot(ids, granule >> CHUNK_LOG2)];
  if (held == 0) return TD_IDS_NONE;
  const struct td_import_chunk *chunk = &ids->chunks[held - 1];
  uint64_t word = chunk->bits[granule >> 6 & 7];
  uint64_t bit = UINT64_C(1) << (granule & 63);
  if (!(word & bit)) return TD_IDS_NONE;
  return chunk->base + chunk->below[granule >> 6 & 7] +
         (uint32_t)__builtin_popcountll(word & (bit - 1));
}

void td_ids_free(struct td_import_ids *ids) {
  free(ids->chunks);
  free(ids->table);
  memset(ids, 0, sizeof *ids);
}
