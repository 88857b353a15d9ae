/* Kinds: objects with descriptors, and those that programs describe themselves. */
#include "bdwgc/kinds/kinds.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "bdwgc/kinds/descriptor.h"
#include "bdwgc/finalize/disclaim.h"
#include "bdwgc/alloc/held.h"
#include "bdwgc/alloc/many.h"
#include "bdwgc/lock.h"
#include "bdwgc/state.h"

struct kind {
  GC_word descriptor;
  bool add_size; /* the object's size is added to the descriptor */
  tide_layout layout;
};
/* Entries are filled in once, under the lock, before their number is known to anybody. */
static struct kind kinds[TD_KIND_COUNT] = {
    [GC_I_PTRFREE] = {.layout = TD_LAYOUT_ATOMIC},
    [GC_I_NORMAL] = {.layout = TIDE_LAYOUT_CONSERVATIVE},
    [GC_I_UNCOLLECTABLE] = {.layout = TIDE_LAYOUT_CONSERVATIVE},
    [GC_I_AUNCOLLECTABLE] = {.layout = TD_LAYOUT_ATOMIC},
};
static unsigned kind_count = GC_I_FIRST_FREE;

/* ---- Lists of free cells: always empty, so that programs that look there call us ---- */

#define LIST_ENTRIES 257u
static void *lists[4][LIST_ENTRIES];
EXPORT void **GC_aobjfreelist_ptr = lists[0];
EXPORT void **GC_objfreelist_ptr = lists[1];
EXPORT void **GC_uobjfreelist_ptr = lists[2];
EXPORT void **GC_auobjfreelist_ptr = lists[3];

EXPORT void **GC_new_free_list(void) {
  void **list = calloc(LIST_ENTRIES, sizeof *list);
  if (!list) td_bdwgc_die("GC_new_free_list: out of memory");
  return list;
}
EXPORT void **GC_new_free_list_inner(void) {
  return GC_new_free_list();
}

/* ---- New kinds ---- */

static void trace(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  const struct kind *kind = context;
  td_descriptor_trace(object, bytes, kind->descriptor + (kind->add_size ? bytes : 0), tracer);
}

static tide_layout make_layout(const struct kind *kind, unsigned number, bool clear) {
  char name[32];
  snprintf(name, sizeof name, "kind %u", number);
  tide_layout layout;
  if (kind->descriptor == GC_DS_LENGTH)
    layout = kind->add_size ? TIDE_LAYOUT_CONSERVATIVE
             : clear        ? TIDE_LAYOUT_LEAF
                            : TD_LAYOUT_ATOMIC;
  else if (td_descriptor_calls(kind->descriptor))
    layout = tide_layout_traced_alone(td_bdwgc.heap, trace, (void *)kind, NULL);
  else
    layout = tide_layout_traced(td_bdwgc.heap, trace, (void *)kind, NULL);
  return tide_layout_named(td_bdwgc.heap, layout, name, NULL);
}

EXPORT unsigned GC_new_kind(void **list, GC_word descriptor, int add_size, int clear) {
  (void)list; /* what may hold references is always zeroed */
  td_bdwgc_start();
  td_bdwgc_lock(TD_LOCK_KINDS);
  unsigned number = kind_count;
  if (number == TD_KIND_COUNT) td_bdwgc_die("GC_new_kind: there are no more than %u", number);
  struct kind *kind = &kinds[number];
  *kind = (struct kind){.descriptor = descriptor, .add_size = add_size != 0};
  kind->layout = make_layout(kind, number, clear != 0);
  if (kind->layout == TIDE_LAYOUT_INVALID) td_bdwgc_die("GC_new_kind: out of memory");
  kind_count++;
  td_bdwgc_unlock(TD_LOCK_KINDS);
  return number;
}
EXPORT unsigned GC_new_kind_inner(void **list, GC_word descriptor, int add_size, int clear) {
  return GC_new_kind(list, descriptor, add_size, clear);
}

/* ---- Objects of kinds ---- */

static const struct kind *find(const char *function, unsigned kind) {
  if (kind >= TD_KIND_COUNT || kinds[kind].layout == TIDE_LAYOUT_INVALID)
    td_bdwgc_die("%s: there is no kind %u", function, kind);
  return &kinds[kind];
}

void *td_kind_alloc(const char *function, size_t bytes, unsigned kind) {
  td_bdwgc_start();
  void *object = td_bdwgc_alloc(bytes, find(function, kind)->layout);
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

EXPORT int GC_get_kind_and_size(const void *object, size_t *bytes) {
  struct tide_object_facts facts = {.layout = TIDE_LAYOUT_INVALID};
  struct tide_mutator *self = td_bdwgc_mutator();
  if (!tide_object_look(self, object, &facts)) /* it may point inside, behind a header */
    (void)tide_object_look(self, tide_object_find(td_bdwgc.heap, object), &facts);
  if (bytes) *bytes = facts.bytes;
  for (unsigned i = GC_I_FIRST_FREE; i < kind_count; i++)
    if (kinds[i].layout == facts.layout) return (int)i;
  if (facts.layout == TD_LAYOUT_ATOMIC || facts.layout == TIDE_LAYOUT_LEAF)
    return facts.pinned ? GC_I_AUNCOLLECTABLE : GC_I_PTRFREE;
  return facts.pinned ? GC_I_UNCOLLECTABLE : GC_I_NORMAL;
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
