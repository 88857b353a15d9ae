/* First touches of huge pages, apart from allocation.
 *
 * The system clears a huge page when it is first touched. That takes less than a millisecond, or
 * several where a virtual machine gives free memory back to its host. If an allocation touched it,
 * a collection would have to wait for that. So the pool sets a new slab aside, and whoever wanted a
 * block touches it while counting as standing still. Then the slab's blocks are free as any others.
 *
 * It is no loss if the slab gets into use before it was touched. So whoever finds no other block
 * brings back all that is set aside. */
#ifndef TD_HEAP_TOUCH_H
#define TD_HEAP_TOUCH_H

#include "heap/space.h"

struct td_touch {
  uint32_t slab;
  char *start;
  uint8_t *marks; /* of its objects: a huge page, too, of the marks of 32 MiB */
  uint64_t ns;    /* how long the slab itself took */
};

/* From now on blocks of new slabs are to be had only after this; td_space_refill says so by
 * TD_ROOM_UNTOUCHED. Before anything is allocated. */
void td_space_touch_apart(struct td_space *space);

/* Takes a slab that was set aside. Returns false if somebody else has it. Takes the lock. */
bool td_touch_begin(struct td_space *space, struct td_touch *touch);
/* Touches it. Uses nothing of the space, so collections may run meanwhile. */
void td_touch_now(struct td_touch *touch);
/* The slab's blocks are free. Takes the lock. */
void td_touch_end(struct td_space *space, const struct td_touch *touch);

/* Brings back all that is set aside, touched or not. For who has no time, and after a fork, when
 * those who touched are gone. Takes the lock. */
void td_touch_skip(struct td_space *space);

/* The rest is for the pool; the caller holds the lock. */

/* Is the slab set aside, touched or not? */
bool td_touch_is_aside(const struct td_space *space, uint32_t slab);
/* Is a slab set aside that nobody touches yet? */
bool td_touch_waits(const struct td_space *space);
/* Sets a slab aside which is committed, and none of whose blocks is in use. */
void td_touch_set_aside(struct td_space *space, uint32_t slab);
/* Brings back all that is set aside. Returns false if nothing is. */
bool td_touch_give_up(struct td_space *space);

#endif
