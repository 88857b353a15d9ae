/* SPDX-License-Identifier: MIT */
/* The functions of the allocator that are not inlined: malloc needs none of them. */
#include "bench/gcbench/child/malloc.h"

void memory_begin(const struct memory_options *wanted) {
  (void)wanted;
}

struct memory *memory_attach(void) {
  static struct memory nothing;
  return &nothing;
}

void memory_detach(struct memory *memory) {
  (void)memory;
}

void memory_wait_begin(struct memory *memory) {
  (void)memory;
}

void memory_wait_end(struct memory *memory) {
  (void)memory;
}

void memory_note_pauses(void) {}

uint64_t memory_degenerate(void) {
  return 0;
}
