/* SPDX-License-Identifier: MIT */
/* For models of gc/threads/mutator/barrier.c: what only debug builds call, what only objects with
 * trace functions need, and how young collections count what is logged. Included behind the types.
 */
#ifndef TD_TESTS_MODEL_BARRIER_STUBS_H
#define TD_TESTS_MODEL_BARRIER_STUBS_H

static inline bool td_mutator_check(const struct tide_mutator *mutator, const char *function) {
  return true;
}
struct td_found {
  const struct td_block *block;
};
static inline bool td_object_look(const struct tide_mutator *mutator, uintptr_t object,
                                  struct td_found *found) {
  return true;
}
static inline void td_misuse(const char *format, ...) {}
static inline bool td_overwritten_is_traced(const struct td_space *space, uintptr_t object) {
  return false;
}
static inline bool td_is_reference(const struct td_space *space, uintptr_t word) {
  return true;
}
static inline void td_overwritten_keep_all(struct tide_mutator *mutator, uintptr_t object) {}
/* No client logs enough to be counted. */
#define TD_YOUNG_LOGGED_STEP 256u
static inline bool td_young_are_born(const struct td_space *space) {
  return space->has_young && !space->bears_old;
}
static inline void td_young_note_logged(struct td_space *space) {}

#endif
