/* Objects that live until they are freed are pinned ones. */
#include "bdwgc/alloc/held.h"

#include "bdwgc/state.h"

void *td_bdwgc_hold(void *object) {
  if (!object) return NULL;
  return tide_object_pin(td_bdwgc_mutator(), object) == TIDE_OK ? object : NULL;
}
