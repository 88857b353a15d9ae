/* Objects of kinds, and typed ones. */
#include "bdwgc/alloc/kinds.h"

#include "bdwgc/alloc/alloc.h"
#include "bdwgc/finalize/disclaim.h"
#include "bdwgc/kinds/descriptor.h"
#include "bdwgc/kinds/kinds.h"
#include "bdwgc/say.h"
#include "bdwgc/threads/interior.h"
#include "bdwgc/threads/start.h"

void *td_kind_alloc(const char *function, size_t bytes, unsigned kind) {
  td_bdwgc_start();
  void *object = td_bdwgc_alloc(bytes, td_kind_layout(function, kind));
  if (kind == GC_I_UNCOLLECTABLE || kind == GC_I_AUNCOLLECTABLE) return td_bdwgc_hold(object);
  td_disclaim_watch(object, kind);
  return object;
}

EXPORT void *GC_malloc_kind(size_t bytes, int kind) {
  return td_kind_alloc("GC_malloc_kind", bytes, (unsigned)kind);
}
EXPORT void *GC_malloc_kind_global(size_t bytes, int kind) {
  return td_kind_alloc("GC_malloc_kind_global", bytes, (unsigned)kind);
}
EXPORT void *GC_generic_malloc(size_t bytes, int kind) {
  return td_kind_alloc("GC_generic_malloc", bytes, (unsigned)kind);
}
EXPORT void *GC_generic_malloc_ignore_off_page(size_t bytes, int kind) {
  return td_kind_alloc("GC_generic_malloc_ignore_off_page", bytes, (unsigned)kind);
}
EXPORT void *GC_generic_malloc_uncollectable(size_t bytes, int kind) {
  return td_bdwgc_hold(td_kind_alloc("GC_generic_malloc_uncollectable", bytes, (unsigned)kind));
}
EXPORT void *GC_generic_or_special_malloc(size_t bytes, int kind) {
  return td_kind_alloc("GC_generic_or_special_malloc", bytes, (unsigned)kind);
}
/* Of kinds with which more is to be done, lists have one object. */
EXPORT void GC_generic_malloc_many(size_t bytes, int kind, void **result) {
  td_bdwgc_start();
  if (kind == GC_I_PTRFREE || kind == GC_I_NORMAL) {
    *result = td_bdwgc_alloc_many(bytes, kind == GC_I_PTRFREE);
    return;
  }
  void **one = td_kind_alloc("GC_generic_malloc_many", bytes, (unsigned)kind);
  if (one) *one = NULL;
  *result = one;
}

/* ---- Typed objects ---- */

EXPORT void *GC_malloc_explicitly_typed(size_t bytes, GC_word descriptor) {
  td_bdwgc_start();
  return td_bdwgc_alloc(bytes, td_descriptor_layout(descriptor, bytes / sizeof(void *)));
}
EXPORT void *GC_malloc_explicitly_typed_ignore_off_page(size_t bytes, GC_word descriptor) {
  return GC_malloc_explicitly_typed(bytes, descriptor);
}
EXPORT void *GC_calloc_explicitly_typed(size_t count, size_t bytes_each, GC_word descriptor) {
  size_t bytes;
  td_bdwgc_start();
  if (__builtin_mul_overflow(count, bytes_each, &bytes)) bytes = SIZE_MAX;
  size_t words = bytes_each % sizeof(void *) ? 0 : bytes_each / sizeof(void *);
  return td_bdwgc_alloc(bytes, td_descriptor_layout(descriptor, words));
}

/* ---- Objects whose first word points at a table with their descriptor ---- */

EXPORT int GC_gcj_kind, GC_gcj_debug_kind;

EXPORT void GC_init_gcj_malloc(int number, void *procedure) {
  td_bdwgc_start();
  if (GC_gcj_kind) return;
  td_descriptor_set_procedure((unsigned)number, (GC_mark_proc)procedure);
  GC_word behind_first = (GC_word)(-(GC_signed_word)sizeof(GC_word) - GC_INDIR_PER_OBJ_BIAS);
  GC_gcj_kind = (int)GC_new_kind(NULL, behind_first | GC_DS_PER_OBJECT, 0, 1);
  GC_word by_procedure = (((GC_word)1 << GC_LOG_MAX_MARK_PROCS) | (GC_word)number)
                         << GC_DS_TAG_BITS;
  GC_gcj_debug_kind = (int)GC_new_kind(NULL, by_procedure | GC_DS_PROC, 0, 1);
}

static void *alloc_gcj(size_t bytes, void *table) {
  void **object = td_kind_alloc("GC_gcj_malloc", bytes, (unsigned)GC_gcj_kind);
  if (object) *object = table;
  return object;
}
EXPORT void *GC_gcj_malloc(size_t bytes, void *table) {
  return alloc_gcj(bytes, table);
}
EXPORT void *GC_gcj_malloc_ignore_off_page(size_t bytes, void *table) {
  return alloc_gcj(bytes, table);
}

/* ---- Objects with a closure in front ---- */

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
