/* The virtual machine: the loop that runs programs. Its registers are local variables; `sync`
 * stores those that others need: the collector (sp), errors and frame moves (all). */
#include "machine.h"

#include <string.h>

static const void *const *addresses;

value opcode_word(enum opcode opcode) {
  return (value)addresses[opcode];
}

value vm_closure(const char *name, const value *words, size_t count) {
  struct code *code = mem_refs(sizeof *code + count * sizeof(value));
  code->header = make_header(T_CODE, count);
  code->name = name != NULL ? intern_c(name) : FALSE;
  memcpy(code->program, words, count * sizeof(value));
  struct closure *closure = mem_refs(sizeof *closure);
  closure->header = make_header(T_CLOSURE, 0);
  closure->code = code;
  return (value)closure;
}

static _Noreturn void fail_arguments(value procedure, intptr_t count) {
  fail("apply", "wrong number of arguments:", list2(procedure, fix(count)));
}

static _Noreturn void fail_unbound(value symbol) {
  fail(NULL, "unbound variable:", symbol);
}

static value call_primitive(value procedure, intptr_t count, value *arguments) {
  struct primitive *p = (struct primitive *)procedure;
  if (count < p->least || (p->most >= 0 && count > p->most)) fail_arguments(procedure, count);
  return p->function((int)count, arguments);
}

static value make_closure(value code, const value *captured, intptr_t count) {
  struct closure *closure = mem_refs(sizeof *closure + (size_t)count * sizeof(value));
  closure->header = make_header(T_CLOSURE, (size_t)count);
  closure->code = (struct code *)code;
  for (intptr_t i = 0; i < count; i++)
    closure->captured[i] = captured[i];
  return (value)closure;
}

static inline value make_box(value content) {
  value box = make_object(T_BOX, 1);
  slots_of(box)[0] = content;
  return box;
}

/* The list of the last parameter; the others and the list are on the stack afterwards. */
static void collect_rest(intptr_t parameters) {
  if (machine.arguments < parameters - 1) fail_arguments((value)machine.self, machine.arguments);
  value list = NIL;
  for (intptr_t i = machine.arguments; i >= parameters; i--)
    list = cons(machine.fp[i - 1], list);
  machine.fp[parameters - 1] = list;
  machine.sp = machine.fp + parameters;
}

/* (apply f a … list): f to the accumulator, the arguments to the frame. */
static void spread_list(void) {
  intptr_t count = machine.arguments;
  if (count < 2) fail_arguments((value)machine.self, count);
  value list = machine.sp[-1];
  int64_t length = list_length(list);
  if (length < 0) fail_type("apply", "list", list);
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

static value make_record(const value *operands, const value *arguments) {
  size_t slots = operands[1];
  value record = make_object(T_RECORD, slots);
  slots_of(record)[0] = operands[0];
  for (size_t i = 0; operands[2 + i] != 0; i++)
    slots_of(record)[operands[2 + i]] = arguments[i];
  for (size_t i = 1; i < slots; i++)
    if (slots_of(record)[i] == 0) slots_of(record)[i] = FALSE;
  return record;
}

static inline value *record_slot(value record, const value *operands) {
  if (!is_type(record, T_RECORD) || slots_of(record)[0] != operands[0])
    fail(NULL, "not a record of the type:", list2(record, slots_of(operands[0])[0]));
  return &slots_of(record)[operands[1]];
}

static value *vector_slot(const char *who, value vector, value index) {
  if (!is_type(vector, T_VECTOR)) fail_type(who, "vector", vector);
  if (!is_fixnum(index) || (uint64_t)unfix(index) >= size_of(vector))
    fail(who, "index out of range:", list2(index, vector));
  return &slots_of(vector)[unfix(index)];
}

/* The machine's words for arithmetic: a + b is a + (b - 1), tags and all. */
static inline bool both_fixnums(value a, value b) {
  return (a & b & 3) == 1;
}

#define NEXT goto *(const void *)*pc++
#define OPCODE(name) op_##name:
#define SYNC (machine.sp = sp, machine.fp = fp, machine.pc = pc, machine.self = self)
#define BRANCH_IF(test)                                                                            \
  do {                                                                                             \
    bool taken = (test);                                                                           \
    intptr_t offset = (intptr_t)*pc++;                                                             \
    pc += taken ? offset : 0;                                                                      \
    NEXT;                                                                                          \
  } while (0)
#define UNARY_TEST(name, test)                                                                     \
  OPCODE(name) acc = make_bool(test);                                                              \
  NEXT;                                                                                            \
  OPCODE(J_##name) BRANCH_IF(test);                                                                \
  OPCODE(JN_##name) BRANCH_IF(!(test))
/* `a` is the left operand, off the stack, `acc` the right one. */
#define BINARY_TEST(name, test)                                                                    \
  OPCODE(name) {                                                                                   \
    value a = *--sp;                                                                               \
    acc = make_bool(test);                                                                         \
    NEXT;                                                                                          \
  }                                                                                                \
  OPCODE(J_##name) {                                                                               \
    value a = *--sp;                                                                               \
    BRANCH_IF(test);                                                                               \
  }                                                                                                \
  OPCODE(JN_##name) {                                                                              \
    value a = *--sp;                                                                               \
    BRANCH_IF(!(test));                                                                            \
  }
#define COMPARE(who, op)                                                                           \
  (LIKELY(both_fixnums(a, acc)) ? (int64_t)a op(int64_t) acc : (SYNC, number_compare_##who(a, acc)))

static bool number_compare_equal(value a, value b) {
  return number_compare("=", a, b) == 0;
}
static bool number_compare_less(value a, value b) {
  return number_compare("<", a, b) == -1;
}
static bool number_compare_more(value a, value b) {
  return number_compare(">", a, b) == 1;
}
static bool number_compare_not_more(value a, value b) {
  return number_compare("<=", a, b) <= 0;
}
static bool number_compare_not_less(value a, value b) {
  return (number_compare(">=", a, b) & ~1) == 0; /* 0 or 1 */
}

/* Runs from the state in `machine` until the frames are used up; returns the result. With
 * `machine.pc` NULL it only tells where its instructions are. One case per instruction. */
static value execute(void) {
  static const void *const table[] = {
#define X(name) &&op_##name,
      OPCODES(X)
#define TESTS(name) &&op_##name, &&op_J_##name, &&op_JN_##name,
          UNARY_TESTS(TESTS) BINARY_TESTS(TESTS)
#undef TESTS
#undef X
  };
  const value *pc = machine.pc;
  value *sp = machine.sp, *fp = machine.fp;
  struct closure *self = machine.self;
  value acc = machine.accumulator;
  intptr_t arguments = machine.arguments;
  if (pc == NULL) {
    addresses = table;
    return UNSPECIFIED;
  }
  NEXT;

  OPCODE(CONST) acc = *pc++;
  NEXT;
  OPCODE(LOCAL) acc = fp[*pc++];
  NEXT;
  OPCODE(FREE) acc = self->captured[*pc++];
  NEXT;
  OPCODE(SELF) acc = (value)self;
  NEXT;
  OPCODE(GLOBAL) {
    acc = symbol_of(*pc++)->global;
    if (LIKELY(acc != UNBOUND)) NEXT;
    SYNC;
    fail_unbound(pc[-1]);
  }
  OPCODE(LOCAL_BOX) {
    acc = slots_of(fp[*pc++])[0];
    goto check_box;
  }
  OPCODE(FREE_BOX) {
    acc = slots_of(self->captured[*pc++])[0];
    goto check_box;
  }
check_box:
  if (LIKELY(acc != UNBOUND)) NEXT;
  SYNC;
  fail(NULL, "variable used before its definition", NIL);
  OPCODE(PUSH) *sp++ = acc;
  NEXT;
  OPCODE(CONST_PUSH) *sp++ = *pc++;
  NEXT;
  OPCODE(LOCAL_PUSH) *sp++ = fp[*pc++];
  NEXT;
  OPCODE(FREE_PUSH) *sp++ = self->captured[*pc++];
  NEXT;
  OPCODE(POP) sp -= *pc++;
  NEXT;
  OPCODE(SET_LOCAL_BOX) slots_of(fp[*pc++])[0] = acc;
  acc = UNSPECIFIED;
  NEXT;
  OPCODE(SET_FREE_BOX) slots_of(self->captured[*pc++])[0] = acc;
  acc = UNSPECIFIED;
  NEXT;
  OPCODE(SET_GLOBAL) {
    value *slot = &symbol_of(*pc++)->global;
    if (*slot == UNBOUND) {
      SYNC;
      fail_unbound(pc[-1]);
    }
    *slot = acc;
    acc = UNSPECIFIED;
    NEXT;
  }
  OPCODE(DEFINE) symbol_of(*pc++)->global = acc;
  acc = UNSPECIFIED;
  NEXT;
  OPCODE(MAKE_BOX) machine.sp = sp;
  acc = make_box(acc);
  NEXT;
  OPCODE(BOX_LOCAL) {
    machine.sp = sp;
    value *slot = &fp[*pc++];
    *slot = make_box(*slot);
    NEXT;
  }
  OPCODE(CLOSURE) {
    machine.sp = sp;
    intptr_t count = (intptr_t)pc[1];
    acc = make_closure(pc[0], sp - count, count);
    sp -= count;
    pc += 2;
    NEXT;
  }
  OPCODE(PATCH)((struct closure *)fp[pc[0]])->captured[pc[1]] = fp[pc[2]];
  pc += 3;
  NEXT;

  OPCODE(ENTRY) {
    if (arguments != (intptr_t)pc[0]) goto wrong_count;
    if (__builtin_expect(fp + pc[1] > machine.limit, 0)) goto full_stack;
    pc += 2;
    NEXT;
  }
  OPCODE(ENTRY_REST) {
    machine.arguments = arguments;
    SYNC;
    collect_rest((intptr_t)pc[0]);
    sp = machine.sp;
    if (fp + pc[1] > machine.limit) goto full_stack;
    pc += 2;
    NEXT;
  }
wrong_count:
  SYNC;
  fail_arguments((value)self, arguments);
full_stack:
  SYNC;
  make_room((intptr_t)pc[1]);
  sp = machine.sp;
  fp = machine.fp;
  pc += 2;
  NEXT;
  OPCODE(FRAME) {
    sp[RETURN_FRAME] = (value)(sp - fp);
    sp[RETURN_CLOSURE] = (value)self;
    sp[RETURN_TO] = (value)(pc + 1 + (intptr_t)*pc) | 1;
    sp += RETURN_WORDS;
    pc++;
    NEXT;
  }
  OPCODE(CALL) arguments = (intptr_t)*pc++;
  fp = sp - arguments;
  goto apply;
  OPCODE(TAIL_CALL) {
    arguments = (intptr_t)*pc++;
    const value *from = sp - arguments;
    for (intptr_t i = 0; i < arguments; i++)
      fp[i] = from[i];
    sp = fp + arguments;
    goto apply;
  }
apply:
  if (LIKELY(is_type(acc, T_CLOSURE))) {
    self = (struct closure *)acc;
    pc = self->code->program;
    NEXT;
  }
  if (is_type(acc, T_PRIMITIVE)) {
    SYNC;
    acc = call_primitive(acc, arguments, fp);
    goto leave;
  }
  SYNC;
  if (!is_type(acc, T_CONTINUATION)) fail(NULL, "not a procedure:", acc);
  machine.arguments = arguments;
  value thrown = throw_values(acc);
  sp = machine.sp;
  fp = machine.fp;
  if (thrown == 0) {
    acc = machine.accumulator;
    arguments = machine.arguments;
    goto apply;
  }
  acc = thrown;
  goto leave;
  OPCODE(RETURN)
leave:
  sp = fp - RETURN_WORDS;
  fp = sp - sp[RETURN_FRAME];
  self = (struct closure *)sp[RETURN_CLOSURE];
  pc = (const value *)(sp[RETURN_TO] - 1);
  NEXT;
  OPCODE(PRIMITIVE) {
    struct primitive *p = (struct primitive *)*pc++;
    intptr_t count = (intptr_t)*pc++;
    SYNC;
    acc = p->function((int)count, sp - count);
    sp -= count;
    NEXT;
  }
  OPCODE(JUMP) pc += 1 + (intptr_t)*pc;
  NEXT;
  OPCODE(J_TRUE) BRANCH_IF(acc != FALSE);
  OPCODE(JN_TRUE) BRANCH_IF(acc == FALSE);
  OPCODE(J_EQ_CONST) acc = make_bool(acc == *pc++);
  BRANCH_IF(acc != FALSE);
  OPCODE(JN_EQ_CONST) acc = make_bool(acc == *pc++);
  BRANCH_IF(acc == FALSE);
  OPCODE(LOOP) {
    intptr_t count = (intptr_t)pc[0];
    value *to = fp + pc[1];
    const value *from = sp - count;
    for (intptr_t i = 0; i < count; i++)
      to[i] = from[i];
    sp = to + count;
    pc += 3 + (intptr_t)pc[2];
    NEXT;
  }

  OPCODE(LOCAL_CAR) acc = fp[*pc++];
  OPCODE(CAR) if (LIKELY(is_pair(acc))) {
    acc = car(acc);
    NEXT;
  }
  SYNC;
  fail_type("car", "pair", acc);
  OPCODE(LOCAL_CDR) acc = fp[*pc++];
  OPCODE(CDR) if (LIKELY(is_pair(acc))) {
    acc = cdr(acc);
    NEXT;
  }
  SYNC;
  fail_type("cdr", "pair", acc);
  OPCODE(CADR) if (LIKELY(is_pair(acc) && is_pair(cdr(acc)))) {
    acc = car(cdr(acc));
    NEXT;
  }
  SYNC;
  fail_type("cadr", "list of two or more", acc);
  OPCODE(CDDR) if (LIKELY(is_pair(acc) && is_pair(cdr(acc)))) {
    acc = cdr(cdr(acc));
    NEXT;
  }
  SYNC;
  fail_type("cddr", "list of two or more", acc);
  OPCODE(CONS) machine.sp = sp;
  acc = cons(sp[-1], acc);
  sp--;
  NEXT;
  OPCODE(NOT) acc = make_bool(acc == FALSE);
  NEXT;
  OPCODE(SET_CAR) {
    value pair = *--sp;
    SYNC;
    if (!is_pair(pair)) fail_type("set-car!", "pair", pair);
    *car_of(pair) = acc;
    acc = UNSPECIFIED;
    NEXT;
  }
  OPCODE(SET_CDR) {
    value pair = *--sp;
    SYNC;
    if (!is_pair(pair)) fail_type("set-cdr!", "pair", pair);
    *cdr_of(pair) = acc;
    acc = UNSPECIFIED;
    NEXT;
  }
  OPCODE(VECTOR_REF) {
    value vector = *--sp;
    if (LIKELY(is_type(vector, T_VECTOR) && is_fixnum(acc) &&
               (uint64_t)unfix(acc) < size_of(vector))) {
      acc = slots_of(vector)[unfix(acc)];
      NEXT;
    }
    SYNC;
    acc = *vector_slot("vector-ref", vector, acc);
    NEXT;
  }
  OPCODE(VECTOR_SET) {
    sp -= 2;
    SYNC;
    *vector_slot("vector-set!", sp[0], sp[1]) = acc;
    acc = UNSPECIFIED;
    NEXT;
  }
  OPCODE(ADD) {
    value a = *--sp;
    int64_t sum;
    if (LIKELY(both_fixnums(a, acc)) &&
        LIKELY(!__builtin_add_overflow((int64_t)a, (int64_t)(acc - 1), &sum))) {
      acc = (value)sum;
      NEXT;
    }
    SYNC;
    acc = number_add(a, acc);
    NEXT;
  }
  OPCODE(SUB) {
    value a = *--sp;
    int64_t difference;
    if (LIKELY(both_fixnums(a, acc)) &&
        LIKELY(!__builtin_sub_overflow((int64_t)a, (int64_t)(acc - 1), &difference))) {
      acc = (value)difference;
      NEXT;
    }
    SYNC;
    acc = number_subtract(a, acc);
    NEXT;
  }
  OPCODE(MUL) {
    value a = *--sp;
    int64_t product;
    if (LIKELY(both_fixnums(a, acc)) &&
        LIKELY(!__builtin_mul_overflow((int64_t)(a - 1), unfix(acc), &product))) {
      acc = (value)product + 1;
      NEXT;
    }
    SYNC;
    acc = number_multiply(a, acc);
    NEXT;
  }
  OPCODE(ADD_CONST) {
    value by = *pc++;
    int64_t sum;
    if (LIKELY(is_fixnum(acc)) &&
        LIKELY(!__builtin_add_overflow((int64_t)acc, (int64_t)(by - 1), &sum))) {
      acc = (value)sum;
      NEXT;
    }
    SYNC;
    acc = number_add(acc, by);
    NEXT;
  }

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
  OPCODE(RECORD_MAKE) machine.sp = sp;
  acc = make_record(pc, fp);
  goto leave;
  OPCODE(RECORD_REF) SYNC;
  acc = *record_slot(fp[0], pc);
  goto leave;
  OPCODE(RECORD_SET) SYNC;
  *record_slot(fp[0], pc) = fp[1];
  acc = UNSPECIFIED;
  goto leave;
  OPCODE(RECORD_IS) acc = make_bool(is_type(fp[0], T_RECORD) && slots_of(fp[0])[0] == *pc);
  goto leave;

  UNARY_TEST(NIL_P, acc == NIL);
  UNARY_TEST(PAIR, is_pair(acc));
  UNARY_TEST(ZERO, acc == fix(0) || (!is_fixnum(acc) && (SYNC, number_compare_equal(acc, fix(0)))));
  BINARY_TEST(EQ, a == acc)
  BINARY_TEST(NUM_EQ, COMPARE(equal, ==))
  BINARY_TEST(LT, COMPARE(less, <))
  BINARY_TEST(GT, COMPARE(more, >))
  BINARY_TEST(LE, COMPARE(not_more, <=))
  BINARY_TEST(GE, COMPARE(not_less, >=))
}

static void start_call(value procedure, intptr_t arguments) {
  machine.fp = machine.sp - arguments;
  machine.self = (struct closure *)procedure;
  machine.pc = machine.self->code->program;
  machine.arguments = arguments;
}

/* Calls `raise` as if the instruction that failed had. */
static void enter_handler(void) {
  value raise = symbol_of(intern_c("raise"))->global;
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

void vm_start(void) {
  static const struct {
    const char *name;
    enum opcode opcode;
  } built_in[] = {{"apply", OP_APPLY}, {"%call/cc", OP_CALL_CC}};
  machine.pc = NULL;
  execute();
  value word = opcode_word(OP_UNDERFLOW);
  machine_start(vm_closure(NULL, &word, 1));
  for (size_t i = 0; i < sizeof built_in / sizeof built_in[0]; i++) {
    value words[] = {opcode_word(OP_ENTRY), 1, 1, opcode_word(built_in[i].opcode)};
    bool any = built_in[i].opcode == OP_APPLY;
    value procedure = vm_closure(built_in[i].name, any ? &words[3] : words, any ? 1 : 4);
    symbol_of(intern_c(built_in[i].name))->global = procedure;
  }
  value words[] = {opcode_word(OP_ENTRY),
                   2,
                   8,
                   opcode_word(OP_FRAME),
                   4,
                   opcode_word(OP_LOCAL),
                   0,
                   opcode_word(OP_CALL),
                   0,
                   opcode_word(OP_SPREAD)};
  symbol_of(intern_c("call-with-values"))->global = vm_closure("call-with-values", words, 10);
}
