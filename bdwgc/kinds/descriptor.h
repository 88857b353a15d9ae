/* SPDX-License-Identifier: MIT */
/* Mark descriptors: what a program says of an object's inside. */
#ifndef TD_BDWGC_KINDS_DESCRIPTOR_H
#define TD_BDWGC_KINDS_DESCRIPTOR_H

#include "bdwgc/heap.h"

/* Reads an object's references as the descriptor says. */
void td_descriptor_trace(void *object, size_t bytes, GC_word descriptor,
                         struct tide_tracer *tracer);

/* Whether programs' own procedures may be called for objects of this descriptor. */
bool td_descriptor_calls(GC_word descriptor);

/* Returns the layout of objects of `words` words that are as the typed descriptor says, from the
 * start only, or `repeated`: of arrays of such. */
tide_layout td_descriptor_layout(GC_word descriptor, size_t words, bool repeated);

/* Gives a procedure one of the numbers that are kept for such. */
void td_descriptor_set_procedure(unsigned number, GC_mark_proc procedure);

#endif
