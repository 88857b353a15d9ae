/* SPDX-License-Identifier: MIT */
/* The marking engine 'abp'. */
#ifndef TIDE_WITHOUT_ABP
#include "marker/queue/abp.h"
#define TD_QUEUE abp
#include "marker/engine/engine.h"
#endif
