/* Stacks and registers of mutators as roots.
 *
 * A collection does not scan live stacks. It copies those words that lie inside the heap's range
 * into a list. That is as fast as scanning, keeps the words for a verification afterwards, and
 * does not mind if a thread in a blocking region goes on writing its stack. */
#include "gc/mutator/stacks.h"

#include <stdio.h>
#include <stdlib.h>

#include "gc/stop/registers.h"

/* Frames that a thread may enter between telling of a switch and switching. */
#define SWITCH_SLACK_BYTES 1024u

/* Where words are copied to, and which of them. */
struct look {
  struct td_root_sink *sink;
  uintptr_t base, bytes; /* only words inside this range can be references */
};

static TD_READS_STACKS size_t filter(uintptr_t *out, uintptr_t base, uintptr_t bytes,
                                     const uintptr_t *at, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    out[found] = at[i];
    found += at[i] - base < bytes;
  }
  return found;
}

static void copy_words(const struct look *look, uintptr_t low, uintptr_t high) {
  low = (low + 7) & ~(uintptr_t)7;
  while (low + 8 <= high) {
    size_t count = (high - low) / 8;
    if (count > TD_SINK_WORDS) count = TD_SINK_WORDS;
    uintptr_t *room = look->sink->room(look->sink);
    look->sink->copied(look->sink,
                       filter(room, look->base, look->bytes, (const uintptr_t *)low, count));
    low += count * 8;
  }
}

static TD_READS_STACKS uintptr_t stack_word(uintptr_t at) {
  return *(const uintptr_t *)at;
}

/* A part of a stack, and those frames of the other stack that it refers to. */
static void copy_part(const struct look *look, const struct tide_fiber_stack *stack, uintptr_t low,
                      uintptr_t high) {
  copy_words(look, low, high);
  void *begin, *end, *before = NULL;
  for (uintptr_t at = (low + 7) & ~(uintptr_t)7; stack->fake && at + 8 <= high; at += 8) {
    void *word = (void *)stack_word(at);
    if (!td_stack_fake_frame(stack->fake, word, &begin, &end) || begin == before) continue;
    copy_words(look, (uintptr_t)begin, (uintptr_t)end);
    before = begin;
  }
}

static void copy_saved(const struct look *look, const struct tide_fiber_stack *stack) {
  uintptr_t saved = (uintptr_t)stack->saved;
  copy_part(look, stack, saved, saved + stack->saved_count * sizeof *stack->saved);
}

/* A stack that the mutator does not run on: from a little below where it left it, or from end to
 * end if it never ran there, for whoever made the stack may have put something on it. */
static void copy_resting(const struct look *look, const struct tide_fiber_stack *stack) {
  bool deep = stack->left && stack->top - stack->low > SWITCH_SLACK_BYTES;
  copy_part(look, stack, deep ? stack->top - SWITCH_SLACK_BYTES : stack->low, stack->high);
  copy_saved(look, stack);
}

void td_stacks_emit(const struct tide_mutator *mutator, struct td_root_sink *sink) {
  if (mutator->stack_kind == TIDE_STACK_PRECISE) return;
  const struct td_space *space = &mutator->heap->space;
  const struct look look = {
      .sink = sink, .base = space->base, .bytes = (uintptr_t)space->frontier << TD_BLOCK_LOG2};
  struct tide_fiber_stack *current = mutator->current;
  if (!td_stack_holds(current, current->top)) {
    fprintf(stderr,
            "tidemark: a mutator stands at %#zx, outside the stack [%#zx, %#zx) it runs on; "
            "register the stack (tide_stack_register) and tell of the switch\n",
            (size_t)current->top, (size_t)current->low, (size_t)current->high);
    abort(); /* going on would free objects that the unknown stack holds */
  }
  copy_part(&look, current, current->top, current->high);
  copy_saved(&look, current);
  if (current != &mutator->own) copy_resting(&look, &mutator->own);
  for (struct tide_fiber_stack *f = mutator->fibers; f; f = f->next)
    if (f != current) copy_resting(&look, f);
}
