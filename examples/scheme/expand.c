/* The expander: forms to syntax tree. Names are resolved here, once; macros are gone after it.
 * Most forms are macros in boot.scm; the few special ones are at the end. */
#include "syntax.h"

#include <string.h>

static struct node *expand(value form, value scope);

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

/* The symbol as it is meant at top level, whatever a scope says. */
static value core(value symbol) {
  return new_alias(symbol, NIL);
}

static value new_scope(value parent) {
  value scope = make_object(T_SCOPE, SCOPE_SLOTS);
  slots_of(scope)[SCOPE_BINDINGS] = NIL;
  slots_of(scope)[SCOPE_PARENT] = parent;
  return scope;
}

static void bind(value scope, value identifier, value meaning) {
  if (!is_identifier(identifier)) fail_syntax("not an identifier", identifier);
  value *bindings = &slots_of(scope)[SCOPE_BINDINGS];
  *bindings = cons(cons(identifier, meaning), *bindings);
}

static value bind_variable(value scope, value identifier) {
  struct variable *variable = mem_refs(sizeof *variable);
  variable->header = make_header(T_VARIABLE, 0);
  variable->name = strip_syntax(identifier);
  bind(scope, identifier, (value)variable);
  return (value)variable;
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
  check_depth();
  for (; is_pair(form); form = cdr(form))
    if (has_alias(car(form))) return true;
  if (is_type(form, T_VECTOR))
    for (size_t i = 0; i < size_of(form); i++)
      if (has_alias(slots_of(form)[i])) return true;
  return is_type(form, T_ALIAS);
}

value strip_syntax(value form) {
  check_depth();
  if (!has_alias(form)) return form;
  while (is_type(form, T_ALIAS))
    form = slots_of(form)[ALIAS_IDENTIFIER];
  if (is_pair(form)) {
    value head = strip_syntax(car(form));
    return cons(head, strip_syntax(cdr(form)));
  }
  if (!is_type(form, T_VECTOR)) return form;
  value copy = make_filled(T_VECTOR, (int64_t)size_of(form), FALSE);
  for (size_t i = 0; i < size_of(form); i++)
    slots_of(copy)[i] = strip_syntax(slots_of(form)[i]);
  return copy;
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

static struct node *make_node(enum node_kind kind, value a, value b, value c) {
  struct node *node = mem_refs(sizeof *node);
  *node = (struct node){make_header(T_NODE, 0), kind, a, b, c, 0, NULL};
  return node;
}

static struct node *make_constant(value v) {
  return make_node(N_CONSTANT, v, NIL, NIL);
}

static struct node *make_sequence(struct node *first, struct node *second) {
  return make_node(N_SEQUENCE, (value)first, (value)second, NIL);
}

/* A list of forms, one after the other; the value is that of the last. */
static struct node *expand_sequence(value forms, value scope, struct node *(*each)(value, value)) {
  if (!is_pair(forms)) return make_constant(UNSPECIFIED);
  struct node *first = each(car(forms), scope);
  return cdr(forms) == NIL ? first : make_sequence(first, expand_sequence(cdr(forms), scope, each));
}

static value expand_all(value forms, value scope) {
  value nodes = NIL;
  for (; forms != NIL; forms = cdr(forms))
    nodes = cons((value)expand(car(forms), scope), nodes);
  return list_reverse(nodes);
}

/* ---- Special forms that are recognised by position ------------------------------------------- */

enum { SPECIAL_BEGIN, SPECIAL_DEFINE, SPECIAL_DEFINE_SYNTAX, SPECIAL_INCLUDE, SPECIAL_FIRST };

/* (include NAME …) to (begin form …); names are relative to the directory of the program. */
static value read_included(value form) {
  value forms = NIL;
  for (value names = cdr(form); is_pair(names); names = cdr(names)) {
    char path[4096];
    if (!is_type(car(names), T_STRING)) fail_syntax("bad include", form);
    const char *name = c_from_string(car(names));
    const char *source = globals.place != FALSE ? c_from_string(globals.place) : "";
    const char *slash = *name == '/' ? NULL : strrchr(source, '/');
    int directory = slash != NULL ? (int)(slash + 1 - source) : 0;
    snprintf(path, sizeof path, "%.*s%s", directory, source, name);
    FILE *file = fopen(path, "r");
    if (file == NULL) fail_syntax("cannot open the file", form);
    struct port *port = make_file_port(file, path, PORT_INPUT);
    for (value datum; (datum = read_datum(port)) != END_OF_FILE;)
      forms = cons(datum, forms);
    fclose(file);
  }
  return cons(core(globals.begin), list_reverse(forms));
}

/* Expands macros until the head is something else; tells the special form, or -1. */
static value expand_head(value form, value scope, intptr_t *special) {
  *special = -1;
  while (is_pair(form) && is_identifier(car(form))) {
    value meaning = lookup(car(form), scope);
    if (is_type(meaning, T_MACRO)) {
      form = macro_expand(meaning, form, scope);
    } else if (meaning == fix(SPECIAL_INCLUDE)) {
      form = read_included(form);
    } else {
      if (is_fixnum(meaning)) *special = unfix(meaning);
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

/* What (define-syntax name spec) makes of the name. */
static value defined_macro(value form, value scope) {
  if (list_length(form) != 3 || !is_identifier(car(cdr(form))))
    fail_syntax("bad define-syntax", form);
  intptr_t special;
  value spec = expand_head(car(cdr(cdr(form))), scope, &special);
  if (is_identifier(spec)) {
    value meaning = lookup(spec, scope);
    if (is_fixnum(meaning) || is_type(meaning, T_MACRO)) return meaning;
  }
  value head = is_pair(spec) ? car(spec) : FALSE;
  if (!is_identifier(head) || strip_syntax(head) != intern_c("syntax-rules"))
    fail_syntax("only syntax-rules makes macros", spec);
  return make_macro(spec, scope);
}

/* ---- Bodies --------------------------------------------------------------------------------- */

/* The body's items, newest first: (variable . form), or (#f . form) for expressions. */
static value scan_body(value forms, value scope, value items) {
  for (; is_pair(forms); forms = cdr(forms)) {
    intptr_t special;
    value form = expand_head(car(forms), scope, &special);
    if (special == SPECIAL_BEGIN) {
      items = scan_body(cdr(form), scope, items);
    } else if (special == SPECIAL_DEFINE) {
      form = plain_define(form);
      value variable = bind_variable(scope, car(cdr(form))), rest = cdr(cdr(form));
      items = cons(cons(variable, rest == NIL ? UNSPECIFIED : car(rest)), items);
    } else if (special == SPECIAL_DEFINE_SYNTAX) {
      bind(scope, car(cdr(form)), defined_macro(form, scope));
    } else {
      items = cons(cons(FALSE, form), items);
    }
  }
  return items;
}

static struct node *make_let(value variables, value nodes, struct node *body) {
  return make_node(N_LET, variables, nodes, (value)body);
}

/* Definitions take effect in order, as in letrec*. A variable that nothing can have looked at
 * before its value is there is bound by a let; the others have boxes, made beforehand. */
static struct node *expand_body(value forms, value scope) {
  if (list_length(forms) < 1) fail_syntax("empty body", forms);
  value inner = new_scope(scope), nodes = NIL, boxed = NIL, unbound = NIL;
  value items = list_reverse(scan_body(forms, inner, NIL));
  for (value p = items; p != NIL; p = cdr(p)) {
    struct variable *variable = (struct variable *)car(car(p));
    struct node *node = expand(cdr(car(p)), inner);
    if ((value)variable != FALSE && node->kind == N_LAMBDA && node->c == FALSE)
      node->c = variable->name;
    if ((value)variable != FALSE && variable->used) {
      variable->boxed = 1;
      boxed = cons((value)variable, boxed);
      unbound = cons((value)make_constant(UNBOUND), unbound);
    }
    nodes = cons((value)node, nodes);
  }
  struct node *body = NULL;
  for (items = list_reverse(items); items != NIL; items = cdr(items), nodes = cdr(nodes)) {
    struct variable *variable = (struct variable *)car(car(items));
    struct node *node = (struct node *)car(nodes);
    if (body == NULL && (value)variable != FALSE) body = make_constant(UNSPECIFIED);
    if ((value)variable == FALSE)
      body = body == NULL ? node : make_sequence(node, body);
    else if (is_member((value)variable, boxed))
      body = make_sequence(make_node(N_SET_LOCAL, (value)variable, (value)node, NIL), body);
    else
      body = make_let(cons((value)variable, NIL), cons((value)node, NIL), body);
  }
  if (body == NULL) return make_constant(UNSPECIFIED);
  return boxed == NIL ? body : make_let(boxed, unbound, body);
}

/* ---- Special forms --------------------------------------------------------------------------- */

static void check_length(value form, int64_t least, int64_t most) {
  int64_t length = list_length(form);
  if (length < least || length > most) fail_syntax("bad syntax", form);
}

static struct node *form_misplaced(value form, UNUSED value scope) {
  fail_syntax("definition where an expression is wanted", form);
}

static struct node *form_begin(value form, value scope) {
  check_length(form, 1, INT64_MAX);
  return expand_sequence(cdr(form), scope, expand);
}

static struct node *form_quote(value form, UNUSED value scope) {
  check_length(form, 2, 2);
  return make_constant(strip_syntax(car(cdr(form))));
}

static struct node *expand_lambda(value parameters, value forms, value scope) {
  value inner = new_scope(scope), variables = NIL, p = parameters;
  for (; is_pair(p); p = cdr(p))
    variables = cons(bind_variable(inner, car(p)), variables);
  if (p != NIL) variables = cons(bind_variable(inner, p), variables);
  struct node *body = expand_body(forms, inner);
  struct node *node = make_node(N_LAMBDA, list_reverse(variables), (value)body, FALSE);
  node->rest = p != NIL;
  return node;
}

static struct node *form_lambda(value form, value scope) {
  check_length(form, 3, INT64_MAX);
  return expand_lambda(car(cdr(form)), cdr(cdr(form)), scope);
}

/* Counts the calls of the variable in tail position; with `convert`, makes them jumps. */
static intptr_t tail_calls(struct node *node, const struct variable *variable, int64_t arguments,
                           bool convert) {
  check_depth();
  intptr_t count = 0;
  const struct node *callee = (const struct node *)node->a;
  switch ((enum node_kind)node->kind) {
  case N_IF:
    count = tail_calls((struct node *)node->c, variable, arguments, convert);
    return count + tail_calls((struct node *)node->b, variable, arguments, convert);
  case N_OR:
  case N_SEQUENCE:
    return tail_calls((struct node *)node->b, variable, arguments, convert);
  case N_LET:
  case N_LOOP:
    return tail_calls((struct node *)node->c, variable, arguments, convert);
  case N_CALL:
    if (callee->kind != N_LOCAL || callee->a != (value)variable ||
        list_length(node->b) != arguments)
      return 0;
    if (convert)
      *node = (struct node){node->header, N_JUMP, (value)variable, node->b, NIL, 0, NULL};
    return 1;
  default:
    return 0;
  }
}

/* (%loop name (variable …) (init …) body …), a named let: jumps if its name is used for tail
 * calls only, else a procedure. */
static struct node *form_loop(value form, value scope) {
  value rest = cdr(cdr(form)), inner = new_scope(scope), nodes = expand_all(car(cdr(rest)), scope);
  struct variable *variable = (struct variable *)bind_variable(inner, car(cdr(form)));
  struct node *lambda = expand_lambda(car(rest), cdr(cdr(rest)), inner);
  struct node *body = (struct node *)lambda->b;
  int64_t arguments = list_length(lambda->a);
  if (tail_calls(body, variable, arguments, false) == variable->used) {
    tail_calls(body, variable, arguments, true);
    struct node *loop = make_node(N_LOOP, lambda->a, nodes, (value)body);
    loop->loop = variable;
    return loop;
  }
  lambda->c = variable->name;
  variable->boxed = 1;
  struct node *callee = make_node(N_LOCAL, (value)variable, NIL, NIL);
  struct node *set = make_node(N_SET_LOCAL, (value)variable, (value)lambda, NIL);
  struct node *call = make_node(N_CALL, (value)callee, nodes, NIL);
  value unbound = cons((value)make_constant(UNBOUND), NIL);
  return make_let(cons((value)variable, NIL), unbound, make_sequence(set, call));
}

static struct node *form_set(value form, value scope) {
  check_length(form, 3, 3);
  if (!is_identifier(car(cdr(form)))) fail_syntax("bad set!", form);
  value meaning = lookup(car(cdr(form)), scope);
  value node = (value)expand(car(cdr(cdr(form))), scope);
  if (is_type(meaning, T_VARIABLE)) {
    struct variable *variable = (struct variable *)meaning;
    variable->boxed = variable->changed = 1;
    variable->used++;
    return make_node(N_SET_LOCAL, meaning, node, NIL);
  }
  if (!is_type(meaning, T_SYMBOL)) fail_syntax("syntax keyword assigned to", form);
  symbol_of(meaning)->redefinable = TRUE;
  return make_node(N_SET_GLOBAL, meaning, node, NIL);
}

static struct node *form_if(value form, value scope) {
  check_length(form, 3, 4);
  value rest = cdr(cdr(form));
  value test = (value)expand(car(cdr(form)), scope), then = (value)expand(car(rest), scope);
  struct node *otherwise =
      cdr(rest) != NIL ? expand(car(cdr(rest)), scope) : make_constant(UNSPECIFIED);
  return make_node(N_IF, test, then, (value)otherwise);
}

static struct node *form_or(value form, value scope) {
  check_length(form, 1, INT64_MAX);
  if (cdr(form) == NIL) return make_constant(FALSE);
  struct node *first = expand(car(cdr(form)), scope);
  if (cdr(cdr(form)) == NIL) return first;
  return make_node(N_OR, (value)first, (value)form_or(cdr(form), scope), NIL);
}

/* The first ones in the order of enum SPECIAL_…. */
static const struct special {
  const char *name;
  struct node *(*expand)(value form, value scope);
} specials[] = {{"begin", form_begin},
                {"define", form_misplaced},
                {"define-syntax", form_misplaced},
                {"include", NULL},
                {"lambda", form_lambda},
                {"quote", form_quote},
                {"set!", form_set},
                {"if", form_if},
                {"or", form_or},
                {"%loop", form_loop}};

void forms_start(void) {
  static const struct {
    value *slot;
    const char *name;
  } names[] = {{&globals.quote, "quote"},     {&globals.quasiquote, "quasiquote"},
               {&globals.unquote, "unquote"}, {&globals.unquote_splicing, "unquote-splicing"},
               {&globals.dots, "..."},        {&globals.underscore, "_"},
               {&globals.begin, "begin"},     {&globals.define, "define"},
               {&globals.lambda, "lambda"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    *names[i].slot = intern_c(names[i].name);
  for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
    symbol_of(intern_c(specials[i].name))->syntax = fix((int64_t)i);
}

/* ---- Expressions ----------------------------------------------------------------------------- */

static struct node *expand_identifier(value identifier, value scope) {
  value meaning = lookup(identifier, scope);
  if (is_type(meaning, T_SYMBOL)) return make_node(N_GLOBAL, meaning, NIL, NIL);
  if (!is_type(meaning, T_VARIABLE)) fail_syntax("syntax keyword used as a variable", identifier);
  ((struct variable *)meaning)->used++;
  return make_node(N_LOCAL, meaning, NIL, NIL);
}

static struct node *expand(value form, value scope) {
  check_depth();
  intptr_t special;
  form = expand_head(form, scope, &special);
  if (is_identifier(form)) return expand_identifier(form, scope);
  if (list_length(form) == 0) fail_syntax("empty combination", form);
  if (!is_pair(form)) return make_constant(strip_syntax(form));
  if (special >= 0) return specials[special].expand(form, scope);
  if (list_length(form) < 0) fail_syntax("improper list of expressions", form);
  struct node *callee = expand(car(form), scope);
  value nodes = expand_all(cdr(form), scope);
  if (callee->kind == N_LAMBDA && !callee->rest && list_length(callee->a) == list_length(nodes))
    return make_let(callee->a, nodes, (struct node *)callee->b);
  return make_node(N_CALL, (value)callee, nodes, NIL);
}

/* ---- Top level ------------------------------------------------------------------------------ */

static struct node *expand_top(value form, UNUSED value scope) {
  intptr_t special;
  form = expand_head(form, NIL, &special);
  if (special == SPECIAL_BEGIN) return expand_sequence(cdr(form), NIL, expand_top);
  if (special == SPECIAL_DEFINE) {
    form = plain_define(form);
    value name = strip_syntax(car(cdr(form))), rest = cdr(cdr(form));
    symbol_of(name)->syntax = FALSE;
    if (globals.booting == FALSE) symbol_of(name)->redefinable = TRUE;
    struct node *node = rest == NIL ? make_constant(UNSPECIFIED) : expand(car(rest), NIL);
    if (node->kind == N_LAMBDA && node->c == FALSE) node->c = name;
    return make_node(N_DEFINE, name, (value)node, NIL);
  }
  if (special == SPECIAL_DEFINE_SYNTAX) {
    symbol_of(strip_syntax(car(cdr(form))))->syntax = defined_macro(form, NIL);
    return make_constant(UNSPECIFIED);
  }
  return expand(form, NIL);
}

struct node *expand_program(value form) {
  return expand_top(form, NIL);
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
