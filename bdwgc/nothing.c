/* SPDX-License-Identifier: MIT */
/* Calls that have nothing to do here. What programs pass to them stays unread. */
#include "bdwgc/types.h"

#define NOTHING(name)                                                                              \
  EXPORT void GC_##name(void) {}
#define RETURNS(name, type, value)                                                                 \
  EXPORT type GC_##name(void) {                                                                    \
    return value;                                                                                  \
  }

/* The heap stays until the process ends: objects may be in use in other threads. */
NOTHING(deinit)

/* The stack of a handler is found where the thread stands. Fork handlers are there anyway. */
NOTHING(register_altstack)
NOTHING(set_handle_fork)
NOTHING(atfork_prepare)
NOTHING(atfork_parent)
NOTHING(atfork_child)

/* Finalizers and their data are roots anyway, and all roots are there to stay. */
NOTHING(push_finalizer_structures)
RETURNS(is_tmp_root, int, 0)

/* Every collection is a whole one, so no store need be told of. */
NOTHING(start_incremental_collection)
RETURNS(is_incremental_mode, int, 0)
RETURNS(incremental_protection_needs, int, 0)
NOTHING(end_stubborn_change)
NOTHING(change_stubborn)
NOTHING(debug_change_stubborn)

/* Marks are not the program's to clear. */
NOTHING(clear_mark_bit)

/* Bytes are counted where they are allocated and freed; what is given back to the system counts no
 * more. Sizes are not mapped by a table, and there are no lists of free cells. */
NOTHING(start_performance_measurement)
NOTHING(incr_bytes_allocd)
NOTHING(incr_bytes_freed)
RETURNS(get_unmapped_bytes, size_t, 0)
RETURNS(get_size_map_at, size_t, SIZE_MAX)
NOTHING(print_free_list)

/* Pages are never executable, and programs that ask are told so. */
NOTHING(set_pages_executable)
RETURNS(get_pages_executable, int, 0)

/* A warning hook for programs that want to hear of nothing. */
NOTHING(ignore_warn_proc)

EXPORT void GC_noop1(GC_word word) {
  __asm__ volatile("" ::"r"(word) : "memory");
}
EXPORT void *GC_clear_stack(void *argument) {
  return argument;
}
