/* Objects that live until they are freed. */
#ifndef TD_BDWGC_HELD_H
#define TD_BDWGC_HELD_H

#include <stdbool.h>

/* Makes the object a root, and returns it. NULL is allowed. */
void *td_bdwgc_hold(void *object);
bool td_bdwgc_is_held(const void *object);
/* No root any more. */
void td_bdwgc_let_go(void *object);

#endif
