/* The virtual machine's instructions. A program is an array of words: the address of an
 * instruction's code, then its operands. The machine has an accumulator and a stack; `slot`
 * counts from the start of the current frame, `index` in the closure's captured values, `to`
 * from the word after the operand. */
#ifndef EXAMPLES_SCHEME_OPCODES_H
#define EXAMPLES_SCHEME_OPCODES_H

#include "scheme.h"

/* clang-format off */
#define OPCODES(X)                                                                                 \
  /* Values */                                                                                     \
  X(CONST) X(LOCAL) X(FREE) X(SELF) X(GLOBAL) X(LOCAL_BOX) X(FREE_BOX)                             \
  X(PUSH) X(CONST_PUSH) X(LOCAL_PUSH) X(FREE_PUSH) X(POP)                                          \
  X(SET_LOCAL_BOX) X(SET_FREE_BOX) X(SET_GLOBAL) X(DEFINE) X(MAKE_BOX) X(BOX_LOCAL)                \
  X(CLOSURE) /* code count: captured values are popped */                                          \
  /* Control */                                                                                    \
  X(ENTRY)      /* parameters room */                                                              \
  X(ENTRY_REST) /* parameters room: the last one takes a list */                                   \
  X(FRAME)      /* to: where the call returns */                                                   \
  X(CALL) X(TAIL_CALL) X(RETURN) X(PRIMITIVE) /* count, primitive count */                         \
  X(LOOP) /* count slot to: back to the start of a loop; its variables are from slot on */         \
  X(JUMP) X(J_TRUE) X(JN_TRUE) /* to; if true, if false */                                         \
  /* Primitives: all arguments but the last are on the stack */                                    \
  X(CAR) X(CDR) X(LOCAL_CAR) X(LOCAL_CDR) X(CADR) X(CDDR) X(CONS) X(NOT)                           \
  X(SET_CAR) X(SET_CDR) X(VECTOR_REF) X(VECTOR_SET) X(ADD) X(SUB) X(MUL) X(ADD_CONST)              \
  /* Tests: leave #t or #f, or branch if false */                                                  \
  X(NIL_P) X(JN_NIL_P) X(PAIR_P) X(JN_PAIR_P) X(ZERO_P) X(JN_ZERO_P) X(EQ) X(JN_EQ)                \
  X(NUM_EQ) X(JN_NUM_EQ) X(LT) X(JN_LT) X(GT) X(JN_GT) X(LE) X(JN_LE) X(GE) X(JN_GE)               \
  /* Bodies of built-in procedures */                                                              \
  X(APPLY) X(CALL_CC) X(SPREAD) X(UNDERFLOW)
/* clang-format on */

enum opcode {
#define X(name) OP_##name,
  OPCODES(X)
#undef X
      OPCODE_COUNT
};

/* The word that stands for an instruction in a program. */
value opcode_word(enum opcode opcode);
value make_procedure(value name, const value *words, size_t count);

#endif
