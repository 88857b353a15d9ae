/* SPDX-License-Identifier: MIT */
/* The compiler makes programs for the virtual machine from the syntax tree.
 *
 * A frame holds parameters, then the variables of blocks and temporaries, all at depths known
 * here. Closures are flat: they hold the values of the variables they mention; assigned
 * variables live in boxes, so that copies agree. */
#include "opcodes.h"
#include "syntax.h"

#include <string.h>

struct function {
  const struct variable *self; /* names this function and is never assigned; or NULL */
  value words;                 /* vector, with room for more than `count` */
  intptr_t count, depth, deepest;
  intptr_t last;      /* position of the latest instruction; -1 if a jump may land behind it */
  enum opcode latest; /* that instruction */
  value captured;     /* list of variables, newest first */
};

static void compile(struct function *f, const struct node *node, bool tail);

/* ---- Emitting ------------------------------------------------------------------------------- */

static void put_word(struct function *f, value word) {
  if (f->count == (intptr_t)size_of(f->words)) {
    value wider = make_filled(T_VECTOR, f->count * 2, FALSE);
    memcpy(slots_of(wider), slots_of(f->words), (size_t)f->count * sizeof(value));
    f->words = wider;
  }
  set_slot(f->words, (size_t)f->count++, word);
}

/* Puts an instruction, or makes one of it and the latest. */
static void put_op(struct function *f, enum opcode opcode) {
  enum opcode both = f->last >= 0 ? fused(f->latest, opcode) : OP_CONST;
  bool fuses = both != OP_CONST;
  f->latest = fuses ? both : opcode;
  if (fuses) {
    slots_of(f->words)[f->last] = opcode_word(both);
    return;
  }
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

static void put_push(struct function *f) {
  change_depth(f, 1);
  put_op(f, OP_PUSH);
}

/* Forward jumps to one place are chained through their operands until `land` knows the place. -1
 * ends a chain. */
static void put_jump(struct function *f, enum opcode opcode, intptr_t *chain) {
  put_op1(f, opcode, (value)*chain);
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

static value captured_index(struct function *f, const struct variable *variable) {
  value p = f->captured;
  while (p != NIL && car(p) != (value)variable)
    p = cdr(p);
  if (p == NIL) p = f->captured = cons((value)variable, f->captured);
  return (value)list_length(cdr(p));
}

/* Emits `opcode` for a variable of this frame, or the opcode that follows it for a captured one. */
static void put_access(struct function *f, const struct variable *variable, enum opcode opcode) {
  if (variable->owner == f)
    put_op1(f, opcode, (value)variable->slot);
  else if (variable == f->self)
    put_op(f, OP_SELF);
  else
    put_op1(f, opcode + 1, captured_index(f, variable));
}

static void compile_reference(struct function *f, value target) {
  const struct variable *variable = as_variable(target);
  if (variable != NULL)
    put_access(f, variable, variable->boxed ? OP_LOCAL_BOX : OP_LOCAL);
  else
    put_op1(f, OP_GLOBAL, target);
}

static void push_content(struct function *f, const struct variable *variable) {
  if (variable->boxed) put_op(f, OP_MAKE_BOX);
  put_push(f);
}

static void compile_assignment(struct function *f, const struct node *node) {
  struct variable *variable = as_variable(node->datum);
  bool defines = node->kind == N_DEFINE;
  compile(f, node->parts, false);
  if (variable == NULL)
    put_op1(f, defines ? OP_DEFINE : OP_SET_GLOBAL, node->datum);
  else if (!defines)
    put_access(f, variable, OP_SET_LOCAL_BOX);
  else {
    variable->owner = f;
    variable->slot = f->depth;
    push_content(f, variable);
  }
}

/* ---- Procedures ------------------------------------------------------------------------------ */

static value compile_body(struct function *f, const struct node *lambda) {
  const struct variable *named = as_variable(lambda->datum);
  if (named != NULL && !named->boxed) f->self = named;
  for (struct variable *p = lambda->parameters; p != NULL; p = p->next) {
    p->owner = f;
    p->slot = f->depth;
    change_depth(f, 1);
    if (p->boxed) put_op1(f, OP_BOX_LOCAL, (value)p->slot);
  }
  compile(f, lambda->parts, true);
  value name = named != NULL ? named->name : lambda->datum;
  intptr_t parameters = lambda->rest ? TAKES_REST(lambda->count) : TAKES_EXACTLY(lambda->count);
  return make_procedure(name, parameters, f->deepest + 1, slots_of(f->words), (size_t)f->count);
}

static struct function new_function(void) {
  return (struct function){.words = make_filled(T_VECTOR, 64, FALSE), .last = -1, .captured = NIL};
}

static void compile_lambda(struct function *f, const struct node *lambda) {
  struct function inner = new_function();
  value closure = compile_body(&inner, lambda);
  intptr_t count = list_length(inner.captured);
  if (count == 0) {
    put_op1(f, OP_CONST, closure);
    return;
  }
  for (value p = list_reverse(inner.captured); p != NIL; p = cdr(p)) {
    put_access(f, (const struct variable *)car(p), OP_LOCAL); /* the box itself, if there is one */
    put_push(f);
  }
  put_op1(f, OP_CLOSURE, (value)((struct closure *)closure)->code);
  put_word(f, (value)count);
  change_depth(f, -count);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

/* Primitives that have instructions, by opcode. */
static const struct {
  const char *name;
  int operands;
} inlined[OPCODE_COUNT] = {
#define X(opcode)
#define P(opcode, name, operands) [OP_##opcode] = {name, operands},
    OPCODES(X, P)
#undef X
#undef P
};

void compiler_start(void) {
  globals.inlined = make_filled(T_VECTOR, OPCODE_COUNT, FALSE);
  for (size_t i = 0; i < OPCODE_COUNT; i++) {
    if (inlined[i].name == NULL) continue;
    value primitive = symbol_of(intern_c(inlined[i].name))->global;
    ((struct primitive *)primitive)->opcode = (intptr_t)i;
    set_slot(globals.inlined, i, primitive);
  }
}

/* Returns the primitive that a node calls, or NULL. */
static const struct primitive *called_primitive(const struct node *node) {
  if (node->kind != N_CALL || node->parts->kind != N_CONSTANT) return NULL;
  value callee = node->parts->datum;
  bool called = is_type(callee, T_PRIMITIVE) && takes(callee, count_parts(node) - 1);
  return called ? (const struct primitive *)callee : NULL;
}

/* Returns the opcode that does what the node calls, or OP_CONST if none does. */
static enum opcode called_opcode(const struct node *node) {
  const struct primitive *primitive = called_primitive(node);
  if (primitive == NULL || count_parts(node) - 1 != inlined[primitive->opcode].operands)
    return OP_CONST;
  return (enum opcode)primitive->opcode;
}

/* Pushes the operands but for the last `kept` ones. Returns the first of these. */
static const struct node *push_operands(struct function *f, const struct node *call, int kept) {
  const struct node *operand = call->parts->next;
  for (int64_t count = count_parts(call) - 1 - kept; count > 0; count--, operand = operand->next) {
    compile(f, operand, false);
    put_push(f);
  }
  return operand;
}

/* Puts the last operand into the accumulator and the others on the stack, as the instructions for
 * primitives want them. */
static void load_operands(struct function *f, const struct node *call) {
  compile(f, push_operands(f, call, 1), false);
  change_depth(f, 2 - count_parts(call));
}

/* Pushes the new contents of the loop's variables, then jumps to its start. */
static void compile_jump(struct function *f, const struct variable *loop, const struct node *call) {
  const struct node *operand = call->parts->next;
  intptr_t count = loop->loop->count;
  for (const struct variable *p = loop->loop->parameters; p != NULL; p = p->next) {
    compile(f, operand, false);
    push_content(f, p);
    operand = operand->next;
  }
  put_op1(f, OP_LOOP, (value)count);
  put_word(f, (value)(loop->slot - count));
  put_word(f, (value)(loop->label - f->count - 1));
  change_depth(f, -count);
}

static void compile_call(struct function *f, const struct node *call, bool tail) {
  const struct variable *variable = as_variable(call->parts->datum);
  if (variable != NULL && variable->loop != NULL) return compile_jump(f, variable, call);
  const struct primitive *primitive = called_primitive(call);
  intptr_t count = count_parts(call) - 1, here = -1;
  if (called_opcode(call) != OP_CONST) {
    load_operands(f, call);
    put_op(f, called_opcode(call));
  } else if (primitive != NULL) {
    push_operands(f, call, 0);
    put_op1(f, OP_PRIMITIVE, (value)primitive);
    put_word(f, (value)count);
    change_depth(f, -count);
  } else {
    if (!tail) {
      put_jump(f, OP_FRAME, &here);
      change_depth(f, RETURN_WORDS);
    }
    push_operands(f, call, 0);
    compile(f, call->parts, false);
    put_op1(f, tail ? OP_TAIL_CALL : OP_CALL, (value)count);
    change_depth(f, tail ? -count : -count - RETURN_WORDS);
    land(f, here);
  }
}

/* ---- Control --------------------------------------------------------------------------------- */

static void branch_if_false(struct function *f, const struct node *node, intptr_t *chain);

/* (if (if test yes no) …) branches without making a value first. */
static void branch_by_if(struct function *f, const struct node *node, intptr_t *chain) {
  intptr_t otherwise = -1, end = -1;
  const struct node *test = node->parts, *yes = test->next, *no = yes->next;
  bool both = no->kind == N_CONSTANT && no->datum == FALSE; /* (and test yes) */
  branch_if_false(f, test, both ? chain : &otherwise);
  branch_if_false(f, yes, chain);
  if (both) return;
  put_jump(f, OP_JUMP, &end);
  land(f, otherwise);
  branch_if_false(f, no, chain);
  land(f, end);
}

static void branch_by_or(struct function *f, const struct node *node, intptr_t *chain) {
  intptr_t end = -1;
  for (const struct node *part = node->parts; part != NULL; part = part->next) {
    intptr_t otherwise = -1;
    branch_if_false(f, part, part->next != NULL ? &otherwise : chain);
    if (part->next == NULL) break;
    put_jump(f, OP_JUMP, &end);
    land(f, otherwise);
  }
  land(f, end);
}

static void branch_if_false(struct function *f, const struct node *node, intptr_t *chain) {
  check_depth();
  enum opcode opcode = called_opcode(node);
  if (node->kind == N_IF)
    branch_by_if(f, node, chain);
  else if (node->kind == N_OR && node->parts != NULL)
    branch_by_or(f, node, chain);
  else if (node->kind == N_CONSTANT) {
    if (node->datum == FALSE) put_jump(f, OP_JUMP, chain);
  } else if (opcode != OP_CONST) {
    load_operands(f, node);
    put_jump(f, opcode + 1, chain);
  } else {
    compile(f, node, false);
    put_jump(f, OP_JN_TRUE, chain);
  }
}

static void compile_if(struct function *f, const struct node *node, bool tail) {
  intptr_t otherwise = -1, end = -1;
  const struct node *test = node->parts, *yes = test->next, *no = yes->next;
  if (called_opcode(test) == OP_NOT) {
    test = test->parts->next;
    yes = no;
    no = node->parts->next;
  }
  branch_if_false(f, test, &otherwise);
  compile(f, yes, tail);
  if (!tail) put_jump(f, OP_JUMP, &end);
  land(f, otherwise);
  compile(f, no, tail);
  land(f, end);
}

static void compile_or(struct function *f, const struct node *node, bool tail) {
  intptr_t end = -1;
  for (const struct node *part = node->parts; part != NULL; part = part->next) {
    compile(f, part, tail && part->next == NULL);
    if (part->next != NULL) put_jump(f, OP_J_TRUE, &end);
  }
  land(f, end);
}

static void compile_block(struct function *f, const struct node *node, bool tail) {
  intptr_t depth = f->depth;
  struct variable *loop = as_variable(node->datum);
  for (const struct node *part = node->parts; part != NULL; part = part->next) {
    if (part->next == NULL && loop != NULL) {
      land(f, -1);
      loop->label = f->count;
      loop->slot = f->depth;
    }
    compile(f, part, tail && part->next == NULL);
  }
  if (!tail && f->depth > depth) put_op1(f, OP_POP, (value)(f->depth - depth));
  f->depth = depth;
}

/* Leaves the value in the accumulator; in tail position, returns it. */
static void compile(struct function *f, const struct node *node, bool tail) {
  check_depth();
  switch ((enum node_kind)node->kind) {
  case N_CONSTANT:
    put_op1(f, OP_CONST, node->datum);
    break;
  case N_REFERENCE:
    compile_reference(f, node->datum);
    break;
  case N_SET:
  case N_DEFINE:
    compile_assignment(f, node);
    break;
  case N_LAMBDA:
    compile_lambda(f, node);
    break;
  case N_IF:
    return compile_if(f, node, tail);
  case N_OR:
    compile_or(f, node, tail);
    break;
  case N_BLOCK:
    return compile_block(f, node, tail);
  case N_CALL:
    compile_call(f, node, tail); /* a RETURN behind a tail call never runs */
  }
  if (tail) put_op(f, OP_RETURN);
}

value compile_program(struct node *node) {
  const struct node lambda = {.kind = N_LAMBDA, .datum = FALSE, .parts = node};
  struct function f = new_function();
  return compile_body(&f, &lambda);
}
