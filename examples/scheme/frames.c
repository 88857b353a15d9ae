/* SPDX-License-Identifier: MIT */
/* The virtual machine's stack, procedures, and continuations: see vm.h. */
#include "vm.h"

#include <string.h>

struct machine machine;

enum { STACK_WORDS = 1 << 16, STACK_SPARE = 64 };

static value stack[STACK_WORDS];

struct mem_range vm_stack(void) {
  return (struct mem_range){machine.sp = stack, &machine.sp};
}

void stack_start(value underflow) {
  stack[RETURN_FRAME] = 0;
  stack[RETURN_CLOSURE] = underflow;
  stack[RETURN_TO] = (value)((struct closure *)underflow)->code->program | 1;
  machine.bottom = machine.sp = machine.fp = stack + RETURN_WORDS;
  machine.limit = stack + STACK_WORDS - STACK_SPARE;
}

/* ---- Procedures ------------------------------------------------------------------------------ */

value make_procedure(value name, intptr_t parameters, intptr_t room, const value *words,
                     size_t count) {
  struct code *code = mem_refs(sizeof *code + count * sizeof(value));
  code->header = make_header(T_CODE, count);
  code->name = name;
  code->parameters = parameters;
  code->room = room;
  memcpy(code->program, words, count * sizeof(value));
  return make_closure(code, NULL, 0);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

void move_frames(void) {
  value newest = NIL, last = NIL;
  value *end = machine.fp; /* of the next frame to move, and of the return information above it */
  while (end > machine.bottom) {
    size_t words = RETURN_WORDS + end[RETURN_FRAME - RETURN_WORDS];
    value segment = make_object(T_SEGMENT, SEGMENT_WORDS + words);
    slots_of(segment)[SEGMENT_BELOW] = NIL;
    end -= words;
    memcpy(slots_of(segment) + SEGMENT_WORDS, end, words * sizeof(value));
    if (last == NIL)
      newest = segment;
    else
      set_slot(last, SEGMENT_BELOW, segment);
    last = segment;
  }
  if (last != NIL) {
    set_slot(last, SEGMENT_BELOW, globals.frames);
    globals.frames = newest;
  }
  memmove(machine.bottom, machine.fp, (size_t)(machine.sp - machine.fp) * sizeof(value));
  machine.sp = machine.bottom + (machine.sp - machine.fp);
  machine.fp = machine.bottom;
}

void make_room(intptr_t words) {
  if (machine.sp + words <= machine.limit) return;
  move_frames();
  if (machine.sp + words > machine.limit) fail_list("too many arguments:", cons(fix(words), NIL));
}

/* ---- Continuations ----------------------------------------------------------------------------
 */

/* A continuation is a procedure that consists of THROW. Its captured values are what to restore. */
enum { CAPTURED_FRAMES, CAPTURED_HANDLERS, CAPTURED_WINDERS, CAPTURED_COUNT };

value capture_continuation(void) {
  const value state[] = {globals.frames, globals.handlers, globals.winders};
  return make_closure(((struct closure *)globals.thrower)->code, state, CAPTURED_COUNT);
}

/* Restores the continuation and makes the frame's arguments one value to return to it. Returns
 * false if before and after thunks have to run first. Then it prepares a call of %rewind, which
 * runs them and throws again. */
bool throw_values(void) {
  const value *state = machine.self->captured;
  value result = make_values((int)machine.arguments, machine.fp);
  if (state[CAPTURED_WINDERS] == globals.winders) {
    globals.frames = state[CAPTURED_FRAMES];
    globals.handlers = state[CAPTURED_HANDLERS];
    machine.fp = machine.bottom;
    machine.accumulator = result;
    return true;
  }
  machine.fp[0] = (value)machine.self;
  machine.fp[1] = state[CAPTURED_WINDERS];
  machine.fp[2] = result;
  machine.sp = machine.fp + 3;
  machine.arguments = 3;
  machine.accumulator = symbol_of(intern_c("%rewind"))->global;
  return false;
}
