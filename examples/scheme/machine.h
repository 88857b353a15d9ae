/* The virtual machine's state, for the files that make it: vm.c and frames.c.
 *
 * The stack holds frames: three words of return information {words of the caller's frame,
 * caller's closure, where to go on (address | 1, so that it is no reference)}, then the callee's
 * parameters, variables and temporaries. It starts with return information that leads to the
 * UNDERFLOW instruction, which fetches the next frame from the heap: call/cc and a full stack
 * move all frames there, as a chain of segments, and returning brings them back one by one. So
 * recursion is as deep as the heap allows, and a continuation can be entered many times. */
#ifndef EXAMPLES_SCHEME_MACHINE_H
#define EXAMPLES_SCHEME_MACHINE_H

#include <setjmp.h>

#include "opcodes.h"

enum { STACK_WORDS = 1 << 16, STACK_SPARE = 64, RETURN_WORDS = 3 };
enum { RETURN_FRAME, RETURN_CLOSURE, RETURN_TO };
enum { SEGMENT_PARENT, SEGMENT_PARENT_LENGTH, SEGMENT_WORDS };
enum {
  CONTINUATION_PARENT,
  CONTINUATION_LENGTH,
  CONTINUATION_WINDERS,
  CONTINUATION_HANDLERS,
  CONTINUATION_SLOTS
};

/* Registers, while the machine's loop does not hold them in variables. */
struct machine {
  value *sp, *fp; /* first free word; start of the frame */
  const value *pc;
  struct closure *self;
  value accumulator;
  intptr_t arguments;
  value *bottom; /* where the first frame starts */
  value *limit;
  jmp_buf *trap; /* where errors go; NULL: nobody runs */
};
extern struct machine machine;

value *machine_stack(void); /* where the stack starts */
void machine_start(value underflow);
/* Moves all frames below machine.fp to the heap, and the current one to the bottom. */
void move_frames(void);
/* Fetches the newest frame from the heap; false if there is none. */
bool fetch_frame(void);
value capture_continuation(void); /* frames below machine.fp have been moved */
/* Makes the continuation's frames the ones to return to; the stack is empty afterwards. */
void enter_continuation(value continuation);
/* Checks that `words` more fit on the stack, moving frames away if need be. */
void make_room(intptr_t words);

#endif
