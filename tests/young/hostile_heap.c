/* What threads of the hostile program do with a whole heap, and with the process. */
#include <sys/wait.h>

#include "tests/young/hostile_work.h"

void hostile_collect(struct at *at) {
  uint32_t dice = below(at, 8);
  if (dice == 0) tide_collect(at->m);
  if (dice < 6) tide_collect_young(at->m);
  if (dice == 6) (void)tide_external_add(at->m, 100000);
  if (dice == 7) (void)tide_external_add(at->m, -100000);
}

void hostile_blocking(struct at *at) {
  void *object = pick(at);
  tide_blocking_enter(at->m);
  if (may_misuse) {
    must_be(!tide_alloc(at->m, TIDE_LAYOUT_LEAF, 16), "allocation in a blocking section");
    must_be(tide_collect_young(at->m) == TIDE_ERROR_STATE, "a collection in a blocking section");
  }
  if (below(at, 4) == 0) usleep(below(at, 50));
  tide_blocking_leave(at->m);
  object_check(at->place, object);
}

void hostile_paused(struct at *at) {
  must_be(tide_collect_pause(at->place->heap) == TIDE_OK, "tide_collect_pause");
  must_be(tide_collect_young(at->m) == TIDE_ERROR_STATE, "a collection while they are paused");
  for (unsigned i = 0; i < 10; i++)
    hostile_make(at);
  must_be(tide_collect_resume(at->place->heap) == TIDE_OK, "tide_collect_resume");
}

static bool look(void *object, size_t bytes, tide_layout layout, void *context) {
  (void)bytes, (void)layout, (void)object;
  return ++*(uint64_t *)context < 100000;
}

static void visit_all(struct tide_walk *walk, void *context) {
  *(uint64_t *)context = tide_walk_count(walk);
}

void hostile_inspect(struct at *at) {
  uint64_t count = 0;
  if (below(at, 2))
    tide_heap_walk(at->m, look, &count);
  else
    tide_heap_inspect(at->m, visit_all, &count, NULL);
  struct tide_error error;
  if (tide_check_heap(at->m, &error) != TIDE_OK) {
    fprintf(stderr, "%s\n", error.text);
    abort();
  }
}

void hostile_configure(struct at *at) {
  static const char *const engines[] = {"bwos", "chase-lev"};
  struct tide_heap *heap = at->place->heap;
  switch (below(at, 4)) {
  case 0:
    tide_heap_set_markers(heap, 1 + below(at, 4), NULL);
    break;
  case 1:
    tide_heap_set_engine(heap, engines[below(at, 2)], NULL);
    break;
  case 2:
    tide_heap_set_max(heap, ((size_t)24 << 20) + below(at, 64u << 20), NULL);
    break;
  default:
    tide_heap_set_sizing(heap, (enum tide_sizing)below(at, 5), 0, NULL);
  }
}

/* Calls that are refused, and stores that store, and that is all. */
static void misuse(struct at *at) {
  struct tide_mutator *m = at->m;
  void *word = NULL, *object = pick(at);
  must_be(tide_collect_young(NULL) == TIDE_ERROR_ARGUMENT, "a collection by nobody");
  must_be(tide_free(m, &word) == TIDE_ERROR_ARGUMENT, "freeing what is no object");
  tide_write(m, NULL, &word, m);
  tide_write(m, &word, &word, NULL);
  if (!object) return;
  tide_write(m, object, &word, object);
  tide_write_begin(m, object, (char *)object + (1 << 20), 5);
  tide_write_begin(m, object, object, SIZE_MAX);
  tide_write_begin(m, object, object, SIZE_MAX / 8);
  tide_write_begin(m, object, object, 0);
}

/* Sizes and layouts that mean nothing. */
void hostile_nonsense(struct at *at) {
  struct tide_mutator *m = at->m;
  must_be(!tide_alloc(m, TIDE_LAYOUT_REFS, SIZE_MAX), "SIZE_MAX bytes");
  must_be(!tide_alloc(m, TIDE_LAYOUT_LEAF, (size_t)1 << 40), "2^40 bytes");
  must_be(!tide_alloc_array(m, TIDE_LAYOUT_REFS, SIZE_MAX / 8, 16), "an overflow");
  must_be(!tide_alloc(m, TIDE_LAYOUT_INVALID, 16), "no layout");
  must_be(!tide_alloc(m, 4000, 16), "an unknown layout");
  (void)tide_alloc(m, TIDE_LAYOUT_REFS, 0);
  (void)tide_alloc_array(m, TIDE_LAYOUT_REFS, 0, 0);
  must_be(!tide_resize_in_place(m, &m, 16), "resizing what is no object");
  must_be(!tide_weak_new(m, NULL, (enum tide_weak_kind)7), "a weak reference of no kind");
  tide_write_range(m, at->place->table, (void **)at->place->table + 1, NULL, 0);
  if (may_misuse) misuse(at);
}

/* The child goes on alone, in a young cycle as likely as not. */
void hostile_fork(struct at *at) {
#if !defined(__SANITIZE_THREAD__)
  if (at->w->child || below(at, 4)) return;
  hostile_counts.forks++;
  pid_t child = fork();
  if (child == 0) {
    at->w->child = true;
    for (unsigned i = 0; i < 300; i++)
      hostile_step(at->w);
    _exit(0);
  }
  int status = 0;
  for (unsigned i = 0; i < HEAPS; i++)
    tide_blocking_enter(at->w->m[i]);
  while (waitpid(child, &status, 0) < 0) {
  }
  for (unsigned i = 0; i < HEAPS; i++)
    tide_blocking_leave(at->w->m[i]);
  if (status == 0) return;
  fprintf(stderr, "status %#x of child %d\n", (unsigned)status, (int)child);
  _exit(1); /* the child's core is the one to be looked at */
#else
  (void)at;
#endif
}

static void event(struct tide_heap *heap, enum tide_event kind, uint64_t now_ns, void *context) {
  struct place *place = context;
  (void)now_ns;
  atomic_fetch_add_explicit(&hostile_counts.events, 1, memory_order_relaxed);
  struct tide_mutator *m = tide_current(heap);
  if (!m) return;
  if (kind == TIDE_EVENT_HEAP_GREW)
    tide_collect_young(m);
  else if (kind == TIDE_EVENT_STOPPED && may_misuse && tide_collect_young(m) != TIDE_ERROR_STATE)
    abort();
  if (kind != TIDE_EVENT_CYCLE_BEGIN && kind != TIDE_EVENT_HEAP_SHRANK &&
      kind != TIDE_EVENT_STOP_LATE && kind != TIDE_EVENT_HEAP_GREW)
    (void)tide_object_is_live(heap, place->table);
}

void hostile_hear(struct at *at) {
  tide_heap_on_event(at->place->heap, below(at, 2) ? event : NULL, at->place);
}
