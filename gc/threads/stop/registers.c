/* SPDX-License-Identifier: MIT */
#include "gc/threads/stop/registers.h"

#include <stdlib.h>
#include <string.h>

#include "gc/threads/thread.h"

/* Frames of functions that wrap tide_stack_switch and return before the switch. */
#define WRAPPER_BYTES 512u

/* With detect_stack_use_after_return, which some compilers have for their default, AddressSanitizer
 * keeps variables in a stack of its own; frames refer to it. Absent in programs without it. */
extern void *__asan_get_current_fake_stack(void) __attribute__((weak));
extern void *__asan_addr_is_in_fake_stack(void *fake, void *address, void **begin, void **end)
    __attribute__((weak));

static void *current_fake(void) {
  return __asan_get_current_fake_stack && __asan_addr_is_in_fake_stack
             ? __asan_get_current_fake_stack()
             : NULL;
}

bool td_stack_holds(const struct tide_fiber_stack *stack, uintptr_t address) {
  if (address - stack->low < stack->high - stack->low) return true;
  return stack->grows && address < stack->low && td_plat_stack_reaches(address, stack->high);
}

/* A signal may stop the thread between its telling of a switch and the switch. Returns NULL if the
 * address is on none of the stacks that are known. */
static struct tide_fiber_stack *stack_below(struct tide_mutator *m, uintptr_t here) {
  if (m->stack_kind == TIDE_STACK_PRECISE || td_stack_holds(m->current, here)) return m->current;
  if (!m->stop_signal) return NULL;
  if (td_stack_holds(&m->own, here)) return &m->own;
  for (struct tide_fiber_stack *f = m->fibers; f; f = f->next)
    if (td_stack_holds(f, here)) return f;
  return td_stack_holds(&m->native, here) ? &m->native : NULL;
}

static void place(struct tide_mutator *m, uintptr_t here, void *fake) {
  m->running = stack_below(m, here);
  if (!m->running)
    m->running =
        td_plat_signal_stack(here, &m->signal.low, &m->signal.high) ? &m->signal : m->current;
  m->current->fake = fake; /* a handler's frames, and those it interrupted, have one in common */
  m->running->top = here;
  m->running->fake = fake;
  if (m->running == m->current) m->running->saved_count = 0;
}

void td_stack_place(struct tide_mutator *mutator) {
  const struct tide_fiber_stack stood = *mutator->running;
  if (mutator->running == &mutator->signal) return;
  struct tide_fiber_stack *below = stack_below(mutator, stood.top);
  mutator->running = below ? below : mutator->current;
  mutator->running->top = stood.top;
  mutator->running->fake = stood.fake;
  if (mutator->running == mutator->current) mutator->running->saved_count = 0;
}

static TD_READS_STACKS void call_inside(void (*run)(void *), void *argument) {
  for (struct tide_mutator *m = td_thread_mutators(); m; m = m->thread_next) {
    if (m->section_safe) continue; /* described when the section was entered */
    place(m, (uintptr_t)__builtin_frame_address(0), current_fake());
  }
  run(argument);
}

TD_READS_STACKS void td_stack_call(void (*run)(void *argument), void *argument) {
  /* Makes this function save every callee-saved register in its frame, which lies above the
   * frame of call_inside, and therefore in the part of the stack that is looked at. */
  __builtin_unwind_init();
  call_inside(run, argument);
  __asm__ volatile("" ::: "memory"); /* not a tail call: the frame must stay */
}

/* Marking goes down by 5 KiB, 3 of them full of references. */
#define USED_BYTES 6144u

TD_READS_STACKS void td_stack_clear_below(void) {
  char used[USED_BYTES];
  memset(used, 0, sizeof used);
  __asm__ volatile("" : : "r"(used) : "memory"); /* the zeroes are wanted */
}

/* The stack is described from `end` on, the frame of the embedder's function. What lies below it is
 * copied: our own frames, which hold that function's registers, some in the one and some in the
 * other. A little more is copied, because that function may be one that only wraps the call and
 * returns as well. */
static TD_READS_STACKS void copy_frames(struct tide_fiber_stack *stack, uintptr_t end) {
  uintptr_t start = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)7;
  uintptr_t most = start + sizeof stack->saved, wanted = end + WRAPPER_BYTES;
  uint32_t count = 0;
  if (end > most) {
    td_plat_say("tidemark: frames of %zu bytes are too large to keep\n", end - start);
    abort(); /* or a register's object would be lost: never as this file is compiled */
  }
  if (wanted > most) wanted = most;
  if (wanted > stack->high) wanted = stack->high;
  for (uintptr_t at = start; at < wanted; at += 8)
    stack->saved[count++] = *(const uintptr_t *)at;
  stack->saved_count = count;
  stack->top = end;
  stack->fake = current_fake();
}

TD_READS_STACKS void td_stack_describe_left(struct tide_fiber_stack *stack, void *end) {
  __builtin_unwind_init();
  copy_frames(stack, (uintptr_t)end);
  __asm__ volatile("" ::: "memory");
}

bool td_stack_fake_frame(void *fake, void *word, void **begin, void **end) {
  return __asan_addr_is_in_fake_stack(fake, word, begin, end) != NULL;
}
