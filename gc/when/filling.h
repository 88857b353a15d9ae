/* Is the heap being filled? A program that fills a cache keeps all that it allocates. Full
 * collections then free nothing, and come again whenever the heap has doubled. Pure: figures in, an
 * answer out.
 *
 * That old objects live can only be guessed. An old object dies if a reference to it is replaced in
 * another one, or a root lets go of it. The first is seen by the write barrier, the second by
 * watching what roots name (gc/cycle/watch.h). So a full collection is postponed if the last one
 * has freed nearly nothing, all samples of young objects since then have survived, what was stored
 * into old objects replaced nearly no reference, and roots have let go of nothing that leads to
 * much.
 *
 * A wrong guess costs memory. If everything lived until a decision, the budget is the one that a
 * full collection would have set. But roots may let go of much before a decision, and be seen to do
 * so after it. Then the heap may grow by a tenth of what it uses, no more, and a full collection
 * follows. Some deaths are not seen, so only a few collections in a row are postponed. */
#ifndef TD_GC_WHEN_FILLING_H
#define TD_GC_WHEN_FILLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero at the beginning. Under the world's lock. */
struct td_filling {
  bool keeps;     /* the last full collection freed nearly nothing of a heap large enough to tell */
  bool doubted;   /* since then, something showed that objects die */
  bool let_go;    /* and it was roots that let go of much */
  bool replaced;  /* a store into an old object replaced a reference */
  bool took_back; /* what the heap has got by postponing */
  unsigned samples;   /* young collections since the last decision where nearly all survived */
  unsigned postponed; /* full collections since the last */
};

/* What a young collection showed that has looked at the young objects. */
struct td_filling_facts {
  uint64_t allocated_bytes, promoted_bytes;
  uint64_t told;     /* stores into old objects, as far as mutators have told of them */
  uint64_t replaced; /* of them those to slots that held another reference */
  bool let_go;       /* roots may have let go of much */
};

void td_filling_after_young(struct td_filling *filling, const struct td_filling_facts *facts);
/* freed_bytes: of what was there before; what is young counts as having been there. */
void td_filling_after_full(struct td_filling *filling, uint64_t freed_bytes, uint64_t live_bytes);
/* A full collection is due because the heap has grown: may it do without? */
bool td_filling_may_postpone(const struct td_filling *filling);
/* Asked at a full collection, before td_filling_after_full: has it freed nearly nothing, as the one
 * before, and was there no doubt between them? */
bool td_filling_lasts(const struct td_filling *filling, uint64_t freed_bytes, uint64_t live_bytes);
/* Would a sign of death change anything? */
bool td_filling_looks(const struct td_filling *filling);
/* Much may have died before the last decision, and the heap has grown as if it had not: returns
 * true once. */
bool td_filling_takes_back(struct td_filling *filling);
/* It has been postponed. */
void td_filling_note_postponed(struct td_filling *filling);

#endif
