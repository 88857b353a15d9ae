/* SPDX-License-Identifier: MIT */
/* tests/model/bwos_pair.h, first in, first out. */
#ifndef TD_TESTS_MODEL_BWOS_FIFO_PAIR_H
#define TD_TESTS_MODEL_BWOS_FIFO_PAIR_H

#define BWOS_PAIR_QUEUE bwos_fifo_pair
#define BWOS_PAIR(name) td_bwos_fifo_pair##name
#define BWOS_PAIR_DEFINE TIDE_BWOS_FIFO_DEFINE
#include "tests/model/bwos_pair.h"

#endif
