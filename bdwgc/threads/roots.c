/* Roots that the program adds and takes away. */
#include "bdwgc/threads/start.h"
#include "bdwgc/threads/static_roots.h"

EXPORT void GC_add_roots(void *low, void *high) {
  td_bdwgc_start();
  td_static_roots_change(&td_roots_added, td_ranges_add, low, high);
}
EXPORT void GC_remove_roots(void *low, void *high) {
  td_bdwgc_start();
  td_static_roots_change(&td_roots_added, td_ranges_remove, low, high);
}
EXPORT void GC_exclude_static_roots(void *low, void *high) {
  td_bdwgc_start();
  td_static_roots_change(&td_roots_excluded, td_ranges_add, low, high);
}
EXPORT void GC_clear_roots(void) {
  td_static_roots_clear(&td_roots_added);
}
EXPORT void GC_clear_exclusion_table(void) {
  td_static_roots_clear(&td_roots_excluded);
}
