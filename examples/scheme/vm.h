/* SPDX-License-Identifier: MIT */
/* The virtual machine's registers and stack, which vm.c and frames.c share.
 *
 * The stack holds frames: three words of return information {words of the caller's frame,
 * caller's closure, where to go on (address | 1, so that it is no reference)}, then the callee's
 * parameters, variables and temporaries. At the bottom stands return information that leads to
 * the UNDERFLOW instruction, which fetches the next frame from the heap: call/cc and a full stack
 * move all frames there, as a list of segments, and each return brings one back. So recursion is
 * as deep as the heap allows, and a continuation can be entered many times. */
#ifndef EXAMPLES_SCHEME_VM_H
#define EXAMPLES_SCHEME_VM_H

#include "opcodes.h"

#include <string.h>

/* The registers. While instructions run, most of them are in variables of the machine's loop. */
struct machine {
  value *sp, *fp; /* first free word; start of the frame */
  const value *pc;
  struct closure *self;
  value accumulator;
  intptr_t arguments;
  value *bottom; /* where the first frame starts */
  value *limit;  /* a frame must not reach beyond */
};
extern struct machine machine;

void stack_start(value underflow); /* the procedure that the bottom of the stack returns to */
void make_room(intptr_t words);    /* for that number of words; may move frames to the heap */
void move_frames(void);            /* the current one to the bottom, the others to the heap */
value capture_continuation(void);  /* of the frames on the heap */
bool throw_values(void);

static inline value make_closure(struct code *code, const value *captured, size_t count) {
  struct closure *closure = mem_refs(sizeof *closure + count * sizeof(value));
  closure->header = make_header(T_CLOSURE, count);
  closure->code = code;
  for (size_t i = 0; i < count; i++)
    closure->captured[i] = captured[i];
  return (value)closure;
}

/* A frame on the heap: the one below it, then its words, then the return information above. */
enum { SEGMENT_BELOW, SEGMENT_WORDS };

/* Fetches the newest frame from the heap. Returns false if there is none. */
static inline bool fetch_frame(void) {
  if (globals.frames == NIL) return false;
  value segment = globals.frames;
  size_t words = size_of(segment) - SEGMENT_WORDS - RETURN_WORDS;
  const value *frame = slots_of(segment) + SEGMENT_WORDS, *back = frame + words;
  memcpy(machine.bottom, frame, words * sizeof(value));
  machine.fp = machine.bottom;
  machine.sp = machine.fp + words;
  machine.self = (struct closure *)back[RETURN_CLOSURE];
  machine.pc = (const value *)(back[RETURN_TO] - 1);
  globals.frames = slots_of(segment)[SEGMENT_BELOW];
  return true;
}

#endif
