/* SPDX-License-Identifier: MIT */
/* Finalizers: one to an object, run by the thread that allocates next, or by the program on
 * demand. */
#include "bdwgc/finalize/finalize.h"

#include "bdwgc/detour.h"
#include "bdwgc/finalize/disclaim.h"
#include "bdwgc/say.h"
#include "bdwgc/settings.h"
#include "bdwgc/threads/start.h"
#include "bdwgc/threads/threads.h"

/* Those of the calling thread that run or were left by longjmp, and how often others have waited
 * for their end since. Each deeper one lets them wait twice as often, so that recursion ends, and
 * one that waits for them, or never returns, does not keep them for ever. */
#define DEPTH_MOST 31u
static TD_TLS unsigned depth, waited;

/* What a collection has queued waits for its end: the program is told of it first. */
static void *take(struct tide_mutator *self, tide_finalizer_fn only,
                  struct tide_finalizer_entry *entry) {
  tide_stop_hold(self);
  tide_collect_await(td_bdwgc_heap);
  void *object = tide_finalizer_take_only(self, only, entry);
  tide_stop_release(self);
  return object;
}

/* Returns how many of the program's own there were. */
static int run(tide_finalizer_fn only) {
  struct tide_mutator *self = td_bdwgc_start();
  TD_LEAVES_REGION;
  struct tide_finalizer_entry entry;
  int count = 0;
  for (void *object; (object = take(self, only, &entry)) != NULL;) {
    void *volatile kept = object; /* nothing else holds it while the finalizer runs */
    entry.call(object, entry.context);
    (void)kept;
    if (entry.call != td_disclaim_ask) count++;
  }
  return count;
}

EXPORT int GC_invoke_finalizers(void) {
  td_bdwgc_start();
  return run(NULL);
}
/* The others are asked when their object dies only. */
EXPORT void GC_finalize_all(void) {
  td_bdwgc_start();
  if (td_leaks_on()) return;
  TD_LEAVES_REGION;
  while (tide_finalizers_queue_all(td_bdwgc_start(), td_disclaim_ask) > 0)
    run(NULL);
}
EXPORT int GC_should_invoke_finalizers(void) {
  return td_bdwgc_heap && tide_finalizers_pending(td_bdwgc_heap) > 0;
}

static void run_nested(tide_finalizer_fn only) {
  if (depth > 0 && ++waited >> depth == 0) return;
  waited = 0;
  if (depth < DEPTH_MOST) depth++;
  run(only);
  depth = 0; /* none is left */
}

/* Disclaim procedures do not wait for the program's demand. */
void td_bdwgc_finalize_or_notify(void) {
  if (!GC_should_invoke_finalizers()) return;
  if (!GC_finalize_on_demand || td_leaks_on())
    run_nested(NULL);
  else if (td_disclaim_on)
    run_nested(td_disclaim_ask);
  if (GC_finalize_on_demand && GC_finalizer_notifier && GC_should_invoke_finalizers())
    GC_finalizer_notifier();
}

static void set(void *object, GC_finalization_proc call, void *data, GC_finalization_proc *old_call,
                void **old_data, enum tide_finalizer_order order) {
  td_bdwgc_start();
  if (td_leaks_on()) return; /* the object has one of ours */
  TD_LEAVES_REGION;
  struct tide_finalizer_entry entry = {.call = call, .context = data, .order = order}, before;
  struct tide_mutator *self = td_bdwgc_start();
  before = (struct tide_finalizer_entry){.call = NULL};
  enum tide_status status = tide_finalizer_set(self, object, call ? &entry : NULL, &before);
  while (status == TIDE_ERROR_MEMORY && GC_oom_fn(sizeof entry))
    status = tide_finalizer_set(self, object, call ? &entry : NULL, &before);
  if (status == TIDE_ERROR_MEMORY) {
    td_bdwgc_warn("GC_register_finalizer: out of memory, %lx will have no finalizer",
                  (GC_word)object);
    return;
  }
  if (old_call) *old_call = before.call;
  if (old_data) *old_data = before.context;
}

#define REGISTER(name, order)                                                                      \
  EXPORT void GC_##name(void *object, GC_finalization_proc call, void *data,                       \
                        GC_finalization_proc *old_call, void **old_data) {                         \
    set(object, call, data, old_call, old_data, order);                                            \
  }

REGISTER(register_finalizer, TIDE_FINALIZE_ORDERED)
REGISTER(register_finalizer_ignore_self, TIDE_FINALIZE_IGNORE_SELF)
REGISTER(register_finalizer_no_order, TIDE_FINALIZE_NO_ORDER)
REGISTER(register_finalizer_unreachable, TIDE_FINALIZE_UNREACHABLE)
