/* SPDX-License-Identifier: MIT */
/* What runtimes that promise to run every finalizer ask for. Parts of bdwgc_semantics. */
#include "tests/bdwgc/semantics.h"

#include <gc/javaxfc.h>

static int finalized;
static void *volatile held[100];

static void count_up(void *object, void *data) {
  (void)object, (void)data;
  finalized++;
}

static int awaited;
static void await(void *object) {
  awaited += GC_base(object) == object;
}
static APART void make_some(void) {
  for (int i = 0; i < 100; i++) {
    void *object = GC_malloc(48);
    if (i % 2) held[i] = object;
    GC_register_finalizer_no_order(object, count_up, NULL, NULL, NULL);
  }
}
static void all_finalizers(void) {
  GC_set_await_finalize_proc(await);
  CHECK(GC_get_await_finalize_proc() == await);
  GC_set_finalize_on_demand(1);
  in_thread(make_some);
  collect();
  CHECK(awaited > 40 && awaited <= 50 && finalized == 0);
  CHECK(GC_invoke_finalizers() == awaited && finalized == awaited);
  GC_finalize_all();
  CHECK(finalized == 100);
}

const struct part finalizing_parts[] = {
    {"all_finalizers", all_finalizers, false},
    {NULL, NULL, false},
};
