/* Words that may be pointers, on their way to become references.
 *
 * What a word leads to is told by the entry of its block and by the mark byte of the cell that it
 * points into, and neither is likely to be in the cache. So words wait in a ring while both are on
 * their way, as references wait in the window. A word that leads near the place where it was found
 * does not wait. What comes out is an object that was not marked a moment ago. */
#ifndef TD_MARKER_BASE_WORDS_H
#define TD_MARKER_BASE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "heap/view.h"
#include "marker/base/tuning.h"

/* The ring of one marker, which alone uses it while it is active. */
struct td_words {
  struct td_view v;
  const struct td_space *space;
  bool strict; /* not every word that points into an object counts: heap/find.h */
  uint32_t head, count;
  uintptr_t ring[TD_WORDS];
};

/* Before a collection. The ring is empty. */
void td_words_begin(struct td_words *words, const struct td_space *space);

/* Returns the object that the word, which lies in the space's range, points at or into; 0 if there
 * is none, or if it is marked. */
uintptr_t td_words_object(const struct td_words *words, uintptr_t word);

/* Takes words until one leads to an object, and returns that; 0 if the ring is empty. */
uintptr_t td_words_next(struct td_words *words);

static inline bool td_words_are_empty(const struct td_words *words) {
  return words->count == 0;
}

/* Takes a word that was found at `place`. Returns a word to be looked at now, or 0: the same one or
 * one that has waited. */
static inline __attribute__((always_inline)) uintptr_t
td_words_exchange(struct td_words *words, uintptr_t word, const void *place) {
  if ((word - words->v.base) >> TD_GRANULE_LOG2 >= words->v.granules) return 0;
  if (word - (uintptr_t)place + TD_WORDS_NEAR < 2 * TD_WORDS_NEAR) return word;
  __builtin_prefetch(td_view_mark(&words->v, word));
  __builtin_prefetch(td_view_block(&words->v, word));
  uintptr_t *slot = &words->ring[(words->head + words->count) % TD_WORDS], oldest = 0;
  if (words->count == TD_WORDS) {
    oldest = *slot;
    words->head++;
  } else {
    words->count++;
  }
  *slot = word;
  return oldest;
}

#endif
