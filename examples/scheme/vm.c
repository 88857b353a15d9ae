/* The virtual machine: the loop that runs programs. Its registers are local variables; `sync`
 * stores those that others need: the collector (sp), errors and frame moves (all). */
#include "machine.h"

#include <string.h>

struct globals globals;

static const void *const *addresses;

value opcode_word(enum opcode opcode) {
  return (value)addresses[opcode];
}

static value make_closure(struct code *code, const value *captured, size_t count) {
  struct closure *closure = mem_refs(sizeof *closure + count * sizeof(value));
  closure->header = make_header(T_CLOSURE, count);
  closure->code = code;
  for (size_t i = 0; i < count; i++)
    closure->captured[i] = captured[i];
  return (value)closure;
}

value make_procedure(value name, const value *words, size_t count) {
  struct code *code = mem_refs(sizeof *code + count * sizeof(value));
  code->header = make_header(T_CODE, count);
  code->name = name;
  memcpy(code->program, words, count * sizeof(value));
  return make_closure(code, NULL, 0);
}

static inline value make_box(value content) {
  value box = make_object(T_BOX, 1);
  slots_of(box)[0] = content;
  return box;
}

static _Noreturn void fail_arguments(void) {
  fail_list("wrong number of arguments:", list2((value)machine.self, fix(machine.arguments)));
}

/* The list of the last parameter; the others and the list are on the stack afterwards. */
static void collect_rest(intptr_t parameters) {
  if (machine.arguments < parameters - 1) fail_arguments();
  value list = NIL;
  for (intptr_t i = machine.arguments; i >= parameters; i--)
    list = cons(machine.fp[i - 1], list);
  machine.fp[parameters - 1] = list;
  machine.sp = machine.fp + parameters;
}

/* (apply f a … list): f to the accumulator, the arguments to the frame. */
static void spread_list(void) {
  intptr_t count = machine.arguments;
  if (count < 2) fail_arguments();
  value list = machine.sp[-1];
  int64_t length = list_length(list);
  if (length < 0) fail_list("apply: not a list:", cons(list, NIL));
  make_room(length);
  value *frame = machine.fp;
  machine.accumulator = frame[0];
  memmove(frame, frame + 1, (size_t)(count - 2) * sizeof(value));
  value *at = frame + count - 2;
  for (; list != NIL; list = cdr(list))
    *at++ = car(list);
  machine.sp = at;
  machine.arguments = at - frame;
}

/* (call-with-values producer consumer), the producer's result in the accumulator. */
static void spread_values(void) {
  value result = machine.accumulator;
  machine.accumulator = machine.fp[1];
  size_t count = 1;
  if (is_type(result, T_VALUES)) {
    count = size_of(result);
    machine.sp = machine.fp;
    make_room((intptr_t)count);
    memcpy(machine.fp, slots_of(result), count * sizeof(value));
  } else {
    machine.fp[0] = result;
  }
  machine.sp = machine.fp + count;
  machine.arguments = (intptr_t)count;
}

/* A continuation is called with the arguments in the frame. Returns what to deliver, or 0 if
 * after and before thunks have to run first: then %rewind is in the accumulator. */
static value throw_values(value k) {
  if (slots_of(k)[CONTINUATION_WINDERS] != globals.winders) {
    make_room(1);
    memmove(machine.fp + 1, machine.fp, (size_t)machine.arguments * sizeof(value));
    machine.fp[0] = k;
    machine.sp++;
    machine.arguments++;
    machine.accumulator = symbol_of(intern_c("%rewind"))->global;
    return 0;
  }
  value result = machine.fp[0];
  if (machine.arguments != 1) {
    result = make_object(T_VALUES, (size_t)machine.arguments);
    memcpy(slots_of(result), machine.fp, (size_t)machine.arguments * sizeof(value));
  }
  enter_continuation(k);
  return result;
}

static inline bool both_fixnums(value a, value b) {
  return (a & b & 3) == 1;
}

static inline bool in_vector(value vector, value index) {
  return is_type(vector, T_VECTOR) && is_fixnum(index) && (uint64_t)unfix(index) < size_of(vector);
}

/* ---- The loop's vocabulary: every instruction ends in NEXT, or in a jump that leads to one. -- */

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
/* What the instruction has no quick way for: the primitive of that name does it, or fails. */
#define SLOW(name, count)                                                                          \
  do {                                                                                             \
    *sp++ = acc;                                                                                   \
    SYNC;                                                                                          \
    acc = call_primitive(slots_of(globals.inlined)[OP_##name], count, sp - (count));               \
    sp -= (count);                                                                                 \
  } while (0)
#define QUICK(name, count, test, effect)                                                           \
  OPCODE(name) if (LIKELY(test)) {                                                                 \
    effect;                                                                                        \
    sp -= (count)-1;                                                                               \
  }                                                                                                \
  else SLOW(name, count);                                                                          \
  NEXT;
#define TEST(name, count, known, test)                                                             \
  QUICK(name, count, known, acc = make_bool(test))                                                 \
  OPCODE(JN_##name) if (LIKELY(known)) {                                                           \
    bool holds = (test);                                                                           \
    sp -= (count)-1;                                                                               \
    BRANCH_IF(!holds);                                                                             \
  }                                                                                                \
  SLOW(name, count);                                                                               \
  BRANCH_IF(acc == FALSE);
#define COMPARISON(name, operator)                                                                 \
  TEST(name, 2, both_fixnums(sp[-1], acc), (int64_t)sp[-1] operator(int64_t) acc)

/* Runs from the state in `machine` until the frames are used up; returns the result. With
 * `machine.pc` NULL it only tells where its instructions are. One case per instruction. */
static value execute(void) {
  static const void *const table[] = {
#define X(name) &&op_##name,
      OPCODES(X)
#undef X
  };
  const value *pc = machine.pc;
  value *sp = machine.sp, *fp = machine.fp;
  struct closure *self = machine.self;
  value acc = machine.accumulator;
  intptr_t arguments = machine.arguments;
  int64_t number;
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
  INSTRUCTION(SET_LOCAL_BOX, (slots_of(fp[*pc++])[0] = acc, acc = UNSPECIFIED))
  INSTRUCTION(SET_FREE_BOX, (slots_of(self->captured[*pc++])[0] = acc, acc = UNSPECIFIED))
  INSTRUCTION(DEFINE, (symbol_of(*pc++)->global = acc, acc = UNSPECIFIED))
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
  symbol_of(pc[-1])->global = acc;
  acc = UNSPECIFIED;
  NEXT;
  INSTRUCTION(MAKE_BOX, (machine.sp = sp, acc = make_box(acc)))
  OPCODE(BOX_LOCAL) {
    machine.sp = sp;
    value *slot = &fp[*pc++];
    *slot = make_box(*slot);
    NEXT;
  }
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
  if (is_type(acc, T_PRIMITIVE)) {
    acc = call_primitive(acc, arguments, fp);
    goto leave;
  }
  if (!is_type(acc, T_CONTINUATION)) fail_list("not a procedure:", cons(acc, NIL));
  machine.arguments = arguments;
  value thrown = throw_values(acc);
  if (thrown == 0) goto apply_from_machine;
  acc = thrown;
  fp = machine.fp;
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
  QUICK(CAR, 1, is_pair(acc), acc = car(acc))
  OPCODE(LOCAL_CDR) acc = fp[*pc++];
  QUICK(CDR, 1, is_pair(acc), acc = cdr(acc))
  QUICK(CADR, 1, is_pair(acc) && is_pair(cdr(acc)), acc = car(cdr(acc)))
  QUICK(CDDR, 1, is_pair(acc) && is_pair(cdr(acc)), acc = cdr(cdr(acc)))
  QUICK(CONS, 2, true, (machine.sp = sp, acc = cons(sp[-1], acc)))
  QUICK(NOT, 1, true, acc = make_bool(acc == FALSE))
  QUICK(SET_CAR, 2, is_pair(sp[-1]), (car(sp[-1]) = acc, acc = UNSPECIFIED))
  QUICK(SET_CDR, 2, is_pair(sp[-1]), (cdr(sp[-1]) = acc, acc = UNSPECIFIED))
  QUICK(VECTOR_REF, 2, in_vector(sp[-1], acc), acc = slots_of(sp[-1])[unfix(acc)])
  QUICK(VECTOR_SET, 3, in_vector(sp[-2], sp[-1]),
        (slots_of(sp[-2])[unfix(sp[-1])] = acc, acc = UNSPECIFIED))
  /* Tags and all: the sum of 4a + 1 and 4b is 4(a + b) + 1. */
  QUICK(ADD, 2,
        both_fixnums(sp[-1], acc) &&
            !__builtin_add_overflow((int64_t)sp[-1], (int64_t)(acc - 1), &number),
        acc = (value)number)
  QUICK(SUB, 2,
        both_fixnums(sp[-1], acc) &&
            !__builtin_sub_overflow((int64_t)sp[-1], (int64_t)(acc - 1), &number),
        acc = (value)number)
  QUICK(MUL, 2,
        both_fixnums(sp[-1], acc) &&
            !__builtin_mul_overflow((int64_t)(sp[-1] - 1), unfix(acc), &number),
        acc = (value)number + 1)
  OPCODE(ADD_CONST) {
    value by = *pc++;
    if (LIKELY(is_fixnum(acc) &&
               !__builtin_add_overflow((int64_t)acc, (int64_t)(by - 1), &number))) {
      acc = (value)number;
      NEXT;
    }
    *sp++ = acc;
    acc = by;
    SLOW(ADD, 2);
    NEXT;
  }
  TEST(NIL_P, 1, true, acc == NIL)
  TEST(PAIR_P, 1, true, is_pair(acc))
  TEST(ZERO_P, 1, is_fixnum(acc), acc == fix(0))
  TEST(EQ, 2, true, sp[-1] == acc)
  COMPARISON(NUM_EQ, ==)
  COMPARISON(LT, <)
  COMPARISON(GT, >)
  COMPARISON(LE, <=)
  COMPARISON(GE, >=)

  OPCODE(APPLY) machine.arguments = arguments;
  SYNC;
  spread_list();
  goto apply_from_machine;
  OPCODE(SPREAD) machine.accumulator = acc;
  SYNC;
  spread_values();
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
    machine.sp = machine.bottom; /* keeps the first frame's return information rooted */
    return acc;
  }
  sp = machine.sp;
  fp = machine.fp;
  pc = machine.pc;
  self = machine.self;
  NEXT;
}

static void start_call(value procedure, intptr_t arguments) {
  machine.fp = machine.sp - arguments;
  machine.self = (struct closure *)procedure;
  machine.pc = machine.self->code->program;
  machine.arguments = arguments;
}

/* Calls %raise as if the instruction that failed had. */
static void enter_handler(void) {
  value raise = symbol_of(intern_c("%raise"))->global;
  if (!is_type(raise, T_CLOSURE)) {
    machine.trap = NULL;
    fail_condition(globals.condition);
  }
  machine.sp[RETURN_FRAME] = (value)(machine.sp - machine.fp);
  machine.sp[RETURN_CLOSURE] = (value)machine.self;
  machine.sp[RETURN_TO] = (value)machine.pc | 1;
  machine.sp += RETURN_WORDS;
  *machine.sp++ = globals.condition;
  start_call(raise, 1);
}

value vm_run(value closure) {
  jmp_buf trap;
  machine.sp = machine.bottom;
  globals.parent = NIL;
  globals.parent_length = fix(0);
  start_call(closure, 0);
  if (setjmp(trap) != 0) enter_handler();
  machine.trap = &trap;
  value result = execute();
  machine.trap = NULL;
  return result;
}

static void define_procedure(const char *name, const value *words, size_t count) {
  value symbol = intern_c(name);
  symbol_of(symbol)->global = make_procedure(symbol, words, count);
}

void vm_start(void) {
  machine.pc = NULL;
  execute();
  const value underflow = opcode_word(OP_UNDERFLOW), apply = opcode_word(OP_APPLY);
  const value entry = opcode_word(OP_ENTRY);
  const value call_cc[] = {entry, 1, 1, opcode_word(OP_CALL_CC)};
  const value call_with_values[] = {entry, 2,
                                    8,     opcode_word(OP_FRAME),
                                    4,     opcode_word(OP_LOCAL),
                                    0,     opcode_word(OP_CALL),
                                    0,     opcode_word(OP_SPREAD)};
  machine_start(make_procedure(FALSE, &underflow, 1));
  define_procedure("apply", &apply, 1);
  define_procedure("%call/cc", call_cc, 4);
  define_procedure("call-with-values", call_with_values, 10);
}
