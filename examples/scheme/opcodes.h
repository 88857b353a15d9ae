/* SPDX-License-Identifier: MIT */
/* The virtual machine's instructions. A program is an array of words: the address of an
 * instruction's code, then its operands. The machine has an accumulator and a stack; `slot`
 * counts from the start of the current frame, `index` in the closure's captured values, `to`
 * from the word after the operand. */
#ifndef EXAMPLES_SCHEME_OPCODES_H
#define EXAMPLES_SCHEME_OPCODES_H

#include "scheme.h"

enum { RETURN_FRAME, RETURN_CLOSURE, RETURN_TO, RETURN_WORDS }; /* what FRAME pushes */

/* X(opcode) is an instruction. P(opcode, name, arguments) are three for a primitive: one that calls
 * it; JN_opcode, which branches if the result is false; and opcode_PUSH, which pushes it. The last
 * argument is in the accumulator, the others are on the stack. */
/* clang-format off */
#define OPCODES(X, P)                                                                              \
  /* Values. Of a pair LOCAL…, FREE… the second is for captured variables, and comes next */       \
  X(CONST) X(GLOBAL) X(SELF) X(LOCAL) X(FREE) X(LOCAL_BOX) X(FREE_BOX)                             \
  X(SET_LOCAL_BOX) X(SET_FREE_BOX) X(SET_GLOBAL) X(DEFINE) X(MAKE_BOX) X(BOX_LOCAL)                \
  X(PUSH) X(POP) X(CLOSURE) /* code count: captured values are popped */                           \
  /* Control */                                                                                    \
  X(FRAME)      /* to: where the call returns */                                                   \
  X(CALL) X(TAIL_CALL) X(RETURN) X(PRIMITIVE) /* count, primitive count */                         \
  X(LOOP)       /* count slot to: back to a loop's start, its variables from slot on */            \
  X(JUMP) X(J_TRUE) X(JN_TRUE) /* to; if true, if false */                                         \
  /* Instructions that often follow each other, in one: the compiler puts them together */         \
  X(FRAME_LOCAL) X(FRAME_LOCAL_PUSH) X(CONST_PUSH) X(LOCAL_PUSH) X(FREE_PUSH) X(FREE_BOX_PUSH)     \
  X(GLOBAL_PUSH) X(LOCAL_PUSH_CONST) X(LOCAL_PUSH_LOCAL) X(LOCAL_PUSH_LOCAL_PUSH) X(CONST_RETURN)  \
  X(LOCAL_RETURN) X(FREE_CALL) X(FREE_TAIL_CALL) X(FREE_BOX_CALL) X(FREE_BOX_TAIL_CALL)            \
  X(GLOBAL_CALL) X(GLOBAL_TAIL_CALL) X(CONST_ADD) X(CONST_ADD_PUSH) X(LOCAL_CONST_ADD)             \
  X(LOCAL_CONST_ADD_PUSH) X(CONST_SUB) X(CONST_SUB_PUSH) X(LOCAL_CONST_SUB)                        \
  X(LOCAL_CONST_SUB_PUSH) X(LOCAL_CAR) X(LOCAL_CAR_PUSH) X(LOCAL_CDR) X(LOCAL_CDR_PUSH)            \
  X(LOCAL_VECTOR_REF) X(LOCAL_VECTOR_REF_PUSH) X(CONST_VECTOR_REF) X(LOCAL_CONST_VECTOR_REF)       \
  X(LOCAL_LOCAL_VECTOR_REF) X(LOCAL_LOCAL_VECTOR_REF_PUSH) X(LOCAL_CONST_JN_NUM_EQ)                \
  X(LOCAL_CONST_JN_LT) X(LOCAL_JN_ZERO_P) X(LOCAL_JN_NIL_P) X(LOCAL_JN_PAIR_P)                     \
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
#define P(name, ...) OP_##name, OP_JN_##name, OP_##name##_PUSH,
  OPCODES(X, P)
#undef X
#undef P
      OPCODE_COUNT
};

/* Returns the instruction that does what two do, one after the other, or OP_CONST if there is none.
 * Its operands are theirs. */
enum opcode fused(enum opcode first, enum opcode second);
/* Returns the word that stands for an instruction in a program. */
value opcode_word(enum opcode opcode);
value make_procedure(value name, intptr_t parameters, intptr_t room, const value *words,
                     size_t count);

#endif
