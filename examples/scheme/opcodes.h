/* The virtual machine's instructions. A program is an array of words: the address of an
 * instruction's code, then its operands. The machine has an accumulator and a stack; `slot`
 * counts from the start of the current frame, `index` in the closure's captured values, `to`
 * from the word after the operand. */
#ifndef EXAMPLES_SCHEME_OPCODES_H
#define EXAMPLES_SCHEME_OPCODES_H

#include "scheme.h"

/* Tests come in three forms: leave #t or #f; branch if true (J_…); branch if false (JN_…). */
#define UNARY_TESTS(X) X(NIL_P) X(PAIR) X(ZERO)
#define BINARY_TESTS(X) X(EQ) X(NUM_EQ) X(LT) X(GT) X(LE) X(GE)

/* clang-format off */
#define OPCODES(X)                                                                                 \
  /* Values */                                                                                     \
  X(CONST) X(LOCAL) X(FREE) X(SELF) X(GLOBAL) X(LOCAL_BOX) X(FREE_BOX)                             \
  X(PUSH) X(CONST_PUSH) X(LOCAL_PUSH) X(FREE_PUSH) X(POP)                                          \
  X(SET_LOCAL_BOX) X(SET_FREE_BOX) X(SET_GLOBAL) X(DEFINE) X(MAKE_BOX) X(BOX_LOCAL)                \
  X(CLOSURE) /* code count: captured values are popped */                                          \
  X(PATCH)   /* slot index slot: captured value of a closure that was made too early */            \
  /* Control */                                                                                    \
  X(ENTRY)      /* parameters room */                                                              \
  X(ENTRY_REST) /* parameters room: the last one takes a list */                                   \
  X(FRAME)      /* to: where the call returns */                                                   \
  X(CALL) X(TAIL_CALL) X(RETURN) X(PRIMITIVE) /* count, primitive count */                         \
  X(JUMP) X(J_TRUE) X(JN_TRUE) X(J_EQ_CONST) X(JN_EQ_CONST) /* [constant] to */                    \
  X(LOOP) /* count slot to: back to the start of a loop */                                         \
  /* Primitives: all arguments but the last are on the stack */                                    \
  X(CAR) X(CDR) X(LOCAL_CAR) X(LOCAL_CDR) X(CADR) X(CDDR) X(CONS) X(NOT)                           \
  X(SET_CAR) X(SET_CDR) X(VECTOR_REF) X(VECTOR_SET)                                                \
  X(ADD) X(SUB) X(MUL) X(ADD_CONST)                                                                \
  /* Bodies of built-in procedures */                                                              \
  X(APPLY) X(CALL_CC) X(SPREAD) X(UNDERFLOW)                                                       \
  X(RECORD_MAKE) /* type slots indices */                                                          \
  X(RECORD_REF) X(RECORD_SET) X(RECORD_IS) /* type index, type index, type */
/* clang-format on */

enum opcode {
#define X(name) OP_##name,
  OPCODES(X)
#define TESTS(name) OP_##name, OP_J_##name, OP_JN_##name,
      UNARY_TESTS(TESTS) BINARY_TESTS(TESTS)
#undef TESTS
#undef X
          OPCODE_COUNT
};

/* The word that stands for an instruction in a program. */
value opcode_word(enum opcode opcode);

#endif
