/* What the workloads of `tidemark gcbench` see of an allocator. One source of workloads is compiled
 * once per collector; TD_GCBENCH_MEMORY names the header that implements what is called often by
 * static inline functions, so that an allocator's inlined path is inlined here as well:
 *
 *   struct memory;            a mutator's part
 *   MEMORY_COLLECTS           true: memory_free does nothing, and nobody needs to call it
 *   memory_begin              the process's part, before any thread
 *   memory_attach, _detach    the calling thread's part; attach returns NULL if it failed
 *   memory_wait_begin, _end   around waiting for other threads
 *   memory_new                an object, zeroed or not; never NULL (see gcbench_out_of_memory)
 *   memory_new_zeroed         the same, zeroed
 *   memory_free               gives it back, where MEMORY_COLLECTS is false
 *
 * Workloads write every word of what memory_new gives them, so that allocators that zero have
 * no advantage, and those that don't pay nothing. References are kept in locals or in objects,
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

/* Words with references of the kinds from MEMORY_TREE on, by bit. */
static const uint64_t memory_bits[MEMORY_KINDS] = {
    [MEMORY_TREE] = 0x3, [MEMORY_ENTRY] = 0xf, [MEMORY_NODE] = 0x7};
static const unsigned memory_words[MEMORY_KINDS] = {
    [MEMORY_TREE] = 3, [MEMORY_ENTRY] = 5, [MEMORY_NODE] = 4};

struct memory_options {
  uint64_t heap_max; /* 0: no limit */
  unsigned markers;
};

/* Collections of one process, in order. Written with mutators stopped. */
#define GCBENCH_PAUSES_MAX 65536u
struct gcbench_pauses {
  uint64_t collect_ns;
  uint64_t count;
  uint64_t at[GCBENCH_PAUSES_MAX]; /* the first so many */
};
extern struct gcbench_pauses gcbench_pauses;

void gcbench_pause(uint64_t pause_ns, uint64_t collect_ns);
uint64_t gcbench_now_ns(void);
/* Tells the parent and ends the process. */
_Noreturn void gcbench_fail(int status, const char *text);
_Noreturn void gcbench_out_of_memory(void);

struct memory;
void memory_begin(const struct memory_options *wanted);
struct memory *memory_attach(void);
void memory_detach(struct memory *memory);
void memory_wait_begin(struct memory *memory);
void memory_wait_end(struct memory *memory);

#include TD_GCBENCH_MEMORY

#endif
