/* SPDX-License-Identifier: MIT */
/* The marking engine 'bwos'. */
#ifndef TIDE_WITHOUT_BWOS
#include "marker/queue/bwos.h"
#define TD_QUEUE bwos
#include "marker/engine/engine.h"
#endif
