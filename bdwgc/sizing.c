/* How large the heap gets, and how many markers it has. */
#include "bdwgc/sizing.h"

#include "bdwgc/heap.h"
#include "bdwgc/say.h"
#include "bdwgc/settings.h"

/* With a divisor of n, two n-ths of what is alive may be allocated until the next collection; less
 * where much holds no references, a little more in small heaps. A program that wants no larger heap
 * gets a quarter of that. */
double td_bdwgc_growth(void) {
  GC_word divisor = GC_free_space_divisor ? GC_free_space_divisor : 1;
  return 1.0 + (GC_dont_expand ? 0.5 : 2.0) / (double)divisor;
}
static void set_growth(void) {
  if (td_bdwgc_heap)
    tide_heap_set_sizing(td_bdwgc_heap, TIDE_SIZING_WEIGHTED, td_bdwgc_growth(), NULL);
}

EXPORT GC_word GC_get_free_space_divisor(void) {
  return GC_free_space_divisor;
}
EXPORT void GC_set_free_space_divisor(GC_word divisor) {
  GC_free_space_divisor = divisor;
  set_growth();
}
EXPORT int GC_get_dont_expand(void) {
  return GC_dont_expand;
}
EXPORT void GC_set_dont_expand(int value) {
  GC_dont_expand = value;
  set_growth();
}
EXPORT void GC_set_max_heap_size(GC_word bytes) {
  struct tide_error error;
  td_bdwgc_settings.max_heap_bytes = bytes;
  if (!td_bdwgc_heap || !bytes) return;
  if (tide_heap_set_max(td_bdwgc_heap, bytes, &error) != TIDE_OK)
    td_bdwgc_tell("GC_set_max_heap_size: %s", error.text);
}
EXPORT int GC_get_parallel(void) {
  return GC_parallel;
}
EXPORT void GC_set_markers_count(unsigned markers) {
  td_bdwgc_settings.markers = markers < TIDE_MARKERS_MAX ? markers : TIDE_MARKERS_MAX;
}
