/* Objects that live until they are freed. */
#ifndef TD_BDWGC_ALLOC_HELD_H
#define TD_BDWGC_ALLOC_HELD_H

/* Holds the object, and returns it; NULL if there is no memory for that. NULL is allowed. Freeing
 * lets go by itself. */
void *td_bdwgc_hold(void *object);

#endif
