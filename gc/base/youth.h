/* When a young collection is due, and whether they pay. Pure: figures in, a number of bytes out.
 *
 * The young part begins at the size of a cache, so that a program which allocates and drops goes
 * round in memory that is cached. If collections of it take too large a part of the time it grows:
 * more of what is young has died then, and what is written to twice counts once. If even half of
 * the room that a full collection leaves does not make them cheaper by the byte than full ones
 * would be, there are none for some full collections, and mutators need not log what they write. */
#ifndef TD_GC_BASE_YOUTH_H
#define TD_GC_BASE_YOUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_youth {
  bool on;          /* young collections happen, and mutators log */
  size_t due_bytes; /* to be allocated until the next one */
  size_t least_bytes, most_bytes;
  double full_cost;  /* ns of a full collection for each byte of room that it leaves */
  double young_cost; /* ns of young ones for each byte allocated, smoothed */
  double survival;   /* promoted bytes for each byte allocated, smoothed */
  uint32_t rests;    /* full collections until the next try */
  uint32_t rest;     /* so many the next time */
};

/* What a collection that became due by itself showed. */
struct td_youth_facts {
  uint64_t collect_ns, mutator_ns; /* mutator_ns: since the collection before */
  uint64_t allocated_bytes;        /* in that time */
  uint64_t promoted_bytes;
};

/* cache_bytes: of the processor's second level, or 0 if nobody knows. */
void td_youth_begin(struct td_youth *youth, size_t cache_bytes);
void td_youth_after_young(struct td_youth *youth, const struct td_youth_facts *facts);
/* After a full collection, which leaves room for so many bytes until the next. */
void td_youth_after_full(struct td_youth *youth, uint64_t collect_ns, uint64_t room_bytes);

#endif
