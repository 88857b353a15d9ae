/* SPDX-License-Identifier: MIT */
/* Arrays that grow as their contents arrive, so that a count read from a file is never trusted
 * with more memory than the bytes already read can justify. */
#ifndef TD_WORKLOADS_THG_MEMORY_H
#define TD_WORKLOADS_THG_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Makes room for one more element than `used` in *array of *capacity elements, by doubling it.
 * Returns false if there is no memory; the array is then unchanged. */
static inline bool td_grow(void **array, uint64_t *capacity, uint64_t used, size_t element_bytes) {
  if (used < *capacity) return true;
  uint64_t wanted = *capacity < 1024 ? 1024 : *capacity * 2;
  if (wanted > SIZE_MAX / 2 / element_bytes) return false;
  void *moved = realloc(*array, (size_t)wanted * element_bytes);
  if (!moved) return false;
  *array = moved;
  *capacity = wanted;
  return true;
}

/* Does as calloc, but for at least one element, so that NULL always means no memory. */
static inline void *td_new_array(uint64_t count, size_t element_bytes) {
  if (count == 0) count = 1;
  if (count > SIZE_MAX / 2 / element_bytes) return NULL;
  return calloc((size_t)count, element_bytes);
}

#endif
