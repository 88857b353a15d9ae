/* SPDX-License-Identifier: MIT */
/* The marking engine 'serial'. */
#ifndef TIDE_WITHOUT_SERIAL
#include "marker/queue/serial.h"
#define TD_QUEUE serial
#include "marker/engine/engine.h"
#endif
