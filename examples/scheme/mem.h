/* SPDX-License-Identifier: MIT */
/* All that the interpreter asks of a collector. There are two implementations, mem_tide.[ch] on
 * Tidemark and mem_boehm.[ch] on Boehm GC. The build picks one.
 *
 * - Two kinds of object: `refs` (every word is a value of the interpreter or a pointer outside
 *   the heap), zeroed, and `leaf` (never looked into), of any content. Objects are 16-byte
 *   aligned and never move.
 * - The C stack is a conservative root, so C code holds plain pointers across allocations.
 * - Other roots are the ranges [start, end) given to mem_start. Their ends may change between
 *   allocations: the virtual machine's stack grows and shrinks.
 * - References are stored through mem_write(object, slot, content) and mem_write_range(object,
 *   slots, contents, count). Only a fresh object, since which nothing has been allocated, is
 *   filled by plain stores. Collectors of young objects, and concurrent ones, need to be told.
 * - mem_safepoint() is called in each loop: a concurrent collector may wait for the program to come
 *   there, and does so as well for each allocation.
 * - MEM_NAME names the collector.
 * - Allocation never returns NULL: without memory the program ends with exit code 4. */
#ifndef EXAMPLES_SCHEME_MEM_H
#define EXAMPLES_SCHEME_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mem_range {
  uintptr_t *start;
  uintptr_t **end; /* read when a collection starts */
};

struct mem_stats {
  uint64_t collections;
  double collect_ms; /* world stopped, all collections together */
  double longest_ms; /* of these pauses */
  uint64_t heap_bytes;
};

/* Ends the program with a message if the collector can't start. The ranges must stay valid. Is it
 * to mark while the program runs? */
void mem_start(const struct mem_range *ranges, size_t count, bool concurrent);
void mem_collect(void);
struct mem_stats mem_stats(void);
_Noreturn void mem_exhausted(size_t bytes);

#ifdef SCHEME_ON_BOEHM
#include "mem_boehm.h"
#else
#include "mem_tide.h"
#endif

#endif
