/* SPDX-License-Identifier: MIT */
/* Objects that change their size. Parts of bdwgc_semantics. */
#include "tests/bdwgc/semantics.h"

/* What lay behind the smaller size does not come back. */
PART(resized_zeroed) {
  for (int i = 0; i < 100; i++) {
    GC_malloc(1405), GC_malloc(905), GC_malloc(203); /* cells of these sizes are at hand */
    char *object = GC_malloc(1405);
    memset(object, 1, 1405);
    object = GC_realloc(object, 203);
    object = GC_realloc(object, 905);
    for (int at = 0; at < 905; at++)
      CHECK(object[at] == (at < 203));
  }
}

/* What is moved goes on to be asked before it goes. */
static int kind, asked;
static int GC_CALLBACK ask(void *object) {
  asked += *(GC_word *)object == 77;
  return 0;
}
static APART void resize_some(void) {
  for (size_t i = 0; i < 200; i++) {
    GC_word *object = GC_malloc_kind(i % 2 ? 32 : 50000, kind);
    *object = 77;
    GC_realloc(object, 100 + i * 16);
  }
}
PART(resized_disclaimed) {
  kind = (int)GC_new_kind(GC_new_free_list(), 0 | GC_DS_LENGTH, 1, 1);
  GC_register_disclaim_proc(kind, ask, 1);
  in_thread(resize_some);
  collect();
  for (int i = 0; i < 20000; i++) /* the other library asks when it looks for room */
    GC_malloc_kind(100 + (size_t)i % 200 * 16, kind);
  CHECK(asked > 150 && asked <= 200);
}
