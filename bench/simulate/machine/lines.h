/* SPDX-License-Identifier: MIT */
/* Which line an address lies in, by numbers that are the same in every run, and the word in which
 * the machine keeps what is known of it. */
#ifndef TD_BENCH_SIMULATE_MACHINE_LINES_H
#define TD_BENCH_SIMULATE_MACHINE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_SIM_LINE_LOG2 6

/* Words begin as `fresh`, which is not 0. Returns whether the memory for it could be had. */
bool td_sim_lines_begin(uint64_t fresh);
/* Addresses of [start, start + bytes), which is large, will be used. Ignored if there are many. */
void td_sim_lines_range(const void *start, size_t bytes);
bool td_sim_lines_has(uintptr_t address); /* does it lie in such a range? */

uint32_t td_sim_line_of(uintptr_t address, uint64_t **word);

/* Returns zeroes, or NULL. In huge pages if the system has them: tables are read here and there. */
void *td_sim_reserve(size_t bytes);

#endif
