/* Inside the expander: building the syntax tree, scopes, and its two kinds of special form. */
#ifndef EXAMPLES_SCHEME_EXPAND_H
#define EXAMPLES_SCHEME_EXPAND_H

#include "syntax.h"

struct node *make_node(enum node_kind kind, value a, value b, value c);
struct node *make_constant(value v);
struct node *make_call(struct node *operator, value arguments);
struct node *make_sequence(struct node *first, struct node *second); /* first may be NULL */
/* A loop if nothing but tail calls uses the variable; else N_FIX. */
struct node *make_fix(value variables, value lambdas, struct node *body);
struct node *reference(struct variable *variable);

value new_scope(value parent);
struct variable *bind_variable(value scope, value identifier);
/* `identifier` as the symbol means it at top level, whatever the scope says. */
value core(value symbol);

struct node *expand(value form, value scope);
struct node *expand_body(value forms, value scope);
value expand_all(value forms, value scope); /* list of nodes */
/* Items are (variable . form), or (#f . form) for expressions, in order; their scope has the
 * variables. Order of evaluation is kept; lambdas become N_FIX where they can. */
struct node *expand_items(value items, value scope);
struct node *expand_lambda(value parameters, value body, value scope);
struct node *expand_sequence(value forms, value scope);

/* forms.c: special forms that make nodes, and those that rewrite to other forms. */
struct special {
  const char *name;
  struct node *(*expand)(value form, value scope);
  value (*rewrite)(value form, value scope);
};
const struct special *special_form(value index);
void forms_start(void);
enum { SPECIAL_BEGIN, SPECIAL_DEFINE, SPECIAL_DEFINE_SYNTAX, SPECIAL_LAMBDA };

#endif
