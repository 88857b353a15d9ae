/* SPDX-License-Identifier: MIT */
/* The log of old objects that were written to. */
#include "heap/young/log.h"

#include "heap/space/find.h"
#include "heap/space/marks.h"

#define SLAB_GRANULES (TD_SLAB_BYTES / TD_GRANULE_BYTES)
#define SLAB_PAGES (TD_SLAB_BYTES / TD_PAGE_BYTES)

static void flag_page(const struct td_space *space, uint64_t granule) {
  /* relaxed: the stop publishes it, see heap/young/log.h. */
  atomic_store_explicit(&space->flags[granule / TD_PAGE_GRANULES], 1, memory_order_relaxed);
  /* relaxed: as above. */
  __atomic_store_n(&space->logged_slabs[granule / SLAB_GRANULES], 1, __ATOMIC_RELAXED);
}

/* ---- Logging ---- */

/* Can slots of an object of this kind be logged alone? */
static bool has_cards(uint8_t kind, size_t bytes) {
  return bytes > TD_PAGE_BYTES && (kind == TD_KIND_REFS || kind == TD_KIND_PREFIXED ||
                                   kind == TD_KIND_CONSERVATIVE || kind == TD_KIND_REPEATED);
}

/* Returns whether the first slot was not logged before. */
static bool log_slots(struct td_space *space, uint64_t first, uintptr_t slots, uintptr_t end) {
  uint64_t from = td_granule_of(space->base, slots & ~(uintptr_t)(TD_GRANULE_BYTES - 1));
  uint64_t to = td_granule_of(space->base, (end - 1) & ~(uintptr_t)(TD_GRANULE_BYTES - 1)) + 1;
  if (from == first) from++;
  if (to <= from) to = from + 1;
  bool is_new = td_mark_load(&space->marks[from]) != TD_CARD;
  for (uint64_t granule = from; granule < to; granule++)
    td_mark_store(&space->marks[granule], TD_CARD);
  for (uint64_t page = from / TD_PAGE_GRANULES; page <= (to - 1) / TD_PAGE_GRANULES; page++)
    flag_page(space, page * TD_PAGE_GRANULES);
  return is_new;
}

bool td_log_write(struct td_space *space, uintptr_t object, uintptr_t slots, size_t count) {
  uint64_t granule = td_granule_of(space->base, object);
  if (granule >= space->granules || td_mark_load(&space->marks[granule]) != space->epoch)
    return false;
  size_t bytes = td_space_object_bytes(space, object);
  uint8_t kind = space->blocks[td_block_of(space, object)].kind;
  uintptr_t offset = slots - object;
  bool inside = offset < bytes && count <= (bytes - offset) / sizeof(uintptr_t);
  if (kind == TD_KIND_LEAF) return false;
  bool is_new = true;
  if (!has_cards(kind, bytes))
    td_log_fresh(space, object);
  else if (inside)
    is_new = log_slots(space, granule, slots, slots + count * sizeof(uintptr_t));
  return inside && is_new;
}

void td_log_fresh(struct td_space *space, uintptr_t object) {
  uint64_t granule = (object - space->base) >> TD_GRANULE_LOG2;
  td_mark_store(&space->marks[granule], space->epoch | TD_DEFERRED);
  flag_page(space, granule);
}

void td_log_fresh_if_old(struct td_space *space, uintptr_t object) {
  if (td_is_marked(space, (object - space->base) >> TD_GRANULE_LOG2)) td_log_fresh(space, object);
}

bool td_log_leads_to(const struct td_space *space, uintptr_t object, uintptr_t slot) {
  uint64_t first = (object - space->base) >> TD_GRANULE_LOG2;
  size_t bytes = td_space_object_bytes(space, object);
  if (space->marks[first] & TD_DEFERRED) return true;
  if (!has_cards(space->blocks[td_block_of(space, object)].kind, bytes) || slot - object >= bytes)
    return false;
  uint64_t at = (slot - space->base) >> TD_GRANULE_LOG2;
  return space->marks[at == first ? at + 1 : at] == TD_CARD;
}

/* ---- Taking ---- */

typedef void (*take_fn)(struct td_space *space, uint64_t first, void *context);

/* Flagged pages whose marks have been prefetched. Most of these come from memory, so one page after
 * the other would be a wait for each. */
#define AHEAD 32u
struct pages {
  struct td_space *space;
  take_fn take;
  bool only_cards; /* only those that may hold some; and they stay flagged */
  void *context;
  uint64_t first[AHEAD]; /* granules */
  unsigned count;
};

static void take_pages(struct pages *pages) {
  for (unsigned i = 0; i < pages->count; i++)
    pages->take(pages->space, pages->first[i], pages->context);
  pages->count = 0;
}

static void add_page(struct pages *pages, uint64_t first) {
  const uint8_t *marks = &pages->space->marks[first];
  if (pages->count == AHEAD) take_pages(pages);
  pages->first[pages->count++] = first;
  for (size_t at = 0; at < TD_PAGE_GRANULES; at += TD_CACHE_LINE)
    __builtin_prefetch(marks + at, 1);
}

static bool may_have_cards(const struct td_space *space, size_t page) {
  uint32_t granules = space->blocks[page / TD_BLOCK_PAGES].cell_granules;
  return granules == 0 || granules > TD_PAGE_GRANULES;
}

/* Adds flagged pages of a slab, and clears the flags if these are all. */
static void add_pages_of(struct pages *pages, size_t slab) {
  _Atomic(uint8_t) *flags = pages->space->flags;
  for (size_t page = slab * SLAB_PAGES; page < (slab + 1) * SLAB_PAGES; page += 8) {
    /* relaxed, both: the world is stopped, and the stop has published what was logged. */
    uint64_t word =
        __atomic_load_n((const td_mark_word *)(const void *)(flags + page), __ATOMIC_RELAXED);
    for (; word; word &= word - 1) {
      size_t one = page + (unsigned)__builtin_ctzll(word) / 8;
      if (pages->only_cards && !may_have_cards(pages->space, one)) continue;
      if (!pages->only_cards) atomic_store_explicit(&flags[one], 0, memory_order_relaxed);
      add_page(pages, (uint64_t)one * TD_PAGE_GRANULES);
    }
  }
}

/* Calls for every flagged page. What a collection of little costs must not depend on the size of
 * the heap, so slabs without such pages are passed over. */
static void each_page(struct pages pages) {
  struct td_space *space = pages.space;
  for (size_t slab = 0; slab * TD_SLAB_BLOCKS < space->frontier; slab++) {
    if (!space->logged_slabs[slab]) continue;
    if (!pages.only_cards) space->logged_slabs[slab] = 0;
    add_pages_of(&pages, slab);
  }
  take_pages(&pages);
}

struct taking {
  const struct td_log_visit *visit;
  void *context;
};

/* Tells the slots in [from, to) of an array: at once if every word is one, else each by itself.
 * Returns false if there was no room for them. */
static bool tell_slots(const struct td_space *space, const struct td_block *block, uintptr_t object,
                       struct td_logged_slots slots, const struct taking *taking) {
  const uintptr_t *start = (const uintptr_t *)object;
  if (block->kind == TD_KIND_PREFIXED && slots.from < start + block->map)
    slots.from = start + block->map;
  if (block->kind != TD_KIND_REPEATED) {
    slots.conservative = block->kind == TD_KIND_CONSERVATIVE;
    return slots.from >= slots.to || taking->visit->slots(&slots, taking->context);
  }
  const struct td_layout *layout = &space->layouts.at[block->layout];
  bool told = true;
  for (const uintptr_t *at = slots.from; at < slots.to; at++) {
    struct td_logged_slots one = {.from = at, .to = at + 1};
    size_t element = (size_t)(at - start) / layout->words;
    size_t elements = td_space_object_bytes(space, object) / sizeof *at / layout->words;
    if (element < elements && layout->element >> ((size_t)(at - start) % layout->words) & 1)
      told &= taking->visit->slots(&one, taking->context);
  }
  return told;
}

static void take_card(struct td_space *space, uint64_t granule, const struct taking *taking) {
  uintptr_t at = td_granule_address(space->base, granule);
  uintptr_t object = td_space_find(space, at, TD_FROM_ANYWHERE);
  if (!object) return; /* it was freed since */
  const struct td_block *block = &space->blocks[td_block_of(space, object)];
  size_t bytes = td_space_object_bytes(space, object);
  if (!has_cards(block->kind, bytes)) return; /* another object lies there now */
  uintptr_t from = at - object == TD_GRANULE_BYTES ? object : at;
  struct td_logged_slots slots = {.from = (const uintptr_t *)from,
                                  .to = (const uintptr_t *)(at + TD_GRANULE_BYTES)};
  if (!tell_slots(space, block, object, slots, taking)) td_log_fresh(space, object);
}

/* Takes the objects that are logged in a page, or all else. */
static void take_page(struct td_space *space, uint64_t first, const struct taking *taking,
                      bool objects) {
  for (uint64_t granule = first; granule < first + TD_PAGE_GRANULES; granule += 8) {
    uint64_t word = td_mark_load_word(&space->marks[granule]) & TD_DEFERRED_WORD;
    for (; word; word &= word - 1) {
      uint64_t one = granule + (unsigned)__builtin_ctzll(word) / 8;
      bool is_object = space->marks[one] == (space->epoch | TD_DEFERRED);
      if (is_object && !objects) continue;
      space->marks[one] = is_object ? space->epoch : 0;
      if (is_object)
        taking->visit->object(td_granule_address(space->base, one), taking->context);
      else
        take_card(space, one, taking);
    }
  }
}

static void take_cards(struct td_space *space, uint64_t first, void *context) {
  take_page(space, first, context, false);
}

static void take_objects(struct td_space *space, uint64_t first, void *context) {
  take_page(space, first, context, true);
}

void td_log_take(struct td_space *space, const struct td_log_visit *visit, void *context) {
  struct taking taking = {visit, context};
  each_page(
      (struct pages){.space = space, .take = take_cards, .only_cards = true, .context = &taking});
  each_page((struct pages){.space = space, .take = take_objects, .context = &taking});
}

static void clear_page(struct td_space *space, uint64_t first, void *context) {
  (void)context;
  for (uint64_t granule = first; granule < first + TD_PAGE_GRANULES; granule++)
    space->marks[granule] &= (uint8_t)~TD_DEFERRED;
}

void td_log_clear(struct td_space *space) {
  each_page((struct pages){.space = space, .take = clear_page});
}
