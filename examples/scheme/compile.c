/* The compiler: syntax tree to the virtual machine's programs.
 *
 * A frame holds parameters, then let-bound variables and temporaries, all at depths known here.
 * Closures are flat: they hold the values of the variables they mention; assigned variables
 * live in boxes, so that copies agree. Loops are jumps within a frame. */
#include "opcodes.h"
#include "syntax.h"

#include <string.h>

struct function {
  struct function *parent;
  struct variable *self; /* the variable that names this function, if it never changes */
  value words;           /* vector, room for more */
  intptr_t count, depth, deepest;
  intptr_t last;  /* position of the latest instruction, -1 if a jump may land behind it */
  value captured; /* list of variables, newest first */
  intptr_t captured_count;
};

/* ---- Emitting ------------------------------------------------------------------------------- */

static void put_word(struct function *f, value word) {
  if (f->count == (intptr_t)size_of(f->words)) {
    value wider = make_vector(f->count * 2, FALSE);
    memcpy(slots_of(wider), slots_of(f->words), (size_t)f->count * sizeof(value));
    f->words = wider;
  }
  slots_of(f->words)[f->count++] = word;
}

static void put_op(struct function *f, enum opcode opcode) {
  f->last = f->count;
  put_word(f, opcode_word(opcode));
}

static void put_op1(struct function *f, enum opcode opcode, value operand) {
  put_op(f, opcode);
  put_word(f, operand);
}

static void change_depth(struct function *f, intptr_t by) {
  f->depth += by;
  if (f->depth > f->deepest) f->deepest = f->depth;
}

static bool last_is(const struct function *f, enum opcode opcode) {
  return f->last >= 0 && slots_of(f->words)[f->last] == opcode_word(opcode);
}

static void put_push(struct function *f) {
  static const enum opcode fused[][2] = {
      {OP_CONST, OP_CONST_PUSH}, {OP_LOCAL, OP_LOCAL_PUSH}, {OP_FREE, OP_FREE_PUSH}};
  change_depth(f, 1);
  for (size_t i = 0; i < 3; i++)
    if (last_is(f, fused[i][0])) {
      slots_of(f->words)[f->last] = opcode_word(fused[i][1]);
      return;
    }
  put_op(f, OP_PUSH);
}

/* Forward jumps to one place form a chain through their operands, -1 ends it. */
static void put_jump(struct function *f, intptr_t *chain) {
  put_word(f, (value)*chain);
  *chain = f->count - 1;
}

static void land(struct function *f, intptr_t chain) {
  while (chain >= 0) {
    value *operand = &slots_of(f->words)[chain];
    intptr_t next = (intptr_t)*operand;
    *operand = (value)(f->count - chain - 1);
    chain = next;
  }
  f->last = -1;
}

/* ---- Variables ------------------------------------------------------------------------------ */

static intptr_t captured_index(struct function *f, struct variable *variable) {
  intptr_t index = f->captured_count;
  for (value p = f->captured; p != NIL; p = cdr(p)) {
    index--;
    if (car(p) == (value)variable) return index;
  }
  f->captured = cons((value)variable, f->captured);
  return f->captured_count++;
}

/* The variable's word as it is: its value, or its box. */
static void put_raw(struct function *f, struct variable *variable) {
  if (variable->owner == f)
    put_op1(f, OP_LOCAL, (value)variable->slot);
  else if (f->self == variable)
    put_op(f, OP_SELF);
  else
    put_op1(f, OP_FREE, (value)captured_index(f, variable));
}

static void put_reference(struct function *f, struct variable *variable) {
  if (!variable->assigned)
    put_raw(f, variable);
  else if (variable->owner == f)
    put_op1(f, OP_LOCAL_BOX, (value)variable->slot);
  else
    put_op1(f, OP_FREE_BOX, (value)captured_index(f, variable));
}

static void put_assignment(struct function *f, struct variable *variable) {
  if (variable->owner == f)
    put_op1(f, OP_SET_LOCAL_BOX, (value)variable->slot);
  else
    put_op1(f, OP_SET_FREE_BOX, (value)captured_index(f, variable));
}

static void own(struct function *f, struct variable *variable, intptr_t slot) {
  variable->owner = f;
  variable->slot = slot;
}

/* ---- Expressions ---------------------------------------------------------------------------- */

static void compile(struct function *f, struct node *node, bool tail);
static void branch(struct function *f, struct node *node, bool sense, intptr_t *chain);

static void finish(struct function *f, bool tail) {
  if (tail) put_op(f, OP_RETURN);
}

static void compile_push(struct function *f, struct node *node) {
  compile(f, node, false);
  put_push(f);
}

static intptr_t push_all(struct function *f, value nodes) {
  intptr_t count = 0;
  for (; nodes != NIL; nodes = cdr(nodes), count++)
    compile_push(f, (struct node *)car(nodes));
  return count;
}

/* Primitives that have instructions. */
static const struct inlined {
  const char *name;
  int arguments;
  enum opcode opcode;
  bool test; /* J_… and JN_… follow the opcode */
} inlined[] = {
    {NULL, 0, OP_CONST, false},
    {"car", 1, OP_CAR, false},
    {"cdr", 1, OP_CDR, false},
    {"cadr", 1, OP_CADR, false},
    {"cddr", 1, OP_CDDR, false},
    {"cons", 2, OP_CONS, false},
    {"not", 1, OP_NOT, false},
    {"set-car!", 2, OP_SET_CAR, false},
    {"set-cdr!", 2, OP_SET_CDR, false},
    {"vector-ref", 2, OP_VECTOR_REF, false},
    {"vector-set!", 3, OP_VECTOR_SET, false},
    {"+", 2, OP_ADD, false},
    {"-", 2, OP_SUB, false},
    {"*", 2, OP_MUL, false},
    {"null?", 1, OP_NIL_P, true},
    {"pair?", 1, OP_PAIR, true},
    {"zero?", 1, OP_ZERO, true},
    {"eq?", 2, OP_EQ, true},
    {"=", 2, OP_NUM_EQ, true},
    {"<", 2, OP_LT, true},
    {">", 2, OP_GT, true},
    {"<=", 2, OP_LE, true},
    {">=", 2, OP_GE, true},
};

void compiler_start(void) {
  for (size_t i = 1; i < sizeof inlined / sizeof inlined[0]; i++) {
    value primitive = symbol_of(intern_c(inlined[i].name))->global;
    ((struct primitive *)primitive)->inlined = (intptr_t)i;
  }
}

/* The primitive that a call surely reaches, or NULL. */
static struct primitive *known_primitive(const struct node *call) {
  if (call->kind != N_CALL) return NULL;
  const struct node *operator=(const struct node *) call->a;
  value procedure = FALSE;
  if (operator->kind == N_CONSTANT) procedure = operator->a;
  if (operator->kind == N_GLOBAL && symbol_of(operator->a)->redefinable == FALSE)
    procedure = symbol_of(operator->a)->global;
  if (!is_type(procedure, T_PRIMITIVE)) return NULL;
  struct primitive *primitive = (struct primitive *)procedure;
  int64_t count = list_length(call->b);
  bool fits = count >= primitive->least && (primitive->most < 0 || count <= primitive->most);
  return fits ? primitive : NULL;
}

static const struct inlined *inlined_call(const struct node *call) {
  struct primitive *primitive = known_primitive(call);
  if (primitive == NULL || primitive->inlined == 0) return NULL;
  const struct inlined *entry = &inlined[primitive->inlined];
  return list_length(call->b) == entry->arguments ? entry : NULL;
}

/* All arguments but the last on the stack, the last in the accumulator. */
static void load_arguments(struct function *f, value nodes) {
  for (; cdr(nodes) != NIL; nodes = cdr(nodes))
    compile_push(f, (struct node *)car(nodes));
  compile(f, (struct node *)car(nodes), false);
}

static void compile_inlined(struct function *f, const struct inlined *entry, value nodes) {
  struct node *last = (struct node *)car(nodes);
  if (entry->arguments == 2) last = (struct node *)car(cdr(nodes));
  bool add = entry->opcode == OP_ADD || entry->opcode == OP_SUB;
  if (add && last->kind == N_CONSTANT && is_fixnum(last->a) && last->a != fix(FIXNUM_MIN)) {
    compile(f, (struct node *)car(nodes), false);
    int64_t by = unfix(last->a);
    put_op1(f, OP_ADD_CONST, fix(entry->opcode == OP_ADD ? by : -by));
    return;
  }
  load_arguments(f, nodes);
  change_depth(f, 1 - entry->arguments);
  if (last_is(f, OP_LOCAL) && (entry->opcode == OP_CAR || entry->opcode == OP_CDR)) {
    enum opcode fused = entry->opcode == OP_CAR ? OP_LOCAL_CAR : OP_LOCAL_CDR;
    slots_of(f->words)[f->last] = opcode_word(fused);
    return;
  }
  put_op(f, entry->opcode);
}

static void compile_call(struct function *f, struct node *call, bool tail) {
  const struct inlined *entry = inlined_call(call);
  struct primitive *primitive = known_primitive(call);
  if (entry != NULL) {
    compile_inlined(f, entry, call->b);
    finish(f, tail);
  } else if (primitive != NULL) {
    intptr_t count = push_all(f, call->b);
    put_op1(f, OP_PRIMITIVE, (value)primitive);
    put_word(f, (value)count);
    change_depth(f, -count);
    finish(f, tail);
  } else if (tail) {
    intptr_t count = push_all(f, call->b);
    compile(f, (struct node *)call->a, false);
    put_op1(f, OP_TAIL_CALL, (value)count);
    change_depth(f, -count);
  } else {
    intptr_t here = -1;
    put_op(f, OP_FRAME);
    put_jump(f, &here);
    change_depth(f, 3);
    intptr_t count = push_all(f, call->b);
    compile(f, (struct node *)call->a, false);
    put_op1(f, OP_CALL, (value)count);
    change_depth(f, -count - 3);
    land(f, here);
  }
}

/* Branches where the node's truth equals `sense`; falls through otherwise. */
static void branch_on_call(struct function *f, struct node *node, bool sense, intptr_t *chain) {
  const struct inlined *entry = inlined_call(node);
  if (entry != NULL && entry->opcode == OP_NOT) {
    branch(f, (struct node *)car(node->b), !sense, chain);
    return;
  }
  if (entry == NULL || !entry->test) {
    compile(f, node, false);
    put_op(f, sense ? OP_J_TRUE : OP_JN_TRUE);
    put_jump(f, chain);
    return;
  }
  struct node *last = (struct node *)car(node->b);
  if (entry->arguments == 2) last = (struct node *)car(cdr(node->b));
  if (entry->opcode == OP_EQ && last->kind == N_CONSTANT) {
    compile(f, (struct node *)car(node->b), false);
    put_op1(f, sense ? OP_J_EQ_CONST : OP_JN_EQ_CONST, last->a);
  } else {
    load_arguments(f, node->b);
    change_depth(f, 1 - entry->arguments);
    put_op(f, entry->opcode + (sense ? 1 : 2));
  }
  put_jump(f, chain);
}

static bool is_constant(const struct node *node, value v) {
  return node->kind == N_CONSTANT && node->a == v;
}

/* `first` decides if its truth is `decisive`, else `second` does: or, and (decisive false). */
static void branch_on_two(struct function *f, struct node *first, struct node *second,
                          bool decisive, bool sense, intptr_t *chain) {
  intptr_t skip = -1;
  branch(f, first, decisive, decisive == sense ? chain : &skip);
  branch(f, second, sense, chain);
  land(f, skip);
}

static void branch(struct function *f, struct node *node, bool sense, intptr_t *chain) {
  check_depth("compile");
  if (node->kind == N_CALL) {
    branch_on_call(f, node, sense, chain);
  } else if (node->kind == N_OR) {
    branch_on_two(f, (struct node *)node->a, (struct node *)node->b, true, sense, chain);
  } else if (node->kind == N_IF && is_constant((struct node *)node->c, FALSE)) {
    branch_on_two(f, (struct node *)node->a, (struct node *)node->b, false, sense, chain);
  } else if (node->kind == N_CONSTANT) {
    if ((node->a != FALSE) == sense) {
      put_op(f, OP_JUMP);
      put_jump(f, chain);
    }
  } else {
    compile(f, node, false);
    put_op(f, sense ? OP_J_TRUE : OP_JN_TRUE);
    put_jump(f, chain);
  }
}

static void compile_if(struct function *f, struct node *node, bool tail) {
  intptr_t otherwise = -1, end = -1, depth = f->depth;
  branch(f, (struct node *)node->a, false, &otherwise);
  compile(f, (struct node *)node->b, tail);
  if (!tail) {
    put_op(f, OP_JUMP);
    put_jump(f, &end);
  }
  f->depth = depth;
  land(f, otherwise);
  compile(f, (struct node *)node->c, tail);
  land(f, end);
}

static void compile_or(struct function *f, struct node *node, bool tail) {
  intptr_t end = -1;
  compile(f, (struct node *)node->a, false);
  put_op(f, OP_J_TRUE);
  put_jump(f, &end);
  compile(f, (struct node *)node->b, tail);
  land(f, end);
  finish(f, tail);
}

static void drop(struct function *f, intptr_t count, bool tail) {
  if (!tail && count > 0) put_op1(f, OP_POP, (value)count);
  change_depth(f, -count);
}

static void compile_let(struct function *f, struct node *node, bool tail) {
  intptr_t base = f->depth, count = 0;
  for (value p = node->b, v = node->a; p != NIL; p = cdr(p), v = cdr(v), count++) {
    compile(f, (struct node *)car(p), false);
    if (((struct variable *)car(v))->assigned) put_op(f, OP_MAKE_BOX);
    put_push(f);
  }
  intptr_t slot = base;
  for (value v = node->a; v != NIL; v = cdr(v))
    own(f, (struct variable *)car(v), slot++);
  compile(f, (struct node *)node->c, tail);
  drop(f, count, tail);
}

static void box_parameters(struct function *f, value variables) {
  for (; variables != NIL; variables = cdr(variables)) {
    struct variable *variable = (struct variable *)car(variables);
    if (variable->assigned) put_op1(f, OP_BOX_LOCAL, (value)variable->slot);
  }
}

static void compile_loop(struct function *f, struct node *node, bool tail) {
  intptr_t slot = f->depth, count = push_all(f, node->b);
  node->loop->slot = slot;
  for (value v = node->a; v != NIL; v = cdr(v))
    own(f, (struct variable *)car(v), slot++);
  node->loop->label = f->count;
  f->last = -1;
  box_parameters(f, node->a);
  compile(f, (struct node *)node->c, tail);
  drop(f, count, tail);
}

static void compile_jump(struct function *f, struct node *node) {
  const struct variable *loop = (const struct variable *)node->a;
  intptr_t count = push_all(f, node->b);
  put_op1(f, OP_LOOP, (value)count);
  put_word(f, (value)loop->slot);
  put_word(f, (value)(loop->label - f->count - 1));
  change_depth(f, -count);
}

/* ---- Functions ------------------------------------------------------------------------------ */

static value finished_code(struct function *f, value name) {
  size_t count = (size_t)f->count;
  struct code *code = mem_refs(sizeof *code + count * sizeof(value));
  code->header = make_header(T_CODE, count);
  code->name = name;
  memcpy(code->program, slots_of(f->words), count * sizeof(value));
  return (value)code;
}

static value compile_body(struct function *f, struct node *lambda) {
  intptr_t slot = 0;
  for (value v = lambda->a; v != NIL; v = cdr(v))
    own(f, (struct variable *)car(v), slot++);
  f->depth = f->deepest = slot;
  put_op1(f, lambda->rest ? OP_ENTRY_REST : OP_ENTRY, (value)slot);
  intptr_t room = f->count;
  put_word(f, 0);
  box_parameters(f, lambda->a);
  compile(f, (struct node *)lambda->b, true);
  slots_of(f->words)[room] = (value)(f->deepest + 1);
  return finished_code(f, lambda->c);
}

/* Leaves the closure in the accumulator. Captured members of the same N_FIX that come later
 * have no value yet: their slots are not below the depth. Returns what was captured. */
static value compile_lambda(struct function *f, struct node *lambda, struct variable *self) {
  struct function inner = {
      .parent = f, .self = self, .words = make_vector(64, FALSE), .last = -1, .captured = NIL};
  value code = compile_body(&inner, lambda);
  if (inner.captured == NIL) {
    struct closure *closure = mem_refs(sizeof *closure);
    closure->header = make_header(T_CLOSURE, 0);
    closure->code = (struct code *)code;
    put_op1(f, OP_CONST, (value)closure);
    return NIL;
  }
  intptr_t depth = f->depth;
  value captured = list_reverse(inner.captured);
  for (value p = captured; p != NIL; p = cdr(p)) {
    struct variable *variable = (struct variable *)car(p);
    if (variable->owner == f && variable->slot >= depth)
      put_op1(f, OP_CONST, FALSE);
    else
      put_raw(f, variable);
    put_push(f);
  }
  put_op1(f, OP_CLOSURE, code);
  put_word(f, (value)inner.captured_count);
  change_depth(f, -inner.captured_count);
  return captured;
}

static void compile_fix(struct function *f, struct node *node, bool tail) {
  intptr_t slot = f->depth, count = 0;
  for (value v = node->a; v != NIL; v = cdr(v), count++)
    own(f, (struct variable *)car(v), slot++);
  value patches = NIL; /* (slot . (index . slot)) */
  for (value v = node->a, l = node->b; v != NIL; v = cdr(v), l = cdr(l)) {
    struct variable *variable = (struct variable *)car(v);
    value captured = compile_lambda(f, (struct node *)car(l), variable);
    for (int64_t i = 0; captured != NIL; captured = cdr(captured), i++) {
      const struct variable *other = (const struct variable *)car(captured);
      if (other->owner == f && other->slot >= f->depth)
        patches = cons(cons(fix(variable->slot), cons(fix(i), fix(other->slot))), patches);
    }
    put_push(f);
  }
  for (; patches != NIL; patches = cdr(patches)) {
    value patch = car(patches);
    put_op1(f, OP_PATCH, (value)unfix(car(patch)));
    put_word(f, (value)unfix(car(cdr(patch))));
    put_word(f, (value)unfix(cdr(cdr(patch))));
  }
  compile(f, (struct node *)node->c, tail);
  drop(f, count, tail);
}

static void compile(struct function *f, struct node *node, bool tail) {
  check_depth("compile");
  switch ((enum node_kind)node->kind) {
  case N_CONSTANT:
    put_op1(f, OP_CONST, node->a);
    break;
  case N_LOCAL:
    put_reference(f, (struct variable *)node->a);
    break;
  case N_GLOBAL:
    put_op1(f, OP_GLOBAL, node->a);
    break;
  case N_SET_LOCAL:
    compile(f, (struct node *)node->b, false);
    put_assignment(f, (struct variable *)node->a);
    break;
  case N_SET_GLOBAL:
  case N_DEFINE:
    compile(f, (struct node *)node->b, false);
    put_op1(f, node->kind == N_DEFINE ? OP_DEFINE : OP_SET_GLOBAL, node->a);
    break;
  case N_LAMBDA:
    compile_lambda(f, node, NULL);
    break;
  case N_IF:
    compile_if(f, node, tail);
    return;
  case N_OR:
    compile_or(f, node, tail);
    return;
  case N_SEQUENCE:
    compile(f, (struct node *)node->a, false);
    compile(f, (struct node *)node->b, tail);
    return;
  case N_CALL:
    compile_call(f, node, tail);
    return;
  case N_LET:
    compile_let(f, node, tail);
    return;
  case N_FIX:
    compile_fix(f, node, tail);
    return;
  case N_LOOP:
    compile_loop(f, node, tail);
    return;
  case N_JUMP:
    compile_jump(f, node);
    return;
  }
  finish(f, tail);
}

value compile_program(struct node *node) {
  struct node lambda = {.kind = N_LAMBDA, .a = NIL, .b = (value)node, .c = FALSE};
  struct function f = {.words = make_vector(64, FALSE), .last = -1, .captured = NIL};
  value code = compile_body(&f, &lambda);
  struct closure *closure = mem_refs(sizeof *closure);
  closure->header = make_header(T_CLOSURE, 0);
  closure->code = (struct code *)code;
  return (value)closure;
}
