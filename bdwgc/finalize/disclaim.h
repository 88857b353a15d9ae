/* SPDX-License-Identifier: MIT */
/* Objects that are asked before they go. */
#ifndef TD_BDWGC_FINALIZE_DISCLAIM_H
#define TD_BDWGC_FINALIZE_DISCLAIM_H

#include "bdwgc/types.h"

/* Whether any kind has a procedure. */
extern TD_HIDDEN bool td_disclaim_on;
/* A new object of the kind, or NULL: if the kind has a procedure, it will be called. */
void td_disclaim_watch(void *object, int kind);

/* The finalizer of what has a disclaim procedure. */
void td_disclaim_ask(void *object, void *context);

EXPORT void GC_register_disclaim_proc(int kind, GC_disclaim_proc procedure, int mark_from_all);

#endif
