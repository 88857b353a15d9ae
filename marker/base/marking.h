/* SPDX-License-Identifier: MIT */
/* The ways of marking. Which of them is used is decided while marking; tests force one. */
#ifndef TD_MARKER_BASE_MARKING_H
#define TD_MARKER_BASE_MARKING_H

#include <stdbool.h>
#include <stddef.h>

enum td_marking {
  TD_MARKING_CHOSEN,   /* by what is met */
  TD_MARKING_FOLLOW,   /* nothing but following */
  TD_MARKING_PLACE,    /* visits of regions, where there are several */
  TD_MARKING_TEST,     /* nothing but testing, where granules fit into 32 bits; */
  TD_MARKING_PORTABLE, /* the same with loops in C, */
  TD_MARKING_AVX512,   /* and with AVX-512 where the processor has it; there is no such way else */
};

/* Returns the name of the way, or NULL past the last. */
const char *td_marking_name(size_t way);
/* Returns false if no way is called that. */
bool td_marking_find(const char *name, enum td_marking *way);

#endif
