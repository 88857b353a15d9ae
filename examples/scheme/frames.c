/* Frames between stack and heap, continuations. */
#include "machine.h"

#include <string.h>

struct machine machine;

static value stack[STACK_WORDS];

value *machine_stack(void) {
  return stack;
}

void machine_start(value underflow) {
  stack[RETURN_FRAME] = 0;
  stack[RETURN_CLOSURE] = underflow;
  stack[RETURN_TO] = (value)((struct closure *)underflow)->code->program | 1;
  machine.bottom = machine.sp = machine.fp = stack + RETURN_WORDS;
  machine.limit = stack + STACK_WORDS - STACK_SPARE;
}

/* ---- Frames --------------------------------------------------------------------------------- */

void move_frames(void) {
  size_t words = (size_t)(machine.fp - machine.bottom);
  if (words == 0) return;
  value segment = make_object(T_SEGMENT, SEGMENT_WORDS + words);
  slots_of(segment)[SEGMENT_PARENT] = globals.parent;
  slots_of(segment)[SEGMENT_PARENT_LENGTH] = globals.parent_length;
  memcpy(slots_of(segment) + SEGMENT_WORDS, machine.bottom, words * sizeof(value));
  globals.parent = segment;
  globals.parent_length = fix((int64_t)words);
  memmove(machine.bottom, machine.fp, (size_t)(machine.sp - machine.fp) * sizeof(value));
  machine.sp -= words;
  machine.fp -= words;
}

bool fetch_frame(void) {
  if (globals.parent == NIL) return false;
  value segment = globals.parent;
  value *end = slots_of(segment) + SEGMENT_WORDS + unfix(globals.parent_length);
  const value *back = end - RETURN_WORDS;
  size_t words = back[RETURN_FRAME];
  memcpy(machine.bottom, back - words, words * sizeof(value));
  machine.fp = machine.bottom;
  machine.sp = machine.fp + words;
  machine.self = (struct closure *)back[RETURN_CLOSURE];
  machine.pc = (const value *)(back[RETURN_TO] - 1);
  int64_t left = unfix(globals.parent_length) - (int64_t)words - RETURN_WORDS;
  globals.parent_length = fix(left);
  if (left == 0) {
    globals.parent = slots_of(segment)[SEGMENT_PARENT];
    globals.parent_length = slots_of(segment)[SEGMENT_PARENT_LENGTH];
  }
  return true;
}

void make_room(intptr_t words) {
  if (machine.sp + words <= machine.limit) return;
  move_frames();
  if (machine.sp + words > machine.limit) fail_list("too many arguments:", cons(fix(words), NIL));
}

value capture_continuation(void) {
  value k = make_object(T_CONTINUATION, CONTINUATION_SLOTS);
  slots_of(k)[CONTINUATION_PARENT] = globals.parent;
  slots_of(k)[CONTINUATION_LENGTH] = globals.parent_length;
  slots_of(k)[CONTINUATION_WINDERS] = globals.winders;
  slots_of(k)[CONTINUATION_HANDLERS] = globals.handlers;
  return k;
}

void enter_continuation(value k) {
  globals.parent = slots_of(k)[CONTINUATION_PARENT];
  globals.parent_length = slots_of(k)[CONTINUATION_LENGTH];
  globals.handlers = slots_of(k)[CONTINUATION_HANDLERS];
  machine.sp = machine.fp = machine.bottom;
}
