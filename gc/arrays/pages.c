/* SPDX-License-Identifier: MIT */
#include "gc/arrays/pages.h"

#include <string.h>

#include "platform/platform.h"

void *td_pages_take(size_t bytes) {
  return td_plat_map(bytes);
}

void *td_pages_room(void *old, const void *first, size_t *capacity, size_t count, size_t least,
                    size_t bytes_each) {
  if (old && count <= *capacity) return old;
  size_t wanted = *capacity ? *capacity : least;
  while (wanted < count)
    wanted *= 2;
  void *larger = td_plat_map(wanted * bytes_each);
  if (!larger) return NULL;
  if (old) memcpy(larger, old, *capacity * bytes_each);
  if (old != first) td_plat_unmap(old, *capacity * bytes_each);
  *capacity = wanted;
  return larger;
}

void td_pages_give(void *pages, size_t bytes) {
  td_plat_unmap(pages, bytes);
}
