/* The special forms: those that make nodes, then those that rewrite to other forms. What can be
 * said in syntax-rules is in boot.scm. */
#include "expand.h"

#include <string.h>

static value nth(value form, int n) {
  for (; n > 0; n--)
    form = cdr(form);
  return car(form);
}

static void check_length(value form, int64_t least, int64_t most) {
  int64_t length = list_length(form);
  if (length < least || (most >= 0 && length > most)) fail_syntax("bad syntax", form);
}

/* `else`, `=>`, `unquote`: a name that stands for itself unless the program bound it. */
static bool is_keyword(value v, value scope, value symbol) {
  return is_identifier(v) && lookup(v, scope) == symbol;
}

static struct node *call_primitive(const char *name, value arguments) {
  return make_call(make_constant(symbol_of(intern_c(name))->global), arguments);
}

/* ---- Forms that make nodes ------------------------------------------------------------------ */

static struct node *form_quote(value form, value scope) {
  (void)scope;
  check_length(form, 2, 2);
  return make_constant(strip_syntax(nth(form, 1)));
}

static struct node *form_misplaced(value form, value scope) {
  (void)scope;
  fail_syntax("definition where an expression is wanted", form);
}

static struct node *form_begin(value form, value scope) {
  check_length(form, 1, -1);
  return expand_sequence(cdr(form), scope);
}

static struct node *form_lambda(value form, value scope) {
  check_length(form, 3, -1);
  return expand_lambda(nth(form, 1), cdr(cdr(form)), scope);
}

static struct node *form_set(value form, value scope) {
  check_length(form, 3, 3);
  if (!is_identifier(nth(form, 1))) fail_syntax("bad set!", form);
  value meaning = lookup(nth(form, 1), scope);
  value node = (value)expand(nth(form, 2), scope);
  if (is_type(meaning, T_VARIABLE)) {
    ((struct variable *)meaning)->assigned = 1;
    ((struct variable *)meaning)->uses++; /* an early one needs its box */
    return make_node(N_SET_LOCAL, meaning, node, NIL);
  }
  if (!is_type(meaning, T_SYMBOL)) fail_syntax("syntax keyword assigned to", form);
  symbol_of(meaning)->redefinable = TRUE;
  return make_node(N_SET_GLOBAL, meaning, node, NIL);
}

static struct node *form_if(value form, value scope) {
  check_length(form, 3, 4);
  value test = (value)expand(nth(form, 1), scope), then = (value)expand(nth(form, 2), scope);
  struct node *otherwise = make_constant(UNSPECIFIED);
  if (cdr(cdr(cdr(form))) != NIL) otherwise = expand(nth(form, 3), scope);
  return make_node(N_IF, test, then, (value)otherwise);
}

static void split_bindings(value bindings, value *names, value *inits) {
  check_length(bindings, 0, -1);
  *names = *inits = NIL;
  for (; bindings != NIL; bindings = cdr(bindings)) {
    if (list_length(car(bindings)) != 2) fail_syntax("bad binding", car(bindings));
    *names = cons(car(car(bindings)), *names);
    *inits = cons(nth(car(bindings), 1), *inits);
  }
  *names = list_reverse(*names);
  *inits = list_reverse(*inits);
}

/* A procedure called `name` in its own body, applied once: named let and do. */
static struct node *apply_loop(value name, value names, value body, value inits, value scope) {
  value inner = new_scope(scope);
  struct variable *variable = bind_variable(inner, name);
  struct node *lambda = expand_lambda(names, body, inner);
  lambda->c = variable->name;
  struct node *call = make_call(reference(variable), inits);
  return make_fix(cons((value)variable, NIL), cons((value)lambda, NIL), call);
}

static struct node *form_let(value form, value scope) {
  check_length(form, 3, -1);
  value names, inits, second = nth(form, 1);
  if (is_identifier(second)) {
    check_length(form, 4, -1);
    split_bindings(nth(form, 2), &names, &inits);
    inits = expand_all(inits, scope);
    return apply_loop(second, names, cdr(cdr(cdr(form))), inits, scope);
  }
  split_bindings(second, &names, &inits);
  inits = expand_all(inits, scope);
  return make_call(expand_lambda(names, cdr(cdr(form)), scope), inits);
}

static struct node *form_letrec(value form, value scope) {
  check_length(form, 3, -1);
  value names, inits, inner = new_scope(scope), items = NIL;
  split_bindings(nth(form, 1), &names, &inits);
  for (; names != NIL; names = cdr(names), inits = cdr(inits))
    items = cons(cons((value)bind_variable(inner, car(names)), car(inits)), items);
  value body = cons(core(intern_c("let")), cons(NIL, cdr(cdr(form))));
  return expand_items(list_reverse(cons(cons(FALSE, body), items)), inner);
}

static struct node *form_and(value form, value scope) {
  check_length(form, 1, -1);
  if (cdr(form) == NIL) return make_constant(TRUE);
  struct node *first = expand(nth(form, 1), scope);
  if (cdr(cdr(form)) == NIL) return first;
  struct node *rest = form_and(cdr(form), scope);
  return make_node(N_IF, (value)first, (value)rest, (value)make_constant(FALSE));
}

static struct node *form_or(value form, value scope) {
  check_length(form, 1, -1);
  if (cdr(form) == NIL) return make_constant(FALSE);
  struct node *first = expand(nth(form, 1), scope);
  if (cdr(cdr(form)) == NIL) return first;
  return make_node(N_OR, (value)first, (value)form_or(cdr(form), scope), NIL);
}

/* let ((t node)) with a variable of nobody's name. */
static struct variable *temporary(void) {
  return bind_variable(new_scope(NIL), intern_c("temporary"));
}

static struct node *let_temporary(struct variable *variable, struct node *init, struct node *body) {
  return make_node(N_LET, cons((value)variable, NIL), cons((value)init, NIL), (value)body);
}

static struct node *cond_clauses(value clauses, value scope) {
  check_depth("expand");
  if (clauses == NIL) return make_constant(UNSPECIFIED);
  value clause = car(clauses);
  check_length(clause, 1, -1);
  if (is_keyword(car(clause), scope, globals.else_)) return expand_sequence(cdr(clause), scope);
  struct node *test = expand(car(clause), scope);
  if (cdr(clause) == NIL)
    return make_node(N_OR, (value)test, (value)cond_clauses(cdr(clauses), scope), NIL);
  if (!is_keyword(nth(clause, 1), scope, globals.arrow)) {
    value then = (value)expand_sequence(cdr(clause), scope);
    return make_node(N_IF, (value)test, then, (value)cond_clauses(cdr(clauses), scope));
  }
  check_length(clause, 3, 3);
  struct variable *t = temporary();
  struct node *receiver = expand(nth(clause, 2), scope);
  struct node *then = make_call(receiver, cons((value)reference(t), NIL));
  struct node *rest = cond_clauses(cdr(clauses), scope);
  return let_temporary(t, test, make_node(N_IF, (value)reference(t), (value)then, (value)rest));
}

static struct node *form_cond(value form, value scope) {
  check_length(form, 2, -1);
  return cond_clauses(cdr(form), scope);
}

static struct node *form_let_syntax(value form, value scope) {
  check_length(form, 3, -1);
  value definitions = NIL;
  for (value p = nth(form, 1); is_pair(p); p = cdr(p)) {
    check_length(car(p), 2, 2);
    definitions = cons(cons(core(intern_c("define-syntax")), car(p)), definitions);
  }
  value body = cons(core(intern_c("let")), cons(NIL, cdr(cdr(form))));
  return expand_body(list_reverse(cons(body, definitions)), scope);
}

/* ---- Quasiquote ----------------------------------------------------------------------------- */

static struct node *quasi(value x, int depth, value scope);

static struct node *quasi_wrap(value x, int depth, value scope) {
  value inside = (value)quasi(cdr(x), depth, scope);
  value head = (value)make_constant(strip_syntax(car(x)));
  return call_primitive("cons", list2(head, inside));
}

static struct node *quasi_pair(value x, int depth, value scope) {
  if (is_keyword(car(x), scope, globals.unquote) && is_pair(cdr(x)))
    return depth == 1 ? expand(nth(x, 1), scope) : quasi_wrap(x, depth - 1, scope);
  if (is_identifier(car(x)) && strip_syntax(car(x)) == globals.quasiquote)
    return quasi_wrap(x, depth + 1, scope);
  value head = car(x);
  if (is_pair(head) && is_keyword(car(head), scope, globals.unquote_splicing) &&
      is_pair(cdr(head)) && depth == 1) {
    value spliced = (value)expand(nth(head, 1), scope);
    if (cdr(x) == NIL) return (struct node *)spliced;
    return call_primitive("append", list2(spliced, (value)quasi(cdr(x), depth, scope)));
  }
  bool deeper = is_pair(head) && is_keyword(car(head), scope, globals.unquote_splicing);
  struct node *first = deeper ? quasi_wrap(head, depth - 1, scope) : quasi(head, depth, scope);
  struct node *rest = quasi(cdr(x), depth, scope);
  if (first->kind == N_CONSTANT && rest->kind == N_CONSTANT)
    return make_constant(cons(first->a, rest->a));
  return call_primitive("cons", list2((value)first, (value)rest));
}

static struct node *quasi(value x, int depth, value scope) {
  check_depth("quasiquote");
  if (is_pair(x)) return quasi_pair(x, depth, scope);
  if (!is_type(x, T_VECTOR)) return make_constant(strip_syntax(x));
  value list = NIL;
  for (size_t i = size_of(x); i-- > 0;)
    list = cons(slots_of(x)[i], list);
  return call_primitive("list->vector", cons((value)quasi(list, depth, scope), NIL));
}

static struct node *form_quasiquote(value form, value scope) {
  check_length(form, 2, 2);
  return quasi(nth(form, 1), 1, scope);
}

/* ---- Forms that rewrite --------------------------------------------------------------------- */

static bool has_feature(value requirement) {
  static const char *const features[] = {"else", "r7rs", "full-unicode", "tidemark-scheme"};
  requirement = strip_syntax(requirement);
  for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
    if (requirement == intern_c(features[i])) return true;
  if (list_length(requirement) < 2) return false;
  value head = car(requirement), rest = cdr(requirement);
  if (head == intern_c("library"))
    return is_pair(car(rest)) && car(car(rest)) == intern_c("scheme");
  if (head == intern_c("not")) return !has_feature(car(rest));
  bool all = head == intern_c("and");
  for (; rest != NIL; rest = cdr(rest))
    if (has_feature(car(rest)) != all) return !all;
  return all;
}

static value rewrite_cond_expand(value form, value scope) {
  (void)scope;
  for (value p = cdr(form); is_pair(p); p = cdr(p)) {
    check_length(car(p), 1, -1);
    if (has_feature(car(car(p)))) return cons(core(globals.begin), cdr(car(p)));
  }
  return list2(core(globals.begin), UNSPECIFIED);
}

/* There is one name space: imports and exports say nothing. */
static value rewrite_import(value form, value scope) {
  (void)form;
  (void)scope;
  return list2(core(globals.begin), UNSPECIFIED);
}

static value rewrite_define_library(value form, value scope) {
  (void)scope;
  check_length(form, 2, -1);
  return cons(core(globals.begin), cdr(cdr(form)));
}

/* The first ones in the order of enum SPECIAL_…. */
static const struct special specials[] = {
    {"begin", form_begin, NULL},
    {"define", form_misplaced, NULL},
    {"define-syntax", form_misplaced, NULL},
    {"lambda", form_lambda, NULL},
    {"quote", form_quote, NULL},
    {"quasiquote", form_quasiquote, NULL},
    {"set!", form_set, NULL},
    {"if", form_if, NULL},
    {"let", form_let, NULL},
    {"letrec", form_letrec, NULL},
    {"letrec*", form_letrec, NULL},
    {"and", form_and, NULL},
    {"or", form_or, NULL},
    {"cond", form_cond, NULL},
    {"let-syntax", form_let_syntax, NULL},
    {"letrec-syntax", form_let_syntax, NULL},
    {"cond-expand", NULL, rewrite_cond_expand},
    {"import", NULL, rewrite_import},
    {"export", NULL, rewrite_import},
    {"define-library", NULL, rewrite_define_library},
};

const struct special *special_form(value index) {
  return &specials[unfix(index)];
}

void forms_start(void) {
  static const struct {
    value *slot;
    const char *name;
  } names[] = {{&globals.quote, "quote"},     {&globals.quasiquote, "quasiquote"},
               {&globals.unquote, "unquote"}, {&globals.unquote_splicing, "unquote-splicing"},
               {&globals.dots, "..."},        {&globals.underscore, "_"},
               {&globals.arrow, "=>"},        {&globals.else_, "else"},
               {&globals.define, "define"},   {&globals.begin, "begin"},
               {&globals.lambda, "lambda"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    *names[i].slot = intern_c(names[i].name);
  for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
    symbol_of(intern_c(specials[i].name))->syntax = fix((int64_t)i);
}
