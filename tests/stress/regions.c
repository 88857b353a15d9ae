/* SPDX-License-Identifier: MIT */
/* References that a thread moves while it is in a blocking section: into a register that calls
 * preserve, out of a frame that returns, into memory that nobody looks at. What was on the stack
 * when the region began stays alive. Compilers differ in what they do here, so this program is
 * built with more than one. */
#include "tests/stress/list.h"

#define ALONE __attribute__((noinline))

enum { FAR = 4096, NUMBER = 4711 };

static struct tide_heap *heap;
static struct tide_mutator *m;
static tide_layout layout;
static pthread_barrier_t turn;
static void *volatile nowhere;

static struct node *make(uint64_t number) {
  return list_node(m, layout, number);
}

/* Another thread: collects while the first is in its region, and reuses what it frees. */
static void *collect_meanwhile(void *rounds) {
  struct tide_mutator *mine = ATTACH(heap, .stack = TIDE_STACK_PRECISE);
  for (uint64_t i = 0; i < *(uint64_t *)rounds; i++) {
    BLOCKED(mine, pthread_barrier_wait(&turn));
    for (int k = 0; k < 3; k++) {
      CHECK(tide_collect(mine) == TIDE_OK);
      for (int n = 0; n < 3000; n++)
        list_node(mine, layout, 1);
    }
    BLOCKED(mine, pthread_barrier_wait(&turn));
  }
  tide_detach(mine);
  return NULL;
}

/* Nothing is left of frames that have returned. */
static ALONE void scribble(void) {
  volatile char bytes[2 * FAR];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = 0;
}

static ALONE void wait_for_collections(void) {
  scribble();
  pthread_barrier_wait(&turn);
  pthread_barrier_wait(&turn);
}

/* From a slot far up the stack into a register. */
static ALONE uint64_t into_register(struct node *volatile *slot) {
  volatile char far[FAR];
  memset((char *)far, 0, FAR);
  tide_blocking_enter(m);
  struct node *node = *slot;
  *slot = NULL;
  __asm__ volatile("" : "+r"(node));
  wait_for_collections();
  __asm__ volatile("" : "+r"(node));
  tide_blocking_leave(m);
  return node->number + (uint64_t)far[17];
}

static ALONE uint64_t move_into_register(void) {
  struct node *volatile slot = make(NUMBER);
  return into_register(&slot);
}

/* A frame that holds the reference returns after it has entered the region. */
static ALONE struct node *enter_with(uint64_t number) {
  struct node *volatile slot = make(number);
  volatile char far[FAR];
  memset((char *)far, 0, FAR);
  scribble();
  tide_blocking_enter(m);
  return slot + far[17];
}

static ALONE uint64_t return_from_frame(void) {
  struct node *node = enter_with(NUMBER);
  wait_for_collections();
  tide_blocking_leave(m);
  return node->number;
}

/* Into memory that is no root, and back. */
static ALONE uint64_t into_memory(struct node *volatile *slot) {
  volatile char far[FAR];
  memset((char *)far, 0, FAR);
  tide_blocking_enter(m);
  nowhere = *slot;
  *slot = NULL;
  wait_for_collections();
  *slot = nowhere;
  nowhere = NULL;
  tide_blocking_leave(m);
  return (*slot)->number + (uint64_t)far[17];
}

static ALONE uint64_t move_into_memory(void) {
  struct node *volatile slot = make(NUMBER);
  return into_memory(&slot);
}

/* Variables whose address others know: AddressSanitizer may keep them on a stack of its own. */
static struct node *volatile *volatile known;

static ALONE uint64_t watched(void) {
  struct node *volatile slots[100];
  known = slots;
  for (uint64_t i = 0; i < 100; i++)
    known[i] = make(NUMBER);
  tide_blocking_enter(m);
  struct node *node = known[99];
  for (uint64_t i = 0; i < 100; i++)
    known[i] = NULL;
  __asm__ volatile("" : "+r"(node));
  wait_for_collections();
  tide_blocking_leave(m);
  return node->number;
}

/* More references than there are registers that a call preserves, and nothing else to put there. */
static ALONE uint64_t wait_with_registers(void (*enter)(void)) {
  struct node *a = make(1), *b = make(2), *c = make(4), *d = make(8), *e = make(16), *f = make(32),
              *g = make(64), *h = make(NUMBER - 127);
  enter();
  wait_for_collections();
  tide_blocking_leave(m);
  return a->number + b->number + c->number + d->number + e->number + f->number + g->number +
         h->number;
}

static ALONE void enter_directly(void) {
  tide_blocking_enter(m);
}

static int zeroes[7];

/* Uses all preserved registers itself, so that the caller's lie in its own frame. */
static ALONE void enter_and_return(void) {
  int a = zeroes[0], b = zeroes[1], c = zeroes[2], d = zeroes[3], e = zeroes[4], f = zeroes[5];
  __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
  tide_blocking_enter(m);
  zeroes[6] = a + b + c + d + e + f;
}

static ALONE uint64_t stay_in_registers(void) {
  return wait_with_registers(enter_directly);
}

static ALONE uint64_t stay_in_a_wrapper_s_frame(void) {
  return wait_with_registers(enter_and_return);
}

/* Deep, so that the words need a longer list. */
static ALONE uint64_t deep(struct node *below, int depth) {
  struct node *volatile mine = make((uint64_t)depth);
  struct node *volatile before = below;
  uint64_t sum = depth > 0 ? deep(mine, depth - 1) : move_into_register() - NUMBER;
  return sum + mine->number + (before ? 1 : 0);
}

static ALONE uint64_t from_deep(void) {
  uint64_t depth = 3000;
  return deep(NULL, (int)depth) - depth * (depth + 1) / 2 - depth + NUMBER;
}

int main(int count, char **arguments) {
  uint64_t rounds = argument(count, arguments, 1, 20), turns;
  uint64_t (*const ways[])(void) = {
      move_into_register, return_from_frame, move_into_memory,         watched,
      from_deep,          stay_in_registers, stay_in_a_wrapper_s_frame};
  size_t kinds = sizeof ways / sizeof *ways;
  heap = HEAP(.heap_max_bytes = (size_t)64 << 20);
  m = ATTACH(heap);
  layout = list_layout(heap);
  pthread_barrier_init(&turn, NULL, 2);
  turns = rounds * kinds;
  pthread_t thread = thread_new(collect_meanwhile, &turns);
  for (uint64_t i = 0; i < rounds; i++)
    for (size_t k = 0; k < kinds; k++) {
      uint64_t number = ways[k]();
      if (number == NUMBER) continue;
      fprintf(stderr, "way %zu, round %" PRIu64 ": lost, %" PRIu64 "\n", k, i, number);
      return 1;
    }
  thread_end(m, thread);
  heap_end(heap, m);
  return 0;
}
