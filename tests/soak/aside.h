/* SPDX-License-Identifier: MIT */
/* A heap beside the one that the soak is about. */
#ifndef TD_TESTS_SOAK_ASIDE_H
#define TD_TESTS_SOAK_ASIDE_H

#include <stdint.h>

/* Makes a heap, fills it, writes its snapshots into the folder, removes them, and destroys it. */
void soak_aside(const char *folder, uint64_t round);

#endif
