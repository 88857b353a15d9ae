/* SPDX-License-Identifier: MIT */
/* What a program sets, and asks for in figures. Parts of bdwgc_semantics. */
#include "tests/bdwgc/semantics.h"

#include <sys/wait.h>

/* ---- Handlers of fork that are older than the heap ---- */

static void *slot, *link_to;
static int handled;

static void *call_back(void *data) {
  return data;
}
static void use_all(void) {
  GC_add_roots(&slot, &slot + 1);
  GC_register_displacement(8);
  CHECK(GC_call_with_alloc_lock(call_back, &slot) == &slot);
  void *object = GC_malloc(100);
  CHECK(GC_general_register_disappearing_link(&link_to, object) != GC_NO_MEMORY);
  CHECK(GC_unregister_disappearing_link(&link_to) == 1);
  for (int i = 0; i < 50000; i++)
    GC_malloc(100);
  GC_free(object);
  handled++;
}
PART(handlers_before_heap, .early = true) {
  alarm(60);
  CHECK(pthread_atfork(use_all, use_all, use_all) == 0);
  GC_INIT();
  pid_t child = fork();
  if (child == 0) _exit(handled);
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 2);
  CHECK(handled == 2);
}

/* ---- Limits ---- */

static void *(*volatile any_malloc)(size_t) = GC_malloc; /* else the compiler takes it to succeed */

PART(limit_lifted, .early = true) {
  GC_set_warn_proc(GC_ignore_warn_proc);
  GC_set_max_heap_size((size_t)16 << 20);
  GC_INIT();
  CHECK(!any_malloc((size_t)64 << 20));
  GC_set_max_heap_size(0);
  CHECK(any_malloc((size_t)64 << 20));
}

static int warnings;
static void count_warning(char *format, GC_word argument) {
  warnings++;
}
/* Our heap has 1 MiB at least, and says so. */
PART(limit_small, .early = true) {
  GC_set_warn_proc(count_warning);
  GC_set_max_heap_size(200000);
  GC_INIT();
  CHECK(any_malloc(1000) && (warnings || !getenv("TD_OURS")));
  CHECK(!any_malloc((size_t)2 << 20));
}
PART(environment_large, .early = true) {
  setenv("GC_FREE_SPACE_DIVISOR", "2000", 1);
  setenv("GC_MAXIMUM_HEAP_SIZE", "100000000g", 1);
  setenv("GC_MARKERS", "1000", 1);
  GC_INIT();
  CHECK(GC_get_free_space_divisor() == 2000);
  GC_set_free_space_divisor((GC_word)1 << 60);
  collect();
  CHECK(any_malloc(1000));
}
PART(environment_small, .early = true) {
  GC_set_warn_proc(GC_ignore_warn_proc);
  setenv("GC_MAXIMUM_HEAP_SIZE", "64k", 1);
  GC_INIT();
  CHECK(any_malloc(1000) && !any_malloc((size_t)2 << 20));
}

/* ---- Figures ---- */

PART(figures_at_once) {
  GC_word before = GC_get_total_bytes(), since = GC_get_bytes_since_gc();
  for (int i = 0; i < 1000; i++)
    CHECK(GC_malloc(40));
  CHECK(GC_get_total_bytes() - before >= 40000 && GC_get_total_bytes() - before < 100000);
  CHECK(GC_get_bytes_since_gc() - since >= 40000 && GC_get_bytes_since_gc() - since < 100000);
  before = GC_get_total_bytes();
  for (int i = 0; i < 1000; i++)
    GC_free(GC_malloc(40));
  CHECK(GC_get_total_bytes() - before >= 40000);
}
PART(figures_of_expansion) {
  size_t heap = GC_get_heap_size(), unused = GC_get_free_bytes();
  CHECK(heap > 0 && GC_expand_hp((size_t)32 << 20));
  CHECK(GC_get_heap_size() >= heap + ((size_t)32 << 20));
  CHECK(GC_get_free_bytes() >= unused + ((size_t)31 << 20));
}
PART(figures_reclaimed) {
  struct GC_prof_stats_s stats, later;
  soil(10000, 100);
  GC_gcollect();
  GC_get_prof_stats(&stats, sizeof stats);
  CHECK(stats.bytes_reclaimed_since_gc >= 500000 || stats.reclaimed_bytes_before_gc >= 500000);
  soil(10000, 100);
  GC_gcollect();
  GC_get_prof_stats(&later, sizeof later);
  CHECK(later.reclaimed_bytes_before_gc >= stats.reclaimed_bytes_before_gc + 500000);
}
static APART void fill_heap(void) {
  void **list = NULL;
  for (int i = 0; i < 20000; i++) {
    void **object = GC_malloc(4000);
    *object = list;
    list = object;
  }
}
PART(figures_unmapped) {
  in_thread(fill_heap);
  size_t filled = GC_get_heap_size();
  wipe_stack();
  for (int i = 0; i < 3; i++) /* the other library waits until blocks were free for some time */
    GC_gcollect_and_unmap();
  CHECK(GC_get_heap_size() < filled / 2);
}
PART(markers_told, .early = true) {
  GC_set_markers_count(4);
  GC_INIT();
  GC_start_mark_threads();
  CHECK(GC_get_parallel() == 3);
}

/* ---- The log ---- */

static int open_log(char *name) {
  int fd = mkstemp(name);
  CHECK(fd >= 0);
  setenv("GC_PRINT_STATS", "1", 1);
  return fd;
}
static off_t written(int fd) {
  off_t before = lseek(fd, 0, SEEK_END);
  GC_gcollect();
  return lseek(fd, 0, SEEK_END) - before;
}
PART(log_in_file, .early = true) {
  char name[] = "/tmp/bdwgc_log_XXXXXX";
  int fd = open_log(name);
  setenv("GC_LOG_FILE", name, 1);
  GC_INIT();
  CHECK(unlink(name) == 0);
  CHECK(written(fd) > 0);
}
PART(log_in_descriptor, .early = true) {
  char name[] = "/tmp/bdwgc_log_XXXXXX";
  int fd = open_log(name);
  CHECK(unlink(name) == 0);
  GC_INIT();
  GC_set_log_fd(fd);
  CHECK(written(fd) > 0);
}

/* ---- What the program is told of its settings ---- */

PART(environment_interior, .early = true) {
  GC_set_all_interior_pointers(0);
  GC_INIT();
  CHECK(GC_get_all_interior_pointers());
}
PART(settings_coherent, .early = true) {
  GC_set_pages_executable(1);
  GC_set_warn_proc(GC_ignore_warn_proc);
  GC_INIT();
  GC_set_time_limit(70);
  CHECK(GC_get_time_limit_tv().tv_ms == 70);
  GC_set_time_limit_tv((struct GC_timeval_s){.tv_ms = 80, .tv_nsec = 90});
  CHECK(GC_get_time_limit() == 80 && GC_get_time_limit_tv().tv_nsec == 90);
  size_t heap = GC_get_heap_size();
  CHECK(!GC_expand_hp((size_t)1 << 62) && GC_get_heap_size() == heap);
  CHECK(GC_expand_hp((size_t)1 << 20));
  CHECK(!GC_get_pages_executable() || !getenv("TD_OURS")); /* ours never are */
}

/* ---- The end ---- */

static int told;
static void count_end(const char *text) {
  told += text ? 10 : 1; /* none before exit */
}
static void end_with_count(void) {
  _exit(40 + told);
}
PART(end_without_memory) {
  pid_t child = fork();
  if (child == 0) {
    GC_set_abort_func(count_end);
    CHECK(atexit(end_with_count) == 0);
    GC_abort_on_oom();
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 41);
}
