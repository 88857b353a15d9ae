/* SPDX-License-Identifier: MIT */
#include "workloads/random.h"

#include <stdlib.h>

uint32_t *td_random_permutation(struct td_random *random, uint64_t count) {
  uint32_t *order = malloc((count + (count == 0)) * sizeof *order);
  if (order == NULL) return NULL;
  for (uint64_t i = 0; i < count; i++)
    order[i] = (uint32_t)i;
  for (uint64_t i = count; i-- > 1;) {
    uint32_t j = td_random_below(random, i + 1), kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  return order;
}
