/* SPDX-License-Identifier: MIT */
/* What programs set by function or by name, and users by the environment. */
#ifndef TD_BDWGC_SETTINGS_H
#define TD_BDWGC_SETTINGS_H

#include "bdwgc/types.h"

struct td_bdwgc_settings {
  size_t initial_heap_bytes, max_heap_bytes; /* 0: the default */
  unsigned markers;                          /* 0: the default */
  bool print_stats;
};
extern struct td_bdwgc_settings td_bdwgc_settings;

extern EXPORT int GC_finalize_on_demand, GC_no_dls, GC_dont_gc, GC_dont_expand, GC_parallel,
    GC_find_leak;
extern EXPORT GC_word GC_free_space_divisor, GC_gc_no, GC_non_gc_bytes;
extern EXPORT GC_oom_func GC_oom_fn;
extern EXPORT GC_finalizer_notifier_proc GC_finalizer_notifier;
extern EXPORT GC_on_heap_resize_proc GC_on_heap_resize;

/* Puts what the variables GC_… of the environment say into the settings. Ends the process for a
 * value that means nothing. */
void td_bdwgc_read_environment(void);

/* Once there is a heap: bounds it as the program and the environment said. */
void td_bdwgc_limit(void);

/* The factor by which the heap grows, by the free-space divisor. */
double td_bdwgc_growth(void);

#endif
