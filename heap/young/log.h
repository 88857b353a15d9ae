/* SPDX-License-Identifier: MIT */
/* The log: old objects that mutators have written references into since the last collection. A
 * young collection looks into these and into no other old objects.
 *
 * Logging an object is deferring it: it gets TD_DEFERRED in its mark byte, and its page a flag in
 * row 0 (heap/space/marks.h), and so gets its slab. So the log takes hardly any memory and cannot
 * overflow, and a second write to the same object finds it done.
 *
 * An array of more than a page is not logged as a whole. The granules of the slots that are written
 * get the byte TD_CARD, which is no object's: the granules inside a cell have no marks of their
 * own. What lies in the first granule is logged with the second, because the first one's byte is
 * the object's mark.
 *
 * Several mutators may log at once. All of them store the same byte, and none takes anything back
 * until the world has stopped. The stop publishes what they stored, so relaxed stores will do. Nor
 * may a signal stop a mutator between the byte and the flag: another one would find the object
 * logged. Clients of all this: tests/model/stopping.h. */
#ifndef TD_HEAP_YOUNG_LOG_H
#define TD_HEAP_YOUNG_LOG_H

#include "heap/space/space.h"

#define TD_CARD TD_DEFERRED /* the epoch in it is 0, which no object has */

/* Logs a write of `count` slots, at least one, from `slots` on. Does nothing if the object is not
 * old or has no slots, or if it is long and they lie outside of it. Returns whether the first slot
 * lies in the object and was not logged before. Any mutator may call. */
bool td_log_write(struct td_space *space, uintptr_t object, uintptr_t slots, size_t count);
/* Logs a whole object, of any size, that no other thread may write to yet: it counts as old from
 * its first moment, and the next young collection looks into it. */
void td_log_fresh(struct td_space *space, uintptr_t object);

/* The same for an object that may be young as yet: then nothing is to be done. */
void td_log_fresh_if_old(struct td_space *space, uintptr_t object);

/* World stopped: does a young collection come to this slot of the object, which is old? A slot
 * outside of the object stands for all of it. */
bool td_log_leads_to(const struct td_space *space, uintptr_t object, uintptr_t slot);

/* Slots of an array that were written: [from, to), of words that are references or, if
 * `conservative`, may be. */
struct td_logged_slots {
  const uintptr_t *from, *to;
  bool conservative;
};
struct td_log_visit {
  /* Returns false if it has no room for them: then the array is told as a whole. */
  bool (*slots)(const struct td_logged_slots *slots, void *context);
  void (*object)(uintptr_t object, void *context); /* marked; to be scanned as a whole */
};
/* World stopped, before a young marking: takes the log, and tells what is in it, all slots first.
 * From the first object on, markers may be at work. They take what is still logged for objects that
 * they have deferred themselves: that is right for an object, and would lose a card. */
void td_log_take(struct td_space *space, const struct td_log_visit *visit, void *context);
/* World stopped, before a full marking: empties the log. */
void td_log_clear(struct td_space *space);

#endif
