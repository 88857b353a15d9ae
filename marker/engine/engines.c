/* SPDX-License-Identifier: MIT */
/* The library's engines. A build leaves engines out by TIDE_WITHOUT_… */
#include "marker/engine/engines.h"

extern const struct td_engine td_engine_bwos, td_engine_abp, td_engine_chase_lev, td_engine_serial;

const struct td_engine *const td_engines[] = {
#ifndef TIDE_WITHOUT_BWOS
    &td_engine_bwos,
#endif
#ifndef TIDE_WITHOUT_ABP
    &td_engine_abp,
#endif
#ifndef TIDE_WITHOUT_CHASE_LEV
    &td_engine_chase_lev,
#endif
#ifndef TIDE_WITHOUT_SERIAL
    &td_engine_serial,
#endif
    NULL,
};

_Static_assert(sizeof td_engines > sizeof(void *), "every engine was left out");
