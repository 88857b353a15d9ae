/* SPDX-License-Identifier: MIT */
/* Objects of kinds, and typed ones. */
#include "bdwgc/alloc/kinds.h"

#include "bdwgc/alloc/alloc.h"
#include "bdwgc/finalize/disclaim.h"
#include "bdwgc/kinds/descriptor.h"
#include "bdwgc/kinds/kinds.h"
#include "bdwgc/say.h"
#include "bdwgc/threads/interior.h"
#include "bdwgc/threads/start.h"
#include "bdwgc/threads/threads.h"

void *td_kind_alloc(size_t bytes, int kind) {
  td_bdwgc_start();
  TD_LEAVES_REGION;
  void *object = td_bdwgc_alloc(bytes, td_kind_layout(kind));
  if (kind == GC_I_UNCOLLECTABLE || kind == GC_I_AUNCOLLECTABLE) return td_bdwgc_hold(object);
  td_disclaim_watch(object, kind);
  return object;
}
EXPORT void *GC_malloc_kind(size_t bytes, int kind) {
  return td_kind_alloc(bytes, kind);
}
SAME_AS(GC_malloc_kind, GC_malloc_kind_global);
SAME_AS(GC_malloc_kind, GC_generic_malloc);
SAME_AS(GC_malloc_kind, GC_generic_malloc_ignore_off_page);
SAME_AS(GC_malloc_kind, GC_generic_or_special_malloc);
EXPORT void *GC_generic_malloc_uncollectable(size_t bytes, int kind) {
  TD_LEAVES_REGION;
  return td_bdwgc_hold(td_kind_alloc(bytes, kind));
}
/* Of kinds with which more is to be done, lists have one object. */
EXPORT void GC_generic_malloc_many(size_t bytes, int kind, void **result) {
  td_bdwgc_start();
  if (kind == GC_I_PTRFREE || kind == GC_I_NORMAL) {
    *result = td_bdwgc_alloc_many(bytes, kind == GC_I_PTRFREE);
    return;
  }
  void **one = td_kind_alloc(bytes, kind);
  if (one) *one = NULL;
  *result = one;
}

/* ---- Typed objects ---- */

EXPORT void *GC_malloc_explicitly_typed(size_t bytes, GC_word descriptor) {
  td_bdwgc_start();
  return td_bdwgc_alloc(bytes, td_descriptor_layout(descriptor, bytes / sizeof(void *), false));
}
SAME_AS(GC_malloc_explicitly_typed, GC_malloc_explicitly_typed_ignore_off_page);
EXPORT void *GC_calloc_explicitly_typed(size_t count, size_t bytes_each, GC_word descriptor) {
  size_t bytes;
  td_bdwgc_start();
  if (__builtin_mul_overflow(count, bytes_each, &bytes)) bytes = SIZE_MAX;
  size_t words = bytes_each % sizeof(void *) ? 0 : bytes_each / sizeof(void *);
  return td_bdwgc_alloc(bytes, td_descriptor_layout(descriptor, words, true));
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

EXPORT void *GC_gcj_malloc(size_t bytes, void *table) {
  void **object = td_kind_alloc(bytes, GC_gcj_kind);
  if (object) *object = table;
  return object;
}
SAME_AS(GC_gcj_malloc, GC_gcj_malloc_ignore_off_page);

/* ---- Objects with a closure in front ---- */

static int finalized_kind;

static int call_closure(void *object) {
  const struct GC_finalizer_closure *closure = *(void **)object;
  if (closure) closure->proc((void **)object + 1, closure->cd);
  return 0;
}

EXPORT void GC_init_finalized_malloc(void) {
  td_bdwgc_start();
  if (finalized_kind) return;
  GC_register_displacement(sizeof(void *)); /* the program sees what lies behind the closure */
  finalized_kind = (int)GC_new_kind(NULL, GC_DS_LENGTH, 1, 1);
  GC_register_disclaim_proc(finalized_kind, call_closure, 1);
}

EXPORT void *GC_finalized_malloc(size_t bytes, const struct GC_finalizer_closure *closure) {
  if (!finalized_kind) td_bdwgc_die("GC_finalized_malloc before GC_init_finalized_malloc");
  if (bytes > SIZE_MAX - sizeof(void *)) bytes = SIZE_MAX - sizeof(void *);
  const void **object = td_kind_alloc(bytes + sizeof(void *), finalized_kind);
  if (!object) return NULL;
  *object = closure;
  return object + 1;
}
