/* SPDX-License-Identifier: MIT */
/* The expander makes a syntax tree from forms. It resolves names, once and for all, and expands
 * macros. Most forms are macros in boot.scm. The special ones are below. */
#include "syntax.h"

#include <string.h>

static const struct {
  const char *name;
  int64_t least, most; /* length of the form */
} specials[] = {[BEGIN] = {"begin", 1, INT64_MAX},
                [DEFINE] = {"%define", 3, 3},
                [DEFINE_SYNTAX] = {"define-syntax", 3, 3},
                [SYNTAX_RULES] = {"syntax-rules", 2, INT64_MAX},
                [INCLUDE] = {"include", 2, INT64_MAX},
                [LAMBDA] = {"lambda", 3, INT64_MAX},
                [QUOTE] = {"quote", 2, 2},
                [SET] = {"set!", 3, 3},
                [IF] = {"if", 3, 4},
                [OR] = {"or", 1, INT64_MAX},
                [ELLIPSIS] = {"...", 0, 0},
                [UNDERSCORE] = {"_", 0, 0}};

void forms_start(void) {
  for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
    symbol_of(intern_c(specials[i].name))->syntax = fix((int64_t)i);
}

/* ---- Binding ----------------------------------------------------------------------------------
 */

static void bind(value scope, value identifier, value meaning) {
  if (!is_identifier(identifier)) fail_syntax("not an identifier", identifier);
  if (scope != NIL)
    set_car(scope, cons(cons(identifier, meaning), car(scope)));
  else
    store(symbol_of(strip_syntax(identifier)), syntax, meaning);
}

/* Makes a new variable, or a global at top level. Returns what stands for it in the tree. */
static value bind_variable(value scope, value identifier) {
  value name = strip_syntax(identifier);
  if (scope == NIL) {
    bind(NIL, identifier, FALSE);
    if (globals.booting == FALSE) symbol_of(name)->redefinable = TRUE;
    return name;
  }
  struct variable *variable = mem_refs(sizeof *variable);
  variable->header = make_header(T_VARIABLE, 0);
  variable->name = name;
  bind(scope, identifier, (value)variable);
  return (value)variable;
}

/* ---- Heads of forms -------------------------------------------------------------------------- */

/* Puts the directory of the program before the name of a file that is relative to it. */
static value beside_program(value name) {
  size_t directory = 0;
  if (globals.place == FALSE || (size_of(name) > 0 && chars_of(name)[0] == '/')) return name;
  for (size_t i = 0; i < size_of(globals.place); i++)
    if (chars_of(globals.place)[i] == '/') directory = i + 1;
  value path = new_sequence(T_STRING, directory + size_of(name));
  memcpy(chars_of(path), chars_of(globals.place), directory * sizeof(uint32_t));
  memcpy(chars_of(path) + directory, chars_of(name), size_of(name) * sizeof(uint32_t));
  return path;
}

/* Returns what the files of (include NAME …) hold. */
static value read_included(value form) {
  value forms = NIL;
  for (value names = cdr(form); is_pair(names); names = cdr(names)) {
    if (!is_type(car(names), T_STRING)) fail_syntax("bad include", form);
    struct port *port = open_file(beside_program(car(names)), PORT_INPUT);
    for (value datum; (datum = read_datum(port)) != END_OF_FILE;)
      forms = cons(datum, forms);
    close_port(port);
  }
  return list_reverse(forms);
}

/* Expands macros until the head of the form is something else. Sets *special to the special form
 * that it is, or to -1. */
static value expand_head(value form, value scope, intptr_t *special) {
  *special = -1;
  while (is_pair(form) && is_identifier(car(form))) {
    value meaning = lookup(car(form), scope);
    if (is_fixnum(meaning)) {
      *special = (intptr_t)unfix(meaning);
      int64_t length = list_length(form);
      if (length < specials[*special].least || length > specials[*special].most)
        fail_syntax("bad syntax", form);
      if (*special != INCLUDE) return form;
      *special = BEGIN;
      return cons(car(form), read_included(form));
    }
    if (!is_type(meaning, T_MACRO)) return form;
    form = macro_expand((const struct macro *)meaning, form, scope);
  }
  return form;
}

/* Returns what the last part of (define-syntax name spec) means. */
static value expand_macro(value spec, value scope) {
  intptr_t special;
  spec = expand_head(spec, scope, &special);
  if (special == SYNTAX_RULES) return make_macro(spec, scope);
  value meaning = is_identifier(spec) ? lookup(spec, scope) : FALSE;
  if (is_fixnum(meaning) || is_type(meaning, T_MACRO)) return meaning;
  fail_syntax("only syntax-rules makes macros", spec);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static struct node *expand(value form, value scope);

static struct node *make_node(enum node_kind kind, value datum, struct node *parts) {
  struct node *node = mem_refs(sizeof *node);
  *node =
      (struct node){.header = make_header(T_NODE, 0), .kind = kind, .datum = datum, .parts = parts};
  return node;
}

static struct node *make_constant(value v) {
  return make_node(N_CONSTANT, v, NULL);
}

/* Makes a node of parts that are evaluated in order. A single part stands for itself. */
static struct node *make_sequence(enum node_kind kind, struct node *parts, value empty) {
  if (parts == NULL) return make_constant(empty);
  return parts->next == NULL && parts->kind != N_DEFINE ? parts : make_node(kind, NIL, parts);
}

/* A list of parts that grows at its end. */
struct parts {
  struct node *first, *last;
};

static void add_part(struct parts *parts, struct node *part) {
  if (parts->last == NULL)
    parts->first = part;
  else
    store(parts->last, next, part);
  parts->last = part;
}

static struct node *expand_all(value forms, value scope) {
  struct parts parts = {NULL, NULL};
  for (; forms != NIL; forms = cdr(forms))
    add_part(&parts, expand(car(forms), scope));
  return parts.first;
}

/* ---- Bodies, of which the top level is one --------------------------------------------------- */

/* Puts the items of a body before `items`, newest first: (meaning of the name . form) for a
 * definition, (#f . form) for an expression. */
static value scan_body(value forms, value scope, value items) {
  check_depth();
  for (; is_pair(forms); forms = cdr(forms)) {
    intptr_t special;
    value form = expand_head(car(forms), scope, &special);
    if (special == BEGIN)
      items = scan_body(cdr(form), scope, items);
    else if (special == DEFINE)
      items = cons(cons(bind_variable(scope, second(form)), third(form)), items);
    else if (special == DEFINE_SYNTAX)
      bind(scope, second(form), expand_macro(third(form), scope));
    else
      items = cons(cons(FALSE, form), items);
  }
  return items;
}

static struct node *expand_definition(value target, value form, value scope) {
  struct variable *variable = as_variable(target);
  bool used = variable != NULL && variable->used;
  struct node *content = expand(form, scope);
  if (content->kind == N_LAMBDA) {
    store(content, datum, target); /* the procedure may refer to itself */
  } else if (variable != NULL) {
    used = variable->used;
  }
  if (used) variable->boxed = 1;
  return make_node(N_DEFINE, target, content);
}

/* Definitions take effect in order, as in letrec*. A variable that nothing can look at before it is
 * defined needs no box. The others have boxes, which are made before all definitions. */
static struct node *expand_body(value forms, value scope) {
  struct parts parts = {NULL, NULL};
  value items = list_reverse(scan_body(forms, scope, NIL));
  for (; items != NIL; items = cdr(items)) {
    value target = car(car(items)), form = cdr(car(items));
    bool defines = target != FALSE;
    add_part(&parts, defines ? expand_definition(target, form, scope) : expand(form, scope));
  }
  for (struct node *part = parts.first, *unbound; part != NULL; part = part->next) {
    const struct variable *variable = as_variable(part->datum);
    if (part->kind != N_DEFINE || variable == NULL || !variable->boxed) continue;
    part->kind = N_SET;
    unbound = make_node(N_DEFINE, part->datum, make_constant(UNBOUND));
    unbound->next = parts.first;
    parts.first = unbound;
  }
  return make_sequence(N_BLOCK, parts.first, UNSPECIFIED);
}

struct node *expand_program(value form) {
  return expand_body(cons(form, NIL), NIL);
}

/* ---- Special forms and calls ----------------------------------------------------------------- */

/* The name of a built-in procedure is a constant until a program defines or assigns it. */
static struct node *expand_reference(value identifier, value scope) {
  value meaning = lookup(identifier, scope);
  if (as_variable(meaning) != NULL) {
    as_variable(meaning)->used++;
  } else if (!is_type(meaning, T_SYMBOL)) {
    fail_syntax("syntax keyword used as a variable", identifier);
  } else if (symbol_of(meaning)->redefinable == FALSE) {
    value content = symbol_of(meaning)->global;
    if (is_type(content, T_PRIMITIVE) || is_type(content, T_CLOSURE)) return make_constant(content);
  }
  return make_node(N_REFERENCE, meaning, NULL);
}

static struct node *expand_set(value identifier, value form, value scope) {
  value target = is_identifier(identifier) ? lookup(identifier, scope) : FALSE;
  struct variable *variable = as_variable(target);
  if (variable != NULL)
    variable->boxed = 1;
  else if (is_type(target, T_SYMBOL))
    symbol_of(target)->redefinable = TRUE;
  else
    fail_syntax("not a variable", identifier);
  return make_node(N_SET, target, expand(form, scope));
}

static struct node *expand_lambda(value parameters, value body, value scope) {
  struct node *lambda = make_node(N_LAMBDA, FALSE, NULL);
  struct variable *last = NULL;
  value inner = cons(NIL, scope);
  for (; parameters != NIL && !lambda->rest; lambda->count++) {
    lambda->rest = !is_pair(parameters);
    value variable = bind_variable(inner, lambda->rest ? parameters : car(parameters));
    if (last == NULL)
      store(lambda, parameters, variable);
    else
      store(last, next, variable);
    last = as_variable(variable);
    parameters = lambda->rest ? NIL : cdr(parameters);
  }
  store(lambda, parts, expand_body(body, inner));
  return lambda;
}

static struct node *expand_special(intptr_t special, value form, value scope) {
  struct node *parts;
  switch (special) {
  case BEGIN:
    return make_sequence(N_BLOCK, expand_all(cdr(form), scope), UNSPECIFIED);
  case LAMBDA:
    return expand_lambda(second(form), cdr(cdr(form)), scope);
  case QUOTE:
    return make_constant(strip_syntax(second(form)));
  case SET:
    return expand_set(second(form), third(form), scope);
  case IF:
    parts = expand_all(cdr(form), scope);
    if (parts->next->next == NULL) store(parts->next, next, make_constant(UNSPECIFIED));
    return make_node(N_IF, NIL, parts);
  case OR:
    return make_sequence(N_OR, expand_all(cdr(form), scope), FALSE);
  default:
    fail_syntax("definition where an expression is wanted", form);
  }
}

/* Returns the parts of the block that replaces a call of a lambda expression. */
static struct node *let_parts(const struct node *lambda, struct node *operands) {
  struct parts parts = {NULL, NULL};
  for (struct variable *p = lambda->parameters; p != NULL; p = p->next) {
    add_part(&parts, make_node(N_DEFINE, (value)p, operands));
    operands = operands->next;
  }
  add_part(&parts, lambda->parts);
  return parts.first;
}

/* Counts the calls of the variable with that number of operands in tail position of the node. */
static int64_t count_tail_calls(const struct node *node, value variable, int64_t operands) {
  check_depth();
  const struct node *part = node->parts;
  int64_t calls = 0;
  if (node->kind == N_CALL)
    return part->kind == N_REFERENCE && part->datum == variable &&
           count_parts(node) == operands + 1;
  if (node->kind != N_IF && node->kind != N_OR && node->kind != N_BLOCK) return 0;
  for (; part != NULL; part = part->next)
    if (part->next == NULL || (node->kind == N_IF && part != node->parts))
      calls += count_tail_calls(part, variable, operands);
  return calls;
}

/* Returns the variable of a named let if it is only ever called, in tail position of the loop, so
 * that each call is a jump to the start. Otherwise returns NULL. */
static struct variable *find_loop(const struct node *callee) {
  const struct node *define = callee->parts;
  if (callee->kind != N_BLOCK || define->kind != N_DEFINE || define->next == NULL) return NULL;
  struct variable *variable = as_variable(define->datum);
  const struct node *lambda = define->parts, *result = define->next;
  if (lambda->kind != N_LAMBDA || result->kind != N_REFERENCE || result->datum != define->datum)
    return NULL;
  int64_t jumps = count_tail_calls(lambda->parts, define->datum, lambda->count);
  return jumps == variable->used - 1 ? variable : NULL;
}

static struct node *expand_call(value form, value scope) {
  if (list_length(form) < 0) fail_syntax("improper list of expressions", form);
  struct node *call = make_node(N_CALL, NIL, expand_all(form, scope)), *lambda = call->parts;
  struct variable *loop = find_loop(lambda);
  if (loop != NULL) lambda = lambda->parts->parts;
  if (lambda->kind != N_LAMBDA || lambda->rest || lambda->count != count_parts(call) - 1)
    return call;
  struct node *parts = let_parts(lambda, call->parts->next);
  if (loop == NULL) return make_sequence(N_BLOCK, parts, UNSPECIFIED);
  store(loop, loop, lambda);
  return make_node(N_BLOCK, (value)loop, parts);
}

static struct node *expand(value form, value scope) {
  check_depth();
  intptr_t special;
  form = expand_head(form, scope, &special);
  if (is_identifier(form)) return expand_reference(form, scope);
  if (special >= 0) return expand_special(special, form, scope);
  if (form == NIL) fail_syntax("empty combination", form);
  if (!is_pair(form)) return make_constant(strip_syntax(form));
  return expand_call(form, scope);
}
