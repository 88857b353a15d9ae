/* The expander: forms to syntax tree. Names are resolved here, once; macros are gone after it. */
#include "expand.h"

_Noreturn void fail_syntax(const char *what, value form) {
  fail_condition(make_condition("syntax", string_from_c(what), cons(strip_syntax(form), NIL)));
}

/* ---- Scopes --------------------------------------------------------------------------------- */

value new_alias(value identifier, value scope) {
  value alias = make_object(T_ALIAS, ALIAS_SLOTS);
  slots_of(alias)[ALIAS_IDENTIFIER] = identifier;
  slots_of(alias)[ALIAS_SCOPE] = scope;
  return alias;
}

value core(value symbol) {
  return new_alias(symbol, NIL);
}

value new_scope(value parent) {
  value scope = make_object(T_SCOPE, SCOPE_SLOTS);
  slots_of(scope)[SCOPE_BINDINGS] = NIL;
  slots_of(scope)[SCOPE_PARENT] = parent;
  return scope;
}

static void bind(value scope, value identifier, value denotation) {
  if (!is_identifier(identifier)) fail_syntax("not an identifier", identifier);
  value *bindings = &slots_of(scope)[SCOPE_BINDINGS];
  *bindings = cons(cons(identifier, denotation), *bindings);
}

struct variable *bind_variable(value scope, value identifier) {
  struct variable *variable = mem_refs(sizeof *variable);
  variable->header = make_header(T_VARIABLE, 0);
  variable->name = strip_syntax(identifier);
  bind(scope, identifier, (value)variable);
  return variable;
}

value lookup(value identifier, value scope) {
  for (;;) {
    for (; scope != NIL; scope = slots_of(scope)[SCOPE_PARENT])
      for (value p = slots_of(scope)[SCOPE_BINDINGS]; p != NIL; p = cdr(p))
        if (car(car(p)) == identifier) return cdr(car(p));
    if (is_type(identifier, T_SYMBOL)) {
      value syntax = symbol_of(identifier)->syntax;
      return syntax != FALSE ? syntax : identifier;
    }
    scope = slots_of(identifier)[ALIAS_SCOPE];
    identifier = slots_of(identifier)[ALIAS_IDENTIFIER];
  }
}

static bool has_alias(value form) {
  for (; is_pair(form); form = cdr(form))
    if (has_alias(car(form))) return true;
  if (is_type(form, T_VECTOR))
    for (size_t i = 0; i < size_of(form); i++)
      if (has_alias(slots_of(form)[i])) return true;
  return is_type(form, T_ALIAS);
}

value strip_syntax(value form) {
  check_depth("quote");
  if (!has_alias(form)) return form;
  while (is_type(form, T_ALIAS))
    form = slots_of(form)[ALIAS_IDENTIFIER];
  if (is_pair(form)) {
    value head = strip_syntax(car(form));
    return cons(head, strip_syntax(cdr(form)));
  }
  if (is_type(form, T_VECTOR)) {
    value copy = make_vector((int64_t)size_of(form), FALSE);
    for (size_t i = 0; i < size_of(form); i++)
      slots_of(copy)[i] = strip_syntax(slots_of(form)[i]);
    return copy;
  }
  return form;
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

struct node *make_node(enum node_kind kind, value a, value b, value c) {
  struct node *node = mem_refs(sizeof *node);
  node->header = make_header(T_NODE, 0);
  node->kind = kind;
  node->a = a;
  node->b = b;
  node->c = c;
  return node;
}

struct node *make_constant(value v) {
  return make_node(N_CONSTANT, v, NIL, NIL);
}

struct node *make_sequence(struct node *first, struct node *second) {
  return first == NULL ? second : make_node(N_SEQUENCE, (value)first, (value)second, NIL);
}

struct node *reference(struct variable *variable) {
  variable->uses++;
  return make_node(N_LOCAL, (value)variable, NIL, NIL);
}

struct node *make_call(struct node *operator, value arguments) {
  if (operator->kind == N_LAMBDA && !operator->rest &&
      list_length(operator->a) == list_length(arguments))
    return make_node(N_LET, operator->a, arguments, operator->b);
  return make_node(N_CALL, (value) operator, arguments, NIL);
}

static bool calls(const struct node *node, const struct variable *variable, int64_t arguments) {
  if (node->kind != N_CALL || list_length(node->b) != arguments) return false;
  const struct node *operator=(const struct node *) node->a;
  return operator->kind == N_LOCAL && operator->a ==(value) variable;
}

/* Counts the calls of the variable in tail position; with `convert`, makes them jumps. */
static intptr_t tail_calls(struct node *node, struct variable *variable, int64_t arguments,
                           bool convert) {
  check_depth("expand");
  switch (node->kind) {
  case N_IF:
    return tail_calls((struct node *)node->b, variable, arguments, convert) +
           tail_calls((struct node *)node->c, variable, arguments, convert);
  case N_OR:
  case N_SEQUENCE:
    return tail_calls((struct node *)node->b, variable, arguments, convert);
  case N_LET:
  case N_FIX:
  case N_LOOP:
    return tail_calls((struct node *)node->c, variable, arguments, convert);
  default:
    if (!calls(node, variable, arguments)) return 0;
    if (convert) {
      node->kind = N_JUMP;
      node->a = (value)variable;
    }
    return 1;
  }
}

struct node *make_fix(value variables, value lambdas, struct node *body) {
  struct variable *variable = (struct variable *)car(variables);
  struct node *lambda = (struct node *)car(lambdas);
  int64_t arguments = list_length(lambda->a);
  struct node *inside = (struct node *)lambda->b;
  bool one = cdr(variables) == NIL && !lambda->rest && calls(body, variable, arguments);
  if (!one || tail_calls(inside, variable, arguments, false) + 1 != variable->uses)
    return make_node(N_FIX, variables, lambdas, (value)body);
  tail_calls(inside, variable, arguments, true);
  struct node *loop = make_node(N_LOOP, lambda->a, body->b, lambda->b);
  loop->loop = variable;
  return loop;
}

/* ---- Bodies --------------------------------------------------------------------------------- */

/* Expands every item; a variable that is referenced before its group begins is `early`.
 * A group is a run of consecutive lambdas, which may refer to each other freely. */
static value expand_inits(value items, value scope) {
  value nodes = NIL;
  bool in_group = false;
  for (value p = items; p != NIL; p = cdr(p)) {
    for (value q = p; q != NIL && !in_group; q = cdr(q)) {
      struct variable *later = (struct variable *)car(car(q));
      if (car(car(q)) != FALSE && later->uses > 0) later->early = 1;
    }
    struct node *node = expand(cdr(car(p)), scope);
    nodes = cons((value)node, nodes);
    in_group = node->kind == N_LAMBDA;
    if (car(car(p)) == FALSE) continue;
    struct variable *variable = (struct variable *)car(car(p));
    if (in_group && node->c == FALSE) node->c = variable->name;
    if (!in_group && variable->uses > 0) variable->early = 1;
  }
  return nodes; /* newest first */
}

struct group {
  value variables, lambdas;
  struct node *rest;
  value early; /* variables whose boxes come before everything */
};

static void close_group(struct group *group) {
  if (group->variables != NIL)
    group->rest = make_fix(group->variables, group->lambdas, group->rest);
  group->variables = group->lambdas = NIL;
}

static void add_item(struct group *group, struct variable *variable, struct node *node) {
  bool lambda = node->kind == N_LAMBDA;
  if (variable->early || (lambda && variable->assigned)) {
    if (!lambda) /* a lambda may capture members of its group, so it is set inside of it */
      close_group(group);
    variable->assigned = 1;
    group->early = cons((value)variable, group->early);
    struct node *set = make_node(N_SET_LOCAL, (value)variable, (value)node, NIL);
    group->rest = make_sequence(set, group->rest);
  } else if (lambda) {
    group->variables = cons((value)variable, group->variables);
    group->lambdas = cons((value)node, group->lambdas);
  } else {
    close_group(group);
    group->rest =
        make_node(N_LET, cons((value)variable, NIL), cons((value)node, NIL), (value)group->rest);
  }
}

struct node *expand_items(value items, value scope) {
  value nodes = expand_inits(items, scope);
  struct group group = {NIL, NIL, NULL, NIL};
  value reversed = NIL;
  for (; items != NIL; items = cdr(items))
    reversed = cons(car(items), reversed);
  if (reversed == NIL || car(car(reversed)) != FALSE) group.rest = make_constant(UNSPECIFIED);
  for (; reversed != NIL; reversed = cdr(reversed), nodes = cdr(nodes)) {
    value variable = car(car(reversed));
    struct node *node = (struct node *)car(nodes);
    if (variable != FALSE) {
      add_item(&group, (struct variable *)variable, node);
      continue;
    }
    close_group(&group);
    group.rest = group.rest == NULL ? node : make_sequence(node, group.rest);
  }
  close_group(&group);
  if (group.early == NIL) return group.rest;
  value empty = NIL;
  for (value p = group.early; p != NIL; p = cdr(p))
    empty = cons((value)make_constant(UNBOUND), empty);
  return make_node(N_LET, group.early, empty, (value)group.rest);
}

/* Expands macros until the head is something else; tells the special form, or -1. */
static value expand_head(value form, value scope, intptr_t *special) {
  *special = -1;
  while (is_pair(form) && is_identifier(car(form))) {
    value meaning = lookup(car(form), scope);
    if (is_type(meaning, T_MACRO)) {
      form = macro_expand(meaning, form, scope);
    } else if (is_fixnum(meaning)) {
      const struct special *found = special_form(meaning);
      *special = unfix(meaning);
      if (found->rewrite == NULL || *special <= SPECIAL_LAMBDA) return form;
      form = found->rewrite(form, scope);
      *special = -1;
    } else {
      return form;
    }
  }
  return form;
}

/* (define (name . parameters) body …), curried or not, to (define name (lambda …)). */
static value plain_define(value form) {
  if (list_length(form) < 2) fail_syntax("bad define", form);
  while (is_pair(car(cdr(form)))) {
    value head = car(cdr(form));
    value lambda = cons(core(globals.lambda), cons(cdr(head), cdr(cdr(form))));
    form = list3(car(form), car(head), lambda);
  }
  if (!is_identifier(car(cdr(form))) || list_length(form) > 3) fail_syntax("bad define", form);
  return form;
}

static value macro_of(value spec, value scope) {
  intptr_t special;
  spec = expand_head(spec, scope, &special);
  if (is_identifier(spec)) {
    value meaning = lookup(spec, scope);
    if (is_fixnum(meaning) || is_type(meaning, T_MACRO)) return meaning;
  }
  value head = is_pair(spec) ? car(spec) : FALSE;
  if (!is_identifier(head) || strip_syntax(head) != intern_c("syntax-rules"))
    fail_syntax("only syntax-rules makes macros", spec);
  return make_macro(spec, scope);
}

static void check_define_syntax(value form) {
  if (list_length(form) != 3 || !is_identifier(car(cdr(form))))
    fail_syntax("bad define-syntax", form);
}

static value scan_body(value forms, value scope, value items) {
  for (; is_pair(forms); forms = cdr(forms)) {
    intptr_t special;
    value form = expand_head(car(forms), scope, &special);
    if (special == SPECIAL_BEGIN) {
      items = scan_body(cdr(form), scope, items);
    } else if (special == SPECIAL_DEFINE) {
      form = plain_define(form);
      struct variable *variable = bind_variable(scope, car(cdr(form)));
      value rest = cdr(cdr(form));
      items = cons(cons((value)variable, rest == NIL ? UNSPECIFIED : car(rest)), items);
    } else if (special == SPECIAL_DEFINE_SYNTAX) {
      check_define_syntax(form);
      bind(scope, car(cdr(form)), macro_of(car(cdr(cdr(form))), scope));
    } else {
      items = cons(cons(FALSE, form), items);
    }
  }
  return items;
}

struct node *expand_body(value forms, value scope) {
  if (list_length(forms) < 1) fail_syntax("empty body", forms);
  value inner = new_scope(scope);
  return expand_items(list_reverse(scan_body(forms, inner, NIL)), inner);
}

struct node *expand_lambda(value parameters, value body, value scope) {
  value inner = new_scope(scope), variables = NIL, p = parameters;
  for (; is_pair(p); p = cdr(p))
    variables = cons((value)bind_variable(inner, car(p)), variables);
  intptr_t rest = p != NIL;
  if (rest) variables = cons((value)bind_variable(inner, p), variables);
  variables = list_reverse(variables);
  struct node *node = make_node(N_LAMBDA, variables, (value)expand_body(body, inner), FALSE);
  node->rest = rest;
  return node;
}

struct node *expand_sequence(value forms, value scope) {
  if (!is_pair(forms)) return make_constant(UNSPECIFIED);
  struct node *first = expand(car(forms), scope);
  return cdr(forms) == NIL ? first : make_sequence(first, expand_sequence(cdr(forms), scope));
}

value expand_all(value forms, value scope) {
  if (list_length(forms) < 0) fail_syntax("improper list of expressions", forms);
  value nodes = NIL;
  for (; forms != NIL; forms = cdr(forms))
    nodes = cons((value)expand(car(forms), scope), nodes);
  return list_reverse(nodes);
}

static struct node *expand_identifier(value identifier, value scope) {
  value meaning = lookup(identifier, scope);
  if (is_type(meaning, T_VARIABLE)) return reference((struct variable *)meaning);
  if (is_type(meaning, T_SYMBOL)) return make_node(N_GLOBAL, meaning, NIL, NIL);
  fail_syntax("syntax keyword used as a variable", identifier);
}

struct node *expand(value form, value scope) {
  check_depth("expand");
  intptr_t special;
  form = expand_head(form, scope, &special);
  if (is_identifier(form)) return expand_identifier(form, scope);
  if (form == NIL) fail_syntax("empty combination", form);
  if (!is_pair(form)) return make_constant(strip_syntax(form));
  if (special >= 0) return special_form(fix(special))->expand(form, scope);
  struct node *operator= expand(car(form), scope);
  return make_call(operator, expand_all(cdr(form), scope));
}

/* ---- Top level ------------------------------------------------------------------------------ */

static struct node *expand_top(value form) {
  intptr_t special;
  form = expand_head(form, NIL, &special);
  if (special == SPECIAL_BEGIN) {
    struct node *all = NULL;
    for (value p = cdr(form); is_pair(p); p = cdr(p))
      all = make_sequence(all, expand_top(car(p)));
    return all != NULL ? all : make_constant(UNSPECIFIED);
  }
  if (special == SPECIAL_DEFINE) {
    form = plain_define(form);
    value name = strip_syntax(car(cdr(form))), rest = cdr(cdr(form));
    symbol_of(name)->syntax = FALSE;
    symbol_of(name)->redefinable = TRUE;
    struct node *node = rest == NIL ? make_constant(UNSPECIFIED) : expand(car(rest), NIL);
    if (node->kind == N_LAMBDA && node->c == FALSE) node->c = name;
    return make_node(N_DEFINE, name, (value)node, NIL);
  }
  if (special == SPECIAL_DEFINE_SYNTAX) {
    check_define_syntax(form);
    value name = strip_syntax(car(cdr(form)));
    symbol_of(name)->syntax = macro_of(car(cdr(cdr(form))), NIL);
    return make_constant(UNSPECIFIED);
  }
  return expand(form, NIL);
}

struct node *expand_program(value form) {
  return expand_top(form);
}

void note_definitions(value forms) {
  for (; is_pair(forms); forms = cdr(forms)) {
    value form = car(forms);
    if (!is_pair(form) || !is_pair(cdr(form))) continue;
    value name = car(cdr(form));
    while (is_pair(name))
      name = car(name);
    if (car(form) == globals.begin)
      note_definitions(cdr(form));
    else if (car(form) == globals.define && is_type(name, T_SYMBOL))
      symbol_of(name)->redefinable = TRUE;
  }
}
