/* SPDX-License-Identifier: MIT */
/* Locks that no suspended thread holds. */
#include "bdwgc/threads/lock.h"

pthread_mutex_t td_bdwgc_locks[TD_LOCK_COUNT] = {
    [0 ... TD_LOCK_COUNT - 1] = PTHREAD_MUTEX_INITIALIZER,
};
TD_TLS volatile bool td_bdwgc_locking;
TD_TLS bool td_bdwgc_has_allocation;
