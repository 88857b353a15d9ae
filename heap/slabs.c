/* Slabs from the system: the pool of blocks commits and decommits them itself, so there is nothing
 * to do here. */
#include "heap/slabs.h"

size_t td_slabs_range_bytes(size_t wanted) {
  return wanted;
}

bool td_slabs_open(struct td_space *space) {
  space->slabs = NULL;
  return true;
}

void td_slabs_close(struct td_space *space) {
  (void)space;
}

void td_slabs_tick(struct td_space *space) {
  (void)space;
}

size_t td_slabs_cached_bytes(const struct td_space *space) {
  (void)space;
  return 0;
}
