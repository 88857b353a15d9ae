/* SPDX-License-Identifier: MIT */
/* Roots that are taken afresh for each collection: static data of the program and of its libraries,
 * and what the program adds. */
#ifndef TD_BDWGC_THREADS_ROOTS_H
#define TD_BDWGC_THREADS_ROOTS_H

void td_roots_start(void);

#endif
