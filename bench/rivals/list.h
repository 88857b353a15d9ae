/* SPDX-License-Identifier: MIT */
/* All queues that `tidemark` measures: the library's, and their rivals, which are compiled for the
 * program only.
 *
 * TD_ALL_QUEUES(LIBRARY, RIVAL) is LIBRARY(Q) for each queue of marker/queue/list.h and
 * RIVAL(Q, name, …), as there, for each of the others, in the order in which the program lists
 * them. A rival is struct td_Q of bench/rivals/Q.h. */
#ifndef TD_BENCH_RIVALS_LIST_H
#define TD_BENCH_RIVALS_LIST_H

#include "marker/queue/list.h"

/* clang-format off */
#define TD_ALL_QUEUES(LIBRARY, RIVAL)                                                              \
  LIBRARY(bwos)                                                                                    \
  RIVAL(bwos_paper, "bwos-paper", LOCK_FREE, FIXED, NEWEST, 32, 64,                                \
    "LIFO BWoS as published: Wang et al., OSDI 2023")                                              \
  RIVAL(bwos_fifo, "bwos-fifo", LOCK_FREE, FIXED, OLDEST, 32, 64,                                  \
    "FIFO BWoS of the same paper: marks breadth first")                                            \
  LIBRARY(abp)                                                                                     \
  RIVAL(abp_sc, "abp-sc", LOCK_FREE, FIXED, NEWEST, 32, 64,                                        \
    "the same deque, every access sequentially consistent")                                        \
  LIBRARY(chase_lev)                                                                               \
  RIVAL(ring, "ring", LOCK_FREE, FIXED, NEWEST, 32, 64,                                            \
    "fixed ring of Job System 2.0: the deque of abp, its get an exchange")                         \
  RIVAL(eigen, "eigen", LOCK_FREE, FIXED, NEWEST, 32, 64,                                          \
    "Eigen's RunQueue: the owner at the front, one thief at the back takes half")                  \
  RIVAL(bbq, "bbq", LOCK_FREE, FIXED, OLDEST, 32, 64,                                              \
    "FIFO block-based bounded queue: Wang et al., USENIX ATC 2022")                                \
  RIVAL(tokio, "tokio", LOCK_FREE, FIXED, OLDEST, 32, 64,                                          \
    "FIFO of Tokio's workers: two heads in one word, thieves take half")                           \
  RIVAL(go, "go", LOCK_FREE, FIXED, NEXT, 32, 64,                                                  \
    "FIFO of the Go scheduler: a slot for the newest, thieves take half")                          \
  RIVAL(kotlin, "kotlin", LOCK_FREE, FIXED, NEXT, 32, 64,                                          \
    "FIFO of Kotlin's coroutines: a slot for the newest, thieves take one")                        \
  RIVAL(mutex, "mutex", LOCKED, FIXED, NEWEST, 32, 64,                                             \
    "array deque behind a lock")                                                                   \
  RIVAL(pool, "pool", LOCKED, FIXED, NEWEST, 32, 64,                                               \
    "a locked deque each, and a locked queue for work from outside")                               \
  RIVAL(pool_bwos, "pool-bwos", LOCKED, FIXED, NEWEST, 16, 128,                                    \
    "the same pool with LIFO BWoS for the deques")                                                 \
  LIBRARY(serial)
/* clang-format on */

#define TD_QUEUE_IGNORE(...)
TD_ALL_QUEUES(TD_QUEUE_IGNORE, TD_QUEUE_DECLARE)

/* Returns the entry of the queue of that name, or NULL if there is none. */
const struct td_queue_entry *td_queue_find(const char *name);

#endif
