/* The table of layouts. */
#include "heap/layout.h"

#include <stdlib.h>
#include <string.h>

bool td_layouts_init(struct td_layouts *layouts) {
  layouts->at = calloc(TIDE_LAYOUT_MAX, sizeof *layouts->at);
  if (!layouts->at) return false;
  layouts->at[TIDE_LAYOUT_LEAF].kind = TD_KIND_LEAF;
  layouts->at[TIDE_LAYOUT_REFS].kind = TD_KIND_REFS;
  layouts->at[TIDE_LAYOUT_CONSERVATIVE].kind = TD_KIND_CONSERVATIVE;
  layouts->at[TD_LAYOUT_WEAK].kind = TD_KIND_WEAK;
  layouts->at[TD_LAYOUT_EPHEMERON].kind = TD_KIND_EPHEMERON;
  layouts->count = TD_LAYOUT_FIRST_FREE;
  return true;
}

void td_layouts_deinit(struct td_layouts *layouts) {
  for (uint32_t i = 0; layouts->at && i < layouts->count; i++)
    free(layouts->at[i].bits);
  free(layouts->at);
  layouts->at = NULL;
  layouts->count = 0;
}

static bool same(const struct td_layout *a, const struct td_layout *b) {
  if (a->kind != b->kind) return false;
  switch (a->kind) {
  case TD_KIND_TRACED:
    return a->trace == b->trace && a->context == b->context;
  case TD_KIND_BITMAP_LONG:
    return a->words == b->words && memcmp(a->bits, b->bits, (a->words + 63) / 64 * 8) == 0;
  default:
    return a->map == b->map;
  }
}

tide_layout td_layouts_intern(struct td_layouts *layouts, const struct td_layout *wanted) {
  for (uint32_t i = 1; i < layouts->count; i++)
    if (same(&layouts->at[i], wanted)) return (tide_layout)i;
  if (layouts->count == TIDE_LAYOUT_MAX) return TIDE_LAYOUT_INVALID;
  struct td_layout *fresh = &layouts->at[layouts->count];
  *fresh = *wanted;
  if (wanted->kind == TD_KIND_BITMAP_LONG) {
    size_t bytes = (wanted->words + 63) / 64 * 8;
    fresh->bits = malloc(bytes);
    if (!fresh->bits) return TIDE_LAYOUT_INVALID;
    memcpy(fresh->bits, wanted->bits, bytes);
  }
  if (wanted->kind == TD_KIND_BITMAP_LONG || wanted->kind == TD_KIND_TRACED)
    fresh->map = layouts->count;
  return (tide_layout)layouts->count++;
}
