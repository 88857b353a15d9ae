/* SPDX-License-Identifier: MIT */
/* Which instructions are worth one that does the work of two. Chosen by how often programs of the
 * public collections run one after the other. */
#include "opcodes.h"

/* Pairs of instructions that one instruction replaces. Its operands are theirs, one after the
 * other. */
static const struct {
  enum opcode first, second, both;
} fusions[] = {
#define TWO(first, second, both) {OP_##first, OP_##second, OP_##both},
#define PUSHED(opcode) TWO(opcode, PUSH, opcode##_PUSH)
#define X(opcode)
#define P(opcode, ...) PUSHED(opcode)
    /* clang-format off */
    OPCODES(X, P)
    TWO(FRAME, LOCAL, FRAME_LOCAL) PUSHED(FRAME_LOCAL) PUSHED(CONST) PUSHED(LOCAL) PUSHED(FREE)
    PUSHED(FREE_BOX) PUSHED(GLOBAL) PUSHED(LOCAL_PUSH_LOCAL) PUSHED(CONST_ADD) PUSHED(CONST_SUB)
    PUSHED(LOCAL_CONST_ADD) PUSHED(LOCAL_CONST_SUB) PUSHED(LOCAL_CAR) PUSHED(LOCAL_CDR)
    PUSHED(LOCAL_VECTOR_REF) PUSHED(LOCAL_LOCAL_VECTOR_REF)
    TWO(LOCAL_PUSH, CONST, LOCAL_PUSH_CONST) TWO(LOCAL_PUSH, LOCAL, LOCAL_PUSH_LOCAL)
    TWO(CONST, RETURN, CONST_RETURN) TWO(LOCAL, RETURN, LOCAL_RETURN) TWO(FREE, CALL, FREE_CALL)
    TWO(FREE, TAIL_CALL, FREE_TAIL_CALL) TWO(FREE_BOX, CALL, FREE_BOX_CALL)
    TWO(FREE_BOX, TAIL_CALL, FREE_BOX_TAIL_CALL) TWO(GLOBAL, CALL, GLOBAL_CALL)
    TWO(GLOBAL, TAIL_CALL, GLOBAL_TAIL_CALL) TWO(CONST, ADD, CONST_ADD) TWO(CONST, SUB, CONST_SUB)
    TWO(LOCAL_PUSH_CONST, ADD, LOCAL_CONST_ADD) TWO(LOCAL_PUSH_CONST, SUB, LOCAL_CONST_SUB)
    TWO(LOCAL, CAR, LOCAL_CAR) TWO(LOCAL, CDR, LOCAL_CDR) TWO(LOCAL, VECTOR_REF, LOCAL_VECTOR_REF)
    TWO(CONST, VECTOR_REF, CONST_VECTOR_REF)
    TWO(LOCAL_PUSH_CONST, VECTOR_REF, LOCAL_CONST_VECTOR_REF)
    TWO(LOCAL_PUSH_LOCAL, VECTOR_REF, LOCAL_LOCAL_VECTOR_REF)
    TWO(LOCAL_PUSH_CONST, JN_NUM_EQ, LOCAL_CONST_JN_NUM_EQ)
    TWO(LOCAL_PUSH_CONST, JN_LT, LOCAL_CONST_JN_LT) TWO(LOCAL, JN_ZERO_P, LOCAL_JN_ZERO_P)
    TWO(LOCAL, JN_NIL_P, LOCAL_JN_NIL_P) TWO(LOCAL, JN_PAIR_P, LOCAL_JN_PAIR_P)
/* clang-format on */
#undef P
#undef X
};

enum opcode fused(enum opcode first, enum opcode second) {
  for (size_t i = 0; i < sizeof fusions / sizeof fusions[0]; i++)
    if (fusions[i].first == first && fusions[i].second == second) return fusions[i].both;
  return OP_CONST;
}
