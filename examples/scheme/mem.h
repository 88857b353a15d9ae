/* What the interpreter asks of a collector, and all it asks. Two answers exist: mem_tide.h with
 * mem_tide.c (Tidemark) and mem_boehm.h with mem_boehm.c (Boehm GC); the build picks one.
 *
 * - Two kinds of object: `refs` (every word is a value of the interpreter or a pointer outside
 *   the heap), zeroed, and `leaf` (never looked into), of any content. Objects are 16-byte
 *   aligned and never move.
 * - The C stack is a conservative root, so C code holds plain pointers across allocations.
 * - Other roots: the ranges [start, end) handed to mem_start, whose ends may change between
 *   allocations (the virtual machine's stack grows and shrinks).
 * - References are stored through mem_write(object, slot, content) and mem_write_range(object,
 *   slots, contents, count), but for those into an object in which nothing was allocated since.
 *   Both are plain stores today; a collector of young objects or a concurrent one would listen.
 * - MEM_NAME names the collector.
 * - Allocation never returns NULL: without memory the program ends with exit code 4. */
#ifndef EXAMPLES_SCHEME_MEM_H
#define EXAMPLES_SCHEME_MEM_H

#include <stddef.h>
#include <stdint.h>

struct mem_range {
  uintptr_t *start;
  uintptr_t **end; /* read when a collection starts */
};

struct mem_stats {
  uint64_t collections;
  double collect_ms; /* world stopped, all collections together */
  uint64_t heap_bytes;
};

/* Ends the program with a message if the collector can't start. The ranges must stay valid. */
void mem_start(const struct mem_range *ranges, size_t count);
void mem_collect(void);
struct mem_stats mem_stats(void);
_Noreturn void mem_exhausted(size_t bytes);

#ifdef SCHEME_ON_BOEHM
#include "mem_boehm.h"
#else
#include "mem_tide.h"
#endif

#endif
