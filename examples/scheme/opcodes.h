/* The virtual machine's instructions. A program is an array of words: the address of an
 * instruction's code, then its operands. The machine has an accumulator and a stack; `slot`
 * counts from the start of the current frame, `index` in the closure's captured values, `to`
 * from the word after the operand. */
#ifndef EXAMPLES_SCHEME_OPCODES_H
#define EXAMPLES_SCHEME_OPCODES_H

#include "scheme.h"

enum { RETURN_FRAME, RETURN_CLOSURE, RETURN_TO, RETURN_WORDS }; /* what FRAME pushes */

/* X(opcode) is an instruction. P(opcode, name, arguments) are two for a primitive: one that calls
 * it, and JN_opcode, which branches if the result is false. The last argument is in the
 * accumulator, the others are on the stack. */
/* clang-format off */
#define OPCODES(X, P)                                                                              \
  /* Values. Of a pair LOCAL…, FREE… the second is for captured variables, and comes next */       \
  X(CONST) X(GLOBAL) X(SELF) X(LOCAL) X(FREE) X(LOCAL_BOX) X(FREE_BOX)                             \
  X(SET_LOCAL_BOX) X(SET_FREE_BOX) X(SET_GLOBAL) X(DEFINE) X(MAKE_BOX) X(BOX_LOCAL)                \
  X(PUSH) X(POP) X(CLOSURE) /* code count: captured values are popped */                           \
  /* Control */                                                                                    \
  X(ENTRY)      /* parameters room */                                                              \
  X(ENTRY_REST) /* parameters room: the last one takes a list */                                   \
  X(FRAME)      /* to: where the call returns */                                                   \
  X(CALL) X(TAIL_CALL) X(RETURN) X(PRIMITIVE) /* count, primitive count */                         \
  X(LOOP)       /* count slot to: back to a loop's start, its variables from slot on */            \
  X(JUMP) X(J_TRUE) X(JN_TRUE) /* to; if true, if false */                                         \
  /* Two instructions in one */                                                                    \
  X(CONST_PUSH) X(LOCAL_PUSH) X(FREE_PUSH) X(CONST_ADD) X(CONST_SUB) X(LOCAL_CAR) X(LOCAL_CDR)     \
  /* Primitives */                                                                                 \
  P(CAR, "car", 1) P(CDR, "cdr", 1) P(CADR, "cadr", 1) P(CDDR, "cddr", 1) P(CONS, "cons", 2)       \
  P(SET_CAR, "set-car!", 2) P(SET_CDR, "set-cdr!", 2)                                              \
  P(VECTOR_REF, "vector-ref", 2) P(VECTOR_SET, "vector-set!", 3)                                   \
  P(VECTOR_LENGTH, "vector-length", 1) P(STRING_REF, "string-ref", 2)                              \
  P(RECORD_P, "%record?", 2) P(RECORD_REF, "%record-ref", 3) P(RECORD_SET, "%record-set!", 4)      \
  P(ADD, "+", 2) P(SUB, "-", 2) P(MUL, "*", 2) P(DIV, "/", 2)                                      \
  P(QUOTIENT, "quotient", 2) P(REMAINDER, "remainder", 2)                                          \
  P(SYMBOL_P, "symbol?", 1) P(INTEGER_P, "exact-integer?", 1) P(END_P, "eof-object?", 1)           \
  P(CHAR_EQ, "char=?", 2)                                                                          \
  P(NOT, "not", 1) P(NIL_P, "null?", 1) P(PAIR_P, "pair?", 1) P(ZERO_P, "zero?", 1)                \
  P(EQ, "eq?", 2) P(EQV, "eqv?", 2) P(NUM_EQ, "=", 2)                                              \
  P(LT, "<", 2) P(GT, ">", 2) P(LE, "<=", 2) P(GE, ">=", 2)                                        \
  /* Bodies of built-in procedures, of continuations, and the end of the stack */                  \
  X(APPLY) X(CALL_CC) X(THROW) X(UNDERFLOW)
/* clang-format on */

enum opcode {
#define X(name) OP_##name,
#define P(name, ...) OP_##name, OP_JN_##name,
  OPCODES(X, P)
#undef X
#undef P
      OPCODE_COUNT
};

/* Returns the word that stands for an instruction in a program. */
value opcode_word(enum opcode opcode);
value make_procedure(value name, const value *words, size_t count);

#endif
