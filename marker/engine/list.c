#include "marker/engine/list.h"

#include "marker/base/state.h"

#define DECLARE(Q, ...) extern const struct td_engine td_engine_##Q;
TD_QUEUES(DECLARE)

#define ENGINE(Q, ...) &td_engine_##Q,
static const struct td_engine *const engines[TD_QUEUE_COUNT] = {TD_QUEUES(ENGINE)};

const struct td_engine *td_engine_at(size_t index) {
  return index < TD_QUEUE_COUNT ? engines[index] : NULL;
}

const struct td_engine *td_engine_find(const char *name) {
  return td_engine_at(td_queue_find(name));
}

const char *td_engine_name(size_t index) {
  const struct td_engine *engine = td_engine_at(index);
  return engine ? engine->queue->name : NULL;
}

const char *td_engine_text(size_t index) {
  const struct td_engine *engine = td_engine_at(index);
  return engine ? engine->queue->text : NULL;
}
