/* SPDX-License-Identifier: MIT */
/* Finalizers of debugging objects, which are told where the program sees these. */
#include "bdwgc/alloc/alloc.h"
#include "bdwgc/debug/guard.h"
#include "bdwgc/detour.h"
#include "bdwgc/say.h"
#include "bdwgc/threads/start.h"

typedef void set_fn(void *object, GC_finalization_proc call, void *data,
                    GC_finalization_proc *old_call, void **old_data);
EXPORT set_fn GC_register_finalizer, GC_register_finalizer_ignore_self,
    GC_register_finalizer_no_order, GC_register_finalizer_unreachable;

/* What the program asked for. */
struct wanted {
  GC_finalization_proc call;
  void *data;
};

static void invoke(void *object, void *context) {
  const struct wanted *wanted = context;
  wanted->call((struct td_guard *)object + 1, wanted->data);
}

/* Hands out what was there before. */
static void hand_out(const char *function, GC_finalization_proc call, void *context,
                     GC_finalization_proc *old_call, void **old_data) {
  const struct wanted *before = call == invoke ? context : NULL;
  if (call && !before)
    td_bdwgc_tell("%s: the finalizer before was none of a debugging object", function);
  if (old_call) *old_call = before ? before->call : NULL;
  if (old_data) *old_data = before ? before->data : NULL;
}

static void set(const char *function, set_fn *plain, void *seen, struct wanted next,
                GC_finalization_proc *old_call, void **old_data) {
  GC_finalization_proc before = NULL;
  void *context = NULL;
  struct wanted *wanted = NULL;
  td_bdwgc_start();
  if (td_leaks_on()) return; /* objects have finalizers of ours */
  struct td_guard *guard = tide_object_find(td_bdwgc_heap, seen);
  if (guard && (void *)(guard + 1) != seen) {
    td_bdwgc_tell("%s: %p is no debugging object", function, seen);
    plain(seen, next.call, next.data, old_call, old_data);
    return;
  }
  if (guard && next.call) {
    wanted = GC_malloc(sizeof *wanted);
    if (!wanted) return;
    *wanted = next;
  }
  /* What is no object never dies. */
  if (guard) plain(guard, next.call ? invoke : NULL, wanted, &before, &context);
  hand_out(function, before, context, old_call, old_data);
}

#define REGISTER(name)                                                                             \
  EXPORT void GC_debug_##name(void *object, GC_finalization_proc call, void *data,                 \
                              GC_finalization_proc *old_call, void **old_data) {                   \
    set("GC_debug_" #name, GC_##name, object, (struct wanted){call, data}, old_call, old_data);    \
  }
REGISTER(register_finalizer)
REGISTER(register_finalizer_ignore_self)
REGISTER(register_finalizer_no_order)
REGISTER(register_finalizer_unreachable)
