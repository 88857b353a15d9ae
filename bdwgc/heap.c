/* SPDX-License-Identifier: MIT */
/* The one heap of the process, and the calling thread's part in it. */
#include "bdwgc/heap.h"

struct tide_heap *td_bdwgc_heap;
TD_TLS struct tide_mutator *td_bdwgc_self;
TD_TLS bool td_bdwgc_away;
