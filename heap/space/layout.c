/* SPDX-License-Identifier: MIT */
/* The table of layouts. */
#include "heap/space/layout.h"

#include <stdlib.h>
#include <string.h>

void td_layouts_init(struct td_layouts *layouts, struct td_layout *at) {
  *layouts = (struct td_layouts){.at = at, .count = TD_LAYOUT_FIRST_FREE};
  layouts->at[TIDE_LAYOUT_LEAF].kind = TD_KIND_LEAF;
  layouts->at[TIDE_LAYOUT_REFS].kind = TD_KIND_REFS;
  layouts->at[TIDE_LAYOUT_CONSERVATIVE].kind = TD_KIND_CONSERVATIVE;
  layouts->at[TD_LAYOUT_WEAK].kind = TD_KIND_WEAK;
  layouts->at[TD_LAYOUT_EPHEMERON].kind = TD_KIND_EPHEMERON;
}

bool td_layout_fits(const struct td_layout *layout, size_t bytes) {
  size_t words = bytes / 8;
  switch (layout->kind) {
  case TD_KIND_NONE:
    return false;
  case TD_KIND_BITMAP:
    return words >= 64u - (unsigned)__builtin_clzll(layout->map);
  case TD_KIND_BITMAP_LONG:
  case TD_KIND_REPEATED:
    return words >= layout->words;
  case TD_KIND_WEAK:
    return bytes >= sizeof(struct td_weak_object);
  case TD_KIND_EPHEMERON:
    return bytes >= sizeof(struct td_ephemeron_object);
  default:
    return true;
  }
}

/* Bits of a layout, and its name behind them. */
struct td_layout_parts {
  struct td_layout_parts *next;
  uint64_t bits[];
};

void td_layouts_deinit(struct td_layouts *layouts) {
  for (struct td_layout_parts *next, *parts = layouts->parts; parts; parts = next) {
    next = parts->next;
    free(parts);
  }
  *layouts = (struct td_layouts){0};
}

static bool same_name(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

/* Both have as many words. */
static bool same_bits(const struct td_layout *a, const struct td_layout *b) {
  return memcmp(a->bits, b->bits, (a->words + 63) / 64 * 8) == 0;
}

static bool same(const struct td_layout *a, const struct td_layout *b) {
  if (a->kind != b->kind || a->held_by_first_page != b->held_by_first_page ||
      a->unzeroed != b->unzeroed || a->on_reclaim != b->on_reclaim ||
      a->reclaim_context != b->reclaim_context || !same_name(a->name, b->name))
    return false;
  switch (a->kind) {
  case TD_KIND_TRACED:
    return a->trace == b->trace && a->beside == b->beside && a->words == b->words &&
           (a->words ? same_bits(a, b) : a->context == b->context);
  case TD_KIND_BITMAP_LONG:
    return a->words == b->words && same_bits(a, b);
  case TD_KIND_REPEATED:
    return a->words == b->words && a->element == b->element;
  default:
    return a->map == b->map;
  }
}

/* Makes a layout with copies of what the wanted one points to. */
static bool copy(struct td_layouts *layouts, const struct td_layout *wanted,
                 struct td_layout *layout) {
  const size_t words = wanted->bits ? (wanted->words + 63) / 64 : 0;
  const size_t name_bytes = wanted->name ? strlen(wanted->name) + 1 : 0;
  *layout = *wanted;
  layout->bits = NULL;
  layout->arrays = 0;
  if (words == 0 && name_bytes == 0) return true;
  struct td_layout_parts *parts = malloc(sizeof *parts + words * sizeof *parts->bits + name_bytes);
  if (!parts) return false;
  parts->next = layouts->parts;
  layouts->parts = parts;
  if (words) layout->bits = memcpy(parts->bits, wanted->bits, words * sizeof *parts->bits);
  if (name_bytes) layout->name = memcpy(parts->bits + words, wanted->name, name_bytes);
  return true;
}

tide_layout td_layouts_intern(struct td_layouts *layouts, const struct td_layout *wanted) {
  for (uint32_t i = 1; i < layouts->count; i++)
    if (same(&layouts->at[i], wanted)) return (tide_layout)i;
  if (layouts->count == TIDE_LAYOUT_MAX) return TIDE_LAYOUT_INVALID;
  struct td_layout fresh;
  if (!copy(layouts, wanted, &fresh)) return TIDE_LAYOUT_INVALID;
  if (fresh.kind == TD_KIND_BITMAP_LONG || fresh.kind == TD_KIND_TRACED ||
      fresh.kind == TD_KIND_REPEATED)
    fresh.map = layouts->count;
  if (fresh.kind == TD_KIND_TRACED && fresh.words) fresh.context = &layouts->at[layouts->count];
  layouts->at[layouts->count] = fresh;
  layouts->any_told |= fresh.on_reclaim != NULL;
  return (tide_layout)layouts->count++;
}
