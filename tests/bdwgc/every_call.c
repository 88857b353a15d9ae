/* SPDX-License-Identifier: MIT */
/* One call of each function in a thread that is cancelled. Of the library's functions
 * GC_pthread_join is a point of cancellation, and functions that call the program's own may be left
 * by that: see cancelled.c. All others return. A thread with a cancellation pending acts on it at
 * the first point that it meets, so one call meets all of them. exports.py finds what is left out.
 */
#include "tests/bdwgc/semantics.h"

#include <gc/gc_backptr.h>
#include <gc/gc_gcj.h>

#include <dlfcn.h>

static void *links[4], *plain;
static pthread_t sleeper;
static int kind;
static pthread_t self_id(void) {
  return pthread_self();
}
static void *nothing_based(struct GC_stack_base *base, void *data) {
  return data;
}
static void finalize(void *object, void *data) {}
static void see(void *object, size_t bytes, void *data) {}
static void *debugging(size_t bytes) {
  return GC_debug_malloc(bytes, "file", 1);
}
static void *first_word_table[2];
static GC_word bitmap[1] = {1};

/* Functions that the headers do not declare, or warn of. */
extern void GC_push_finalizer_structures(void), GC_printf(const char *, ...),
    GC_err_printf(const char *, ...), GC_log_printf(const char *, ...), GC_noop1(GC_word),
    GC_incr_bytes_allocd(size_t), GC_incr_bytes_freed(size_t);
extern int GC_is_tmp_root(void *);
extern void *GC_clear_stack(void *);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define FINALIZABLE GC_malloc(8), finalize, 0, 0, 0
#define DEBUGGED debugging(8), finalize, 0, 0, 0

/* Name, and what calls it. */
#define BODY(name, ...)                                                                            \
  static void name##_called(void) {                                                                \
    __VA_ARGS__;                                                                                   \
  }
#define CALLS(X)                                                                                   \
  X(GC_add_roots, GC_add_roots(links, links + 4))                                                  \
  X(GC_remove_roots, GC_remove_roots(links, links + 4))                                            \
  X(GC_exclude_static_roots, GC_exclude_static_roots(first_word_table, first_word_table + 1))      \
  X(GC_alloc_lock, GC_alloc_lock(); GC_alloc_unlock())                                             \
  X(GC_stop_world_external, GC_stop_world_external(); GC_start_world_external())                   \
  X(GC_base, GC_base(plain))                                                                       \
  X(GC_call_with_alloc_lock, GC_call_with_alloc_lock(nothing, NULL))                               \
  X(GC_call_with_gc_active, GC_call_with_gc_active(nothing, NULL))                                 \
  X(GC_call_with_stack_base, GC_call_with_stack_base(nothing_based, NULL))                         \
  X(GC_do_blocking, GC_do_blocking(nothing, NULL))                                                 \
  X(GC_calloc_explicitly_typed, GC_calloc_explicitly_typed(3, 16, GC_make_descriptor(bitmap, 2)))  \
  X(GC_make_descriptor, GC_make_descriptor(bitmap, 40))                                            \
  X(GC_malloc_explicitly_typed, GC_malloc_explicitly_typed(16, GC_make_descriptor(bitmap, 2)))     \
  X(GC_malloc_explicitly_typed_ignore_off_page,                                                    \
    GC_malloc_explicitly_typed_ignore_off_page(16, GC_make_descriptor(bitmap, 2)))                 \
  X(GC_clear_stack, GC_clear_stack(NULL))                                                          \
  X(GC_debug_free, GC_debug_free(debugging(8)); GC_debug_free(GC_malloc(8)))                       \
  X(GC_debug_change_stubborn, GC_debug_change_stubborn(debugging(8)))                              \
  X(GC_debug_end_stubborn_change, GC_debug_end_stubborn_change(debugging(8)))                      \
  X(GC_debug_generic_or_special_malloc, GC_debug_generic_or_special_malloc(8, 1, "file", 1))       \
  X(GC_debug_malloc, GC_debug_malloc(8, "file", 1))                                                \
  X(GC_debug_malloc_atomic, GC_debug_malloc_atomic(8, "file", 1))                                  \
  X(GC_debug_malloc_atomic_ignore_off_page, GC_debug_malloc_atomic_ignore_off_page(8, "file", 1))  \
  X(GC_debug_malloc_atomic_uncollectable, GC_debug_malloc_atomic_uncollectable(8, "file", 1))      \
  X(GC_debug_malloc_ignore_off_page, GC_debug_malloc_ignore_off_page(8, "file", 1))                \
  X(GC_debug_malloc_replacement, GC_debug_malloc_replacement(8))                                   \
  X(GC_debug_malloc_stubborn, GC_debug_malloc_stubborn(8, "file", 1))                              \
  X(GC_debug_malloc_uncollectable, GC_debug_malloc_uncollectable(8, "file", 1))                    \
  X(GC_debug_ptr_store_and_dirty, GC_debug_ptr_store_and_dirty(debugging(8), plain))               \
  X(GC_debug_realloc, GC_debug_realloc(debugging(8), 100, "file", 1))                              \
  X(GC_debug_realloc_replacement, GC_debug_realloc_replacement(debugging(8), 100))                 \
  X(GC_debug_register_displacement, GC_debug_register_displacement(8))                             \
  X(GC_debug_register_finalizer, GC_debug_register_finalizer(DEBUGGED))                            \
  X(GC_debug_register_finalizer_ignore_self, GC_debug_register_finalizer_ignore_self(DEBUGGED))    \
  X(GC_debug_register_finalizer_no_order, GC_debug_register_finalizer_no_order(FINALIZABLE))       \
  X(GC_debug_register_finalizer_unreachable, GC_debug_register_finalizer_unreachable(DEBUGGED))    \
  X(GC_debug_strdup, GC_debug_strdup("text", "file", 1))                                           \
  X(GC_debug_strndup, GC_debug_strndup("text", 2, "file", 1))                                      \
  X(GC_debug_gcj_malloc, GC_init_gcj_malloc(0, NULL);                                              \
    GC_debug_gcj_malloc(16, first_word_table, "file", 1))                                          \
  X(GC_disable, GC_disable(); GC_enable())                                                         \
  X(GC_dlopen, GC_dlopen(NULL, RTLD_NOW))                                                          \
  X(GC_dump_named, GC_dump_named("name"))                                                          \
  X(GC_end_stubborn_change, GC_end_stubborn_change(plain))                                         \
  X(GC_change_stubborn, GC_change_stubborn(plain))                                                 \
  X(GC_clear_mark_bit, GC_clear_mark_bit(plain))                                                   \
  X(GC_enumerate_reachable_objects_inner, GC_enumerate_reachable_objects_inner(see, NULL))         \
  X(GC_err_printf, GC_err_printf("a line\n"))                                                      \
  X(GC_log_printf, GC_log_printf("a line\n"))                                                      \
  X(GC_printf, GC_printf("a line\n"))                                                              \
  X(GC_expand_hp, GC_expand_hp(65536))                                                             \
  X(GC_finalized_malloc, GC_init_finalized_malloc(); GC_finalized_malloc(16, NULL))                \
  X(GC_free, GC_free(GC_malloc(16)); GC_free(links))                                               \
  X(GC_gcj_malloc, GC_init_gcj_malloc(0, NULL); GC_gcj_malloc(16, first_word_table))               \
  X(GC_gcj_malloc_ignore_off_page, GC_gcj_malloc_ignore_off_page(16, first_word_table))            \
  X(GC_init_gcj_malloc, GC_init_gcj_malloc(0, NULL))                                               \
  X(GC_general_register_disappearing_link, links[0] = plain;                                       \
    GC_general_register_disappearing_link(&links[0], plain))                                       \
  X(GC_move_disappearing_link, GC_move_disappearing_link(&links[0], &links[1]))                    \
  X(GC_unregister_disappearing_link, GC_unregister_disappearing_link(&links[1]))                   \
  X(GC_register_disappearing_link, void **o = GC_malloc(16); GC_register_disappearing_link(o))     \
  X(GC_register_long_link, links[2] = plain; GC_register_long_link(&links[2], plain))              \
  X(GC_move_long_link, GC_move_long_link(&links[2], &links[3]))                                    \
  X(GC_unregister_long_link, GC_unregister_long_link(&links[3]))                                   \
  X(GC_generic_malloc, GC_generic_malloc(16, 1))                                                   \
  X(GC_generic_malloc_ignore_off_page, GC_generic_malloc_ignore_off_page(16, 1))                   \
  X(GC_generic_malloc_many, void *list; GC_generic_malloc_many(16, 1, &list))                      \
  X(GC_generic_malloc_uncollectable, GC_generic_malloc_uncollectable(16, 1))                       \
  X(GC_generic_or_special_malloc, GC_generic_or_special_malloc(16, 1))                             \
  X(GC_get_heap_usage_safe, GC_get_heap_usage_safe(0, 0, 0, 0, 0))                                 \
  X(GC_get_kind_and_size, size_t bytes; GC_get_kind_and_size(plain, &bytes))                       \
  X(GC_get_my_stackbottom, struct GC_stack_base b; GC_get_my_stackbottom(&b))                      \
  X(GC_set_stackbottom, struct GC_stack_base b; void *t = GC_get_my_stackbottom(&b);               \
    GC_set_stackbottom(t, &b))                                                                     \
  X(GC_get_prof_stats, struct GC_prof_stats_s s; GC_get_prof_stats(&s, sizeof s))                  \
  X(GC_get_prof_stats_unsafe, struct GC_prof_stats_s s; GC_get_prof_stats_unsafe(&s, sizeof s))    \
  X(GC_get_stack_base, struct GC_stack_base b; GC_get_stack_base(&b))                              \
  X(GC_get_size_map_at, GC_get_size_map_at(3))                                                     \
  X(GC_ignore_warn_proc, GC_ignore_warn_proc("", 0))                                               \
  X(GC_incr_bytes_allocd, GC_incr_bytes_allocd(0))                                                 \
  X(GC_incr_bytes_freed, GC_incr_bytes_freed(0))                                                   \
  X(GC_is_heap_ptr, GC_is_heap_ptr(plain))                                                         \
  X(GC_is_marked, GC_is_marked(plain))                                                             \
  X(GC_is_thread_suspended, GC_is_thread_suspended(self_id()))                                     \
  X(GC_is_tmp_root, GC_is_tmp_root(plain))                                                         \
  X(GC_is_valid_displacement, GC_is_valid_displacement(plain))                                     \
  X(GC_is_visible, GC_is_visible(links))                                                           \
  X(GC_malloc, for (int i = 0; i < 20000; i++) GC_malloc(1000))                                    \
  X(GC_malloc_atomic, for (int i = 0; i < 20; i++) GC_malloc_atomic(10000000))                     \
  X(GC_malloc_atomic_ignore_off_page, GC_malloc_atomic_ignore_off_page(16))                        \
  X(GC_malloc_atomic_uncollectable, GC_free(GC_malloc_atomic_uncollectable(16)))                   \
  X(GC_malloc_ignore_off_page, GC_malloc_ignore_off_page((size_t)1 << 60))                         \
  X(GC_malloc_kind, GC_malloc_kind(16, 1))                                                         \
  X(GC_malloc_kind_global, GC_malloc_kind_global(16, 1))                                           \
  X(GC_malloc_many, GC_malloc_many(16))                                                            \
  X(GC_malloc_stubborn, GC_malloc_stubborn(16))                                                    \
  X(GC_malloc_uncollectable, GC_free(GC_malloc_uncollectable(16)))                                 \
  X(GC_memalign, GC_memalign(4096, 16))                                                            \
  X(GC_posix_memalign, void *o; (void)!GC_posix_memalign(&o, 4096, 16))                            \
  X(GC_new_free_list, kind = (int)GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1))             \
  X(GC_new_free_list_inner, GC_alloc_lock(); GC_new_free_list_inner(); GC_alloc_unlock())          \
  X(GC_new_kind, GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1))                              \
  X(GC_new_kind_inner, GC_alloc_lock();                                                            \
    GC_new_kind_inner(GC_new_free_list_inner(), GC_DS_LENGTH, 1, 1); GC_alloc_unlock())            \
  X(GC_new_proc, GC_new_proc(NULL))                                                                \
  X(GC_new_proc_inner, GC_alloc_lock(); GC_new_proc_inner(NULL); GC_alloc_unlock())                \
  X(GC_register_disclaim_proc, GC_register_disclaim_proc(kind, NULL, 0))                           \
  X(GC_register_describe_type_fn, GC_register_describe_type_fn(kind, NULL))                        \
  X(GC_noop1, GC_noop1(0))                                                                         \
  X(GC_post_incr, char *at = plain; GC_post_incr((void **)&at, 1))                                 \
  X(GC_pre_incr, char *at = plain; GC_pre_incr((void **)&at, 1))                                   \
  X(GC_pthread_cancel, pthread_t t = start(nothing, NULL); GC_pthread_cancel(t);                   \
    GC_pthread_detach(t))                                                                          \
  X(GC_pthread_create, pthread_t t = start(nothing, NULL); GC_pthread_detach(t))                   \
  X(GC_pthread_detach, GC_pthread_detach(start(nothing, NULL)))                                    \
  X(GC_pthread_sigmask, GC_pthread_sigmask(SIG_BLOCK, NULL, NULL))                                 \
  X(GC_push_finalizer_structures, GC_push_finalizer_structures())                                  \
  X(GC_ptr_store_and_dirty, GC_ptr_store_and_dirty(GC_malloc(8), plain))                           \
  X(GC_realloc, GC_realloc(GC_malloc(8), 100000))                                                  \
  X(GC_register_altstack, GC_register_altstack(NULL, 0, NULL, 0))                                  \
  X(GC_register_displacement, GC_register_displacement(16))                                        \
  X(GC_register_finalizer, GC_register_finalizer(FINALIZABLE))                                     \
  X(GC_register_finalizer_ignore_self, GC_register_finalizer_ignore_self(FINALIZABLE))             \
  X(GC_register_finalizer_no_order, GC_register_finalizer_no_order(FINALIZABLE))                   \
  X(GC_register_finalizer_unreachable, GC_register_finalizer_unreachable(FINALIZABLE))             \
  X(GC_register_has_static_roots_callback, GC_register_has_static_roots_callback(NULL))            \
  X(GC_register_my_thread, GC_register_my_thread(NULL))                                            \
  X(GC_suspend_thread, GC_suspend_thread(sleeper); GC_resume_thread(sleeper))                      \
  X(GC_same_obj, GC_same_obj(plain, plain))                                                        \
  X(GC_set_log_fd, GC_set_log_fd(2))                                                               \
  X(GC_set_handle_fork, GC_set_handle_fork(1))                                                     \
  X(GC_set_mark_bit, GC_set_mark_bit(plain))                                                       \
  X(GC_set_markers_count, GC_set_markers_count(2))                                                 \
  X(GC_set_max_heap_size, GC_set_max_heap_size(1); GC_set_max_heap_size(0))                        \
  X(GC_size, GC_size(plain))                                                                       \
  X(GC_strdup, GC_strdup("text"))                                                                  \
  X(GC_strndup, GC_strndup("text", 2))                                                             \
  X(GC_toggleref_add, GC_toggleref_add(plain, 1))                                                  \
  X(GC_try_to_collect, GC_try_to_collect(NULL))
CALLS(BODY)

struct function {
  const char *name;
  void (*call)(void);
};
#define ENTRY(name, ...) {#name, name##_called},
static const struct function functions[] = {CALLS(ENTRY)};

/* Without arguments. */
static const char plain_names[] =
    "GC_allow_register_threads GC_atfork_child GC_atfork_parent GC_atfork_prepare "
    "GC_clear_exclusion_table GC_clear_roots GC_collect_a_little GC_deinit GC_dump "
    "GC_dump_finalization GC_dump_regions GC_enable_incremental GC_finalize_all GC_gcollect "
    "GC_gcollect_and_unmap GC_get_bytes_since_gc GC_get_debug_header_size "
    "GC_get_expl_freed_bytes_since_gc GC_get_free_bytes GC_get_full_gc_total_time GC_get_gc_no "
    "GC_get_heap_size GC_get_memory_use GC_get_obtained_from_os_bytes GC_get_parallel "
    "GC_get_total_bytes GC_get_unmapped_bytes GC_get_version GC_incremental_protection_needs "
    "GC_init GC_invoke_finalizers GC_is_disabled GC_is_incremental_mode GC_is_init_called "
    "GC_print_free_list GC_should_invoke_finalizers GC_start_incremental_collection "
    "GC_start_mark_threads GC_start_performance_measurement GC_thread_is_registered "
    "GC_unregister_my_thread";
/* GC_get_… and GC_set_…. */
static const char values[] =
    "abort_func all_interior_pointers allocd_bytes_per_finalizer await_finalize_proc "
    "disable_automatic_collection dont_expand dont_precollect finalize_on_demand "
    "finalizer_notifier find_leak force_unmap_on_gcollect free_space_divisor full_freq "
    "java_finalization manual_vdb_allowed max_prior_attempts max_retries min_bytes_allocd no_dls "
    "non_gc_bytes on_collection_event on_heap_resize on_thread_event oom_fn pages_executable "
    "push_other_roots rate start_callback stop_func suspend_signal thr_restart_signal time_limit "
    "time_limit_tv toggleref_func warn_proc";

static void *symbol(const char *prefix, const char *name) {
  char text[80];
  snprintf(text, sizeof text, "%s%s", prefix, name);
  void *function = dlsym(RTLD_DEFAULT, text);
  if (!function) fprintf(stderr, "%s: not found\n", text);
  CHECK(function);
  return function;
}

static void call_plain(const char *name) {
  ((void (*)(void))symbol("", name))();
}
static void call_value(const char *name) {
  GC_word value = ((GC_word(*)(void))symbol("GC_get_", name))();
  ((void (*)(GC_word))symbol("GC_set_", name))(value);
}

struct trial {
  const struct function *function; /* or: */
  void (*call)(const char *name);
  const char *name;
  bool returned;
};
static void *try_cancelled(void *data) {
  struct trial *trial = data;
  pthread_cancel(pthread_self());
  GC_register_my_thread(NULL);
  if (trial->function)
    trial->function->call();
  else
    trial->call(trial->name);
  trial->returned = true;
  pthread_testcancel();
  trial->name = "the state of cancellation was not restored";
  return NULL;
}

/* A thread of the program's: its first call registers it. */
static void expect_return(struct trial trial) {
  pthread_t thread;
  void *result;
  CHECK(pthread_create(&thread, NULL, try_cancelled, &trial) == 0);
  CHECK(pthread_join(thread, &result) == 0);
  if (trial.returned && result == PTHREAD_CANCELED) return;
  fprintf(stderr, "%s: %s\n", trial.function ? trial.function->name : trial.name,
          trial.returned ? "cancellation is off afterwards" : "is left by cancellation");
  exit(1);
}

/* The names stand between spaces. */
static void expect_returns(const char *names, void (*call)(const char *name)) {
  char *rest = strdup(names);
  for (char *name = strtok(rest, " "); name; name = strtok(NULL, " "))
    expect_return((struct trial){.call = call, .name = name});
  free(rest);
}

PART(cancelled_calls) {
  _Atomic(bool) over = false;
  GC_allow_register_threads();
  plain = GC_malloc(64);
  sleeper = start(await_end, &over);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    expect_return((struct trial){.function = &functions[i]});
  expect_returns(plain_names, call_plain);
  expect_returns(values, call_value);
  over = true;
  finish(sleeper);
  collect();
}
