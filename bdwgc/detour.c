/* SPDX-License-Identifier: MIT */
/* Why an allocation goes the way round. */
#include "bdwgc/detour.h"

_Atomic(uint8_t) td_detour = TD_DETOUR_ONCE;
