/* Objects that live until they are freed. */
#ifndef TD_BDWGC_HELD_H
#define TD_BDWGC_HELD_H

#include <stdbool.h>

/* Holds the object, and returns it; NULL if there is no memory for that. NULL is allowed. */
void *td_bdwgc_hold(void *object);
bool td_bdwgc_is_held(void *object);
/* Returns whether it was held. Freeing lets go by itself. */
bool td_bdwgc_let_go(void *object);

#endif
