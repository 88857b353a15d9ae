/* SPDX-License-Identifier: MIT */
/* How many instructions each basic block of the simulated code has.
 *
 * The instrumented code calls a function at the beginning of each block, and one at each access.
 * From one beginning to the next in the program's text, less these calls, is about what the block
 * is without them, registers that are kept meanwhile aside. So a block that only joins two ways
 * costs nothing, and one that an unrolled loop consists of costs as much as it has. The estimate
 * has been compared with instructions that were counted: docs/simulate.md. */
#ifndef TD_BENCH_SIMULATE_MACHINE_CODE_H
#define TD_BENCH_SIMULATE_MACHINE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_sim_block {
  uint16_t instructions;
  uint16_t rate; /* for machine/branches.c */
};

/* Reads the program's own text. Returns whether it could. */
bool td_sim_code_begin(void);

extern struct td_sim_block *td_sim_blocks; /* indexed by where in the text a block begins */
extern uintptr_t td_sim_text;
extern size_t td_sim_text_bytes;
extern uintptr_t td_sim_bias; /* how far the program lies from where its file says */

/* `address`: where the call at a block's beginning returns to. */
static inline struct td_sim_block *td_sim_block_at(uintptr_t address) {
  return &td_sim_blocks[address - td_sim_text];
}

#endif
