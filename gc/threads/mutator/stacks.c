/* SPDX-License-Identifier: MIT */
/* Stacks and registers of mutators as roots.
 *
 * A collection does not scan live stacks. It copies those words that lie inside the heap's range
 * into a list. That is as fast as scanning, keeps the words for a verification afterwards, and
 * does not mind if a thread in a blocking section goes on writing its stack.
 *
 * Of a thread in such a section it takes the words that were there when it entered. It looks at
 * the frames of that moment as well, because other threads store there: one that is waited for, its
 * result. Only a stack that the program has set (tide_stack_set_own) may be gone by then. */
#include "gc/threads/mutator/stacks.h"

#include <stdlib.h>

#include "gc/state/mutator.h"
#include "gc/threads/stop/registers.h"
#include "heap/space/find.h"
#include "heap/withheld/avoid.h"

/* Frames that a thread may enter between telling of a switch and switching. */
#define SWITCH_SLACK_BYTES 1024u

/* What a mutator keeps room for between two blocking sections. */
#define SECTION_WORDS_KEPT (16u * TD_ROOT_LIST_WORDS)

/* Where words are copied to, and which of them. Without a list, what they lead to is marked. */
struct look {
  struct td_root_list *list;
  uintptr_t base, bytes;        /* only words inside this range can be references */
  const struct tide_heap *heap; /* without a list */
  uint64_t *marked;             /* then: how many objects */
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

static TD_READS_STACKS uintptr_t stack_word(uintptr_t at) {
  return *(const uintptr_t *)at;
}

static void mark_words(const struct look *look, uintptr_t low, uintptr_t high) {
  const struct tide_heap *heap = look->heap;
  for (uintptr_t at = low; at + 8 <= high; at += 8) {
    uintptr_t word = stack_word(at);
    uintptr_t object = word - look->base < look->bytes
                           ? td_space_find_before(&heap->space, word, TD_FROM_STACK)
                           : 0;
    if (object) *look->marked += td_mark_from_outside(heap->markers, object);
  }
}

/* Returns false if the list refuses. */
static bool copy_words(const struct look *look, uintptr_t low, uintptr_t high) {
  low = (low + 7) & ~(uintptr_t)7;
  if (!look->list) {
    mark_words(look, low, high);
    return true;
  }
  while (low + 8 <= high) {
    size_t count = (high - low) / 8;
    if (count > TD_ROOT_LIST_WORDS) count = TD_ROOT_LIST_WORDS;
    uintptr_t *room = td_root_list_room(look->list);
    if (!room) return false;
    look->list->word_count += filter(room, look->base, look->bytes, (const uintptr_t *)low, count);
    low += count * 8;
  }
  return true;
}

/* A part of a stack, and those frames of the other stack that it refers to. */
static bool copy_part(const struct look *look, const struct tide_fiber_stack *stack, uintptr_t low,
                      uintptr_t high) {
  bool good = copy_words(look, low, high);
  void *begin, *end, *before = NULL;
  for (uintptr_t at = (low + 7) & ~(uintptr_t)7; good && stack->fake && at + 8 <= high; at += 8) {
    void *word = (void *)stack_word(at);
    if (!td_stack_fake_frame(stack->fake, word, &begin, &end) || begin == before) continue;
    good = copy_words(look, (uintptr_t)begin, (uintptr_t)end);
    before = begin;
  }
  return good;
}

/* ---- In a collection ---- */

static bool copy_saved(const struct look *look, const struct tide_fiber_stack *stack) {
  uintptr_t saved = (uintptr_t)stack->saved;
  return copy_part(look, stack, saved, saved + stack->saved_count * sizeof *stack->saved);
}

/* A stack that the mutator does not run on: from a little below where it left it, or from end to
 * end if it never ran there, for what made the stack may have put something on it. */
static bool copy_resting(const struct look *look, const struct tide_fiber_stack *stack) {
  bool deep = stack->left && stack->top - stack->low > SWITCH_SLACK_BYTES;
  return copy_part(look, stack, deep ? stack->top - SWITCH_SLACK_BYTES : stack->low, stack->high) &&
         copy_saved(look, stack);
}

/* A stack that a signal interrupted, whose handler has another: nobody knows how deep it was used,
 * so from end to end, without what its end is guarded by. */
static void copy_interrupted(const struct look *look, const struct tide_fiber_stack *stack) {
  uintptr_t low = stack->grows ? td_plat_stack_mapped(stack->high) : stack->low;
  while (low < stack->high && !td_plat_readable((low + 7) & ~(uintptr_t)7))
    low = (low / td_plat_page_bytes() + 1) * td_plat_page_bytes();
  copy_part(look, stack, low, stack->high);
  copy_saved(look, stack);
}

static void copy_running(const struct look *look, const struct tide_fiber_stack *running) {
  if (!td_stack_holds(running, running->top)) {
    td_plat_say("tidemark: a mutator stands at %#zx, outside the stack [%#zx, %#zx) it runs on; "
                "register the stack (tide_stack_register) and tell of the switch\n",
                (size_t)running->top, (size_t)running->low, (size_t)running->high);
    abort(); /* going on would free objects that the unknown stack holds */
  }
  copy_part(look, running, running->top, running->high);
}

/* Is the thread's own stack the one that the system gave it? */
static bool is_native(const struct tide_mutator *mutator) {
  return mutator->own.low == mutator->native.low && mutator->own.high == mutator->native.high;
}

static struct look look_of(const struct tide_heap *heap, struct td_root_list *list) {
  return (struct look){
      .list = list, .base = heap->space.base, .bytes = td_avoid_watched_bytes(&heap->space)};
}

/* The one that a signal handler with a stack of its own interrupted, or NULL. */
static const struct tide_fiber_stack *interrupted(const struct tide_mutator *mutator) {
  return mutator->running == &mutator->signal ? mutator->current : NULL;
}

void td_stacks_list_running(const struct tide_mutator *mutator, struct td_root_list *list) {
  if (mutator->stack_kind == TIDE_STACK_PRECISE) return;
  const struct look look = look_of(mutator->heap, list);
  const struct tide_fiber_stack *running = mutator->running;
  if (mutator->section_copied)
    copy_words(&look, (uintptr_t)mutator->section.words,
               (uintptr_t)(mutator->section.words + mutator->section.word_count));
  if (!mutator->section_copied || running != &mutator->own || is_native(mutator))
    copy_running(&look, running);
  if (interrupted(mutator)) copy_interrupted(&look, interrupted(mutator));
}

static bool rests(const struct tide_mutator *mutator, const struct tide_fiber_stack *stack) {
  return stack != mutator->running && stack != interrupted(mutator);
}

void td_stacks_list_resting(const struct tide_mutator *mutator, struct td_root_list *list) {
  if (mutator->stack_kind == TIDE_STACK_PRECISE) return;
  const struct look look = look_of(mutator->heap, list);
  if (rests(mutator, &mutator->own)) copy_resting(&look, &mutator->own);
  for (struct tide_fiber_stack *f = mutator->fibers; f; f = f->next)
    if (rests(mutator, f)) copy_resting(&look, f);
}

/* ---- Beside the program ---- */

/* What lies beyond was not there when marking began. */
static struct look look_beside(const struct tide_heap *heap) {
  return (struct look){.base = heap->space.base,
                       .bytes = (uintptr_t)heap->space.view_frontier << TD_BLOCK_LOG2,
                       .heap = heap};
}

bool td_stacks_copy(const struct tide_heap *heap, const struct tide_fiber_stack *stack,
                    struct td_root_list *list) {
  struct look look = look_beside(heap);
  look.list = list;
  return copy_resting(&look, stack);
}

uint64_t td_stacks_mark(const struct tide_heap *heap, const struct tide_fiber_stack *stack) {
  uint64_t marked = 0;
  struct look look = look_beside(heap);
  look.marked = &marked;
  (void)copy_resting(&look, stack);
  return marked;
}

/* ---- For a blocking section ---- */

bool td_stacks_keep(struct tide_mutator *mutator) {
  if (mutator->stack_kind == TIDE_STACK_PRECISE) return true;
  const struct td_space *space = &mutator->heap->space;
  const struct tide_fiber_stack *running = mutator->running;
  /* The range as it can become at most: others may move the frontier just now. */
  const struct look look = {
      .list = &mutator->section, .base = space->base, .bytes = space->reserved_bytes};
  td_root_list_clear(&mutator->section);
  /* On a stack that was not told of: the next collection says so. */
  if (!td_stack_holds(running, running->top)) return true;
  mutator->section_copied = copy_part(&look, running, running->top, running->high);
  return mutator->section_copied;
}

void td_stacks_drop(struct tide_mutator *mutator) {
  mutator->section_copied = false;
  if (mutator->section.word_capacity > SECTION_WORDS_KEPT) td_stacks_close(mutator);
}

void td_stacks_close(struct tide_mutator *mutator) {
  td_root_list_deinit(&mutator->section);
}
