/* Warnings. */
#ifndef TD_BDWGC_SAY_H
#define TD_BDWGC_SAY_H

#include "bdwgc/types.h"

/* Goes to the program's warning hook. The format takes the argument with %lu or %lx, or not. */
void td_bdwgc_warn(const char *format, GC_word argument);

#endif
