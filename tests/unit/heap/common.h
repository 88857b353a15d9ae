/* SPDX-License-Identifier: MIT */
/* A heap without a collector around it: the test allocates, says what is alive, and sweeps. */
#ifndef TD_TESTS_UNIT_HEAP_COMMON_H
#define TD_TESTS_UNIT_HEAP_COMMON_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap/cells/large.h"
#include "heap/cells/refill.h"
#include "heap/cells/run.h"
#include "heap/check.h"
#include "heap/create.h"
#include "heap/epoch.h"
#include "heap/memory/blocks.h"
#include "heap/cells/sort.h"
#include "heap/space/find.h"
#include "heap/space/marks.h"
#include "heap/space/walk.h"
#include "tests/scoped.h"

#define MIB ((size_t)1 << 20)

static inline void heap_open_with(struct td_space *space, bool young, size_t reserved,
                                  size_t max_bytes) {
  struct tide_error error;
  cr_assert(td_space_init(space, young, reserved, max_bytes, &error), "%s", error.text);
}
static inline void heap_open(struct td_space *space, size_t max_bytes) {
  heap_open_with(space, false, 2 * max_bytes, max_bytes);
}

static inline void heap_check(struct td_space *space) {
  struct tide_error error;
  cr_assert(td_space_check(space, &error), "%s", error.text);
}

/* As the collector's inlined allocation does it. */
static inline void *heap_alloc(struct td_space *space, struct tide_bump *bump, tide_layout layout,
                               unsigned size_class) {
  size_t bytes = td_class_bytes(size_class);
  enum td_room room;
  if (bump->limit - bump->next < bytes && td_space_advance(space, bump) == 0 &&
      td_space_refill(space, bump, layout, bytes, &room) == 0)
    return NULL;
  void *object = (void *)bump->next;
  bump->next += bytes;
  return object;
}

static inline void *heap_large(struct td_space *space, tide_layout layout, size_t bytes) {
  enum td_room room = TD_ROOM;
  void *object = td_space_alloc_large(space, layout, bytes, &room);
  cr_assert_eq(object == NULL, room != TD_ROOM);
  return object;
}

static inline uint64_t heap_granule(const struct td_space *space, const void *object) {
  return td_granule_of(space->base, (uintptr_t)object);
}

static inline void heap_mark(struct td_space *space, const void *object) {
  td_mark_store(&space->marks[heap_granule(space, object)], space->epoch);
}

/* A collection in which every step-th of the objects, from the first, is alive; not checked. */
static inline uint32_t heap_collect_unchecked(struct td_space *space, struct tide_bump *bump,
                                              void **objects, size_t count, size_t step) {
  td_space_retire(space, bump);
  td_space_begin_marking(space);
  for (size_t i = 0; i < count; i += step)
    heap_mark(space, objects[i]);
  return td_space_end_marking(space);
}

static inline uint32_t heap_collect(struct td_space *space, struct tide_bump *bump, void **objects,
                                    size_t count, size_t step) {
  uint32_t freed = heap_collect_unchecked(space, bump, objects, count, step);
  heap_check(space);
  return freed;
}

/* The same of a heap from whose runs nobody allocates. */
static inline uint32_t heap_keep(struct td_space *space, void **objects, size_t count,
                                 size_t step) {
  return heap_collect(space, &(struct tide_bump){0}, objects, count, step);
}

static inline bool is_zero(const void *start, size_t bytes) {
  const unsigned char *at = start;
  return bytes == 0 || (at[0] == 0 && memcmp(at, at + 1, bytes - 1) == 0);
}

static inline bool heap_count(const struct td_cell *object, void *context) {
  (void)object;
  ++*(uint64_t *)context;
  return true;
}

/* The process's address space, and what of it is in memory; 0 if the system does not tell. */
struct process_bytes {
  size_t reserved, resident;
};
static inline struct process_bytes process_bytes(void) {
  size_t reserved = 0, resident = 0, page = td_plat_page_bytes();
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%zu %zu", &reserved, &resident) != 2) reserved = resident = 0;
  if (file) fclose(file);
  return (struct process_bytes){reserved * page, resident * page};
}

/* The child's exit status; it must not use Criterion. */
static inline int in_child(int (*run)(void)) {
  pid_t child = fork();
  cr_assert_geq(child, 0);
  if (child == 0) _exit(run());
  int status;
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_assert(WIFEXITED(status), "the child did not exit: status %#x", (unsigned)status);
  return WEXITSTATUS(status);
}

/* A test on `heap`, a space that is made for it: of 64 MiB, of as much as is said, or of all that
 * 64 MiB of addresses hold. */
#define SpaceTest(suite, name) SPACE_TEST(suite, name, false, 128 * MIB, 64 * MIB)
#define SpaceTestOf(bytes, suite, name) SPACE_TEST(suite, name, false, 2 * (bytes), bytes)
#define WholeSpaceTest(suite, name) SPACE_TEST(suite, name, false, 64 * MIB, SIZE_MAX)
#define SPACE_TEST(suite, name, young, reserved, max_bytes)                                        \
  static void suite##_##name(void);                                                                \
  Test(suite, name) {                                                                              \
    heap_open_with(&heap, young, reserved, max_bytes);                                             \
    suite##_##name();                                                                              \
    td_space_deinit(&heap);                                                                        \
  }                                                                                                \
  static void suite##_##name(void)

#endif
