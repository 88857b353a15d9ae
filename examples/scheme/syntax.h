/* SPDX-License-Identifier: MIT */
/* Identifiers, scopes, and the syntax tree, which the expander makes and the compiler reads.
 *
 * Hygiene: each use of a macro renames the identifiers that its template inserts to fresh
 * aliases {identifier, scope of the macro's definition}. Binding forms bind aliases like
 * symbols. An alias that is not bound means what its identifier means where the macro was defined.
 *
 * A scope is a pair of its bindings, ((identifier . meaning) …), and the scope around it; the
 * top level is (). An identifier means a variable, a macro, a special form (fixnum), or, if no
 * scope binds it, the symbol of a global. */
#ifndef EXAMPLES_SCHEME_SYNTAX_H
#define EXAMPLES_SCHEME_SYNTAX_H

#include "scheme.h"

enum special { BEGIN, DEFINE, DEFINE_SYNTAX, INCLUDE, LAMBDA, QUOTE, SET, IF, OR, MACRO_WORDS };
enum { SYNTAX_RULES = MACRO_WORDS, ELLIPSIS, UNDERSCORE }; /* in definitions of macros only */

enum { ALIAS_IDENTIFIER, ALIAS_SCOPE, ALIAS_SLOTS };

struct macro {
  value header;
  value ellipsis, literals, rules;
  value scope; /* where it was defined */
};

struct variable {
  value header;
  value name;
  struct variable *next; /* in a list of parameters */
  struct node *loop;     /* the lambda, if each call is a jump to its start */
  intptr_t used;         /* references met so far */
  intptr_t boxed;        /* assigned, or referenced before its definition is complete */
  /* The compiler's: */
  struct function *owner;
  intptr_t slot;  /* from the start of the owner's frame; of a loop: where its temporaries start */
  intptr_t label; /* of a loop: position of its body */
};

enum node_kind {
  N_CONSTANT,  /* datum */
  N_REFERENCE, /* datum: a variable, or the symbol of a global, as of the next two */
  N_SET,       /* parts: the new content */
  N_DEFINE,    /* parts: the content; a variable is there until the end of the block around it */
  N_IF,        /* parts: test, then, else */
  N_OR,        /* parts */
  N_BLOCK,     /* parts, one after the other; datum: the loop that starts at the last one, or () */
  N_CALL,      /* parts: operator, operands */
  N_LAMBDA,    /* datum: what it defines, or #f; parameters; parts: the body */
};

struct node {
  value header;
  intptr_t kind;
  value datum;
  struct node *parts, *next; /* the first part; the next part of the same node */
  struct variable *parameters;
  intptr_t count, rest; /* of parameters; whether the last one takes a list */
};

#define second(form) car(cdr(form))
#define third(form) car(cdr(cdr(form)))

static inline bool is_identifier(value v) {
  return is_type(v, T_SYMBOL) || is_type(v, T_ALIAS);
}

/* Returns NULL for the symbol of a global. */
static inline struct variable *as_variable(value meaning) {
  return is_type(meaning, T_VARIABLE) ? (struct variable *)meaning : NULL;
}

static inline int64_t count_parts(const struct node *node) {
  int64_t count = 0;
  for (const struct node *part = node->parts; part != NULL; part = part->next)
    count++;
  return count;
}

value lookup(value identifier, value scope); /* what it means */
value strip_syntax(value form);              /* macros' aliases back to symbols */
_Noreturn void fail_syntax(const char *what, value form);

value make_macro(value spec, value scope); /* (syntax-rules …) */
value macro_expand(const struct macro *macro, value form, value scope);

#endif
