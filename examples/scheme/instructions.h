/* SPDX-License-Identifier: MIT */
/* How the virtual machine's loop writes down its instructions. The macros use the loop's variables:
 * the registers `pc`, `sp`, `fp`, `self`, `acc`, and `number`, `left` and `right` for results and
 * operands. */
#ifndef EXAMPLES_SCHEME_INSTRUCTIONS_H
#define EXAMPLES_SCHEME_INSTRUCTIONS_H

#include "vm.h"

static inline bool both_fixnums(value a, value b) {
  return (a & b & 3) == 1;
}

/* Whether v is a number. It is put down as a double. */
static inline bool as_real(value v, double *real) {
  if (is_fixnum(v)) return *real = (double)unfix(v), true;
  return is_type(v, T_FLONUM) && (*real = flonum_of(v), true);
}

static inline bool in_sequence(enum type type, value sequence, value index) {
  return is_type(sequence, type) && is_fixnum(index) && (uint64_t)unfix(index) < size_of(sequence);
}

/* ---- Instructions: each ends in NEXT, or in a jump that leads to one --------------------------
 */

#define NEXT goto *(const void *)*pc++
#define OPCODE(name) op_##name:
#define SYNC (machine.sp = sp, machine.fp = fp, machine.pc = pc, machine.self = self)
#define SAFEPOINT (machine.sp = sp, mem_safepoint())
#define INSTRUCTION(name, effect)                                                                  \
  OPCODE(name) effect;                                                                             \
  NEXT;
#define BRANCH_IF(test)                                                                            \
  do {                                                                                             \
    bool taken = (test);                                                                           \
    intptr_t offset = (intptr_t)*pc++;                                                             \
    pc += taken ? offset : 0;                                                                      \
    NEXT;                                                                                          \
  } while (0)
#define PUSH_NEXT                                                                                  \
  do {                                                                                             \
    *sp++ = acc;                                                                                   \
    NEXT;                                                                                          \
  } while (0)
/* Calls the primitive for operands that the instruction does not handle. It may fail. */
#define SLOW(name, count)                                                                          \
  do {                                                                                             \
    *sp++ = acc;                                                                                   \
    SYNC;                                                                                          \
    acc = call_primitive(slots_of(globals.inlined)[OP_##name], count, sp - (count));               \
    sp -= (count);                                                                                 \
  } while (0)
#define LOAD_LOCAL (acc = fp[*pc++])
#define LOAD_CONST (acc = *pc++)
#define LOAD_LOCAL_CONST (*sp++ = fp[pc[0]], acc = pc[1], pc += 2)
#define LOAD_LOCAL_LOCAL (*sp++ = fp[pc[0]], acc = fp[pc[1]], pc += 2)
/* Defines the three instructions for a primitive: see OPCODES. There may be a second way for
 * flonums. */
/* clang-format off */
#define PRIMITIVE_OPCODE(name, count, quick, result)                                               \
  NUMBER_OPCODE(name, count, quick, result, false, acc)
#define NUMBER_OPCODE(name, count, quick, result, real, real_result)                               \
  OPCODE(name) QUICK(name, count, quick, result, real, real_result, NEXT)                          \
  OPCODE(JN_##name) QUICK(name, count, quick, result, real, real_result, BRANCH_IF(acc == FALSE)) \
  OPCODE(name##_PUSH) QUICK(name, count, quick, result, real, real_result, PUSH_NEXT)
/* Defines an instruction that first loads operands. */
#define LOADING_OPCODE(opcode, load, name, count, quick, result, real, real_result, next)          \
  OPCODE(opcode) load;                                                                             \
  QUICK(name, count, quick, result, real, real_result, next)
/* clang-format on */
#define QUICK(name, count, quick, result, real, real_result, next)                                 \
  if (LIKELY(quick)) {                                                                             \
    acc = result;                                                                                  \
    sp -= (count)-1;                                                                               \
    next;                                                                                          \
  }                                                                                                \
  if (real) {                                                                                      \
    acc = real_result;                                                                             \
    sp -= (count)-1;                                                                               \
    next;                                                                                          \
  }                                                                                                \
  SLOW(name, count);                                                                               \
  next;
#define TEST(name, count, quick, test) PRIMITIVE_OPCODE(name, count, quick, make_bool(test))

/* The operands are numbers of which one at least is inexact: left and right. */
#define REALS (!both_fixnums(sp[-1], acc) && as_real(sp[-1], &left) && as_real(acc, &right))
#define REAL_RESULT(operator) (machine.sp = sp, make_flonum(left operator right))
#define COMPARISON(name, operator)                                                                 \
  NUMBER_OPCODE(name, 2, both_fixnums(sp[-1], acc),                                                \
                make_bool((int64_t)sp[-1] operator(int64_t) acc), REALS,                           \
                make_bool(left operator right))
/* Defines the branch on a comparison of a variable with a constant. */
#define LOCAL_CONST_BRANCH(name, operator)                                                         \
  LOADING_OPCODE(LOCAL_CONST_JN_##name, LOAD_LOCAL_CONST, name, 2, both_fixnums(sp[-1], acc),      \
                 make_bool((int64_t)sp[-1] operator(int64_t) acc), REALS,                          \
                 make_bool(left operator right), BRANCH_IF(acc == FALSE))
/* Whether the operands are integers and the divisor is positive: others may overflow, or fail. */
#define DIVIDES (both_fixnums(sp[-1], acc) && (int64_t)acc > 1)

/* Addition or subtraction without taking off the tags: 4a + 1 plus 4b is 4(a + b) + 1. */
/* clang-format off */
#define SUM(name, overflows, operator)                                                             \
  NUMBER_OPCODE(name, 2, IN_RANGE(overflows), (value)number, REALS, REAL_RESULT(operator))         \
  SUM_OF(CONST, name, overflows, operator)                                                         \
  SUM_OF(LOCAL_CONST, name, overflows, operator)
#define SUM_OF(operands, name, overflows, operator)                                                \
  LOADING_OPCODE(operands##_##name, LOAD_##operands, name, 2, IN_RANGE(overflows), (value)number,  \
                 REALS, REAL_RESULT(operator), NEXT)                                               \
  LOADING_OPCODE(operands##_##name##_PUSH, LOAD_##operands, name, 2, IN_RANGE(overflows),          \
                 (value)number, REALS, REAL_RESULT(operator), PUSH_NEXT)
/* clang-format on */
#define IN_RANGE(overflows)                                                                        \
  (both_fixnums(sp[-1], acc) && !overflows((int64_t)sp[-1], (int64_t)(acc - 1), &number))

#endif
