/* The compiler: syntax tree to the virtual machine's programs.
 *
 * A frame holds parameters, then let-bound variables and temporaries, all at depths known here.
 * Closures are flat: they hold the values of the variables they mention; assigned variables
 * live in boxes, so that copies agree. */
#include "opcodes.h"
#include "syntax.h"

#include <string.h>

struct function {
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
    value wider = make_filled(T_VECTOR, f->count * 2, FALSE);
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

/* Turns the latest instruction into one that does more, if there is such a one. */
static bool fuse(struct function *f, enum opcode from, enum opcode to) {
  if (f->last < 0 || slots_of(f->words)[f->last] != opcode_word(from)) return false;
  slots_of(f->words)[f->last] = opcode_word(to);
  return true;
}

static void put_push(struct function *f) {
  change_depth(f, 1);
  if (!fuse(f, OP_CONST, OP_CONST_PUSH) && !fuse(f, OP_LOCAL, OP_LOCAL_PUSH) &&
      !fuse(f, OP_FREE, OP_FREE_PUSH))
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

static value captured_index(struct function *f, struct variable *variable) {
  intptr_t index = f->captured_count;
  for (value p = f->captured; p != NIL; p = cdr(p)) {
    index--;
    if (car(p) == (value)variable) return (value)index;
  }
  f->captured = cons((value)variable, f->captured);
  return (value)f->captured_count++;
}

/* An instruction for a variable of this frame, or for one that the closure captured. */
static void put_access(struct function *f, struct variable *variable, enum opcode local,
                       enum opcode captured) {
  if (variable->owner == f)
    put_op1(f, local, (value)variable->slot);
  else
    put_op1(f, captured, captured_index(f, variable));
}

static void own(struct function *f, value variables, intptr_t slot) {
  for (; variables != NIL; variables = cdr(variables)) {
    struct variable *variable = (struct variable *)car(variables);
    variable->owner = f;
    variable->slot = slot++;
  }
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static void compile(struct function *f, struct node *node, bool tail);

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

/* Primitives that have instructions; tests have another right after, JN_…. */
static const struct inlined {
  const char *name;
  int arguments;
  enum opcode opcode;
  bool test;
} inlined[] = {{NULL, 0, OP_CONST, false},
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
               {"pair?", 1, OP_PAIR_P, true},
               {"zero?", 1, OP_ZERO_P, true},
               {"eqv?", 2, OP_EQ, true},
               {"eq?", 2, OP_EQ, true},
               {"=", 2, OP_NUM_EQ, true},
               {"<", 2, OP_LT, true},
               {">", 2, OP_GT, true},
               {"<=", 2, OP_LE, true},
               {">=", 2, OP_GE, true}};

void compiler_start(void) {
  globals.inlined = make_filled(T_VECTOR, OPCODE_COUNT, FALSE);
  for (size_t i = 1; i < sizeof inlined / sizeof inlined[0]; i++) {
    value primitive = symbol_of(intern_c(inlined[i].name))->global;
    ((struct primitive *)primitive)->inlined = (intptr_t)i;
    slots_of(globals.inlined)[inlined[i].opcode] = primitive;
  }
}

/* The primitive that a call surely reaches, or FALSE. */
static value known_primitive(const struct node *call) {
  if (call->kind != N_CALL) return FALSE;
  const struct node *callee = (const struct node *)call->a;
  if (callee->kind != N_GLOBAL || symbol_of(callee->a)->redefinable != FALSE) return FALSE;
  value procedure = symbol_of(callee->a)->global;
  return is_type(procedure, T_PRIMITIVE) && takes(procedure, list_length(call->b)) ? procedure
                                                                                   : FALSE;
}

static const struct inlined *inlined_call(const struct node *call) {
  value primitive = known_primitive(call);
  if (primitive == FALSE) return NULL;
  const struct inlined *entry = &inlined[((struct primitive *)primitive)->inlined];
  if (entry->name == NULL || list_length(call->b) != entry->arguments) return NULL;
  /* eqv? is eq? if one of the two is a constant that is no flonum. */
  const struct node *last =
      (const struct node *)car(entry->arguments == 2 ? cdr(call->b) : call->b);
  bool simple = last->kind == N_CONSTANT && !is_type(last->a, T_FLONUM);
  return strcmp(entry->name, "eqv?") != 0 || simple ? entry : NULL;
}

/* All arguments but the last on the stack, the last in the accumulator. */
static void load_arguments(struct function *f, const struct inlined *entry, value nodes) {
  for (; cdr(nodes) != NIL; nodes = cdr(nodes))
    compile_push(f, (struct node *)car(nodes));
  compile(f, (struct node *)car(nodes), false);
  change_depth(f, 1 - entry->arguments);
}

static void compile_inlined(struct function *f, const struct inlined *entry, value nodes) {
  if (entry->opcode == OP_ADD || entry->opcode == OP_SUB) {
    const struct node *last = (const struct node *)car(cdr(nodes));
    if (last->kind == N_CONSTANT && is_fixnum(last->a) && last->a != fix(FIXNUM_MIN)) {
      compile(f, (struct node *)car(nodes), false);
      put_op1(f, OP_ADD_CONST, fix(entry->opcode == OP_ADD ? unfix(last->a) : -unfix(last->a)));
      return;
    }
  }
  load_arguments(f, entry, nodes);
  if (entry->opcode == OP_CAR && fuse(f, OP_LOCAL, OP_LOCAL_CAR)) return;
  if (entry->opcode == OP_CDR && fuse(f, OP_LOCAL, OP_LOCAL_CDR)) return;
  put_op(f, entry->opcode);
}

static void compile_call(struct function *f, struct node *call, bool tail) {
  const struct inlined *entry = inlined_call(call);
  value primitive = known_primitive(call);
  if (entry != NULL) {
    compile_inlined(f, entry, call->b);
    finish(f, tail);
  } else if (primitive != FALSE) {
    intptr_t count = push_all(f, call->b);
    put_op1(f, OP_PRIMITIVE, primitive);
    put_word(f, (value)count);
    change_depth(f, -count);
    finish(f, tail);
  } else {
    intptr_t here = -1;
    if (!tail) {
      put_op(f, OP_FRAME);
      put_jump(f, &here);
      change_depth(f, 3);
    }
    intptr_t count = push_all(f, call->b);
    compile(f, (struct node *)call->a, false);
    put_op1(f, tail ? OP_TAIL_CALL : OP_CALL, (value)count);
    change_depth(f, tail ? -count : -count - 3);
    land(f, here);
  }
}

/* ---- Branches ------------------------------------------------------------------------------- */

static void branch_if_false(struct function *f, struct node *node, intptr_t *chain) {
  check_depth();
  const struct inlined *entry = inlined_call(node);
  const struct node *otherwise = (const struct node *)node->c;
  if (node->kind == N_IF && otherwise->kind == N_CONSTANT && otherwise->a == FALSE) { /* and */
    branch_if_false(f, (struct node *)node->a, chain);
    branch_if_false(f, (struct node *)node->b, chain);
    return;
  }
  if (entry != NULL && entry->test) {
    load_arguments(f, entry, node->b);
    put_op(f, entry->opcode + 1);
  } else {
    compile(f, node, false);
    put_op(f, OP_JN_TRUE);
  }
  put_jump(f, chain);
}

static void compile_if(struct function *f, struct node *node, bool tail) {
  intptr_t otherwise = -1, end = -1, depth = f->depth;
  struct node *test = (struct node *)node->a;
  const struct inlined *entry = inlined_call(test);
  bool swapped = entry != NULL && entry->opcode == OP_NOT;
  branch_if_false(f, swapped ? (struct node *)car(test->b) : test, &otherwise);
  compile(f, (struct node *)(swapped ? node->c : node->b), tail);
  if (!tail) {
    put_op(f, OP_JUMP);
    put_jump(f, &end);
  }
  f->depth = depth;
  land(f, otherwise);
  compile(f, (struct node *)(swapped ? node->b : node->c), tail);
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

/* ---- Variables that bind, functions ---------------------------------------------------------- */

static void drop(struct function *f, intptr_t count, bool tail) {
  if (!tail && count > 0) put_op1(f, OP_POP, (value)count);
  change_depth(f, -count);
}

static void compile_let(struct function *f, struct node *node, bool tail) {
  intptr_t base = f->depth;
  for (value p = node->b, v = node->a; p != NIL; p = cdr(p), v = cdr(v)) {
    compile(f, (struct node *)car(p), false);
    if (((struct variable *)car(v))->boxed) put_op(f, OP_MAKE_BOX);
    put_push(f);
  }
  own(f, node->a, base);
  compile(f, (struct node *)node->c, tail);
  drop(f, list_length(node->a), tail);
}

static void box_variables(struct function *f, value variables) {
  for (; variables != NIL; variables = cdr(variables)) {
    const struct variable *variable = (const struct variable *)car(variables);
    if (variable->boxed) put_op1(f, OP_BOX_LOCAL, (value)variable->slot);
  }
}

static void compile_loop(struct function *f, struct node *node, bool tail) {
  node->loop->slot = f->depth;
  intptr_t count = push_all(f, node->b);
  own(f, node->a, node->loop->slot);
  node->loop->label = f->count;
  f->last = -1;
  box_variables(f, node->a);
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

static value compile_body(struct function *f, struct node *lambda) {
  f->depth = f->deepest = list_length(lambda->a);
  own(f, lambda->a, 0);
  put_op1(f, lambda->rest ? OP_ENTRY_REST : OP_ENTRY, (value)f->depth);
  intptr_t room = f->count;
  put_word(f, 0);
  box_variables(f, lambda->a);
  compile(f, (struct node *)lambda->b, true);
  slots_of(f->words)[room] = (value)(f->deepest + 1);
  return make_procedure(lambda->c, slots_of(f->words), (size_t)f->count);
}

/* Leaves the closure in the accumulator; `self` names it, if that never changes, or is NULL. */
static void compile_lambda(struct function *f, struct node *lambda, struct variable *self) {
  struct function inner = {
      .self = self, .words = make_filled(T_VECTOR, 64, FALSE), .last = -1, .captured = NIL};
  value closure = compile_body(&inner, lambda);
  if (inner.captured == NIL) {
    put_op1(f, OP_CONST, closure);
    return;
  }
  for (value p = list_reverse(inner.captured); p != NIL; p = cdr(p)) {
    put_access(f, (struct variable *)car(p), OP_LOCAL, OP_FREE); /* a box as such */
    put_push(f);
  }
  put_op1(f, OP_CLOSURE, (value)((struct closure *)closure)->code);
  put_word(f, (value)inner.captured_count);
  change_depth(f, -inner.captured_count);
}

/* A definition's lambda knows itself by name. */
static void compile_set(struct function *f, struct variable *variable, struct node *node) {
  if (node->kind == N_LAMBDA && !variable->changed)
    compile_lambda(f, node, variable);
  else
    compile(f, node, false);
  put_access(f, variable, OP_SET_LOCAL_BOX, OP_SET_FREE_BOX);
}

/* What boot.scm defines and uses is what it meant, even if a program defines the name anew. */
static bool is_lasting(value symbol) {
  value content = symbol_of(symbol)->global;
  return globals.booting == TRUE && (is_type(content, T_CLOSURE) || is_type(content, T_PRIMITIVE));
}

static void compile(struct function *f, struct node *node, bool tail) {
  check_depth();
  struct variable *variable = (struct variable *)node->a;
  switch ((enum node_kind)node->kind) {
  case N_CONSTANT:
    put_op1(f, OP_CONST, node->a);
    break;
  case N_LOCAL:
    if (variable == f->self)
      put_op(f, OP_SELF);
    else if (variable->boxed)
      put_access(f, variable, OP_LOCAL_BOX, OP_FREE_BOX);
    else
      put_access(f, variable, OP_LOCAL, OP_FREE);
    break;
  case N_GLOBAL:
    if (is_lasting(node->a))
      put_op1(f, OP_CONST, symbol_of(node->a)->global);
    else
      put_op1(f, OP_GLOBAL, node->a);
    break;
  case N_SET_LOCAL:
    compile_set(f, variable, (struct node *)node->b);
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
    return compile_if(f, node, tail);
  case N_OR:
    return compile_or(f, node, tail);
  case N_SEQUENCE:
    compile(f, (struct node *)node->a, false);
    return compile(f, (struct node *)node->b, tail);
  case N_CALL:
    return compile_call(f, node, tail);
  case N_LET:
    return compile_let(f, node, tail);
  case N_LOOP:
    return compile_loop(f, node, tail);
  case N_JUMP:
    return compile_jump(f, node);
  }
  finish(f, tail);
}

value compile_program(struct node *node) {
  struct node lambda = {.kind = N_LAMBDA, .a = NIL, .b = (value)node, .c = FALSE};
  struct function f = {.words = make_filled(T_VECTOR, 64, FALSE), .last = -1, .captured = NIL};
  return compile_body(&f, &lambda);
}
