#include "marker/engine/list.h"

#include <string.h>

#include "marker/base/state.h"

#define DECLARE(Q, ...) extern const struct td_engine td_engine_##Q;
TD_QUEUES(DECLARE)

#define ENGINE_ALWAYS(Q) &td_engine_##Q,
#if defined(TD_SINGLE_FILE) && !defined(TIDE_ALL_ENGINES)
#define ENGINE_EXTRA(Q)
#else
#define ENGINE_EXTRA(Q) &td_engine_##Q,
#endif

#define ENGINE(Q, name, sharing, room, edition, ...) ENGINE_##edition(Q)
/* The libgc.so.1 is compiled with TD_ONE_ENGINE: programs that collect seldom should not have the
 * code of a dozen engines in memory. */
#ifdef TD_ONE_ENGINE
static const struct td_engine *const engines[] = {&td_engine_bwos};
#else
static const struct td_engine *const engines[] = {TD_QUEUES(ENGINE)};
#endif

const struct td_engine *td_engine_at(size_t index) {
  return index < sizeof engines / sizeof *engines ? engines[index] : NULL;
}

const struct td_engine *td_engine_find(const char *name) {
  size_t index = 0;
  while (td_engine_at(index) && strcmp(engines[index]->queue->name, name) != 0)
    index++;
  return td_engine_at(index);
}

const char *td_engine_name(size_t index) {
  const struct td_engine *engine = td_engine_at(index);
  return engine ? engine->queue->name : NULL;
}

const char *td_engine_text(size_t index) {
  const struct td_engine *engine = td_engine_at(index);
  return engine ? engine->queue->text : NULL;
}
