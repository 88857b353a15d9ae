/* The list of marking engines; the first is the default. */
#include "marker/engine/list.h"

#include <string.h>

extern const struct td_engine td_engine_bwos, td_engine_bwos_paper, td_engine_bwos_fifo,
    td_engine_abp, td_engine_abp_sc, td_engine_chase_lev, td_engine_mutex, td_engine_serial;

static const struct td_engine *const engines[] = {
    &td_engine_bwos,   &td_engine_bwos_paper, &td_engine_bwos_fifo, &td_engine_abp,
    &td_engine_abp_sc, &td_engine_chase_lev,  &td_engine_mutex,     &td_engine_serial,
};
#define COUNT (sizeof engines / sizeof *engines)

const struct td_engine *td_engine_find(const char *name) {
  for (size_t i = 0; i < COUNT; i++)
    if (strcmp(engines[i]->name, name) == 0) return engines[i];
  return NULL;
}

const char *td_engine_name(size_t index) {
  return index < COUNT ? engines[index]->name : NULL;
}
const char *td_engine_text(size_t index) {
  return index < COUNT ? engines[index]->text : NULL;
}
