/* SPDX-License-Identifier: MIT */
/* Arrays in pages of the system. */
#include "gc/arrays/pages.h"

#include <string.h>

#include "platform/platform.h"

void *td_pages_take(size_t bytes) {
  return td_plat_map(bytes);
}

void *td_pages_grow(void *old, size_t old_bytes, size_t bytes) {
  void *larger = td_plat_map(bytes);
  if (!larger || !old) return larger;
  memcpy(larger, old, old_bytes);
  td_plat_unmap(old, old_bytes);
  return larger;
}

void td_pages_give(void *pages, size_t bytes) {
  td_plat_unmap(pages, bytes);
}
