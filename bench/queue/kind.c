#include "bench/queue/kind.h"

#include <string.h>

extern const struct td_queue_kind td_queue_kind_bwos, td_queue_kind_bwos_paper,
    td_queue_kind_bwos_fifo, td_queue_kind_abp, td_queue_kind_abp_sc, td_queue_kind_chase_lev,
    td_queue_kind_mutex, td_queue_kind_serial;

static const struct td_queue_kind *const kinds[] = {
    &td_queue_kind_bwos,  &td_queue_kind_bwos_paper, &td_queue_kind_bwos_fifo,
    &td_queue_kind_abp,   &td_queue_kind_abp_sc,     &td_queue_kind_chase_lev,
    &td_queue_kind_mutex, &td_queue_kind_serial,
};

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
