/* SPDX-License-Identifier: MIT */
/* What a walk reports, in lists. */
#ifndef TD_TESTS_UNIT_GC_WALK_H
#define TD_TESTS_UNIT_GC_WALK_H

#include "tests/unit/gc/common.h"
#include "tide/inspect.h"

enum { MOST = 64 };

/* What one object or the roots report. */
struct seen {
  size_t count, stop_after;
  struct tide_walk_reference references[MOST];
  struct tide_walk_root roots[MOST];
};

static inline bool see_reference(struct tide_walk *walk,
                                 const struct tide_walk_reference *reference, void *context) {
  struct seen *seen = context;
  cr_assert_not_null(walk);
  cr_assert_lt(seen->count, (size_t)MOST);
  seen->references[seen->count++] = *reference;
  return seen->count != seen->stop_after;
}

static inline bool see_root(struct tide_walk *walk, const struct tide_walk_root *root,
                            void *context) {
  struct seen *seen = context;
  cr_assert_not_null(walk);
  cr_assert_lt(seen->count, (size_t)MOST);
  seen->roots[seen->count++] = *root;
  return seen->count != seen->stop_after;
}

static inline struct seen references_of(struct tide_walk *walk, const void *object) {
  struct seen seen = {.count = 0};
  cr_assert_eq(tide_walk_references(walk, object, see_reference, &seen), TIDE_OK);
  return seen;
}

static inline struct seen roots_of(struct tide_walk *walk) {
  struct seen seen = {.count = 0};
  cr_assert_eq(tide_walk_roots(walk, see_root, &seen), TIDE_OK);
  return seen;
}

static inline void inspect(struct world *w, tide_inspect_fn look, void *context) {
  struct tide_error error = {.status = TIDE_ERROR_CHECK};
  cr_assert_eq(tide_heap_inspect(w->m, look, context, &error), TIDE_OK, "%s", error.text);
  cr_assert_eq(error.status, TIDE_OK);
}

#endif
