/* SPDX-License-Identifier: MIT */
/* Kinds: objects with descriptors, those that every program has and those that it makes. */
#include "bdwgc/kinds/kinds.h"

#include <stdio.h>
#include <stdlib.h>

#include "bdwgc/kinds/descriptor.h"
#include "bdwgc/say.h"
#include "bdwgc/threads/lock.h"
#include "bdwgc/threads/start.h"
#include "bdwgc/threads/threads.h"

struct kind {
  GC_word descriptor;
  bool add_size; /* the object's size is added to the descriptor */
  tide_layout layout;
};
/* Entries are filled in once, under the lock, before their number is given out. */
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
SAME_AS(GC_new_free_list, GC_new_free_list_inner);

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
    layout = tide_layout_traced_serially(td_bdwgc_heap, trace, (void *)kind, NULL);
  else
    layout = tide_layout_traced(td_bdwgc_heap, trace, (void *)kind, NULL);
  return tide_layout_named(td_bdwgc_heap, layout, name, NULL);
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
SAME_AS(GC_new_kind, GC_new_kind_inner);

/* ---- Questions ---- */

tide_layout td_kind_layout(int kind) {
  if (kind < 0 || kind >= TD_KIND_COUNT || kinds[kind].layout == TIDE_LAYOUT_INVALID)
    td_bdwgc_die("there is no kind %d of objects", kind);
  return kinds[kind].layout;
}

int td_kind_of(const struct tide_object_facts *facts) {
  for (unsigned i = GC_I_FIRST_FREE; i < kind_count; i++)
    if (kinds[i].layout == facts->layout) return (int)i;
  if (facts->layout == TD_LAYOUT_ATOMIC || facts->layout == TIDE_LAYOUT_LEAF)
    return facts->pinned ? GC_I_AUNCOLLECTABLE : GC_I_PTRFREE;
  return facts->pinned ? GC_I_UNCOLLECTABLE : GC_I_NORMAL;
}

EXPORT int GC_get_kind_and_size(const void *object, size_t *bytes) {
  struct tide_object_facts facts = {.layout = TIDE_LAYOUT_INVALID};
  struct tide_mutator *self = td_bdwgc_start();
  TD_LEAVES_REGION;
  if (!tide_object_look(self, object, &facts)) /* it may point inside, behind a header */
    (void)tide_object_look(self, tide_object_find(td_bdwgc_heap, object), &facts);
  if (bytes) *bytes = facts.bytes;
  return td_kind_of(&facts);
}
