/* SPDX-License-Identifier: MIT */
/* The marking engines that there are. */
#ifndef TD_MARKER_ENGINE_LIST_H
#define TD_MARKER_ENGINE_LIST_H

#include <stddef.h>

struct td_engine;

/* Returns the engine of that index, or NULL past the last. The first is the default. */
const struct td_engine *td_engine_at(size_t index);

/* Returns the engine of that name, or NULL if there is none. */
const struct td_engine *td_engine_find(const char *name);

/* Return what the list says of the engine of that index, or NULL past the last. */
const char *td_engine_name(size_t index);
const char *td_engine_text(size_t index);

#endif
