/* SPDX-License-Identifier: MIT */
/* Inline allocation on Boehm GC: the free lists of gc_inline.h, its fastest way for one thread. */
#ifndef EXAMPLES_SCHEME_MEM_BOEHM_H
#define EXAMPLES_SCHEME_MEM_BOEHM_H

#include <gc.h>
#include <gc/gc_inline.h>
#include <string.h>

#include "mem.h"

#define MEM_NAME "boehm"

/* Free lists by kind and size in granules of 16 bytes. Every collection empties them. */
extern void *mem_free[GC_I_NORMAL + 1][GC_TINY_FREELISTS];
void *mem_slow(int kind, size_t bytes);

/* A cell from a list is zero but for its first word, which links to the next. */
static inline void *mem_take(int kind, size_t bytes) {
  size_t granules = (bytes + 15) >> 4;
  if (__builtin_expect(granules < GC_TINY_FREELISTS, 1)) {
    void *object = mem_free[kind][granules];
    if (__builtin_expect(object != NULL, 1)) {
      mem_free[kind][granules] = *(void **)object;
      *(void **)object = NULL;
      return object;
    }
  }
  return mem_slow(kind, bytes);
}

static inline void *mem_refs(size_t bytes) {
  return mem_take(GC_I_NORMAL, bytes);
}
static inline void *mem_leaf(size_t bytes) {
  return mem_take(GC_I_PTRFREE, bytes);
}

/* A collection begins in an allocation. */
static inline void mem_safepoint(void) {}

/* A slot, of whatever pointer type its object declares it. */
typedef uintptr_t mem_slot __attribute__((may_alias));

/* This collector has no barrier unless it is asked for one. */
static inline void mem_write(void *object, void *slot, uintptr_t content) {
  (void)object;
  *(mem_slot *)slot = content;
}
static inline void mem_write_range(void *object, void *slots, const void *contents, size_t count) {
  (void)object;
  memmove(slots, contents, count * sizeof(uintptr_t));
}

#endif
