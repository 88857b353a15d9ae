/* SPDX-License-Identifier: MIT */
#include "bench/queue/kind.h"

#include <string.h>

#include "bench/rivals/list.h"

#define DECLARE(Q, ...) extern const struct td_queue_kind td_queue_kind_##Q;
TD_ALL_QUEUES(DECLARE, DECLARE)

#define KIND(Q, ...) &td_queue_kind_##Q,
static const struct td_queue_kind *const kinds[] = {TD_ALL_QUEUES(KIND, KIND)};

const struct td_queue_kind *td_queue_kind_at(size_t index) {
  return index < sizeof kinds / sizeof kinds[0] ? kinds[index] : NULL;
}

const struct td_queue_kind *td_queue_kind_find(const char *name) {
  for (size_t i = 0; td_queue_kind_at(i); i++)
    if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
  return NULL;
}

const struct td_queue_kind *td_queue_kind_ceiling(void) {
  return &td_queue_kind_serial;
}
