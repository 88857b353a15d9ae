/* SPDX-License-Identifier: MIT */
/* The types of the exported functions, as programs see them: names, numbers and orders of fields
 * are facts of the interface; the sentences are ours. */
#ifndef TD_BDWGC_TYPES_H
#define TD_BDWGC_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the program may call, or read and write by name. */
#define EXPORT __attribute__((visibility("default")))
/* Variables of ours that are declared so are reached without the table for those of others. */
#define TD_HIDDEN __attribute__((visibility("hidden")))

/* `name` is another name of a function of this file. */
#define SAME_AS(function, name) EXPORT __typeof__(function) name __attribute__((alias(#function)))
/* Defines GC_get_… and GC_set_… of a variable. */
#define VALUE(type, name, variable)                                                                \
  EXPORT type GC_get_##name(void) {                                                                \
    return variable;                                                                               \
  }                                                                                                \
  EXPORT void GC_set_##name(type value) {                                                          \
    variable = value;                                                                              \
  }

typedef uintptr_t GC_word;
typedef intptr_t GC_signed_word;

typedef void *(*GC_oom_func)(size_t bytes);
typedef void (*GC_warn_proc)(char *format, GC_word argument);
typedef void (*GC_abort_func)(const char *text);
typedef void (*GC_on_heap_resize_proc)(GC_word bytes);
typedef void (*GC_on_collection_event_proc)(int event);
typedef void (*GC_on_thread_event_proc)(int event, void *thread);
typedef void (*GC_finalizer_notifier_proc)(void);
typedef void (*GC_finalization_proc)(void *object, void *data);
typedef int (*GC_toggleref_func)(void *object);
typedef void (*GC_await_finalize_proc)(void *object);
typedef int (*GC_stop_func)(void);
typedef void (*GC_start_callback_proc)(void);
typedef void (*GC_push_other_roots_proc)(void);
typedef void *(*GC_fn_type)(void *data);
typedef int (*GC_has_static_roots_func)(const char *name, void *start, size_t bytes);
typedef int (*GC_disclaim_proc)(void *object);
typedef void (*GC_reachable_object_proc)(void *object, size_t bytes, void *data);
typedef void (*GC_describe_type_fn)(void *object, char *text);

struct GC_stack_base {
  void *mem_base;
};
typedef void *(*GC_stack_base_func)(struct GC_stack_base *base, void *data);

struct GC_ms_entry;
typedef struct GC_ms_entry *(*GC_mark_proc)(GC_word *object, struct GC_ms_entry *top,
                                            struct GC_ms_entry *limit, GC_word environment);

struct GC_finalizer_closure {
  GC_finalization_proc proc;
  void *cd;
};

struct GC_timeval_s {
  unsigned long tv_ms, tv_nsec;
};

struct GC_prof_stats_s {
  GC_word heapsize_full, free_bytes_full, unmapped_bytes, bytes_allocd_since_gc,
      allocd_bytes_before_gc, non_gc_bytes, gc_no, markers_m1, bytes_reclaimed_since_gc,
      reclaimed_bytes_before_gc, expl_freed_bytes_since_gc, obtained_from_os_bytes;
};

/* Results of registering threads and links. */
#define GC_SUCCESS 0
#define GC_DUPLICATE 1
#define GC_NO_THREADS 2
#define GC_UNIMPLEMENTED 3
#define GC_NOT_FOUND 4
#define GC_NO_MEMORY 2 /* of links: shares its number */

/* Kinds of objects that every program has. */
enum { GC_I_PTRFREE, GC_I_NORMAL, GC_I_UNCOLLECTABLE, GC_I_AUNCOLLECTABLE, GC_I_FIRST_FREE };

/* The two lowest bits of a mark descriptor say how to read it. */
enum { GC_DS_LENGTH, GC_DS_BITMAP, GC_DS_PROC, GC_DS_PER_OBJECT };
#define GC_DS_TAG_BITS 2
#define GC_DS_TAGS ((GC_word)3)
#define GC_LOG_MAX_MARK_PROCS 6
#define GC_MAX_MARK_PROCS (1u << GC_LOG_MAX_MARK_PROCS)
#define GC_INDIR_PER_OBJ_BIAS 0x10

#endif
