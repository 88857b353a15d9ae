#include "marker/base/words.h"

#include "heap/find.h"

void td_words_begin(struct td_words *words, const struct td_space *space) {
  words->v = td_view_of(space);
  words->space = space;
  words->strict = space->base_only || space->layouts.has_near_start;
  words->head = words->count = 0;
}

/* For objects that do not lie in cells of a block, and where offsets count. */
static __attribute__((noinline, cold)) uintptr_t find(const struct td_words *words,
                                                      uintptr_t word) {
  uintptr_t object = td_space_find(words->space, word);
  return object && !td_view_is_marked(&words->v, object) ? object : 0;
}

uintptr_t td_words_object(const struct td_words *words, uintptr_t word) {
  const struct td_block *block = td_view_block(&words->v, word);
  uint32_t cell_granules = block->cell_granules;
  if (__builtin_expect(cell_granules == 0 || words->strict, 0)) return find(words, word);
  uint32_t granule = (uint32_t)((word - words->v.base) >> TD_GRANULE_LOG2) % TD_BLOCK_GRANULES;
  uint32_t start =
      (uint32_t)((uint64_t)granule * td_class_recip[block->size_class] >> 24) * cell_granules;
  if (start + cell_granules > TD_BLOCK_GRANULES) return 0;
  uintptr_t object = (word & ~(TD_BLOCK_BYTES - 1)) + ((uintptr_t)start << TD_GRANULE_LOG2);
  unsigned mark = td_mark_load(td_view_mark(&words->v, object)) & (TD_DEFERRED - 1);
  return mark == words->space->epoch_before ? object : 0;
}

uintptr_t td_words_next(struct td_words *words) {
  while (words->count > 0) {
    words->count--;
    uintptr_t object = td_words_object(words, words->ring[words->head++ % TD_WORDS]);
    if (object) return object;
  }
  return 0;
}
