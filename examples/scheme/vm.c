/* The virtual machine: the loop that runs programs, and how a run starts, fails and ends. The
 * stack and continuations are in frames.c. */
#include "vm.h"

static const void *const *addresses; /* of the instructions' code, by opcode */

value opcode_word(enum opcode opcode) {
  return (value)addresses[opcode];
}

/* ---- Instructions that take more than a few lines ----------------------------------------------
 */

static _Noreturn void fail_arguments(void) {
  fail_list("wrong number of arguments:", list2((value)machine.self, fix(machine.arguments)));
}

/* Makes a list of the arguments from the last parameter on. The other parameters and that list are
 * on the stack afterwards. */
static void collect_rest(intptr_t parameters) {
  if (machine.arguments < parameters - 1) fail_arguments();
  value list = NIL;
  for (intptr_t i = machine.arguments; i >= parameters; i--)
    list = cons(machine.fp[i - 1], list);
  machine.fp[parameters - 1] = list;
  machine.sp = machine.fp + parameters;
}

/* (%apply f list): moves f to the accumulator and the list's items to the frame. */
static void spread_list(void) {
  value list = machine.fp[1];
  int64_t length = list_length(list);
  if (length < 0) fail_list("apply: not a list:", cons(list, NIL));
  make_room(length);
  machine.accumulator = machine.fp[0];
  machine.arguments = length;
  machine.sp = machine.fp;
  for (; list != NIL; list = cdr(list))
    *machine.sp++ = car(list);
}

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

/* ---- The loop's vocabulary: each instruction ends in NEXT, or in a jump that leads to one ------
 */

#define NEXT goto *(const void *)*pc++
#define OPCODE(name) op_##name:
#define SYNC (machine.sp = sp, machine.fp = fp, machine.pc = pc, machine.self = self)
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
/* Calls the primitive for operands that the instruction does not handle. It may fail. */
#define SLOW(name, count)                                                                          \
  do {                                                                                             \
    *sp++ = acc;                                                                                   \
    SYNC;                                                                                          \
    acc = call_primitive(slots_of(globals.inlined)[OP_##name], count, sp - (count));               \
    sp -= (count);                                                                                 \
  } while (0)
/* Defines the instruction for a primitive, and the one that branches if the result is false. There
 * may be a second way for flonums. */
/* clang-format off */
#define PRIMITIVE_OPCODE(name, count, quick, result)                                               \
  NUMBER_OPCODE(name, count, quick, result, false, acc)
#define NUMBER_OPCODE(name, count, quick, result, real, real_result)                               \
  OPCODE(name) QUICK(name, count, quick, result, real, real_result, NEXT)                          \
  OPCODE(JN_##name) QUICK(name, count, quick, result, real, real_result, BRANCH_IF(acc == FALSE))
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
/* Whether the operands are integers and the divisor is positive: others may overflow, or fail. */
#define DIVIDES (both_fixnums(sp[-1], acc) && (int64_t)acc > 1)

/* Addition or subtraction without taking off the tags: 4a + 1 plus 4b is 4(a + b) + 1. */
#define SUM(name, overflows, operator)                                                             \
  OPCODE(CONST_##name) if (LIKELY(IN_RANGE(overflows, *pc))) {                                     \
    acc = (value)number;                                                                           \
    sp--;                                                                                          \
    pc++;                                                                                          \
    NEXT;                                                                                          \
  }                                                                                                \
  acc = *pc++;                                                                                     \
  NUMBER_OPCODE(name, 2, IN_RANGE(overflows, acc), (value)number, REALS, REAL_RESULT(operator))
#define IN_RANGE(overflows, by)                                                                    \
  (both_fixnums(sp[-1], by) && !overflows((int64_t)sp[-1], (int64_t)((by)-1), &number))

/* Runs from the state in `machine` until no frame is left to return to; returns the result. With
 * `machine.pc` NULL it only notes where the code of each instruction is. It is this long because
 * instructions jump from one to the next, which they can do only inside one function. */
static value execute(void) {
  static const void *const table[] = {
#define X(name) &&op_##name,
#define P(name, ...) &&op_##name, &&op_JN_##name,
      OPCODES(X, P)
#undef X
#undef P
  };
  const value *pc = machine.pc;
  value *sp = machine.sp, *fp = machine.fp;
  struct closure *self = machine.self;
  value acc = machine.accumulator;
  intptr_t arguments = machine.arguments;
  int64_t number;
  double left, right;
  if (pc == NULL) {
    addresses = table;
    return UNSPECIFIED;
  }
  NEXT;

  INSTRUCTION(CONST, acc = *pc++)
  INSTRUCTION(LOCAL, acc = fp[*pc++])
  INSTRUCTION(FREE, acc = self->captured[*pc++])
  INSTRUCTION(SELF, acc = (value)self)
  INSTRUCTION(PUSH, *sp++ = acc)
  INSTRUCTION(CONST_PUSH, *sp++ = *pc++)
  INSTRUCTION(LOCAL_PUSH, *sp++ = fp[*pc++])
  INSTRUCTION(FREE_PUSH, *sp++ = self->captured[*pc++])
  INSTRUCTION(POP, sp -= *pc++)
  INSTRUCTION(SET_LOCAL_BOX, (set_slot(fp[*pc++], 0, acc), acc = UNSPECIFIED))
  INSTRUCTION(SET_FREE_BOX, (set_slot(self->captured[*pc++], 0, acc), acc = UNSPECIFIED))
  INSTRUCTION(DEFINE, (store(symbol_of(*pc), global, acc), pc++, acc = UNSPECIFIED))
  OPCODE(LOCAL_BOX) acc = slots_of(fp[*pc++])[0];
  goto check_box;
  OPCODE(FREE_BOX) acc = slots_of(self->captured[*pc++])[0];
check_box:
  if (LIKELY(acc != UNBOUND)) NEXT;
  SYNC;
  fail_list("variable used before its definition", NIL);
  OPCODE(GLOBAL) acc = symbol_of(*pc++)->global;
  if (LIKELY(acc != UNBOUND)) NEXT;
unbound:
  SYNC;
  fail_list("unbound variable:", cons(pc[-1], NIL));
  OPCODE(SET_GLOBAL) if (symbol_of(*pc++)->global == UNBOUND) goto unbound;
  store(symbol_of(pc[-1]), global, acc);
  acc = UNSPECIFIED;
  NEXT;
  INSTRUCTION(MAKE_BOX, (machine.sp = sp, acc = make_object_of(T_BOX, 1, &acc)))
  INSTRUCTION(BOX_LOCAL, (machine.sp = sp, fp[*pc] = make_object_of(T_BOX, 1, &fp[*pc]), pc++))
  OPCODE(CLOSURE) machine.sp = sp;
  sp -= pc[1];
  acc = make_closure((struct code *)pc[0], sp, pc[1]);
  pc += 2;
  NEXT;

  OPCODE(ENTRY) if (arguments != (intptr_t)pc[0]) {
    machine.arguments = arguments;
    SYNC;
    fail_arguments();
  }
enter:
  if (__builtin_expect(fp + pc[1] > machine.limit, 0)) {
    SYNC;
    make_room((intptr_t)pc[1]);
    sp = machine.sp;
    fp = machine.fp;
  }
  pc += 2;
  NEXT;
  OPCODE(ENTRY_REST) machine.arguments = arguments;
  SYNC;
  collect_rest((intptr_t)pc[0]);
  sp = machine.sp;
  goto enter;
  OPCODE(FRAME) sp[RETURN_FRAME] = (value)(sp - fp);
  sp[RETURN_CLOSURE] = (value)self;
  sp[RETURN_TO] = (value)(pc + 1 + (intptr_t)*pc) | 1;
  sp += RETURN_WORDS;
  pc++;
  NEXT;
  OPCODE(CALL) arguments = (intptr_t)*pc++;
  fp = sp - arguments;
  goto apply;
  OPCODE(TAIL_CALL) arguments = (intptr_t)*pc++;
  for (intptr_t i = 0; i < arguments; i++)
    fp[i] = sp[i - arguments];
  sp = fp + arguments;
apply:
  if (LIKELY(is_type(acc, T_CLOSURE))) {
    self = (struct closure *)acc;
    pc = self->code->program;
    NEXT;
  }
  SYNC;
  if (!is_type(acc, T_PRIMITIVE)) fail_list("not a procedure:", cons(acc, NIL));
  acc = call_primitive(acc, arguments, fp);
  goto leave;
  OPCODE(LOOP) {
    intptr_t count = (intptr_t)pc[0];
    value *to = fp + pc[1];
    for (intptr_t i = 0; i < count; i++)
      to[i] = sp[i - count];
    sp = to + count;
    pc += 3 + (intptr_t)pc[2];
    NEXT;
  }
  OPCODE(RETURN)
leave:
  sp = fp - RETURN_WORDS;
  fp = sp - sp[RETURN_FRAME];
  self = (struct closure *)sp[RETURN_CLOSURE];
  pc = (const value *)(sp[RETURN_TO] - 1);
  NEXT;
  OPCODE(PRIMITIVE) SYNC;
  acc = call_primitive(pc[0], (intptr_t)pc[1], sp - pc[1]);
  sp -= pc[1];
  pc += 2;
  NEXT;
  INSTRUCTION(JUMP, pc += 1 + (intptr_t)*pc)
  OPCODE(J_TRUE) BRANCH_IF(acc != FALSE);
  OPCODE(JN_TRUE) BRANCH_IF(acc == FALSE);

  OPCODE(LOCAL_CAR) acc = fp[*pc++];
  PRIMITIVE_OPCODE(CAR, 1, is_pair(acc), car(acc))
  OPCODE(LOCAL_CDR) acc = fp[*pc++];
  PRIMITIVE_OPCODE(CDR, 1, is_pair(acc), cdr(acc))
  PRIMITIVE_OPCODE(CADR, 1, is_pair(acc) && is_pair(cdr(acc)), car(cdr(acc)))
  PRIMITIVE_OPCODE(CDDR, 1, is_pair(acc) && is_pair(cdr(acc)), cdr(cdr(acc)))
  PRIMITIVE_OPCODE(CONS, 2, true, (machine.sp = sp, cons(sp[-1], acc)))
  PRIMITIVE_OPCODE(SET_CAR, 2, is_pair(sp[-1]), (set_car(sp[-1], acc), UNSPECIFIED))
  PRIMITIVE_OPCODE(SET_CDR, 2, is_pair(sp[-1]), (set_cdr(sp[-1], acc), UNSPECIFIED))
  PRIMITIVE_OPCODE(VECTOR_REF, 2, in_sequence(T_VECTOR, sp[-1], acc), slots_of(sp[-1])[unfix(acc)])
  PRIMITIVE_OPCODE(VECTOR_SET, 3, in_sequence(T_VECTOR, sp[-2], sp[-1]),
                   (set_slot(sp[-2], (size_t)unfix(sp[-1]), acc), UNSPECIFIED))
  PRIMITIVE_OPCODE(VECTOR_LENGTH, 1, is_type(acc, T_VECTOR), fix(size_of(acc)))
  PRIMITIVE_OPCODE(STRING_REF, 2, in_sequence(T_STRING, sp[-1], acc),
                   make_char(chars_of(sp[-1])[unfix(acc)]))
  TEST(RECORD_P, 2, true, is_record(sp[-1], acc))
  PRIMITIVE_OPCODE(RECORD_REF, 3, is_record(sp[-2], sp[-1]) && is_fixnum(acc),
                   slots_of(sp[-2])[unfix(acc)])
  PRIMITIVE_OPCODE(RECORD_SET, 4, is_record(sp[-3], sp[-2]) && is_fixnum(sp[-1]),
                   (set_slot(sp[-3], (size_t)unfix(sp[-1]), acc), UNSPECIFIED))
  SUM(ADD, __builtin_add_overflow, +)
  SUM(SUB, __builtin_sub_overflow, -)
  NUMBER_OPCODE(MUL, 2,
                both_fixnums(sp[-1], acc) &&
                    !__builtin_mul_overflow((int64_t)(sp[-1] - 1), unfix(acc), &number),
                (value)number + 1, REALS, REAL_RESULT(*))
  NUMBER_OPCODE(DIV, 2, DIVIDES && unfix(sp[-1]) % unfix(acc) == 0, fix(unfix(sp[-1]) / unfix(acc)),
                REALS && acc != fix(0), REAL_RESULT(/))
  PRIMITIVE_OPCODE(QUOTIENT, 2, DIVIDES, fix(unfix(sp[-1]) / unfix(acc)))
  PRIMITIVE_OPCODE(REMAINDER, 2, DIVIDES, fix(unfix(sp[-1]) % unfix(acc)))
  TEST(SYMBOL_P, 1, true, is_type(acc, T_SYMBOL))
  TEST(INTEGER_P, 1, true, is_fixnum(acc))
  TEST(END_P, 1, true, acc == END_OF_FILE)
  TEST(CHAR_EQ, 2, is_char(sp[-1]) && is_char(acc), sp[-1] == acc)
  TEST(NOT, 1, true, acc == FALSE)
  TEST(NIL_P, 1, true, acc == NIL)
  TEST(PAIR_P, 1, true, is_pair(acc))
  NUMBER_OPCODE(ZERO_P, 1, is_fixnum(acc), make_bool(acc == fix(0)), is_type(acc, T_FLONUM),
                make_bool(flonum_of(acc) == 0))
  TEST(EQ, 2, true, sp[-1] == acc)
  TEST(EQV, 2, !is_type(acc, T_FLONUM), sp[-1] == acc)
  COMPARISON(NUM_EQ, ==)
  COMPARISON(LT, <)
  COMPARISON(GT, >)
  COMPARISON(LE, <=)
  COMPARISON(GE, >=)

  OPCODE(APPLY) SYNC;
  spread_list();
  goto apply_from_machine;
  OPCODE(THROW) machine.arguments = arguments;
  SYNC;
  if (throw_values()) {
    fp = machine.fp;
    acc = machine.accumulator;
    goto leave;
  }
apply_from_machine:
  sp = machine.sp;
  fp = machine.fp;
  acc = machine.accumulator;
  arguments = machine.arguments;
  goto apply;
  OPCODE(CALL_CC) SYNC;
  move_frames();
  sp = machine.sp;
  fp = machine.fp;
  acc = fp[0];
  fp[0] = capture_continuation();
  goto apply;
  OPCODE(UNDERFLOW) SYNC;
  if (!fetch_frame()) {
    machine.sp = machine.bottom; /* the return information at the bottom stays a root */
    return acc;
  }
  sp = machine.sp;
  fp = machine.fp;
  pc = machine.pc;
  self = machine.self;
  NEXT;
}

/* ---- Running ----------------------------------------------------------------------------------
 */

static void start_call(value procedure, intptr_t arguments) {
  machine.fp = machine.sp - arguments;
  machine.self = (struct closure *)procedure;
  machine.pc = machine.self->code->program;
  machine.arguments = arguments;
}

/* Makes a condition object of the failure that is noted. boot.scm defines its type. */
static value make_condition(void) {
  value type = symbol_of(intern_c("%condition"))->global;
  const value kind = intern_c(failure.kind), message = string_from_c(failure.what);
  const value slots[] = {type, kind, message, globals.irritants};
  return make_object_of(T_RECORD, sizeof slots / sizeof slots[0], slots);
}

/* Calls %raise as if the instruction that failed had called it. */
static void enter_handler(void) {
  value raise = symbol_of(intern_c("%raise"))->global;
  if (!is_type(raise, T_CLOSURE)) { /* boot.scm fails before it defines errors */
    error_trap = NULL;
    fail_as(failure.kind, failure.what, globals.irritants);
  }
  value condition = make_condition(); /* first, as it may collect */
  machine.sp[RETURN_FRAME] = (value)(machine.sp - machine.fp);
  machine.sp[RETURN_CLOSURE] = (value)machine.self;
  machine.sp[RETURN_TO] = (value)machine.pc | 1;
  machine.sp += RETURN_WORDS;
  *machine.sp++ = condition;
  start_call(raise, 1);
}

value vm_run(value closure) {
  jmp_buf trap;
  machine.sp = machine.bottom;
  globals.frames = NIL;
  start_call(closure, 0);
  if (setjmp(trap) != 0) enter_handler();
  error_trap = &trap;
  value result = execute();
  error_trap = NULL;
  return result;
}

/* Makes a procedure whose program is one instruction. With no parameters it takes any arguments. */
static value make_builtin(const char *name, enum opcode opcode, value parameters) {
  const value words[] = {opcode_word(OP_ENTRY), parameters, parameters, opcode_word(opcode)};
  bool entry = parameters > 0;
  value symbol = intern_c(name);
  value procedure = make_procedure(symbol, words + (entry ? 0 : 3), entry ? 4 : 1);
  store(symbol_of(symbol), global, procedure);
  return procedure;
}

void vm_start(void) {
  machine.pc = NULL;
  execute();
  stack_start(make_builtin("%underflow", OP_UNDERFLOW, 0));
  globals.thrower = make_builtin("continuation", OP_THROW, 0);
  make_builtin("%apply", OP_APPLY, 2);
  make_builtin("%call/cc", OP_CALL_CC, 1);
}
