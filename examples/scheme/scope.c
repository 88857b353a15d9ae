/* SPDX-License-Identifier: MIT */
/* What identifiers mean, and what they were before macros renamed them: see syntax.h. */
#include "syntax.h"

value lookup(value identifier, value scope) {
  for (;;) {
    for (; scope != NIL; scope = cdr(scope))
      for (value p = car(scope); p != NIL; p = cdr(p))
        if (car(car(p)) == identifier) return cdr(car(p));
    if (is_type(identifier, T_SYMBOL)) {
      value syntax = symbol_of(identifier)->syntax;
      return syntax != FALSE ? syntax : identifier;
    }
    scope = slots_of(identifier)[ALIAS_SCOPE];
    identifier = slots_of(identifier)[ALIAS_IDENTIFIER];
  }
}

value strip_syntax(value form) {
  check_depth();
  while (is_type(form, T_ALIAS))
    form = slots_of(form)[ALIAS_IDENTIFIER];
  if (is_type(form, T_VECTOR)) {
    value list = slots_to_list(form), stripped = strip_syntax(list);
    return stripped == list ? form : list_to_sequence(T_VECTOR, stripped);
  }
  if (!is_pair(form)) return form;
  value copy = NIL, rest = form;
  bool same = true;
  for (; is_pair(rest); rest = cdr(rest)) {
    copy = cons(strip_syntax(car(rest)), copy);
    same &= car(copy) == car(rest);
  }
  value end = strip_syntax(rest);
  return same && end == rest ? form : list_reverse_onto(copy, end);
}

void fail_syntax(const char *what, value form) {
  fail_as("syntax", what, cons(strip_syntax(form), NIL));
}
