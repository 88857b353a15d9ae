/* SPDX-License-Identifier: MIT */
/* A walk stops the world, and one has no memory for what it finds: so there are two, and the list
 * is made in between. */
#include "bdwgc/debug/objects.h"

#include <sys/mman.h>

#include "bdwgc/threads/start.h"
#include "bdwgc/threads/threads.h"
#include "bdwgc/uncancelled.h"
#include "tide/inspect.h"

struct object {
  void *start;
  size_t bytes;
};
struct list {
  struct object *at;
  size_t count, capacity; /* the count is of all, more than there is room for perhaps */
};

static bool add(void *object, size_t bytes, tide_layout layout, void *context) {
  (void)layout;
  struct list *list = context;
  if (list->count < list->capacity) list->at[list->count] = (struct object){object, bytes};
  list->count++;
  return true;
}

static void drop(struct list *list) {
  if (list->at) munmap(list->at, list->capacity * sizeof *list->at);
  *list = (struct list){0};
}

/* Others may allocate between two walks: there is room for more, and else one more walk. */
static bool fill(struct list *list) {
  for (;;) {
    list->count = 0;
    if (tide_heap_walk(td_bdwgc_self, add, list) != TIDE_OK) return false;
    if (list->count <= list->capacity) return true;
    size_t capacity = list->count + list->count / 8, bytes = capacity * sizeof *list->at;
    drop(list);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    *list = (struct list){.at = memory, .capacity = capacity};
  }
}

bool td_objects_each(GC_reachable_object_proc call, void *data) {
  TD_UNCANCELLED; /* the pause would stay */
  struct list list = {0};
  td_bdwgc_start();
  TD_LEAVES_REGION;
  /* Not if the thread has stopped the world: none begins then. */
  bool paused = tide_collect_pause(td_bdwgc_heap) == TIDE_OK;
  bool filled = fill(&list);
  for (size_t i = 0; filled && i < list.count; i++)
    call(list.at[i].start, list.at[i].bytes, data);
  drop(&list);
  if (paused) (void)tide_collect_resume(td_bdwgc_heap);
  return filled;
}
