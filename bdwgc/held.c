/* Objects that live until they are freed are pinned ones. */
#include "bdwgc/held.h"

#include "bdwgc/state.h"

/* Was anything ever held? relaxed: who lets an object go comes after who held it, by the program's
 * own order. */
static _Atomic(bool) ever;

void *td_bdwgc_hold(void *object) {
  if (!object) return NULL;
  atomic_store_explicit(&ever, true, memory_order_relaxed); /* relaxed: see above */
  return tide_object_pin(td_bdwgc_mutator(), object) == TIDE_OK ? object : NULL;
}

bool td_bdwgc_let_go(void *object) {
  if (!atomic_load_explicit(&ever, memory_order_relaxed)) return false; /* relaxed: see above */
  return tide_object_unpin(td_bdwgc_mutator(), object) == TIDE_OK;
}

/* There is no question to ask: what can be pinned was not. */
bool td_bdwgc_is_held(void *object) {
  struct tide_mutator *self = td_bdwgc_mutator();
  enum tide_status status = tide_object_pin(self, object);
  if (status == TIDE_OK) tide_object_unpin(self, object);
  return status == TIDE_ERROR_STATE;
}
