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
  if (length < least || (most >= 0 && length > most))
    fail_syntax("bad syntax", form);
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
  if (!is_identifier(nth(form, 1)))
    fail_syntax("bad set!", form);
  value meaning = lookup(nth(form, 1), scope);
  value node = (value)expand(nth(form, 2), scope);
  if (is_type(meaning, T_VARIABLE)) {
    ((struct variable *)meaning)->assigned = 1;
    return make_node(N_SET_LOCAL, meaning, node, NIL);
  }
  if (!is_type(meaning, T_SYMBOL))
    fail_syntax("syntax keyword assigned to", form);
  symbol_of(meaning)->redefinable = TRUE;
  return make_node(N_SET_GLOBAL, meaning, node, NIL);
}

static struct node *form_if(value form, value scope) {
  check_length(form, 3, 4);
  value test = (value)expand(nth(form, 1), scope), then = (value)expand(nth(form, 2), scope);
  struct node *otherwise = make_constant(UNSPECIFIED);
  if (cdr(cdr(cdr(form))) != NIL)
    otherwise = expand(nth(form, 3), scope);
  return make_node(N_IF, test, then, (value)otherwise);
}

static void split_bindings(value bindings, value *names, value *inits) {
  check_length(bindings, 0, -1);
  *names = *inits = NIL;
  for (; bindings != NIL; bindings = cdr(bindings)) {
    if (list_length(car(bindings)) != 2)
      fail_syntax("bad binding", car(bindings));
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
  if (cdr(form) == NIL)
    return make_constant(TRUE);
  struct node *first = expand(nth(form, 1), scope);
  if (cdr(cdr(form)) == NIL)
    return first;
  struct node *rest = form_and(cdr(form), scope);
  return make_node(N_IF, (value)first, (value)rest, (value)make_constant(FALSE));
}

static struct node *form_or(value form, value scope) {
  check_length(form, 1, -1);
  if (cdr(form) == NIL)
    return make_constant(FALSE);
  struct node *first = expand(nth(form, 1), scope);
  if (cdr(cdr(form)) == NIL)
    return first;
  return make_node(N_OR, (value)first, (value)form_or(cdr(form), scope), NIL);
}

/* let ((t node)) with a variable of nobody's name. */
static struct variable *temporary(void) {
  return bind_variable(new_scope(NIL), intern_c("temporary"));
}

static struct node *let_temporary(struct variable *variable, struct node *init,
                                  struct node *body) {
  return make_node(N_LET, cons((value)variable, NIL), cons((value)init, NIL), (value)body);
}

static struct node *cond_clauses(value clauses, value scope) {
  check_depth("expand");
  if (clauses == NIL)
    return make_constant(UNSPECIFIED);
  value clause = car(clauses);
  check_length(clause, 1, -1);
  if (is_keyword(car(clause), scope, globals.else_))
    return expand_sequence(cdr(clause), scope);
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

static struct node *case_test(struct variable *key, value data) {
  if (list_length(data) > 4) {
    value arguments = list2((value)reference(key), (value)make_constant(strip_syntax(data)));
    return call_primitive("memv", arguments);
  }
  struct node *test = make_constant(FALSE);
  for (; is_pair(data); data = cdr(data)) {
    value datum = (value)make_constant(strip_syntax(car(data)));
    const char *name = is_type(car(data), T_FLONUM) ? "eqv?" : "eq?";
    struct node *one = call_primitive(name, list2((value)reference(key), datum));
    bool first = test->kind == N_CONSTANT;
    test = first ? one : make_node(N_OR, (value)one, (value)test, NIL);
  }
  return test;
}

static struct node *case_body(struct variable *key, value body, value scope) {
  if (!is_pair(body) || !is_keyword(car(body), scope, globals.arrow))
    return expand_sequence(body, scope);
  check_length(body, 2, 2);
  return make_call(expand(nth(body, 1), scope), cons((value)reference(key), NIL));
}

static struct node *case_clauses(struct variable *key, value clauses, value scope) {
  if (clauses == NIL)
    return make_constant(UNSPECIFIED);
  value clause = car(clauses);
  check_length(clause, 1, -1);
  if (is_keyword(car(clause), scope, globals.else_))
    return case_body(key, cdr(clause), scope);
  struct node *test = case_test(key, car(clause));
  value then = (value)case_body(key, cdr(clause), scope);
  return make_node(N_IF, (value)test, then, (value)case_clauses(key, cdr(clauses), scope));
}

static struct node *form_case(value form, value scope) {
  check_length(form, 2, -1);
  struct variable *key = temporary();
  struct node *init = expand(nth(form, 1), scope);
  return let_temporary(key, init, case_clauses(key, cdr(cdr(form)), scope));
}

/* (do ((name init step) …) (test result …) body …) */
static struct node *form_do(value form, value scope) {
  check_length(form, 3, -1);
  value names = NIL, inits = NIL, steps = NIL, loop = core(intern_c("do-loop"));
  for (value p = nth(form, 1); p != NIL; p = cdr(p)) {
    value binding = is_pair(p) ? car(p) : FALSE;
    check_length(binding, 2, 3);
    names = cons(car(binding), names);
    inits = cons(nth(binding, 1), inits);
    steps = cons(cdr(cdr(binding)) != NIL ? nth(binding, 2) : car(binding), steps);
  }
  value again = cons(loop, list_reverse(steps)), exit = nth(form, 2);
  check_length(exit, 1, -1);
  value next = cons(core(globals.begin), NIL), last = next;
  for (value p = cdr(cdr(cdr(form))); p != NIL; p = cdr(p), last = cdr(last))
    *cdr_of(last) = cons(car(p), NIL);
  *cdr_of(last) = cons(again, NIL);
  value results = cons(core(globals.begin), cdr(exit));
  value test = cons(core(intern_c("if")), list3(car(exit), results, next));
  inits = expand_all(list_reverse(inits), scope);
  return apply_loop(loop, list_reverse(names), cons(test, NIL), inits, scope);
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
    if (cdr(x) == NIL)
      return (struct node *)spliced;
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
  if (is_pair(x))
    return quasi_pair(x, depth, scope);
  if (!is_type(x, T_VECTOR))
    return make_constant(strip_syntax(x));
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

static value rewrite_let_star(value form, value scope) {
  (void)scope;
  check_length(form, 3, -1);
  value bindings = nth(form, 1), let = core(intern_c("let"));
  check_length(bindings, 0, -1);
  if (bindings == NIL || cdr(bindings) == NIL)
    return cons(let, cdr(form));
  value inner = cons(car(form), cons(cdr(bindings), cdr(cdr(form))));
  return list3(let, cons(car(bindings), NIL), inner);
}

static value definition(value name, value expression) {
  return list3(core(globals.define), name, expression);
}

static value primitive_call(const char *name, value arguments) {
  return cons(symbol_of(intern_c(name))->global, arguments);
}

static value quoted(value v) { return list2(core(globals.quote), v); }

static value field_index(value field, value fields) {
  for (int64_t i = 1; fields != NIL; fields = cdr(fields), i++)
    if (car(fields) == field)
      return fix(i);
  fail_syntax("no such field in the record type", field);
}

/* Definitions of the accessor and modifier of each field, consed onto `done`. */
static value define_fields(value specs, value fields, value type, value done) {
  for (value p = specs; p != NIL; p = cdr(p)) {
    if (!is_pair(car(p)))
      continue;
    check_length(car(p), 1, 3);
    value procedures = cdr(car(p)), index = field_index(car(car(p)), fields);
    const char *makers[] = {"%record-accessor", "%record-modifier"};
    for (int i = 0; procedures != NIL; procedures = cdr(procedures), i++) {
      value arguments = list3(type, index, quoted(car(procedures)));
      done = cons(definition(car(procedures), primitive_call(makers[i], arguments)), done);
    }
  }
  return done;
}

static value rewrite_define_record_type(value form, value scope) {
  (void)scope;
  check_length(form, 4, -1);
  value type = nth(form, 1), maker = nth(form, 2), test = nth(form, 3), fields = NIL;
  value specs = cdr(cdr(cdr(cdr(form))));
  if (is_pair(type))
    type = car(type);
  for (value p = specs; p != NIL; p = cdr(p))
    fields = cons(is_pair(car(p)) ? car(car(p)) : car(p), fields);
  fields = list_reverse(fields);
  value done = cons(definition(type, primitive_call("%make-record-type",
                                                    list2(quoted(type), quoted(fields)))),
                    NIL);
  if (maker != FALSE) {
    value name = is_pair(maker) ? car(maker) : maker, indices = NIL;
    for (value p = is_pair(maker) ? cdr(maker) : fields; is_pair(p); p = cdr(p))
      indices = cons(field_index(car(p), fields), indices);
    value arguments = list3(type, quoted(list_reverse(indices)), quoted(name));
    done = cons(definition(name, primitive_call("%record-constructor", arguments)), done);
  }
  if (test != FALSE)
    done = cons(definition(test, primitive_call("%record-predicate", list2(type, quoted(test)))),
                done);
  return cons(core(globals.begin), list_reverse(define_fields(specs, fields, type, done)));
}

static bool has_feature(value requirement) {
  static const char *const features[] = {"else", "r7rs", "full-unicode", "tidemark-scheme"};
  requirement = strip_syntax(requirement);
  for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
    if (requirement == intern_c(features[i]))
      return true;
  if (list_length(requirement) < 2)
    return false;
  value head = car(requirement), rest = cdr(requirement);
  if (head == intern_c("library"))
    return is_pair(car(rest)) && car(car(rest)) == intern_c("scheme");
  if (head == intern_c("not"))
    return !has_feature(car(rest));
  bool all = head == intern_c("and");
  for (; rest != NIL; rest = cdr(rest))
    if (has_feature(car(rest)) != all)
      return !all;
  return all;
}

static value rewrite_cond_expand(value form, value scope) {
  (void)scope;
  for (value p = cdr(form); is_pair(p); p = cdr(p)) {
    check_length(car(p), 1, -1);
    if (has_feature(car(car(p))))
      return cons(core(globals.begin), cdr(car(p)));
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

static value rewrite_include(value form, value scope) {
  (void)scope;
  value forms = cons(core(globals.begin), NIL), last = forms;
  for (value p = cdr(form); is_pair(p); p = cdr(p)) {
    if (!is_type(car(p), T_STRING))
      fail_syntax("bad include", form);
    value path = utf8_from_string(car(p), 0, size_of(car(p)));
    const char *name = (const char *)((struct bytes *)path)->bytes;
    FILE *file = fopen(name, "r");
    if (file == NULL)
      fail_syntax("cannot open the file to include", form);
    struct port *port = (struct port *)make_port(file, FALSE, name, PORT_INPUT | PORT_OPEN);
    for (value datum; (datum = read_datum(port)) != END_OF_FILE; last = cdr(last))
      *cdr_of(last) = cons(datum, NIL);
    fclose(file);
    port->file = NULL;
  }
  return forms;
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
    {"case", form_case, NULL},
    {"do", form_do, NULL},
    {"let-syntax", form_let_syntax, NULL},
    {"letrec-syntax", form_let_syntax, NULL},
    {"let*", NULL, rewrite_let_star},
    {"define-record-type", NULL, rewrite_define_record_type},
    {"cond-expand", NULL, rewrite_cond_expand},
    {"import", NULL, rewrite_import},
    {"export", NULL, rewrite_import},
    {"define-library", NULL, rewrite_define_library},
    {"include", NULL, rewrite_include},
};

const struct special *special_form(value index) { return &specials[unfix(index)]; }

void forms_start(void) {
  static const struct {
    value *slot;
    const char *name;
  } names[] = {{&globals.quote, "quote"},
               {&globals.quasiquote, "quasiquote"},
               {&globals.unquote, "unquote"},
               {&globals.unquote_splicing, "unquote-splicing"},
               {&globals.dots, "..."},
               {&globals.underscore, "_"},
               {&globals.arrow, "=>"},
               {&globals.else_, "else"},
               {&globals.define, "define"},
               {&globals.begin, "begin"},
               {&globals.lambda, "lambda"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    *names[i].slot = intern_c(names[i].name);
  for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
    symbol_of(intern_c(specials[i].name))->syntax = fix((int64_t)i);
}
