/* The list of marking engines. */
#ifndef TD_MARKER_ENGINE_LIST_H
#define TD_MARKER_ENGINE_LIST_H

#include <stddef.h>

#include "marker/base/engine.h"

/* Returns the engine of that name, NULL if there is none. */
const struct td_engine *td_engine_find(const char *name);
/* Return the name of an engine and a line about it, NULL behind the last one. The first engine is
 * the default. */
const char *td_engine_name(size_t index);
const char *td_engine_text(size_t index);

#endif
