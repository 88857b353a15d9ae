/* SPDX-License-Identifier: MIT */
/* What Boehm's headers promise, as a program sees it. Compiled against Debian's headers; runs on
 * ours and, to show that it asks for nothing else, on Debian's library. Each part is named on the
 * command line. */
#include "tests/bdwgc/semantics.h"

static void *before_main;
__attribute__((constructor)) static void early(int argc, char **argv) {
  if (argc < 2 || strcmp(argv[1], "early_objects") != 0) return;
  before_main = GC_malloc(64);
  memset(before_main, 7, 64);
}

PART(early_objects) {
  collect();
  CHECK(((char *)before_main)[63] == 7);
  CHECK(GC_base((char *)before_main + 63) == before_main);
}

/* ---- Allocation ---- */

PART(allocation) {
  char *text = GC_strdup("text");
  CHECK(!strcmp(text, "text") && !strcmp(GC_strndup("longer", 4), "long"));
  CHECK(GC_size(text) >= 5 && GC_base(text + 4) == text && GC_is_heap_ptr(text));
  CHECK(!GC_base(&text) && !GC_is_heap_ptr(&text));
  char *grown = GC_malloc(10);
  memset(grown, 'x', 10);
  grown = GC_realloc(grown, 100000);
  CHECK(grown[0] == 'x' && grown[9] == 'x' && grown[99999] == 0);
  grown = GC_realloc(grown, 5);
  CHECK(grown[4] == 'x');
  CHECK(GC_realloc(grown, 0) == NULL && GC_realloc(NULL, 8) != NULL);
  GC_free(NULL);
  void *aligned = GC_memalign(4096, 100), *other;
  CHECK((GC_word)aligned % 4096 == 0);
  CHECK(GC_posix_memalign(&other, 3, 100) != 0 && GC_posix_memalign(&other, 64, 100) == 0);
  int count = 0;
  for (void *cell = GC_malloc_many(48); cell; cell = GC_NEXT(cell), count++)
    CHECK(GC_size(cell) >= 48);
  GC_generic_malloc_many(32, GC_I_PTRFREE, &other);
  CHECK(count >= 1 && other != NULL);
}

PART(zeroed) {
  for (int round = 0; round < 2000; round++) {
    size_t bytes = (size_t)(round * 37 % 3000) + 1;
    unsigned char *object = GC_malloc(bytes);
    for (size_t i = 0; i < bytes; i++)
      CHECK(object[i] == 0);
    memset(object, 0xff, bytes);
    if (round % 3 == 0) GC_free(object);
  }
}

/* ---- Held objects ---- */

static GC_word hidden[100];

static APART void hold_some(void) {
  for (size_t i = 0; i < 100; i++) {
    char **object = GC_malloc_uncollectable(40);
    object[0] = GC_strdup("inside");
    if (i % 2) object = GC_realloc(object, i % 4 == 1 ? 500 : 8); /* held as before */
    hidden[i] = ~(GC_word)object;
  }
}
PART(uncollectable) {
  hold_some();
  collect();
  for (size_t i = 0; i < 100; i++)
    CHECK(!strcmp(((char **)~hidden[i])[0], "inside"));
  for (size_t i = 0; i < 100; i++)
    GC_free((void *)~hidden[i]);
}

/* ---- Links and finalizers ---- */

#define MANY 200u
static void *links[MANY], *long_links[MANY];
static int finalized;
static void *volatile kept[MANY];

static APART void make_linked(void) {
  for (size_t i = 0; i < MANY; i++) {
    void *object = GC_malloc(48);
    if (i % 2) kept[i] = object;
    links[i] = (void *)~(GC_word)object;
    long_links[i] = (void *)~(GC_word)object;
    CHECK(GC_general_register_disappearing_link(&links[i], object) == GC_SUCCESS);
    CHECK(GC_general_register_disappearing_link(&links[i], object) == GC_DUPLICATE);
    CHECK(GC_register_long_link(&long_links[i], object) == GC_SUCCESS);
    GC_register_finalizer_no_order(object, count_up, &finalized, NULL, NULL);
  }
}
PART(disappearing) {
  GC_set_finalize_on_demand(1);
  in_thread(make_linked);
  collect();
  unsigned gone = 0, long_gone = 0;
  for (size_t i = 0; i < MANY; i++) {
    CHECK(i % 2 == 0 || links[i] != NULL);
    gone += links[i] == NULL;
    long_gone += long_links[i] == NULL;
  }
  CHECK(gone > MANY / 2 - 10 && long_gone == 0); /* finalizers are pending: they hold them */
  CHECK(GC_should_invoke_finalizers());
  CHECK(GC_invoke_finalizers() == (int)gone && finalized == (int)gone);
  collect();
  for (size_t i = 0; i < MANY; i++)
    long_gone += long_links[i] == NULL;
  CHECK(long_gone >= gone - 5);
  static void *moved;
  CHECK(GC_move_disappearing_link(&links[1], &moved) == GC_SUCCESS);
  CHECK(GC_move_disappearing_link(&links[1], &moved) == GC_NOT_FOUND);
  CHECK(GC_move_disappearing_link(&links[3], &links[5]) == GC_DUPLICATE);
  CHECK(GC_unregister_disappearing_link(&moved) == 1);
  CHECK(GC_unregister_disappearing_link(&moved) == 0);
}

static int order[3], ordered;
static void note(void *object, void *data) {
  order[ordered++] = (int)(GC_word)data;
}
static APART void make_chain(void) {
  void *next = NULL;
  for (GC_word i = 1; i <= 3; i++) { /* 3 -> 2 -> 1 */
    void **object = GC_malloc(64);
    *object = next;
    next = object;
    GC_finalization_proc old = NULL;
    void *old_data = NULL;
    GC_register_finalizer(object, count_up, NULL, NULL, NULL);
    GC_register_finalizer(object, note, (void *)i, &old, &old_data);
    CHECK(old == count_up && old_data == NULL);
  }
}
PART(finalizer_order) {
  GC_set_finalize_on_demand(1);
  in_thread(make_chain);
  for (int i = 0; i < 8 && ordered < 3; i++) {
    collect();
    GC_invoke_finalizers();
  }
  CHECK(ordered == 3 && order[0] == 3 && order[1] == 2 && order[2] == 1);
}

/* What runtimes that promise to run every finalizer ask for. */
static int awaited;
static void await(void *object) {
  awaited += GC_base(object) == object;
}
static APART void make_some(void) {
  for (size_t i = 0; i < 100; i++) {
    void *object = GC_malloc(48);
    if (i % 2) kept[i] = object;
    GC_register_finalizer_no_order(object, count_up, &finalized, NULL, NULL);
  }
}
PART(all_finalizers) {
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

/* ---- Typed objects, kinds, mark procedures ---- */

static unsigned proc_kind;
static int proc_calls;

static struct GC_ms_entry *mark(GC_word *object, struct GC_ms_entry *top, struct GC_ms_entry *limit,
                                GC_word environment) {
  proc_calls++;
  CHECK(environment == 5);
  void *inside = (void *)~object[0]; /* a reference in disguise, which only we know */
  if (object[0]) top = GC_MARK_AND_PUSH(inside, top, limit, (void **)object);
  return top;
}

static APART void make_typed(void ***typed, GC_word **procced) {
  GC_word bits = 2; /* the second word */
  GC_descr descriptor = GC_make_descriptor(&bits, 4);
  *typed = GC_malloc_explicitly_typed(4 * sizeof(void *), descriptor);
  (*typed)[1] = GC_strdup("typed");
  *procced = GC_malloc_kind(2 * sizeof(void *), (int)proc_kind);
  char *seen = GC_strdup("seen");
  (*procced)[0] = ~(GC_word)seen;
}
PART(kinds) {
  unsigned number = GC_new_proc(mark);
  proc_kind = GC_new_kind(GC_new_free_list(), GC_MAKE_PROC(number, 5), 0, 1);
  void **typed;
  GC_word *procced;
  make_typed(&typed, &procced);
  collect();
  soil(1000, 8);
  CHECK(!strcmp(typed[1], "typed"));
  CHECK(proc_calls > 0 && !strcmp((char *)~procced[0], "seen"));
  size_t bytes;
  CHECK(GC_get_kind_and_size(procced, &bytes) == (int)proc_kind && bytes >= 16);
}

/* ---- Threads ---- */

static void *blocked_part(void *data) {
  return GC_call_with_gc_active((GC_fn_type)GC_malloc, data);
}
static void *busy(void *data) {
  volatile int *stop = data;
  char **mine = GC_malloc(100 * sizeof *mine);
  for (int i = 0; i < 100; i++)
    mine[i] = GC_strdup("a thread's own");
  while (!*stop) {
  } /* never polls */
  for (int i = 0; i < 100; i++)
    CHECK(!strcmp(mine[i], "a thread's own"));
  return mine[7];
}
static void *explicit_thread(void *unused) {
  struct GC_stack_base base;
  CHECK(!GC_thread_is_registered() && GC_get_stack_base(&base) == GC_SUCCESS);
  CHECK(GC_register_my_thread(&base) == GC_SUCCESS);
  CHECK(GC_register_my_thread(&base) == GC_DUPLICATE && GC_thread_is_registered());
  for (int i = 0; i < 20000; i++)
    GC_malloc(64);
  CHECK(GC_unregister_my_thread() == GC_SUCCESS && !GC_thread_is_registered());
  return unused;
}
PART(threads) {
  pthread_t thread[4], plain;
  volatile int stop = 0;
  GC_allow_register_threads();
  for (int i = 0; i < 4; i++)
    thread[i] = start(busy, (void *)&stop);
  CHECK(pthread_create(&plain, NULL, explicit_thread, NULL) == 0);
  for (int i = 0; i < 10; i++)
    GC_gcollect();
  stop = 1;
  for (int i = 0; i < 4; i++)
    CHECK(!strcmp(finish(thread[i]), "a thread's own"));
  CHECK(pthread_join(plain, NULL) == 0);
  CHECK(GC_do_blocking(blocked_part, (void *)40) != NULL);
}

PART(forks) {
  char *kept_text = GC_strdup("kept over fork");
  GC_set_handle_fork(1);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 50000; i++)
      GC_malloc(64);
    GC_gcollect();
    _exit(strcmp(kept_text, "kept over fork") ? 1 : 0);
  }
  expect_child(child);
  GC_gcollect();
  CHECK(!strcmp(kept_text, "kept over fork"));
}

/* ---- Hooks and figures ---- */

/* The compiler takes it for granted that GC_malloc returns nothing that it knows. */
static void *(*volatile any_malloc)(size_t) = GC_malloc;
static size_t wanted;
static char rescue[64];
static void *out_of_memory(size_t bytes) {
  wanted = bytes;
  return rescue;
}
static int events[GC_EVENT_END + 8];
static void on_event(GC_EventType event) {
  events[event]++;
}
PART(hooks) {
  GC_set_warn_proc(GC_ignore_warn_proc);
  GC_set_oom_fn(out_of_memory);
  CHECK(any_malloc((size_t)1 << 62) == rescue && wanted >= (size_t)1 << 62);
  CHECK(any_malloc((size_t)-1) == rescue && wanted == (size_t)-1);
  GC_set_on_collection_event(on_event);
  GC_word before = GC_get_gc_no();
  GC_gcollect();
  CHECK(GC_get_gc_no() > before);
  CHECK(events[GC_EVENT_START] && events[GC_EVENT_START] == events[GC_EVENT_END]);
  GC_set_on_collection_event(NULL);
  GC_disable();
  before = GC_get_gc_no();
  for (int i = 0; i < 100000; i++)
    GC_malloc(100);
  CHECK(GC_get_gc_no() == before && GC_is_disabled());
  GC_enable();
  CHECK(!GC_is_disabled());
}
static void fill(void) {
  void **list = NULL, **cell;
  while ((cell = any_malloc(4096)) != (void *)rescue) {
    *cell = list;
    list = cell;
  }
}
PART(memory_exhausted) {
  GC_set_warn_proc(GC_ignore_warn_proc);
  GC_set_oom_fn(out_of_memory);
  GC_set_max_heap_size((size_t)32 << 20);
  in_thread(fill);
  CHECK(wanted >= 4096);
  collect();
  CHECK(any_malloc(4096) != rescue);
}
PART(figures) {
  GC_word heap, unused, unmapped, since, total, again;
  GC_get_heap_usage_safe(&heap, &unused, &unmapped, &since, &total);
  CHECK(heap == GC_get_heap_size() && unused <= heap && GC_get_version() >> 16 == 8);
  for (int i = 0; i < 10000; i++)
    GC_malloc(1000);
  GC_get_heap_usage_safe(NULL, NULL, NULL, NULL, &again);
  CHECK(again >= total + 9000000 && again == GC_get_total_bytes());
  GC_gcollect();
  CHECK(GC_get_expl_freed_bytes_since_gc() == 0);
  GC_free(GC_malloc(1000));
  CHECK(GC_get_expl_freed_bytes_since_gc() >= 1000);
}

/* ---- Holding the allocation lock ---- */

static _Atomic(bool) is_inside, may_leave;

static void *look(void *data) {
  GC_word before = GC_get_gc_no();
  is_inside = true;
  for (int i = 0; i < 20; i++) {
    CHECK(GC_get_gc_no() == before); /* the other thread wants to collect all the time */
    usleep(5000);
  }
  may_leave = true;
  return NULL;
}

static void *hold_lock(void *data) {
  GC_call_with_alloc_lock(look, data);
  return NULL;
}

PART(alloc_lock) {
  pthread_t thread = start(hold_lock, NULL);
  while (!is_inside)
    usleep(100);
  GC_word before = GC_get_gc_no();
  GC_gcollect();
  CHECK(may_leave);
  CHECK(GC_get_gc_no() > before);
  finish(thread);
}

/* A program that drops what it allocates has a small heap. */
PART(little_alive) {
  for (int i = 0; i < 1000000; i++)
    CHECK(GC_MALLOC(32));
  CHECK(GC_get_gc_no() > 3);
  CHECK(GC_get_heap_size() <= (size_t)4 << 20);
}

struct part *parts;

int main(int argc, char **argv) {
  const struct part *part = parts;
  while (part && (argc < 2 || strcmp(argv[1], part->name) != 0))
    part = part->next;
  if (!part) {
    fprintf(stderr, "usage: %s PART\n", argv[0]);
    return 2;
  }
  if (!part->early) GC_INIT();
  part->run();
  return 0;
}
