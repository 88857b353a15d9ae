/* When a young collection is due, and whether they pay. Pure: figures in, a number of bytes out.
 *
 * The young part begins at the size of a cache. If collections of it take too large a part of the
 * time it grows, because more of what is young has died then, and what is written to twice counts
 * once. It grows no further than the room that a full collection has left, of which it takes a
 * half at most, and than collections of it are short. Programs may write into many old objects
 * before it is full. All of these are looked into, so a collection comes as soon as that would take
 * longer than it should.
 *
 * Young collections pay if they are cheaper by the byte than full ones. If they do not, a larger
 * young part is tried, as long as that costs little beside a full collection. If that does not
 * help, mutators no longer log what they write, and the heap waits until another trial is a small
 * part of what full collections cost meanwhile. A trial begins without young objects, because all
 * that there are count as old from then on, unlooked at: so it is small and cheap. A program may
 * build any amount before it drops it. So ever larger trials come after full collections, in a
 * tenth of their time. */
#ifndef TD_GC_WHEN_YOUTH_H
#define TD_GC_WHEN_YOUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Before the price of what is logged was measured, which is mostly 0.1 to 0.2 us. */
#define TD_YOUTH_LOGGED_FIRST ((size_t)16 << 10)

struct td_youth {
  bool on;          /* young collections happen, and mutators log */
  size_t due_bytes; /* to be allocated until the next one, or until the wait ends */
  size_t least_bytes, most_bytes;
  size_t full_most_bytes; /* most_bytes after the last full collection */
  double credit_ns;    /* that full collections have given for trials, and trials not taken yet */
  size_t trial_bytes;  /* due_bytes of the next trial */
  double mark_cost;    /* ns of young ones for each byte promoted, smoothed */
  uint64_t full_ns;    /* of the last full collection */
  double full_cost;    /* ns of a full collection for each byte of room that it leaves */
  double young_cost;   /* ns of young ones for each byte allocated, smoothed */
  double survival;     /* promoted bytes for each byte allocated, smoothed */
  double logged_cost;  /* ns of young ones for each time that something was logged, smoothed */
  size_t logged_due;   /* objects logged at which a young collection comes */
  bool logged_much;    /* and so did the last one */
  unsigned slow_count; /* young collections in a row that took too long */
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
};

/* cache_bytes: of the processor's second level, or 0 if that is not known. */
void td_youth_begin(struct td_youth *youth, size_t cache_bytes);
/* In a young collection: mutators logged `count`, and marking from these took worked_ns. */
void td_youth_note_logged(struct td_youth *youth, uint64_t count, uint64_t worked_ns);
void td_youth_after_young(struct td_youth *youth, const struct td_youth_facts *facts);
void td_youth_after_full(struct td_youth *youth, const struct td_youth_facts *facts);
/* The wait has ended, and nothing is young: tries again. */
void td_youth_resume(struct td_youth *youth);

#endif
