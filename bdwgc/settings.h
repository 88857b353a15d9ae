/* What programs set by function or by name. */
#ifndef TD_BDWGC_SETTINGS_H
#define TD_BDWGC_SETTINGS_H

#include "bdwgc/types.h"

struct td_bdwgc_settings {
  size_t max_heap_bytes; /* 0: the default */
  unsigned markers;      /* 0: the default */
};
extern struct td_bdwgc_settings td_bdwgc_settings;

extern EXPORT int GC_all_interior_pointers, GC_java_finalization, GC_finalize_on_demand, GC_no_dls,
    GC_dont_gc;
extern EXPORT GC_word GC_free_space_divisor;
extern EXPORT GC_oom_func GC_oom_fn;
extern EXPORT GC_finalizer_notifier_proc GC_finalizer_notifier;
extern EXPORT GC_on_heap_resize_proc GC_on_heap_resize;

/* The factor by which the heap grows, by the free-space divisor. */
double td_bdwgc_growth(void);

#endif
