/* Pairs, lists and symbols. */
#include "scheme.h"

value list2(value a, value b) {
  return cons(a, cons(b, NIL));
}

value list_reverse_onto(value list, value tail) {
  value done = tail;
  while (is_pair(list)) {
    value next = cdr(list);
    cdr(list) = done;
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

/* ---- Pairs ---------------------------------------------------------------------------------- */

static value pair_of(value v) {
  if (!is_pair(v)) fail_type("pair", v);
  return v;
}

EXPRESSION("cons", "..", cons(a[0], a[1]))
EXPRESSION("car", "p", car(a[0]))
EXPRESSION("cdr", "p", cdr(a[0]))
EXPRESSION("set-car!", "p.", (car(a[0]) = a[1], UNSPECIFIED))
EXPRESSION("set-cdr!", "p.", (cdr(a[0]) = a[1], UNSPECIFIED))

/* With instructions; longer paths are in boot.scm. */
EXPRESSION("cadr", "p", car(pair_of(cdr(a[0]))))
EXPRESSION("cddr", "p", cdr(pair_of(cdr(a[0]))))
EXPRESSION("null?", ".", make_bool(a[0] == NIL))
EXPRESSION("pair?", ".", make_bool(is_pair(a[0])))
EXPRESSION("list?", ".", make_bool(list_length(a[0]) >= 0))
EXPRESSION("not", ".", make_bool(a[0] == FALSE))
EXPRESSION("boolean?", ".", make_bool(a[0] == TRUE || a[0] == FALSE))
EXPRESSION("boolean=?", "..*", compare_all(count, a, 2, order_words))
EXPRESSION("symbol=?", "yy*", compare_all(count, a, 2, order_words))
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

/* A copy of the list's pairs, ending in `tail`. */
static value copy_onto(value list, value tail) {
  if (list_length(list) < 0) fail_type("list", list);
  value head = cons(NIL, tail), last = head;
  for (; list != NIL; list = cdr(list), last = cdr(last))
    cdr(last) = cons(car(list), tail);
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

static bool values_eq(value a, value b) {
  return a == b;
}

/* The first tail of the list whose car is the same, or the first entry (key . content) whose key
 * is the same; #f if there is none. */
static value search(const value *a, bool entries, bool (*same)(value, value)) {
  value list = a[1];
  for (; is_pair(list); list = cdr(list)) {
    value item = entries ? car(pair_of(car(list))) : car(list);
    if (same(a[0], item)) return entries ? car(list) : list;
  }
  if (list != NIL) fail_type("list", list);
  return FALSE;
}

EXPRESSION("memq", "..", search(a, false, values_eq))
EXPRESSION("memv", "..", search(a, false, values_eqv))
EXPRESSION("%member", "..", search(a, false, values_equal))
EXPRESSION("assq", "..", search(a, true, values_eq))
EXPRESSION("assv", "..", search(a, true, values_eqv))
EXPRESSION("%assoc", "..", search(a, true, values_equal))

/* ---- Symbols -------------------------------------------------------------------------------- */

value intern(value name) {
  if (globals.symbols == 0) globals.symbols = make_table(true);
  value found = table_ref(globals.symbols, name, FALSE);
  if (found != FALSE) return found;
  struct symbol *symbol = mem_refs(sizeof *symbol);
  *symbol = (struct symbol){make_header(T_SYMBOL, 0), name, UNBOUND, FALSE, FALSE};
  table_put(globals.symbols, name, (value)symbol);
  return (value)symbol;
}

value intern_c(const char *name) {
  return intern(string_from_c(name));
}

EXPRESSION("symbol?", ".", make_bool(is_type(a[0], T_SYMBOL)))
EXPRESSION("symbol->string", "y", symbol_of(a[0])->name)
EXPRESSION("string->symbol", "s", intern(copy_sequence(T_STRING, a[0], 0, size_of(a[0]))))
