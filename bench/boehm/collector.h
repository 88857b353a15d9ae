/* SPDX-License-Identifier: MIT */
/* Boehm GC set up so that nothing but the roots leads into the graph.
 *
 * A stray word that leads into the middle of a list lets a second marker begin there: luck that
 * comes and goes from run to run. There were some in each of these places:
 *  - Stacks hold what building and asking left there. No stack is scanned, as Tidemark's thread has
 *    a precise one too.
 *  - Static data hold them, the collector's own too, such as where memory was mapped last. None are
 *    scanned.
 *  - The collector looks at its own frames all the same, for registers that are saved there. In
 *    their gaps it finds what lay there before. The frames of a marking lie on cleaned stack.
 *  - What it does find there is addresses of blocks, in registers that clearing the marks has left
 *    behind. td_collector_may_be_met names the objects that these would keep alive.
 *
 * Threads: that which starts the collector is the only one. */
#ifndef TD_BENCH_BOEHM_COLLECTOR_H
#define TD_BENCH_BOEHM_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets Boehm GC up. heap_max_bytes 0: no limit. Returns how many threads mark, which may not be as
 * many as asked for. */
unsigned td_collector_start(unsigned markers, uint64_t heap_max_bytes);

/* Collects fully. Returns how long the mark phase took. */
uint64_t td_collector_mark(void);

/* Returns whether a register of the collector may hold the address of this object, which is small
 * and the first of its block. An object of at most 256 bytes is small: so there is at most one such
 * in sixteen. */
bool td_collector_may_be_met(const void *object, size_t bytes);

#endif
