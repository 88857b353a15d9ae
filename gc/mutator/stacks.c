/* Stacks, registers, fibers. */
#include "gc/mutator/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gc/mutator/attach.h"
#include "gc/roots/set.h"
#include "gc/stop/world.h"

/* Reading whole stacks means reading red zones and other threads' frames on purpose. */
#define READS_STACKS __attribute__((no_sanitize("address", "thread", "undefined"), noinline))

/* Frames that a thread entered between telling of a switch and switching. */
#define SWITCH_SLACK_BYTES 1024u
/* Frames of functions that wrap tide_blocking_enter and return before the region ends. */
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

static READS_STACKS void call_inside(void (*run)(void *), void *argument) {
  for (struct tide_mutator *m = td_thread_mutators(); m; m = m->thread_next) {
    if (m->blocking_depth) continue; /* described when the region was entered */
    m->current->top = (uintptr_t)__builtin_frame_address(0);
    m->current->saved_count = 0;
    m->current->fake = current_fake();
  }
  run(argument);
}

READS_STACKS void td_stack_call(void (*run)(void *argument), void *argument) {
  /* Makes this function save every callee-saved register in its frame, which lies above the
   * frame of call_inside, and therefore in the part of the stack that is looked at. */
  __builtin_unwind_init();
  call_inside(run, argument);
  __asm__ volatile("" ::: "memory"); /* not a tail call: the frame must stay */
}

/* As td_stack_call, but for the time after the embedder's call has returned: the stack is described
 * from `end` on, the frame of the embedder's function, and what lies below it is copied: our own
 * frames, which hold its registers, some in the one and some in the other. A little more is copied,
 * because that function may be one that only wraps the call and returns as well. */
static READS_STACKS void copy_frames(struct tide_fiber_stack *stack, uintptr_t end) {
  uintptr_t start = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)7;
  uintptr_t most = start + sizeof stack->saved, wanted = end + WRAPPER_BYTES;
  uint32_t count = 0;
  if (end > most) {
    fprintf(stderr, "tidemark: frames of %zu bytes are too large to keep\n", end - start);
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

static READS_STACKS void describe_for_later(struct tide_fiber_stack *stack, void *end) {
  __builtin_unwind_init();
  copy_frames(stack, (uintptr_t)end);
  __asm__ volatile("" ::: "memory");
}

bool td_stack_init(struct tide_mutator *mutator) {
  void *low, *high;
  if (!td_plat_stack_bounds(&low, &high)) return false;
  mutator->own = (struct tide_fiber_stack){.low = (uintptr_t)low, .high = (uintptr_t)high};
  mutator->own.top = mutator->own.high;
  mutator->current = &mutator->own;
  mutator->fibers = NULL;
  return true;
}

void td_stack_deinit(struct tide_mutator *mutator) {
  while (mutator->fibers) {
    struct tide_fiber_stack *next = mutator->fibers->next;
    free(mutator->fibers);
    mutator->fibers = next;
  }
  mutator->current = &mutator->own;
}

/* ---- Looking ---- */

/* Words in pieces, so that room is made for what may be found without testing at every word. */
#define PIECE_WORDS 512u
_Static_assert(PIECE_WORDS <= TD_STACK_WORDS_MIN, "a piece always fits an empty list");

static void make_room(struct tide_heap *heap) {
  struct td_root_set *roots = &heap->roots;
  if (roots->stack_word_capacity - roots->stack_word_count >= PIECE_WORDS) return;
  size_t capacity = roots->stack_word_capacity * 2;
  uintptr_t *larger = realloc(roots->stack_words, capacity * sizeof *larger);
  if (larger) {
    roots->stack_words = larger;
    roots->stack_word_capacity = capacity;
  } else {
    td_roots_flush_words(heap);
  }
}

static READS_STACKS size_t filter(uintptr_t *out, uintptr_t base, uintptr_t bytes,
                                  const uintptr_t *at, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    out[found] = at[i];
    found += at[i] - base < bytes;
  }
  return found;
}

static void collect_words(struct tide_heap *heap, uintptr_t low, uintptr_t high) {
  struct td_root_set *roots = &heap->roots;
  uintptr_t base = heap->space.base;
  uintptr_t bytes = (uintptr_t)heap->space.frontier << TD_BLOCK_LOG2;
  low = (low + 7) & ~(uintptr_t)7;
  while (low + 8 <= high) {
    size_t count = (high - low) / 8;
    if (count > PIECE_WORDS) count = PIECE_WORDS;
    make_room(heap);
    roots->stack_word_count += filter(roots->stack_words + roots->stack_word_count, base, bytes,
                                      (const uintptr_t *)low, count);
    low += count * 8;
  }
}

static READS_STACKS uintptr_t stack_word(uintptr_t at) {
  return *(const uintptr_t *)at;
}

/* A part of a stack, and those frames of the other stack that it refers to. */
static void collect_part(struct tide_heap *heap, const struct tide_fiber_stack *stack,
                         uintptr_t low, uintptr_t high) {
  collect_words(heap, low, high);
  void *begin, *end, *before = NULL;
  for (uintptr_t at = (low + 7) & ~(uintptr_t)7; stack->fake && at + 8 <= high; at += 8) {
    void *word = (void *)stack_word(at);
    if (!__asan_addr_is_in_fake_stack(stack->fake, word, &begin, &end) || begin == before) continue;
    collect_words(heap, (uintptr_t)begin, (uintptr_t)end);
    before = begin;
  }
}

static bool holds(const struct tide_fiber_stack *stack, uintptr_t address) {
  return address - stack->low < stack->high - stack->low;
}

static void collect_saved(struct tide_heap *heap, const struct tide_fiber_stack *stack) {
  uintptr_t saved = (uintptr_t)stack->saved;
  collect_part(heap, stack, saved, saved + stack->saved_count * sizeof *stack->saved);
}

/* A stack that the mutator does not run on: from a little below where it left it, or from end to
 * end if it never ran there, for whoever made the stack may have put something on it. */
static void collect_resting(struct tide_heap *heap, const struct tide_fiber_stack *stack) {
  bool deep = stack->left && stack->top - stack->low > SWITCH_SLACK_BYTES;
  collect_part(heap, stack, deep ? stack->top - SWITCH_SLACK_BYTES : stack->low, stack->high);
  collect_saved(heap, stack);
}

void td_stack_collect(struct tide_heap *heap, struct tide_mutator *mutator) {
  if (mutator->stack_kind == TIDE_STACK_PRECISE) return;
  struct tide_fiber_stack *current = mutator->current;
  if (!holds(current, current->top)) {
    fprintf(stderr,
            "tidemark: a mutator stands at %#zx, outside the stack [%#zx, %#zx) it runs on; "
            "register the stack (tide_stack_register) and tell of the switch\n",
            (size_t)current->top, (size_t)current->low, (size_t)current->high);
    abort(); /* going on would free objects that the unknown stack holds */
  }
  collect_part(heap, current, current->top, current->high);
  collect_saved(heap, current);
  if (current != &mutator->own) collect_resting(heap, &mutator->own);
  for (struct tide_fiber_stack *f = mutator->fibers; f; f = f->next)
    if (f != current) collect_resting(heap, f);
}

/* ---- Blocking regions ---- */

READS_STACKS void tide_blocking_enter(struct tide_mutator *mutator) {
  if (!td_mutator_check(mutator, "tide_blocking_enter")) return;
  if (mutator->blocking_depth++ > 0) return;
  describe_for_later(mutator->current, __builtin_dwarf_cfa());
  td_mutator_show_runs(mutator);
  td_world_enter_safe(mutator);
}

/* A stop is under way. Until here the mutator counted as blocked, so that its description from
 * the region's start has stayed as a collector may be reading it. */
static void leave_when_possible(void *argument) {
  struct tide_mutator *mutator = argument;
  td_thread_enter_safe(NULL);
  mutator->blocking_depth = 0;
  td_thread_leave_safe(NULL);
}

void tide_blocking_leave(struct tide_mutator *mutator) {
  if (!td_mutator_check(mutator, "tide_blocking_leave")) return;
  if (mutator->blocking_depth == 0) {
    td_misuse("tide_blocking_leave without tide_blocking_enter");
    return;
  }
  if (mutator->blocking_depth > 1) {
    mutator->blocking_depth--;
    return;
  }
  if (td_world_try_leave_safe(mutator))
    mutator->blocking_depth = 0;
  else
    td_stack_call(leave_when_possible, mutator);
  td_mutator_show_runs(mutator);
}

/* ---- Fibers ---- */

static struct tide_fiber_stack **link_of(struct tide_mutator *mutator,
                                         const struct tide_fiber_stack *stack) {
  struct tide_fiber_stack **link = &mutator->fibers;
  while (*link && *link != stack)
    link = &(*link)->next;
  return *link ? link : NULL;
}

struct tide_fiber_stack *tide_stack_register(struct tide_mutator *mutator, void *low, void *high,
                                             struct tide_error *error) {
  uintptr_t from = (uintptr_t)low, to = (uintptr_t)high;
  if (!td_mutator_may_act(mutator, "tide_stack_register")) {
    td_fail(error, TIDE_ERROR_STATE, "tide_stack_register: not this thread's mutator");
    return NULL;
  }
  if (from == 0 || from % 8 || to % 8 || to <= from) {
    td_fail(error, TIDE_ERROR_ARGUMENT,
            "tide_stack_register: [%p, %p) is no stack: word-aligned bounds in order are needed",
            low, high);
    return NULL;
  }
  for (struct tide_fiber_stack *f = mutator->fibers; f; f = f->next) {
    if (from < f->high && f->low < to) {
      td_fail(error, TIDE_ERROR_STATE, "tide_stack_register: [%p, %p) overlaps a registered stack",
              low, high);
      return NULL;
    }
  }
  struct tide_fiber_stack *stack = calloc(1, sizeof *stack);
  if (!stack) {
    td_fail(error, TIDE_ERROR_MEMORY, "tide_stack_register: out of memory");
    return NULL;
  }
  stack->low = from;
  stack->high = to;
  stack->top = to;
  stack->next = mutator->fibers;
  mutator->fibers = stack;
  return stack;
}

READS_STACKS enum tide_status tide_stack_switch(struct tide_mutator *mutator,
                                                struct tide_fiber_stack *to) {
  if (!td_mutator_may_act(mutator, "tide_stack_switch")) return TIDE_ERROR_STATE;
  if (to && !link_of(mutator, to)) return TIDE_ERROR_ARGUMENT;
  struct tide_fiber_stack *from = mutator->current;
  from->left = mutator->stack_kind == TIDE_STACK_PRECISE ||
               holds(from, (uintptr_t)__builtin_frame_address(0));
  if (!from->left && from == &mutator->own) {
    td_misuse("tide_stack_switch: mutator %p has left its thread's stack already; tell before",
              (void *)mutator);
    return TIDE_ERROR_STATE;
  }
  from->saved_count = 0;
  if (from->left) describe_for_later(from, __builtin_dwarf_cfa()); /* else a fiber that has ended */
  mutator->current = to ? to : &mutator->own;
  mutator->current->saved_count = 0;
  mutator->current->left = false;
  return TIDE_OK;
}

enum tide_status tide_stack_unregister(struct tide_mutator *mutator,
                                       struct tide_fiber_stack *stack) {
  if (!td_mutator_may_act(mutator, "tide_stack_unregister")) return TIDE_ERROR_STATE;
  struct tide_fiber_stack **link = link_of(mutator, stack);
  if (!stack || !link) return TIDE_ERROR_ARGUMENT;
  if (mutator->current == stack) return TIDE_ERROR_STATE;
  *link = stack->next;
  free(stack);
  return TIDE_OK;
}
