/* Disclaim procedures: called for each object of a kind when nothing refers to it any more. They
 * are finalizers here, and run right after the collection. */
#include "bdwgc/finalize/disclaim.h"

#include "bdwgc/kinds/kinds.h"
#include "bdwgc/debug/leaks.h"
#include "bdwgc/state.h"

struct watched {
  GC_disclaim_proc procedure; /* NULL: the kind has none */
  enum tide_finalizer_order order;
};
static struct watched watched[TD_KIND_COUNT]; /* set before the kind's first object is made */

static void watch(void *object, struct watched *by);

void td_disclaim_ask(void *object, void *context) {
  struct watched *by = context;
  if (by->procedure(object)) watch(object, by); /* it wants to stay for now */
}

static void watch(void *object, struct watched *by) {
  const struct tide_finalizer_entry entry = {
      .call = td_disclaim_ask, .context = by, .order = by->order};
  if (tide_finalizer_set(td_bdwgc_mutator(), object, &entry, NULL) != TIDE_OK)
    td_bdwgc_die("no memory for an object with a disclaim procedure");
}

void td_disclaim_watch(void *object, unsigned kind) {
  if (object && watched[kind].procedure && !td_leaks_on()) watch(object, &watched[kind]);
}

EXPORT void GC_register_disclaim_proc(int kind, GC_disclaim_proc procedure, int mark_from_all) {
  if (kind < 0 || kind >= (int)TD_KIND_COUNT)
    td_bdwgc_die("GC_register_disclaim_proc: there is no kind %d", kind);
  watched[kind] =
      (struct watched){procedure, mark_from_all ? TIDE_FINALIZE_ORDERED : TIDE_FINALIZE_NO_ORDER};
}

/* ---- Objects with a closure in front ---- */

EXPORT unsigned GC_new_kind(void **list, GC_word descriptor, int add_size, int clear);
EXPORT void GC_register_displacement(size_t bytes);
static unsigned finalized_kind;

static int call_closure(void *object) {
  const struct GC_finalizer_closure *closure = *(void **)object;
  if (closure) closure->proc((void **)object + 1, closure->cd);
  return 0;
}

EXPORT void GC_init_finalized_malloc(void) {
  td_bdwgc_start();
  if (finalized_kind) return;
  GC_register_displacement(sizeof(void *)); /* the program sees what lies behind the closure */
  finalized_kind = GC_new_kind(NULL, GC_DS_LENGTH, 1, 1);
  GC_register_disclaim_proc((int)finalized_kind, call_closure, 1);
}

EXPORT void *GC_finalized_malloc(size_t bytes, const struct GC_finalizer_closure *closure) {
  if (!finalized_kind) td_bdwgc_die("GC_finalized_malloc before GC_init_finalized_malloc");
  if (bytes > SIZE_MAX - sizeof(void *)) bytes = SIZE_MAX - sizeof(void *);
  const void **object =
      td_kind_alloc("GC_finalized_malloc", bytes + sizeof(void *), finalized_kind);
  if (!object) return NULL;
  *object = closure;
  return object + 1;
}
