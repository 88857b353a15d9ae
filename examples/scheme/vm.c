/* SPDX-License-Identifier: MIT */
/* The virtual machine: the loop that runs programs, and how a run starts, fails and ends. The
 * stack and continuations are in frames.c. */
#include "instructions.h"

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
 * on the stack afterwards. Returns false if nothing is to be done because any arguments will do. */
static bool accept_arguments(intptr_t takes) {
  if (takes == TAKES_ANY) return false;
  intptr_t parameters = -takes;
  if (takes >= 0 || machine.arguments < parameters - 1) fail_arguments();
  value list = NIL;
  for (intptr_t i = machine.arguments; i >= parameters; i--)
    list = cons(machine.fp[i - 1], list);
  machine.fp[parameters - 1] = list;
  machine.sp = machine.fp + parameters;
  return true;
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

/* Runs from the state in `machine` until no frame is left to return to; returns the result. With
 * `machine.pc` NULL it only notes where the code of each instruction is. It is this long because
 * instructions jump from one to the next, which they can do only inside one function. */
static value execute(void) {
  static const void *const table[] = {
#define X(name) &&op_##name,
#define P(name, ...) &&op_##name, &&op_JN_##name, &&op_##name##_PUSH,
      OPCODES(X, P)
#undef X
#undef P
  };
  const value *pc = machine.pc;
  value *sp = machine.sp, *fp = machine.fp;
  struct closure *self = machine.self;
  value acc = machine.accumulator;
  intptr_t arguments = 0; /* only on the way to `apply`, so that it takes no register elsewhere */
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
  INSTRUCTION(LOCAL_PUSH_CONST, LOAD_LOCAL_CONST)
  INSTRUCTION(LOCAL_PUSH_LOCAL, LOAD_LOCAL_LOCAL)
  INSTRUCTION(LOCAL_PUSH_LOCAL_PUSH, (LOAD_LOCAL_LOCAL, *sp++ = acc))
  INSTRUCTION(POP, sp -= *pc++)
  INSTRUCTION(SET_LOCAL_BOX, (set_slot(fp[*pc++], 0, acc), acc = UNSPECIFIED))
  INSTRUCTION(SET_FREE_BOX, (set_slot(self->captured[*pc++], 0, acc), acc = UNSPECIFIED))
  INSTRUCTION(DEFINE, (store(symbol_of(*pc), global, acc), pc++, acc = UNSPECIFIED))
  OPCODE(LOCAL_BOX) acc = slots_of(fp[*pc++])[0];
  if (LIKELY(acc != UNBOUND)) NEXT;
unbound_box:
  SYNC;
  fail_list("variable used before its definition", NIL);
  OPCODE(FREE_BOX) acc = slots_of(self->captured[*pc++])[0];
  if (LIKELY(acc != UNBOUND)) NEXT;
  goto unbound_box;
  OPCODE(FREE_BOX_PUSH) acc = slots_of(self->captured[*pc++])[0];
  if (LIKELY(acc != UNBOUND)) PUSH_NEXT;
  goto unbound_box;
  OPCODE(GLOBAL) acc = symbol_of(*pc++)->global;
  if (LIKELY(acc != UNBOUND)) NEXT;
  goto unbound;
  OPCODE(GLOBAL_PUSH) acc = symbol_of(*pc++)->global;
  if (LIKELY(acc != UNBOUND)) PUSH_NEXT;
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

#define PUSH_FRAME                                                                                 \
  (sp[RETURN_FRAME] = (value)(sp - fp), sp[RETURN_CLOSURE] = (value)self,                          \
   sp[RETURN_TO] = (value)(pc + 1 + (intptr_t)*pc) | 1, sp += RETURN_WORDS, pc++)
  INSTRUCTION(FRAME, PUSH_FRAME)
  INSTRUCTION(FRAME_LOCAL, (PUSH_FRAME, LOAD_LOCAL))
  INSTRUCTION(FRAME_LOCAL_PUSH, (PUSH_FRAME, *sp++ = fp[*pc++]))
  OPCODE(FREE_CALL) acc = self->captured[*pc++];
  goto op_CALL;
  OPCODE(FREE_BOX_CALL) acc = slots_of(self->captured[*pc++])[0];
  if (!LIKELY(acc != UNBOUND)) goto unbound_box;
  goto op_CALL;
  OPCODE(GLOBAL_CALL) acc = symbol_of(*pc++)->global;
  if (!LIKELY(acc != UNBOUND)) goto unbound;
  OPCODE(CALL) arguments = (intptr_t)*pc++;
  fp = sp - arguments;
  goto apply;
  OPCODE(FREE_TAIL_CALL) acc = self->captured[*pc++];
  goto op_TAIL_CALL;
  OPCODE(FREE_BOX_TAIL_CALL) acc = slots_of(self->captured[*pc++])[0];
  if (!LIKELY(acc != UNBOUND)) goto unbound_box;
  goto op_TAIL_CALL;
  OPCODE(GLOBAL_TAIL_CALL) acc = symbol_of(*pc++)->global;
  if (!LIKELY(acc != UNBOUND)) goto unbound;
  OPCODE(TAIL_CALL) arguments = (intptr_t)*pc++;
  for (intptr_t i = 0; i < arguments; i++)
    fp[i] = sp[i - arguments];
  sp = fp + arguments;
apply:
  if (LIKELY(is_type(acc, T_CLOSURE))) {
    self = (struct closure *)acc;
    pc = self->code->program;
    if (LIKELY(arguments == self->code->parameters)) {
    enter:
      SAFEPOINT;
      if (LIKELY(fp + self->code->room <= machine.limit)) NEXT;
      SYNC;
      make_room(self->code->room);
    } else {
      machine.arguments = arguments;
      SYNC;
      if (!accept_arguments(self->code->parameters)) NEXT;
    }
    sp = machine.sp;
    fp = machine.fp;
    goto enter;
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
    SAFEPOINT;
    NEXT;
  }
  OPCODE(CONST_RETURN) acc = *pc;
  goto leave;
  OPCODE(LOCAL_RETURN) acc = fp[*pc];
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
  OPCODE(LOCAL_JN_NIL_P) acc = fp[*pc++];
  BRANCH_IF(acc != NIL);
  OPCODE(LOCAL_JN_PAIR_P) acc = fp[*pc++];
  BRANCH_IF(!is_pair(acc));

  PRIMITIVE_OPCODE(CAR, 1, is_pair(acc), car(acc))
  PRIMITIVE_OPCODE(CDR, 1, is_pair(acc), cdr(acc))
#define OF_LOCAL(opcode, name, result, next)                                                       \
  LOADING_OPCODE(opcode, LOAD_LOCAL, name, 1, is_pair(acc), result, false, acc, next)
  OF_LOCAL(LOCAL_CAR, CAR, car(acc), NEXT)
  OF_LOCAL(LOCAL_CAR_PUSH, CAR, car(acc), PUSH_NEXT)
  OF_LOCAL(LOCAL_CDR, CDR, cdr(acc), NEXT)
  OF_LOCAL(LOCAL_CDR_PUSH, CDR, cdr(acc), PUSH_NEXT)
  PRIMITIVE_OPCODE(CADR, 1, is_pair(acc) && is_pair(cdr(acc)), car(cdr(acc)))
  PRIMITIVE_OPCODE(CDDR, 1, is_pair(acc) && is_pair(cdr(acc)), cdr(cdr(acc)))
  PRIMITIVE_OPCODE(CONS, 2, true, (machine.sp = sp, cons(sp[-1], acc)))
  PRIMITIVE_OPCODE(SET_CAR, 2, is_pair(sp[-1]), (set_car(sp[-1], acc), UNSPECIFIED))
  PRIMITIVE_OPCODE(SET_CDR, 2, is_pair(sp[-1]), (set_cdr(sp[-1], acc), UNSPECIFIED))
#define IN_VECTOR in_sequence(T_VECTOR, sp[-1], acc)
#define ITEM slots_of(sp[-1])[unfix(acc)]
  PRIMITIVE_OPCODE(VECTOR_REF, 2, IN_VECTOR, ITEM)
#define ITEM_OF(operands, suffix, next)                                                            \
  LOADING_OPCODE(operands##_VECTOR_REF##suffix, LOAD_##operands, VECTOR_REF, 2, IN_VECTOR, ITEM,   \
                 false, acc, next)
  ITEM_OF(LOCAL, , NEXT)
  ITEM_OF(LOCAL, _PUSH, PUSH_NEXT)
  ITEM_OF(CONST, , NEXT)
  ITEM_OF(LOCAL_CONST, , NEXT)
  ITEM_OF(LOCAL_LOCAL, , NEXT)
  ITEM_OF(LOCAL_LOCAL, _PUSH, PUSH_NEXT)
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
  LOADING_OPCODE(LOCAL_JN_ZERO_P, LOAD_LOCAL, ZERO_P, 1, is_fixnum(acc), make_bool(acc == fix(0)),
                 is_type(acc, T_FLONUM), make_bool(flonum_of(acc) == 0), BRANCH_IF(acc == FALSE))
  TEST(EQ, 2, true, sp[-1] == acc)
  TEST(EQV, 2, !is_type(acc, T_FLONUM), sp[-1] == acc)
  COMPARISON(NUM_EQ, ==)
  COMPARISON(LT, <)
  COMPARISON(GT, >)
  COMPARISON(LE, <=)
  COMPARISON(GE, >=)
  LOCAL_CONST_BRANCH(NUM_EQ, ==)
  LOCAL_CONST_BRANCH(LT, <)

  OPCODE(APPLY) SYNC;
  spread_list();
  goto apply_from_machine;
  OPCODE(THROW) SYNC;
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

/* Makes a procedure whose program is one instruction. */
static value make_builtin(const char *name, enum opcode opcode, intptr_t parameters) {
  const value word = opcode_word(opcode);
  value symbol = intern_c(name);
  value procedure = make_procedure(symbol, parameters, parameters > 0 ? parameters : 0, &word, 1);
  store(symbol_of(symbol), global, procedure);
  return procedure;
}

void vm_start(void) {
  machine.pc = NULL;
  execute();
  stack_start(make_builtin("%underflow", OP_UNDERFLOW, TAKES_ANY));
  globals.thrower = make_builtin("continuation", OP_THROW, TAKES_ANY);
  make_builtin("%apply", OP_APPLY, TAKES_EXACTLY(2));
  make_builtin("%call/cc", OP_CALL_CC, TAKES_EXACTLY(1));
}
