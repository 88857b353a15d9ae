/* When a young collection is due, and whether they pay. Pure: figures in, a number of bytes out.
 *
 * The young part begins at the size of a cache. If collections of it take too large a part of the
 * time it grows, because more of what is young has died then, and what is written to twice counts
 * once. It grows no further than the room that a full collection has left, of which it takes a
 * half at most, and than collections of it are short. Programs may write into many old objects
 * before it is full. All of these are looked into, so a collection comes as soon as that would take
 * longer than it should.
 *
 * Young collections pay if they are cheaper by the byte than full ones. If they do not, mutators no
 * longer log what they write, and the heap waits: until another trial is a small part of what full
 * collections cost meanwhile, or until the tenth of their time that full collections give pays for
 * it. A trial begins without young objects, because all that there are count as old from then on,
 * unlooked at: so it is small and cheap. What is left of the tenth pays for larger young parts, as
 * a program may build any amount before it drops it. */
#ifndef TD_GC_WHEN_YOUTH_H
#define TD_GC_WHEN_YOUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A young collection comes once mutators have logged this many stores: all of them are looked into,
 * which takes 0.1 to 0.2 us each, so 2 or 3 ms. */
#define TD_YOUTH_LOGGED ((size_t)16 << 10)

struct td_youth {
  bool on;          /* young collections happen, and mutators log */
  size_t due_bytes; /* to be allocated until the next one, or until the wait ends */
  size_t least_bytes, most_bytes;
  size_t full_most_bytes; /* most_bytes after the last full collection */
  double credit_ns;       /* that full collections have given for trials, and trials not taken */
  double mark_cost;       /* ns of young ones for each byte promoted, smoothed */
  bool had_full;          /* a full collection has come: full_cost is no guess */
  double full_cost;       /* ns of a full collection for each byte of room that it leaves */
  double young_cost;      /* ns of young ones for each byte allocated, smoothed */
  double survival;        /* promoted bytes for each byte allocated, smoothed */
  unsigned slow_count;    /* young collections in a row that took too long */
};

/* What a collection that became due by itself showed. */
struct td_youth_facts {
  uint64_t collect_ns;      /* for which the program waited */
  uint64_t worked_ns;       /* of it, the collecting thread's own: others do not disturb it */
  uint64_t mutator_ns;      /* since the collection before */
  uint64_t allocated_bytes; /* in that time */
  uint64_t promoted_bytes;  /* of a young collection */
  uint64_t live_bytes;      /* as far as one knows */
  uint64_t room_bytes;      /* that it leaves until a full one is due */
  bool logged_much;         /* it came for what was logged */
};

/* cache_bytes: of the processor's second level, or 0 if that is not known. */
void td_youth_begin(struct td_youth *youth, size_t cache_bytes);
void td_youth_after_young(struct td_youth *youth, const struct td_youth_facts *facts);
void td_youth_after_full(struct td_youth *youth, const struct td_youth_facts *facts);
/* The wait has ended, and nothing is young: tries again. */
void td_youth_resume(struct td_youth *youth);

#endif
