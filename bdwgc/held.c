/* Objects that live until they are freed are pinned ones. */
#include "bdwgc/held.h"

#include "bdwgc/state.h"

void *td_bdwgc_hold(void *object) {
  if (!object) return NULL;
  return tide_object_pin(td_bdwgc_mutator(), object) == TIDE_OK ? object : NULL;
}

bool td_bdwgc_let_go(void *object) {
  return tide_object_unpin(td_bdwgc_mutator(), object) == TIDE_OK;
}

/* There is no question to ask: what can be pinned was not. */
bool td_bdwgc_is_held(void *object) {
  struct tide_mutator *self = td_bdwgc_mutator();
  enum tide_status status = tide_object_pin(self, object);
  if (status == TIDE_OK) tide_object_unpin(self, object);
  return status == TIDE_ERROR_STATE;
}
