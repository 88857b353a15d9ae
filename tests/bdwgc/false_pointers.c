/* SPDX-License-Identifier: MIT */
/* Integers that look like addresses, in static data and on the stack, all over the memory that the
 * heap has and is going to get: how many lists stay when all are dropped? Runs on both libraries;
 * the bound is what Debian's needs. Usage: false_pointers BYTES SPAN_MIB, of a node and of the
 * integers. */
#include <gc/gc.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTS = 10000, NODES = 20, INTEGERS = 2000, ROUNDS = 4, KEPT_MOST = LISTS / 1000 };

static volatile uintptr_t in_data[INTEGERS];
static void *lists[LISTS], *links[LISTS];

static uintptr_t next_integer(uintptr_t base, size_t span) {
  static uint64_t seed = 12345;
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return base + seed % span;
}

static __attribute__((noinline)) void make_lists(size_t bytes) {
  for (size_t i = 0; i < LISTS; i++) {
    void **list = NULL;
    for (int k = 0; k < NODES; k++) {
      void **node = GC_malloc(bytes);
      node[0] = list;
      list = node;
    }
    lists[i] = links[i] = list;
    if (GC_general_register_disappearing_link(&links[i], list) != GC_SUCCESS) exit(1);
  }
}

static __attribute__((noinline)) void wipe_stack(void) {
  volatile char room[16384];
  memset((void *)room, 0, sizeof room);
}

static int round_of(size_t bytes) {
  int kept = 0;
  make_lists(bytes);
  wipe_stack();
  memset(lists, 0, sizeof lists);
  GC_gcollect();
  for (size_t i = 0; i < LISTS; i++) {
    kept += links[i] != NULL;
    if (links[i]) (void)GC_unregister_disappearing_link(&links[i]);
  }
  return kept;
}

int main(int argc, char **argv) {
  volatile uintptr_t on_stack[INTEGERS];
  if (argc != 3) return 2;
  const size_t bytes = (size_t)atol(argv[1]), span = (size_t)atol(argv[2]) << 20;
  int most = 0;
  GC_INIT();
  GC_exclude_static_roots(links, (char *)links + sizeof links);
  uintptr_t base = (uintptr_t)GC_malloc(16) >> 20 << 20;
  for (int i = 0; i < INTEGERS; i++) {
    in_data[i] = next_integer(base, span);
    on_stack[i] = next_integer(base, span);
  }
  GC_gcollect();
  for (int i = 0; i < ROUNDS; i++) {
    int kept = round_of(bytes);
    printf("%d lists of %d kept\n", kept, LISTS);
    if (kept > most) most = kept;
  }
  return in_data[0] && on_stack[0] && most <= KEPT_MOST ? 0 : 1;
}
