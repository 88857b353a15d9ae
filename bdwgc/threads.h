/* The program's threads. */
#ifndef TD_BDWGC_THREADS_H
#define TD_BDWGC_THREADS_H

#include "bdwgc/state.h"

/* In GC_do_blocking: ends the blocking region for a while. Returns false if there is none. */
bool td_bdwgc_come_back(void);
/* After td_bdwgc_come_back returned true. */
void td_bdwgc_go_away(void);

#endif
