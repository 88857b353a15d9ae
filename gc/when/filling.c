/* Whether the heap is being filled. */
#include "gc/when/filling.h"

/* Little is one part in so many: of what a full collection left alive it freed, of a young
 * collection's objects died, of the stores into old objects replaced a reference. */
#define FREED_LITTLE 16u
#define DIED_LITTLE 8u
#define REPLACED_LITTLE 8u
/* A full collection that left fewer bytes alive tells nothing of what is to come. */
#define LIVE_TELLING ((uint64_t)64 << 20)
#define SAMPLES_LEAST 2u  /* between two decisions */
#define POSTPONED_MOST 3u /* full collections in a row */
#define POSTPONED_PURE 4u /* the same, where no store at all replaced a reference */

void td_filling_after_young(struct td_filling *filling, const struct td_filling_facts *facts) {
  uint64_t lived = facts->promoted_bytes, all = facts->allocated_bytes;
  uint64_t died = all > lived ? all - lived : 0;
  if (died > all / DIED_LITTLE || facts->replaced > facts->told / REPLACED_LITTLE || facts->let_go)
    filling->doubted = true;
  filling->let_go |= facts->let_go;
  filling->replaced |= facts->replaced > 0;
  filling->samples++;
}

static bool keeps(uint64_t freed_bytes, uint64_t live_bytes) {
  return live_bytes >= LIVE_TELLING && freed_bytes <= live_bytes / FREED_LITTLE;
}

void td_filling_after_full(struct td_filling *filling, uint64_t freed_bytes, uint64_t live_bytes) {
  *filling = (struct td_filling){.keeps = keeps(freed_bytes, live_bytes)};
}

bool td_filling_may_postpone(const struct td_filling *filling) {
  return filling->keeps && !filling->doubted && filling->samples >= SAMPLES_LEAST &&
         filling->postponed < (filling->replaced ? POSTPONED_MOST : POSTPONED_PURE);
}

bool td_filling_looks(const struct td_filling *filling) {
  return filling->keeps && !filling->doubted;
}

bool td_filling_lasts(const struct td_filling *filling, uint64_t freed_bytes, uint64_t live_bytes) {
  return td_filling_looks(filling) && keeps(freed_bytes, live_bytes);
}

bool td_filling_takes_back(struct td_filling *filling) {
  bool now = filling->let_go && filling->postponed > 0 && !filling->took_back;
  filling->took_back |= now;
  return now;
}

void td_filling_note_postponed(struct td_filling *filling) {
  filling->postponed++;
  filling->samples = 0;
}
