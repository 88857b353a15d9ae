/* SPDX-License-Identifier: MIT */
/* Disclaim procedures: called for each object of a kind when nothing refers to it any more. They
 * are finalizers here, and run right after the collection. */
#include "bdwgc/finalize/disclaim.h"

#include "bdwgc/detour.h"
#include "bdwgc/kinds/kinds.h"
#include "bdwgc/say.h"
#include "bdwgc/threads/start.h"

struct watched {
  GC_disclaim_proc procedure; /* NULL: the kind has none */
  enum tide_finalizer_order order;
};
/* Both are set before the kind's first object is made. */
static struct watched watched[TD_KIND_COUNT];
bool td_disclaim_on;

static void watch(void *object, struct watched *by);

void td_disclaim_ask(void *object, void *context) {
  struct watched *by = context;
  if (by->procedure(object)) watch(object, by); /* it wants to stay for now */
}

static void watch(void *object, struct watched *by) {
  const struct tide_finalizer_entry entry = {
      .call = td_disclaim_ask, .context = by, .order = by->order};
  if (tide_finalizer_set(td_bdwgc_start(), object, &entry, NULL) != TIDE_OK)
    td_bdwgc_die("no memory for an object with a disclaim procedure");
}

void td_disclaim_watch(void *object, int kind) {
  if (object && watched[kind].procedure && !td_leaks_on()) watch(object, &watched[kind]);
}

EXPORT void GC_register_disclaim_proc(int kind, GC_disclaim_proc procedure, int mark_from_all) {
  if (kind < 0 || kind >= TD_KIND_COUNT)
    td_bdwgc_die("GC_register_disclaim_proc: there is no kind %d", kind);
  td_disclaim_on = true;
  watched[kind] =
      (struct watched){procedure, mark_from_all ? TIDE_FINALIZE_ORDERED : TIDE_FINALIZE_NO_ORDER};
}
