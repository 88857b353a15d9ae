/* SPDX-License-Identifier: MIT */
/* Pairs, lists, multiple values, and the comparison of any number of arguments. */
#include "scheme.h"

value list_reverse_onto(value list, value tail) {
  value done = tail;
  while (is_pair(list)) {
    value next = cdr(list);
    set_cdr(list, done);
    done = list;
    list = next;
  }
  return done;
}

value list_reverse(value list) {
  return list_reverse_onto(list, NIL);
}

int64_t list_length(value list) {
  int64_t length = 0;
  value slow = list;
  while (is_pair(list)) {
    length++;
    list = cdr(list);
    if ((length & 1) == 0) slow = cdr(slow);
    if (list == slow && is_pair(list)) return -1; /* circular */
  }
  return list == NIL ? length : -1;
}

value slots_to_list(value object) {
  value list = NIL;
  for (size_t i = size_of(object); i-- > 0;)
    list = cons(slots_of(object)[i], list);
  return list;
}

/* ---- Comparing arguments ----------------------------------------------------------------------
 */

value compare_all(int count, const value *a, int accepted, int (*order)(value, value)) {
  bool all = true;
  for (int i = 0; i + 1 < count; i++)
    all &= (accepted >> (order(a[i], a[i + 1]) + 1) & 1) != 0;
  return make_bool(all);
}

int order_words(value a, value b) {
  return (a > b) - (a < b);
}

/* ---- Pairs ---------------------------------------------------------------------------------- */

static value pair_of(value v) {
  if (!is_pair(v)) fail_type("pair", v);
  return v;
}

EXPRESSION("cons", "..", cons(a[0], a[1]))
EXPRESSION("car", "p", car(a[0]))
EXPRESSION("cdr", "p", cdr(a[0]))
EXPRESSION("set-car!", "p.", (set_car(a[0], a[1]), UNSPECIFIED))
EXPRESSION("set-cdr!", "p.", (set_cdr(a[0], a[1]), UNSPECIFIED))

/* These two have instructions. Longer paths are in boot.scm. */
EXPRESSION("cadr", "p", car(pair_of(cdr(a[0]))))
EXPRESSION("cddr", "p", cdr(pair_of(cdr(a[0]))))
EXPRESSION("null?", ".", make_bool(a[0] == NIL))
EXPRESSION("pair?", ".", make_bool(is_pair(a[0])))
EXPRESSION("list?", ".", make_bool(list_length(a[0]) >= 0))
EXPRESSION("not", ".", make_bool(a[0] == FALSE))
EXPRESSION("boolean?", ".", make_bool(a[0] == TRUE || a[0] == FALSE))
EXPRESSION("boolean=?", "..*", compare_all(count, a, 2, order_words))
EXPRESSION("eof-object", "", END_OF_FILE)
EXPRESSION("eof-object?", ".", make_bool(a[0] == END_OF_FILE))

/* ---- Lists ----------------------------------------------------------------------------------- */

EXPRESSION("length", "l", fix(list_length(a[0])))
EXPRESSION("reverse!", "l", list_reverse(a[0]))

PRIMITIVE("list", ".*") {
  value list = NIL;
  while (count > 0)
    list = cons(a[--count], list);
  return list;
}

/* Returns a copy of the list that ends in `tail`. */
static value copy_onto(value list, value tail) {
  if (list_length(list) < 0) fail_type("list", list);
  value head = cons(NIL, tail), last = head;
  for (; list != NIL; list = cdr(list), last = cdr(last))
    set_cdr(last, cons(car(list), tail));
  return cdr(head);
}

PRIMITIVE("append", ".*") {
  value list = count > 0 ? a[count - 1] : NIL;
  for (int i = count - 2; i >= 0; i--)
    list = copy_onto(a[i], list);
  return list;
}

PRIMITIVE("reverse", "l") {
  value done = NIL;
  for (value list = a[0]; list != NIL; list = cdr(list))
    done = cons(car(list), done);
  return done;
}

/* ---- Multiple values ----------------------------------------------------------------------------
 */

value make_values(int count, const value *values) {
  return count == 1 ? values[0] : make_object_of(T_VALUES, (size_t)count, values);
}

EXPRESSION("values", ".*", make_values(count, a))
EXPRESSION("%values->list", ".", is_type(a[0], T_VALUES) ? slots_to_list(a[0]) : cons(a[0], NIL))
