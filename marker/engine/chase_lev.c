/* The marking engine 'chase-lev'. */
#include "marker/queue/chase_lev.h"
#define TD_QUEUE chase_lev
#include "marker/engine/engine.h"
