/* SPDX-License-Identifier: MIT */
/* The collector when the system refuses. The linker puts a refusal in front of every allocation,
 * mapping and thread start of the library; a scenario that uses most of the interface runs again
 * and again, each time with the next call refused (and then with all later ones refused too).
 * Every step must succeed or say why not, and whatever was built must stay whole. Then: whole
 * collections without any memory, and a child of fork that gets no threads. */
#include "tests/fault/refuse_library.h"
#include "tests/stress/driver.h"
#include "tide/advanced.h"

/* ---- The scenario ---- */

struct node {
  struct node *next, *other;
  uint64_t number;
};

static void finalize(void *object, void *context) {
  CHECK(((struct node *)object)->number == 77);
}

static struct node *make(struct tide_mutator *m, tide_layout layout, void **head, uint64_t number) {
  struct node *node = (struct node *)tide_alloc(m, layout, sizeof *node);
  if (!node) {
    CHECK(tide_alloc_status(m) == TIDE_ERROR_MEMORY);
    return NULL;
  }
  node->number = number;
  node->next = *head;
  *head = node;
  return node;
}

static void use_roots(struct tide_heap *heap) {
  static void *slots[40], *ranges[40][2];
  enum tide_status added[40], ranged[40];
  for (int i = 0; i < 40; i++) {
    added[i] = tide_root_add(heap, &slots[i]);
    ranged[i] = tide_root_add_range(heap, ranges[i], 2);
    CHECK(added[i] == TIDE_OK || added[i] == TIDE_ERROR_MEMORY);
    CHECK(ranged[i] == TIDE_OK || ranged[i] == TIDE_ERROR_MEMORY);
  }
  for (int i = 0; i < 40; i++) {
    CHECK((tide_root_remove(heap, &slots[i]) == TIDE_OK) == (added[i] == TIDE_OK));
    CHECK((tide_root_remove_range(heap, ranges[i]) == TIDE_OK) == (ranged[i] == TIDE_OK));
  }
}

static void use_weak(struct tide_mutator *m, tide_layout layout, void **head) {
  void **kept = tide_handle(m, NULL);
  if (!kept) return;
  struct tide_weak_table *table = tide_weak_table_new(m);
  *kept = table;
  for (uint64_t i = 0; table && i < 200; i++) {
    struct node *node = make(m, layout, head, i);
    if (node && !tide_weak_table_put(m, table, node, node)) break;
  }
  for (int i = 0; i < 40; i++) {
    void *garbage = NULL;
    struct node *node = make(m, layout, &garbage, 77);
    if (!node) break;
    enum tide_status status = tide_finalizer_add(m, node, finalize, NULL);
    CHECK(status == TIDE_OK || status == TIDE_ERROR_MEMORY);
  }
}

static void check_list(const void *head) {
  for (const struct node *node = head; node; node = node->next)
    CHECK(node->number < 30000);
}

/* Where nothing was there before, nothing is left when it fails. */
static void write_graph(struct tide_mutator *m) {
  static const char path[] = "fault-collector.thg";
  struct tide_error error;
  enum tide_status status = tide_heap_snapshot_thg(m, path, &error);
  CHECK(status == TIDE_OK || (status == TIDE_ERROR_MEMORY && error.text[0]));
  CHECK((remove(path) == 0) == (status == TIDE_OK));
}

static void use_heap(struct tide_heap *heap, struct tide_mutator *m) {
  struct tide_error error = {0};
  size_t offsets[] = {offsetof(struct node, next), offsetof(struct node, other)}, far = 1600;
  tide_layout layout = tide_layout_offsets(heap, sizeof(struct node), offsets, 2, &error);
  CHECK(layout != TIDE_LAYOUT_INVALID || error.status == TIDE_ERROR_MEMORY);
  tide_layout longer = tide_layout_offsets(heap, 1608, &far, 1, &error);
  CHECK(longer != TIDE_LAYOUT_INVALID || error.status == TIDE_ERROR_MEMORY);
  if (layout == TIDE_LAYOUT_INVALID) return;
  size_t scope = tide_scope_open(m);
  void **head = tide_handle(m, NULL);
  if (head) {
    use_roots(heap);
    use_weak(m, layout, head);
    for (uint64_t i = 0; i < 30000; i++)
      if (!make(m, layout, head, i)) break;
    tide_alloc(m, TIDE_LAYOUT_LEAF, 300000);
    CHECK(tide_collect(m) == TIDE_OK);
    tide_finalizers_run(m, SIZE_MAX);
    enum tide_status status = tide_heap_set_markers(heap, 3, &error);
    CHECK(status == error.status && (status == TIDE_OK || error.text[0]));
    status = tide_heap_set_engine(heap, "chase-lev", &error);
    CHECK(status == error.status && (status == TIDE_OK || error.text[0]));
    CHECK(tide_collect(m) == TIDE_OK);
    check_list(*head);
    struct tide_check check;
    status = tide_check_marks(m, &check);
    if (status == TIDE_ERROR_CHECK) fprintf(stderr, "%s\n", check.difference);
    CHECK(status == TIDE_OK || status == TIDE_ERROR_MEMORY);
    CHECK(tide_check_heap(m, &error) == TIDE_OK);
    write_graph(m);
  }
  CHECK(scope == SIZE_MAX || tide_scope_close(m, scope) == TIDE_OK);
}

/* Returns whether everything went well. */
static bool scenario(void) {
  struct tide_attach_options attach;
  struct tide_error error = {0};
  tide_attach_options_init(&attach);
  attach.stack = TIDE_STACK_PRECISE;
  struct tide_heap *heap = tide_heap_create(
      &OPTIONS(.heap_max_bytes = 32u << 20, .heap_initial_bytes = 1u << 20, .markers = 2), &error);
  CHECK(heap || (error.status != TIDE_OK && error.text[0]));
  if (!heap) return false;
  struct tide_mutator *m = tide_attach(heap, &attach, &error);
  CHECK(m || (error.status != TIDE_OK && error.text[0]));
  if (m) {
    use_heap(heap, m);
    CHECK(tide_detach(m) == TIDE_OK);
  }
  CHECK(tide_heap_destroy(heap) == TIDE_OK);
  return m != NULL;
}

static void refuse_each(bool later) {
  uint64_t runs = 0;
  for (uint64_t n = 1;; n++, runs++) {
    refuse_from(n, later);
    scenario();
    counting = false;
    if (refused == 0) break;
  }
  printf("%" PRIu64 " calls refused in turn%s\n", runs, later ? ", with all behind them" : "");
  CHECK(runs > 30);
}

/* ---- Collections without memory ---- */

static uint64_t live(struct tide_mutator *m) {
  struct tide_check check;
  enum tide_status status = tide_check_marks(m, &check);
  if (status != TIDE_OK) fprintf(stderr, "%s\n", check.difference);
  CHECK(status == TIDE_OK);
  return check.objects;
}

static void collect_without_memory(struct tide_mutator *m) {
  refuse_from(1, true);
  CHECK(tide_collect(m) == TIDE_OK);
  counting = false;
}

enum { CHAIN = 20000, DYING = 300, WIDE = 3000 };

/* An object with more references than lists have room for without growing. */
static void *make_wide(struct tide_mutator *m, tide_layout layout, uint64_t number) {
  void **wide = tide_handle(m, tide_alloc(m, TIDE_LAYOUT_REFS, WIDE * 8));
  CHECK(wide && *wide);
  for (int i = 0; i < WIDE; i++) {
    void *head = NULL;
    CHECK(make(m, layout, &head, number));
    make(m, layout, &head, number);
    ((void **)*wide)[i] = head;
  }
  void *made = *wide;
  *wide = NULL;
  return made;
}

/* A chain of ephemerons that the serial closure must follow, and dying objects with deep inside. */
static void starve(void) {
  struct tide_heap *heap = HEAP();
  struct tide_mutator *m = ATTACH(heap, .stack = TIDE_STACK_PRECISE);
  size_t offsets[] = {offsetof(struct node, next), offsetof(struct node, other)};
  tide_layout layout = tide_layout_offsets(heap, sizeof(struct node), offsets, 2, NULL);
  void **all = tide_handle(m, tide_alloc(m, TIDE_LAYOUT_REFS, CHAIN * 8));
  void **key = tide_handle(m, NULL), **next = tide_handle(m, NULL);
  struct node *first = make(m, layout, key, 0);
  *next = first;
  for (uint64_t i = 0; i < CHAIN; i++) {
    void *head = NULL;
    struct node *fresh = make(m, layout, &head, i);
    ((void **)*all)[CHAIN - 1 - i] = tide_ephemeron_new(m, *next, fresh);
    *next = tide_ephemeron_value(m, ((void **)*all)[CHAIN - 1 - i]);
  }
  *next = NULL;
  for (int i = 0; i < 10; i++) { /* met by the serial closure, as its chain is long by then */
    struct tide_ephemeron *late = ((void **)*all)[i * 10];
    ((struct node *)tide_ephemeron_value(m, late))->other = make_wide(m, layout, 1);
  }
  static void *ranges[200][2];
  for (int i = 0; i < 200; i++)
    CHECK(tide_root_add_range(heap, ranges[i], 2) == TIDE_OK);
  collect_without_memory(m);
  const uint64_t wide = 1 + 2 * WIDE;
  CHECK(live(m) == 2 + 2 * CHAIN + 10 * wide);
  for (uint64_t i = 0; i < DYING; i++) { /* each a list of 100, all ending in a common one */
    void *head = i % 2 ? *key : NULL;
    for (int j = 0; j < 100; j++)
      CHECK(make(m, layout, &head, 77));
    if (i == 0) ((struct node *)head)->other = make_wide(m, layout, 77);
    CHECK(tide_finalizer_add(m, head, finalize, NULL) == TIDE_OK);
  }
  *key = NULL;
  collect_without_memory(m);
  CHECK(tide_finalizers_pending(heap) == DYING);
  CHECK(live(m) == 2 + 2 * CHAIN + 10 * wide + DYING * 100 + wide);
  CHECK(tide_finalizers_run(m, SIZE_MAX) == DYING);
  collect_without_memory(m);
  CHECK(live(m) == 1 + CHAIN);
  heap_end(heap, m);
}

/* ---- Fork without threads ---- */

static void fork_without_threads(void) {
  struct tide_heap *heap = HEAP(.markers = 4);
  struct tide_mutator *m = ATTACH(heap);
  size_t offset = 0;
  tide_layout layout = tide_layout_offsets(heap, sizeof(struct node), &offset, 1, NULL);
  void **head = tide_handle(m, NULL);
  for (uint64_t i = 0; i < 100000; i++)
    CHECK(make(m, layout, head, i));
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 3; i++)
      collect_without_memory(m);
    CHECK(live(m) >= 100000);
    _exit(0);
  }
  expect_child(child);
  heap_end(heap, m);
}

int main(void) {
  CHECK(scenario());
  refuse_each(false);
  refuse_each(true);
  starve();
  fork_without_threads();
  return 0;
}
