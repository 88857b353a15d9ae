/* SPDX-License-Identifier: MIT */
/* What the workloads of `tidemark gcbench` ask of an allocator. One source of workloads is compiled
 * once per collector; TD_GCBENCH_MEMORY names the header that implements, as static inline
 * functions, what is called often, so that an allocator's inlined path is inlined here as well.
 *
 * That header defines
 *   struct memory             a mutator's part of the allocator
 *   MEMORY_COLLECTS           true: memory_free does nothing, and nobody needs to call it
 *   memory_new                returns an object, zeroed or not; never NULL (gcbench_out_of_memory)
 *   memory_new_zeroed         the same, zeroed
 *   memory_write              stores a reference into a slot of an object, any but a fresh one
 *   memory_poll               lets others stop this thread; called now and then by loops that do
 *                             not allocate
 *   memory_free               gives an object back, where MEMORY_COLLECTS is false
 * and the C file of the same name the functions below.
 *
 * Workloads write every word of what memory_new gives them: so an allocator that zeroes has no
 * advantage, and one that does not pays nothing. References are kept in locals or in objects,
 * never in static or foreign memory. */
#ifndef TD_BENCH_GCBENCH_CHILD_MEMORY_H
#define TD_BENCH_GCBENCH_CHILD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum memory_kind {
  MEMORY_LEAF,  /* no references */
  MEMORY_REFS,  /* nothing but references */
  MEMORY_TREE,  /* references in words 0 and 1, at least three words */
  MEMORY_ENTRY, /* references in words 0 to 3, at least five */
  MEMORY_NODE,  /* references in words 0 to 2, at least four */
  MEMORY_KINDS
};

/* For the kinds from MEMORY_TREE on: a bit for each word that holds a reference, and the number of
 * words described. */
static const uint64_t memory_bits[MEMORY_KINDS] = {
    [MEMORY_TREE] = 0x3, [MEMORY_ENTRY] = 0xf, [MEMORY_NODE] = 0x7};
static const unsigned memory_words[MEMORY_KINDS] = {
    [MEMORY_TREE] = 3, [MEMORY_ENTRY] = 5, [MEMORY_NODE] = 4};

struct memory_options {
  uint64_t heap_max; /* 0: no limit */
  bool takes_all;    /* a heap has heap_max from the beginning, and may not only grow to it */
  unsigned markers;
  bool young;      /* collect young objects apart, if the collector does so */
  bool concurrent; /* mark while the program runs, the same */
};

struct memory;
/* Sets the allocator up, before any other thread starts. */
void memory_begin(const struct memory_options *wanted);
/* Called by a thread before it allocates, and after. attach returns NULL if it fails. */
struct memory *memory_attach(void);
void memory_detach(struct memory *memory);
/* Called by a thread around waiting for others. */
void memory_wait_begin(struct memory *memory);
void memory_wait_end(struct memory *memory);
/* Tells gcbench_collected of collections that have ended and that it was not told of. */
void memory_note_pauses(void);
/* How many collections so far should have marked beside the program, and stopped it. */
uint64_t memory_degenerate(void);

#endif
