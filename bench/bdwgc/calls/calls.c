/* SPDX-License-Identifier: MIT */
/* Calls functions of libgc one after the other in loops, on two libraries in turns.
 *
 *   tidemark-bdwgc-calls [ROUNDS]
 *
 * Starts itself again and again, once with the environment as it is and once with our library in
 * front, and prints the medians of both and of their ratios. With TD_CALLS_ONCE in the environment
 * it is such a child: it prints nanoseconds a call for each loop, the least of many passes. These
 * are spread over its whole time, because a machine may be slow for a while; where something is
 * allocated, each is long enough for collections. Run it by hand on a quiet machine:
 * docs/results-boehm.md. */
#define GC_THREADS 1
#define GC_NO_THREAD_REDIRECTS 1
#include <gc.h>
#include <gc/gc_typed.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
enum { PASSES = 70, ROUNDS_MOST = 99, KEPT = 4096, ROWS_MOST = 64 };

static void *volatile sink;
static volatile size_t number;
static GC_descr typed;
static char *small[KEPT], *large;

static void alloc_16(size_t turns) {
  while (turns-- > 0)
    sink = GC_MALLOC(16);
}
static void alloc_500(size_t turns) {
  while (turns-- > 0)
    sink = GC_MALLOC(500);
}
static void alloc_40000(size_t turns) {
  while (turns-- > 0)
    sink = GC_MALLOC(40000);
}
static void alloc_atomic_16(size_t turns) {
  while (turns-- > 0)
    sink = GC_MALLOC_ATOMIC(16);
}
static void alloc_typed(size_t turns) {
  while (turns-- > 0)
    sink = GC_MALLOC_EXPLICITLY_TYPED(32, typed);
}
static void alloc_freed(size_t turns) {
  while (turns-- > 0)
    GC_FREE(GC_MALLOC(48));
}
static void alloc_realloc(size_t turns) {
  while (turns-- > 0)
    sink = GC_REALLOC(GC_MALLOC_ATOMIC(80), 20);
}
static void strdup_short(size_t turns) {
  while (turns-- > 0)
    sink = GC_STRDUP("a short string");
}
static void held_freed(size_t turns) {
  while (turns-- > 0)
    GC_FREE(GC_MALLOC_UNCOLLECTABLE(48));
}
/* A pass holds some, and then frees them outside of the time that counts: see `passes`. */
static void **held;
static size_t held_count;
static void held_stays(size_t turns) {
  held_count = turns;
  for (size_t i = 0; i < turns; i++)
    held[i] = GC_MALLOC_UNCOLLECTABLE(48);
}
static void held_let_go(void) {
  for (size_t i = 0; i < held_count; i++)
    GC_FREE(held[i]);
  held_count = 0;
}

static void base_small(size_t turns) {
  while (turns-- > 0)
    sink = GC_base(small[turns % KEPT] + 8);
}
static void base_large(size_t turns) {
  while (turns-- > 0)
    sink = GC_base(large + turns % 65536);
}
static void base_none(size_t turns) {
  while (turns-- > 0)
    sink = GC_base(&small[turns % KEPT]);
}
static void size_small(size_t turns) {
  while (turns-- > 0)
    number = GC_size(small[turns % KEPT]);
}
static void size_large(size_t turns) {
  while (turns-- > 0)
    number = GC_size(large);
}
static void is_heap_ptr(size_t turns) {
  while (turns-- > 0)
    number = (size_t)GC_is_heap_ptr(small[turns % KEPT]);
}
static void same_obj(size_t turns) {
  while (turns-- > 0)
    sink = GC_same_obj(small[turns % KEPT], small[turns % KEPT] + 8);
}

static void heap_size(size_t turns) {
  while (turns-- > 0)
    number = GC_get_heap_size();
}
static void free_bytes(size_t turns) {
  while (turns-- > 0)
    number = GC_get_free_bytes();
}
static void since_gc(size_t turns) {
  while (turns-- > 0)
    number = GC_get_bytes_since_gc();
}
static void total_bytes(size_t turns) {
  while (turns-- > 0)
    number = GC_get_total_bytes();
}
static void memory_use(size_t turns) {
  while (turns-- > 0)
    number = GC_get_memory_use();
}
static void usage_safe(size_t turns) {
  GC_word a, b, c, d, e;
  while (turns-- > 0)
    GC_get_heap_usage_safe(&a, &b, &c, &d, &e);
}
static void prof_stats(size_t turns) {
  struct GC_prof_stats_s stats;
  while (turns-- > 0)
    number = GC_get_prof_stats(&stats, sizeof stats);
}

static void disable_enable(size_t turns) {
  while (turns-- > 0) {
    GC_disable();
    GC_enable();
  }
}
static void *look(void *data) {
  return data;
}
static void with_lock(size_t turns) {
  while (turns-- > 0)
    sink = GC_call_with_alloc_lock(look, NULL);
}
static void blocking(size_t turns) {
  while (turns-- > 0)
    sink = GC_do_blocking(look, NULL);
}
static void finalize(void *object, void *data) {
  (void)object, (void)data;
}
static void finalizer(size_t turns) {
  while (turns-- > 0) {
    GC_REGISTER_FINALIZER_NO_ORDER(small[turns % KEPT], finalize, NULL, NULL, NULL);
    GC_REGISTER_FINALIZER_NO_ORDER(small[turns % KEPT], NULL, NULL, NULL, NULL);
  }
}
static void disappearing(size_t turns) {
  static void *slot;
  while (turns-- > 0) {
    GC_general_register_disappearing_link(&slot, small[turns % KEPT]);
    GC_unregister_disappearing_link(&slot);
  }
}
static void thread_joined(size_t turns) {
  pthread_t thread;
  while (turns-- > 0)
    if (GC_pthread_create(&thread, NULL, look, NULL) == 0) GC_pthread_join(thread, NULL);
}

struct row {
  const char *name;
  void (*run)(size_t turns);
  size_t turns;
  void (*after)(void);
};
static const struct row rows[] = {
    {"GC_malloc(16)", alloc_16, 300000, NULL},
    {"GC_malloc(500)", alloc_500, 50000, NULL},
    {"GC_malloc(40000)", alloc_40000, 2000, NULL},
    {"GC_malloc_atomic(16)", alloc_atomic_16, 300000, NULL},
    {"GC_malloc_explicitly_typed", alloc_typed, 200000, NULL},
    {"GC_malloc, GC_free", alloc_freed, 200000, NULL},
    {"GC_malloc_atomic, GC_realloc", alloc_realloc, 200000, NULL},
    {"GC_strdup", strdup_short, 200000, NULL},
    {"GC_malloc_uncollectable, GC_free", held_freed, 100000, NULL},
    {"GC_malloc_uncollectable", held_stays, 10000, held_let_go},
    {"GC_base, small", base_small, 30000, NULL},
    {"GC_base, large", base_large, 30000, NULL},
    {"GC_base, no object", base_none, 30000, NULL},
    {"GC_size, small", size_small, 30000, NULL},
    {"GC_size, large", size_large, 30000, NULL},
    {"GC_is_heap_ptr", is_heap_ptr, 30000, NULL},
    {"GC_same_obj", same_obj, 30000, NULL},
    {"GC_get_heap_size", heap_size, 30000, NULL},
    {"GC_get_free_bytes", free_bytes, 30000, NULL},
    {"GC_get_bytes_since_gc", since_gc, 30000, NULL},
    {"GC_get_total_bytes", total_bytes, 30000, NULL},
    {"GC_get_memory_use", memory_use, 2000, NULL},
    {"GC_get_heap_usage_safe", usage_safe, 20000, NULL},
    {"GC_get_prof_stats", prof_stats, 20000, NULL},
    {"GC_disable, GC_enable", disable_enable, 20000, NULL},
    {"GC_call_with_alloc_lock", with_lock, 20000, NULL},
    {"GC_do_blocking", blocking, 20000, NULL},
    {"GC_register_finalizer, twice", finalizer, 5000, NULL},
    {"disappearing link, there and gone", disappearing, 5000, NULL},
    {"GC_pthread_create, GC_pthread_join", thread_joined, 20, NULL},
};
_Static_assert(COUNT(rows) <= ROWS_MOST, "room for all");

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double pass(const struct row *row) {
  double begin = now_ns();
  row->run(row->turns);
  double each = (now_ns() - begin) / (double)row->turns;
  if (row->after) row->after();
  return each;
}

static int be_child(void) {
  const GC_word bits[] = {5};
  GC_INIT();
  GC_allow_register_threads();
  typed = GC_make_descriptor(bits, 4);
  for (size_t i = 0; i < KEPT; i++)
    small[i] = GC_MALLOC(32);
  large = GC_MALLOC(65536 + 8);
  held = GC_MALLOC_UNCOLLECTABLE(10000 * sizeof *held);
  double least[COUNT(rows)];
  for (int i = 0; i < PASSES; i++)
    for (size_t row = 0; row < COUNT(rows); row++) {
      double each = pass(&rows[row]);
      if (i == 0 || each < least[row]) least[row] = each;
    }
  for (size_t row = 0; row < COUNT(rows); row++)
    printf("%.3f\n", least[row]);
  return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- The parent ---- */

static char self_path[4096], library_path[4096];

/* Our library lies in a folder beside the program. */
static int find_files(void) {
  ssize_t length = readlink("/proc/self/exe", self_path, sizeof self_path - 16);
  if (length <= 0) return 0;
  self_path[length] = '\0';
  strcpy(library_path, self_path);
  char *slash = strrchr(library_path, '/');
  if (!slash) return 0;
  strcpy(slash, "/bdwgc");
  return 1;
}

static int run_child(double *ns) {
  FILE *child = popen("exec \"$TD_CALLS_PROGRAM\"", "r");
  if (!child) return 0;
  size_t got = 0;
  while (got < COUNT(rows) && fscanf(child, "%lf", &ns[got]) == 1)
    got++;
  return pclose(child) == 0 && got == COUNT(rows);
}

static int by_size(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}
static double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, by_size);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static double theirs[ROUNDS_MOST][ROWS_MOST], ours[ROUNDS_MOST][ROWS_MOST];

static int run_rounds(size_t rounds) {
  for (size_t i = 0; i < rounds; i++) {
    unsetenv("LD_LIBRARY_PATH");
    if (!run_child(theirs[i])) return 0;
    setenv("LD_LIBRARY_PATH", library_path, 1);
    if (!run_child(ours[i])) return 0;
  }
  return 1;
}

static void print_row(size_t row, size_t rounds) {
  double a[ROUNDS_MOST], b[ROUNDS_MOST], ratio[ROUNDS_MOST];
  for (size_t i = 0; i < rounds; i++) {
    a[i] = theirs[i][row];
    b[i] = ours[i][row];
    ratio[i] = b[i] / a[i];
  }
  printf("%-36s %10.1f %10.1f %6.2f\n", rows[row].name, median(a, rounds), median(b, rounds),
         median(ratio, rounds));
}

int main(int argc, char **argv) {
  if (getenv("TD_CALLS_ONCE")) return be_child();
  char *end = "";
  size_t rounds = argc > 1 ? strtoul(argv[1], &end, 10) : 5;
  if (argc > 2 || *end || rounds == 0 || rounds > ROUNDS_MOST || !find_files()) {
    fputs("usage: tidemark-bdwgc-calls [ROUNDS]\n", stderr);
    return 2;
  }
  setenv("TD_CALLS_ONCE", "1", 1);
  setenv("TD_CALLS_PROGRAM", self_path, 1);
  if (!run_rounds(rounds)) {
    fputs("tidemark-bdwgc-calls: a run failed\n", stderr);
    return EXIT_FAILURE;
  }
  printf("%-36s %10s %10s %6s\n", "ns a call", "Debian's", "ours", "ratio");
  for (size_t i = 0; i < COUNT(rows); i++)
    print_row(i, rounds);
  return EXIT_SUCCESS;
}
