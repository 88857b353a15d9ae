/* SPDX-License-Identifier: MIT */
/* A library with room for references in its data, for loading.c. */
#define CELLS 20000
static void *cells[CELLS];

__attribute__((visibility("default"))) void **small_cells(void) {
  return cells;
}
