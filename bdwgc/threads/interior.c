/* SPDX-License-Identifier: MIT */
/* Which pointers into objects count: all, or from the heap and static data only those to an
 * object's first byte and behind it by a registered displacement. Stacks and registers may always
 * point anywhere. */
#include "bdwgc/threads/interior.h"

#include <pthread.h>
#include <stdlib.h>

#include "bdwgc/settings.h"
#include "bdwgc/threads/lock.h"
#include "bdwgc/say.h"

EXPORT int GC_all_interior_pointers = 1;
size_t td_interior_extra_bytes;

/* Registered before there was a heap, or since: a bit each. Under the lock. */
static uint64_t displacements[TIDE_DISPLACEMENT_MAX / 64];

static void set_interior(int all) {
  td_interior_extra_bytes = all ? 1 : 0;
  (void)tide_heap_set_interior(td_bdwgc_heap, all ? TIDE_INTERIOR_ALL : TIDE_INTERIOR_BASE);
}

void td_interior_start(void) {
  td_bdwgc_lock(TD_LOCK_DISPLACEMENTS);
  for (size_t i = 0; i < TIDE_DISPLACEMENT_MAX; i++)
    if (displacements[i / 64] >> (i % 64) & 1) (void)tide_heap_add_displacement(td_bdwgc_heap, i);
  td_bdwgc_unlock(TD_LOCK_DISPLACEMENTS);
  if (getenv("GC_ALL_INTERIOR_POINTERS")) GC_all_interior_pointers = 1;
  set_interior(GC_all_interior_pointers);
}

EXPORT int GC_get_all_interior_pointers(void) {
  return GC_all_interior_pointers;
}
/* Objects that were allocated while this was 0 are not kept by pointers one past their end. */
EXPORT void GC_set_all_interior_pointers(int all) {
  GC_all_interior_pointers = all;
  if (td_bdwgc_heap) set_interior(all);
}

EXPORT void GC_register_displacement(size_t bytes) {
  if (bytes >= TIDE_DISPLACEMENT_MAX)
    td_bdwgc_die("GC_register_displacement: %zu is not under %u", bytes, TIDE_DISPLACEMENT_MAX);
  td_bdwgc_lock(TD_LOCK_DISPLACEMENTS);
  displacements[bytes / 64] |= (uint64_t)1 << (bytes % 64);
  if (td_bdwgc_heap) (void)tide_heap_add_displacement(td_bdwgc_heap, bytes);
  td_bdwgc_unlock(TD_LOCK_DISPLACEMENTS);
}
static void say_displacement(void *address) {
  td_bdwgc_die("GC_is_valid_displacement: %p is no valid pointer into an object", address);
}
EXPORT void (*GC_is_valid_displacement_print_proc)(void *) = say_displacement;

static bool is_valid(uintptr_t offset) {
  if (offset == 0 || GC_all_interior_pointers) return true;
  if (offset >= TIDE_DISPLACEMENT_MAX) return false;
  td_bdwgc_lock(TD_LOCK_DISPLACEMENTS);
  bool registered = displacements[offset / 64] >> (offset % 64) & 1;
  td_bdwgc_unlock(TD_LOCK_DISPLACEMENTS);
  return registered;
}
EXPORT void *GC_is_valid_displacement(void *address) {
  char *object = tide_object_find(td_bdwgc_heap, address);
  if (object && !is_valid((uintptr_t)address - (uintptr_t)object))
    GC_is_valid_displacement_print_proc(address);
  return address;
}
