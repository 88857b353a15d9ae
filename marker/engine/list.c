/* SPDX-License-Identifier: MIT */
#include "marker/engine/list.h"

#include <string.h>

#include "marker/base/engine.h"
#include "marker/engine/engines.h"

const struct td_engine *td_engine_at(size_t index) {
  size_t at = 0;
  while (at < index && td_engines[at])
    at++;
  return td_engines[at];
}

const struct td_engine *td_engine_find(const char *name) {
  size_t index = 0;
  while (td_engines[index] && strcmp(td_engines[index]->queue->name, name) != 0)
    index++;
  return td_engines[index];
}

const char *td_engine_name(size_t index) {
  const struct td_engine *engine = td_engine_at(index);
  return engine ? engine->queue->name : NULL;
}

const char *td_engine_text(size_t index) {
  const struct td_engine *engine = td_engine_at(index);
  return engine ? engine->queue->text : NULL;
}
