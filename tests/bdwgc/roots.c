/* SPDX-License-Identifier: MIT */
/* What bdwgc_semantics asks of roots and stacks, and of pointers into objects. */
#include "tests/bdwgc/semantics.h"

/* ---- Roots ---- */

static char *in_static_data;
PART(roots) {
  in_static_data = GC_strdup("static");
  char **outside = malloc(64 * sizeof *outside);
  memset(outside, 0, 64 * sizeof *outside);
  GC_add_roots(outside, outside + 64);
  for (int i = 0; i < 64; i++)
    outside[i] = GC_strdup("in added roots");
  collect();
  soil(1000, 15);
  CHECK(!strcmp(in_static_data, "static"));
  for (int i = 0; i < 64; i++)
    CHECK(!strcmp(outside[i], "in added roots"));
  GC_remove_roots(outside, outside + 64);
  free(outside);
  GC_gcollect();
}

/* ---- What keeps each of many objects ---- */

static void **watched; /* in memory that nobody searches */
static char *watch_one(int i) {
  return watch(&watched[i], GC_malloc_atomic(100));
}

#define SLOTS 1000
static char **slots;
static APART void fill_slots(void) {
  for (int i = 0; i < SLOTS; i++)
    slots[i] = watch_one(i);
}
/* What is removed is what lies fully in the region, as it was added. */
PART(removed_roots) {
  slots = malloc(SLOTS * sizeof *slots);
  watched = calloc(SLOTS, sizeof *watched);
  GC_add_roots(slots, slots + 1);
  GC_add_roots(slots, slots + SLOTS);
  GC_add_roots(slots, slots + 10);
  GC_add_roots(slots + 50, slots + 150);
  in_thread(fill_slots);
  GC_remove_roots(slots + 100, slots + 200);
  GC_remove_roots(slots, slots + SLOTS - 1);
  collect();
  CHECK(alive(watched, 0, SLOTS) == SLOTS);
  GC_add_roots(slots + 200, slots + 300);
  GC_remove_roots(slots - 1, slots + SLOTS);
  collect();
  CHECK(alive(watched, 0, SLOTS) < SLOTS / 10);
}

#define MARKED 20000
static GC_push_other_roots_proc push_others;
static uintptr_t hidden[MARKED];
static APART void hide_objects(void) {
  for (int i = 0; i < MARKED; i++)
    hidden[i] = ~(uintptr_t)watch_one(i);
}
static void mark_hidden(void) {
  push_others();
  for (int i = 0; i < MARKED; i++)
    GC_set_mark_bit((void *)~hidden[i]);
}
PART(marked_one_by_one) {
  watched = calloc(MARKED, sizeof *watched);
  GC_disable();
  in_thread(hide_objects);
  push_others = GC_get_push_other_roots();
  GC_set_push_other_roots(mark_hidden);
  GC_enable();
  collect();
  soil(1000, 100);
  CHECK(alive(watched, 0, MARKED) == MARKED);
  GC_set_push_other_roots(push_others);
  collect();
  CHECK(alive(watched, 0, MARKED) < MARKED / 10);
}

/* ---- Pointers into objects ---- */

#define EACH 300
static char **pointers; /* at the first byte, three behind it, eight behind it */

static APART void point_into_objects(void) {
  for (int i = 0; i < 3 * EACH; i++) {
    pointers[i] = watch_one(i) + (i < EACH ? 0 : i < 2 * EACH ? 3 : 8);
  }
}
static void *displaced; /* what the check of displacements complained about */
static void note_displaced(void *address) {
  displaced = address;
}
PART(interior) {
  pointers = GC_malloc(3 * EACH * sizeof *pointers);
  watched = calloc(3 * EACH, sizeof *watched);
  CHECK(pointers && watched && GC_get_all_interior_pointers() == 1);
  in_thread(point_into_objects);
  collect();
  CHECK(alive(watched, 0, 3 * EACH) == 3 * EACH);
  GC_set_all_interior_pointers(0);
  GC_register_displacement(0); /* so late, Debian's forgets it, and loses large objects */
  GC_register_displacement(3);
  char *volatile on_stack = pointers[2 * EACH];
  collect();
  CHECK(alive(watched, 0, 2 * EACH) == 2 * EACH);
  CHECK(on_stack && watched[2 * EACH] && alive(watched, 2 * EACH, 3 * EACH) < EACH / 10);
  GC_is_valid_displacement_print_proc = note_displaced;
  CHECK(GC_is_valid_displacement(pointers[EACH]) == pointers[EACH] && !displaced);
  CHECK(GC_is_valid_displacement(on_stack) == on_stack && displaced == on_stack);
  void *moved = pointers[0];
  CHECK(GC_post_incr(&moved, 3) == pointers[0] && displaced == on_stack);
  CHECK(GC_pre_incr(&moved, 1) == displaced);
}

/* The child's first thread is not the one whose stack was the first. */
static void *forks_in_thread(void *unused) {
  pid_t child = fork();
  if (child == 0) {
    struct GC_stack_base base;
    char *here = (char *)&base;
    bool good = GC_get_stack_base(&base) == GC_SUCCESS && (char *)base.mem_base > here &&
                (char *)base.mem_base - here < 64 << 20;
    _exit(good ? 0 : 1);
  }
  expect_child(child);
  return unused;
}

PART(fork_in_thread) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, forks_in_thread, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
}
