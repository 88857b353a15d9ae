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
