/* Many objects at once. */
#include "bdwgc/many.h"

#include "bdwgc/state.h"

/* Cells handed out by one call: about a page of them. */
#define MANY_BYTES 4096u
#define MANY_MOST 64u

void *td_bdwgc_alloc_many(size_t bytes, tide_layout layout) {
  void *volatile cells[MANY_MOST]; /* until they are linked, this frame alone holds atomic ones */
  size_t wanted = bytes ? MANY_BYTES / bytes : MANY_MOST, count = 0;
  if (wanted < 1) wanted = 1;
  if (wanted > MANY_MOST) wanted = MANY_MOST;
  while (count < wanted && (cells[count] = td_bdwgc_alloc(bytes, layout)) != NULL)
    count++;
  for (size_t i = 0; i < count;
       i++) /* atomic ones are not zeroed: the last one ends the list, too */
    *(void **)cells[i] = i + 1 < count ? cells[i + 1] : NULL;
  return count ? cells[0] : NULL;
}

EXPORT void *GC_malloc_many(size_t bytes) {
  return td_bdwgc_alloc_many(bytes, TIDE_LAYOUT_CONSERVATIVE);
}
