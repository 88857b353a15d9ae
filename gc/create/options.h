/* SPDX-License-Identifier: MIT */
/* The options that a heap is created with. */
#ifndef TD_GC_CREATE_OPTIONS_H
#define TD_GC_CREATE_OPTIONS_H

#include "gc/create/environment.h"
#include "tide/advanced.h"

/* Fills in *o, *advanced and *environment from the options given (may be NULL), the environment,
 * and defaults, in this order of precedence. o->advanced is `advanced`, whose names are those of an
 * engine and a policy that exist. Returns false and fills in the error if anything given
 * means nothing. */
bool td_options_read(const struct tide_options *given, struct tide_options *o,
                     struct tide_advanced_options *advanced, struct td_environment *environment,
                     struct tide_error *error);

#endif
