/* The variables GC_… that mean the same here. */
#ifndef TD_BDWGC_ENVIRONMENT_H
#define TD_BDWGC_ENVIRONMENT_H

#include "bdwgc/types.h"

struct td_bdwgc_environment {
  size_t initial_bytes, maximum_bytes; /* 0: not said */
  unsigned markers;                    /* 0: not said */
  GC_word free_space_divisor;          /* 0: not said */
  bool print_stats, dont_gc, ignore_interior;
};
/* Ends the process with a line for a value that means nothing. */
void td_bdwgc_environment(struct td_bdwgc_environment *read);

#endif
