/* Between the expander and the compiler: identifiers, scopes, and the syntax tree.
 *
 * Hygiene: each use of a macro renames the identifiers that its template inserts to fresh
 * aliases {identifier, scope of the macro's definition}. Binding forms bind aliases like
 * symbols; an alias nobody bound means what its identifier means where the macro was defined. */
#ifndef EXAMPLES_SCHEME_SYNTAX_H
#define EXAMPLES_SCHEME_SYNTAX_H

#include "scheme.h"

enum { ALIAS_IDENTIFIER, ALIAS_SCOPE, ALIAS_SLOTS };
enum { SCOPE_BINDINGS, SCOPE_PARENT, SCOPE_SLOTS }; /* bindings: ((identifier . meaning) …) */
enum { MACRO_LITERALS, MACRO_RULES, MACRO_SCOPE, MACRO_ELLIPSIS, MACRO_SLOTS };

struct variable {
  value header;
  value name;
  intptr_t used;    /* references that the expander met */
  intptr_t boxed;   /* assigned, or referenced before its definition is complete */
  intptr_t changed; /* assigned by set! */
  /* The compiler's: */
  struct function *owner;
  intptr_t slot;  /* from the frame's start; of a loop: its first variable's */
  intptr_t label; /* of a loop */
};

enum node_kind {
  N_CONSTANT,   /* a: value */
  N_LOCAL,      /* a: variable */
  N_GLOBAL,     /* a: symbol */
  N_SET_LOCAL,  /* a: variable, b: node */
  N_SET_GLOBAL, /* a: symbol, b: node */
  N_DEFINE,     /* a: symbol, b: node */
  N_IF,         /* a: test, b: then, c: else */
  N_OR,         /* a: first, b: second */
  N_SEQUENCE,   /* a: first, b: second */
  N_CALL,       /* a: operator, b: list of nodes */
  N_LAMBDA,     /* a: list of variables, b: body, c: name, rest: last variable takes a list */
  N_LET,        /* a: list of variables, b: list of nodes, c: body */
  N_LOOP,       /* the same; loop: the variable that N_JUMP names */
  N_JUMP,       /* a: variable of the loop, b: list of nodes; in its tail positions only */
};

struct node {
  value header;
  intptr_t kind;
  value a, b, c;
  intptr_t rest;
  struct variable *loop;
};

static inline bool is_identifier(value v) {
  return is_type(v, T_SYMBOL) || is_type(v, T_ALIAS);
}

/* What an identifier means: a variable, a macro, a special form (fixnum), or, if it is bound
 * nowhere, the symbol of a global. */
value lookup(value identifier, value scope);
value new_alias(value identifier, value scope);
bool is_member(value v, value list);
_Noreturn void fail_syntax(const char *what, value form);

value make_macro(value spec, value scope); /* (syntax-rules …) */
value macro_expand(value macro, value form, value scope);

#endif
