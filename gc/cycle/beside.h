/* SPDX-License-Identifier: MIT */
/* Full collections that mark while the program runs (tide_options.concurrent). A thread of the
 * heap's own makes them:
 *
 *        wish            stop 1               stop 2              all is sorted: stop 3
 *   IDLE ----> (thread) -------> MARKING -------------> SORTING ----------------------> IDLE
 *                  |                ^ |
 *                  |                +-+ stop 2 found something new to scan: at most ROUNDS times;
 *                  |                    or it has queued what dies: once, or thrice if some are set
 *                  +--> whatever cannot be marked beside the program: marked in stop 1
 *
 *   stop 1   takes the roots as they are, and the next epoch: see [beside] in heap/space/space.h.
 *   MARKING  phases as in any collection. Mutators mark what they are about to overwrite, and what
 *            they get out of weak references (gc/threads/mutator/barrier.h). When a phase is over,
 *            another one scans what mutators have marked meanwhile. Then ephemerons are closed, and
 *            the order is found in which those die that have finalizers (gc/weak/order.h).
 *   stop 2   weak references and finalizers, as in any collection (gc/cycle/reclaim.h). What dying
 *            objects reach, and values of ephemerons whose keys mutators have marked, are marked
 *            beside the program, too, and the next stop 2 goes on there.
 *   SORTING  mutators that find no block sort a few themselves (heap/cells/sort.h).
 *   stop 3   only if young collections pay: from stop 2 to here objects are old from their first
 *            moment, so that sorting meets no young or logged ones.
 *
 * Until stop 2 young collections go on, each with a stop of its own (gc/cycle/young_beside.h).
 * In MARKING and SORTING the thread holds no lock. Threads attach and detach; whatever else takes
 * the world's lock, another collection above all, waits for the end (gc/threads/stop/world.h). */
#ifndef TD_GC_CYCLE_BESIDE_H
#define TD_GC_CYCLE_BESIDE_H
#include "gc/state/heap.h"

/* Before the first mutator: the heap will collect so. Returns false if there is no memory. */
bool td_beside_open(struct tide_heap *heap);

#endif
