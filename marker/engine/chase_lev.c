/* SPDX-License-Identifier: MIT */
/* The marking engine 'chase-lev'. */
#ifndef TIDE_WITHOUT_CHASE_LEV
#include "marker/queue/chase_lev.h"
#define TD_QUEUE chase_lev
#include "marker/engine/engine.h"
#endif
