/* SPDX-License-Identifier: MIT */
/* From the identifiers of a dump to object numbers in the order of identifiers.
 *
 * Identifiers are addresses, or look like them: they come in clusters.  A chunk covers 512
 * consecutive granules.  It holds a bit for each identifier seen and the number of identifiers
 * below it, so that a look-up costs two cache lines.  Identifiers far apart cost one chunk each.
 * Threads: look-ups may run on many. */
#ifndef TD_WORKLOADS_IMPORT_IDS_H
#define TD_WORKLOADS_IMPORT_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/hash.h"

#define TD_IDS_NONE UINT32_MAX

struct td_import_chunk {
  uint64_t key; /* identifier >> (granule_log2 + 9) */
  uint64_t bits[8];
  uint16_t below[8]; /* identifiers of this chunk in earlier words */
  uint32_t base;     /* identifiers in chunks with smaller keys */
};

struct td_import_ids {
  struct td_import_chunk *chunks; /* [chunk_count], in no order */
  uint32_t *table;                /* open addressing: chunk number + 1, or 0 */
  uint64_t table_mask;
  struct td_hash_key hash_key; /* identifiers come from the file */
  uint64_t chunk_capacity;
  uint32_t chunk_count;
  uint32_t granule_log2; /* trailing zero bits common to all identifiers */
};

enum td_ids_result { TD_IDS_OK, TD_IDS_TWICE, TD_IDS_NO_MEMORY };

/* Numbers `count` identifiers.  On TD_IDS_TWICE *where is the position of the second of two that
 * are equal.  Free with td_ids_free in every case. */
enum td_ids_result td_ids_build(struct td_import_ids *ids, const uint64_t *identifiers,
                                uint64_t count, uint64_t *where);

/* Returns the number of an identifier, or TD_IDS_NONE. */
uint32_t td_ids_find(const struct td_import_ids *ids, uint64_t identifier);

void td_ids_free(struct td_import_ids *ids);

#endif
