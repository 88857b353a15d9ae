/* Primitives for pairs, lists, symbols and vectors, and the comparing of values. */
#include "scheme.h"

#include <string.h>

void define_primitives(const struct definition *table, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct primitive *p = mem_refs(sizeof *p);
    *p = (struct primitive){make_header(T_PRIMITIVE, 0),
                            table[i].function,
                            table[i].name,
                            table[i].least,
                            table[i].most,
                            0};
    symbol_of(intern_c(table[i].name))->global = (value)p;
  }
}

static value pair_argument(const char *who, value v) {
  if (!is_pair(v)) fail_type(who, "pair", v);
  return v;
}

PRIMITIVE(p_cons) {
  return cons(a[0], a[1]);
}
PRIMITIVE(p_car) {
  return car(pair_argument("car", a[0]));
}
PRIMITIVE(p_cdr) {
  return cdr(pair_argument("cdr", a[0]));
}
PRIMITIVE(p_set_car) {
  *car_of(pair_argument("set-car!", a[0])) = a[1];
  return UNSPECIFIED;
}
PRIMITIVE(p_set_cdr) {
  *cdr_of(pair_argument("set-cdr!", a[0])) = a[1];
  return UNSPECIFIED;
}

/* c[ad]*r by name, last letter first. */
static value path(const char *name, value v) {
  for (size_t i = strlen(name) - 2; i > 0; i--) {
    pair_argument(name, v);
    v = name[i] == 'a' ? car(v) : cdr(v);
  }
  return v;
}

/* clang-format off */
#define PATHS(X)                                                                                   \
  X(caar) X(cadr) X(cdar) X(cddr) X(caaar) X(caadr) X(cadar) X(caddr) X(cdaar) X(cdadr) X(cddar)   \
  X(cdddr) X(caaaar) X(caaadr) X(caadar) X(caaddr) X(cadaar) X(cadadr) X(caddar) X(cadddr)         \
  X(cdaaar) X(cdaadr) X(cdadar) X(cdaddr) X(cddaar) X(cddadr) X(cdddar) X(cddddr)
/* clang-format on */
#define X(name)                                                                                    \
  PRIMITIVE(p_##name) {                                                                            \
    return path(#name, a[0]);                                                                      \
  }
PATHS(X)
#undef X

PRIMITIVE(p_is_null) {
  return make_bool(a[0] == NIL);
}
PRIMITIVE(p_is_pair) {
  return make_bool(is_pair(a[0]));
}
PRIMITIVE(p_is_list) {
  return make_bool(list_length(a[0]) >= 0);
}
PRIMITIVE(p_not) {
  return make_bool(a[0] == FALSE);
}
PRIMITIVE(p_is_eq) {
  return make_bool(a[0] == a[1]);
}
PRIMITIVE(p_is_eqv) {
  return make_bool(values_eqv(a[0], a[1]));
}
PRIMITIVE(p_is_equal) {
  return make_bool(values_equal(a[0], a[1]));
}

static int64_t checked_list(const char *who, value list) {
  int64_t length = list_length(list);
  if (length < 0) fail_type(who, "list", list);
  return length;
}

PRIMITIVE(p_length) {
  return fix(checked_list("length", a[0]));
}

PRIMITIVE(p_list) {
  value list = NIL;
  while (count > 0)
    list = cons(a[--count], list);
  return list;
}

PRIMITIVE(p_cons_star) {
  value list = a[--count];
  while (count > 0)
    list = cons(a[--count], list);
  return list;
}

/* A copy of the list's pairs, ending in `tail`. */
static value copy_onto(const char *who, value list, value tail) {
  checked_list(who, list);
  value head = cons(NIL, tail), last = head;
  for (; list != NIL; list = cdr(list), last = cdr(last))
    *cdr_of(last) = cons(car(list), tail);
  return cdr(head);
}

PRIMITIVE(p_append) {
  value list = count > 0 ? a[count - 1] : NIL;
  for (int i = count - 2; i >= 0; i--)
    list = copy_onto("append", a[i], list);
  return list;
}

PRIMITIVE(p_reverse) {
  checked_list("reverse", a[0]);
  value done = NIL;
  for (value list = a[0]; list != NIL; list = cdr(list))
    done = cons(car(list), done);
  return done;
}

PRIMITIVE(p_reverse_in_place) {
  checked_list("reverse!", a[0]);
  return list_reverse(a[0]);
}

static value tail_of(const char *who, value list, value index) {
  if (!is_fixnum(index) || unfix(index) < 0) fail_type(who, "index", index);
  for (int64_t i = unfix(index); i > 0; i--)
    list = cdr(pair_argument(who, list));
  return list;
}

PRIMITIVE(p_list_tail) {
  return tail_of("list-tail", a[0], a[1]);
}
PRIMITIVE(p_list_ref) {
  return car(pair_argument("list-ref", tail_of("list-ref", a[0], a[1])));
}
static bool same(value a, value b) {
  return a == b;
}

static value member(const char *who, value v, value list, bool (*equal)(value, value)) {
  for (; is_pair(list); list = cdr(list))
    if (equal(v, car(list))) return list;
  if (list != NIL) fail_type(who, "list", list);
  return FALSE;
}

static value associate(const char *who, value v, value list, bool (*equal)(value, value)) {
  for (; is_pair(list); list = cdr(list))
    if (equal(v, car(pair_argument(who, car(list))))) return car(list);
  if (list != NIL) fail_type(who, "list", list);
  return FALSE;
}

PRIMITIVE(p_memq) {
  return member("memq", a[0], a[1], same);
}
PRIMITIVE(p_memv) {
  return member("memv", a[0], a[1], values_eqv);
}
PRIMITIVE(p_member) {
  return member("member", a[0], a[1], values_equal);
}
PRIMITIVE(p_assq) {
  return associate("assq", a[0], a[1], same);
}
PRIMITIVE(p_assv) {
  return associate("assv", a[0], a[1], values_eqv);
}
PRIMITIVE(p_assoc) {
  return associate("assoc", a[0], a[1], values_equal);
}

/* ---- Symbols -------------------------------------------------------------------------------- */

PRIMITIVE(p_is_symbol) {
  return make_bool(is_type(a[0], T_SYMBOL));
}
PRIMITIVE(p_symbol_to_string) {
  if (!is_type(a[0], T_SYMBOL)) fail_type("symbol->string", "symbol", a[0]);
  return symbol_of(a[0])->name;
}
PRIMITIVE(p_string_to_symbol) {
  if (!is_type(a[0], T_STRING)) fail_type("string->symbol", "string", a[0]);
  value name = make_string((int64_t)size_of(a[0]), 0);
  memcpy(((struct string *)name)->chars, ((struct string *)a[0])->chars, size_of(name) * 4);
  return intern(name);
}
PRIMITIVE(p_generate_symbol) {
  static int64_t number;
  char name[32];
  snprintf(name, sizeof name, "g%lld", (long long)number++);
  struct symbol *symbol = mem_refs(sizeof *symbol);
  *symbol = (struct symbol){make_header(T_SYMBOL, 0), string_from_c(name), UNBOUND, FALSE, FALSE};
  return (value)symbol;
}

/* ---- Vectors -------------------------------------------------------------------------------- */

static value *vector_place(const char *who, const value *a) {
  typed(who, T_VECTOR, a[0]);
  if (!is_fixnum(a[1]) || (uint64_t)unfix(a[1]) >= size_of(a[0]))
    fail(who, "index out of range:", list2(a[1], fix((int64_t)size_of(a[0]))));
  return &slots_of(a[0])[unfix(a[1])];
}

PRIMITIVE(p_is_vector) {
  return make_bool(is_type(a[0], T_VECTOR));
}
PRIMITIVE(p_make_vector) {
  if (!is_fixnum(a[0])) fail_type("make-vector", "length", a[0]);
  return make_vector(unfix(a[0]), count > 1 ? a[1] : FALSE);
}
PRIMITIVE(p_vector) {
  value v = make_object(T_VECTOR, (size_t)count);
  memcpy(slots_of(v), a, (size_t)count * sizeof(value));
  return v;
}
PRIMITIVE(p_vector_length) {
  return fix((int64_t)size_of(typed("vector-length", T_VECTOR, a[0])));
}
PRIMITIVE(p_vector_ref) {
  return *vector_place("vector-ref", a);
}
PRIMITIVE(p_vector_set) {
  *vector_place("vector-set!", a) = a[2];
  return UNSPECIFIED;
}
PRIMITIVE(p_vector_to_list) {
  struct span s =
      span_of("vector->list", count, a, 1, size_of(typed("vector->list", T_VECTOR, a[0])));
  value list = NIL;
  while (s.to > s.from)
    list = cons(slots_of(a[0])[--s.to], list);
  return list;
}
PRIMITIVE(p_list_to_vector) {
  value list = a[0], v = make_vector(checked_list("list->vector", list), FALSE);
  for (size_t i = 0; list != NIL; list = cdr(list))
    slots_of(v)[i++] = car(list);
  return v;
}
PRIMITIVE(p_vector_fill) {
  struct span s =
      span_of("vector-fill!", count, a, 2, size_of(typed("vector-fill!", T_VECTOR, a[0])));
  while (s.from < s.to)
    slots_of(a[0])[s.from++] = a[1];
  return UNSPECIFIED;
}
PRIMITIVE(p_subvector) {
  struct span s =
      span_of("vector-copy", count, a, 1, size_of(typed("vector-copy", T_VECTOR, a[0])));
  value v = make_object(T_VECTOR, s.to - s.from);
  memcpy(slots_of(v), slots_of(a[0]) + s.from, (s.to - s.from) * sizeof(value));
  return v;
}
PRIMITIVE(p_vector_copy_to) {
  size_t room = size_of(typed("vector-copy!", T_VECTOR, a[0]));
  struct span s =
      span_of("vector-copy!", count, a, 3, size_of(typed("vector-copy!", T_VECTOR, a[2])));
  size_t at = span_of("vector-copy!", 2, a, 1, room).from;
  if (room - at < s.to - s.from) fail("vector-copy!", "no room at the target:", a[1]);
  memmove(slots_of(a[0]) + at, slots_of(a[2]) + s.from, (s.to - s.from) * sizeof(value));
  return UNSPECIFIED;
}

void start_lists(void) {
  static const struct definition table[] = {
#define X(name) {#name, p_##name, 1, 1},
      PATHS(X)
#undef X
          {"cons", p_cons, 2, 2},
      {"car", p_car, 1, 1},
      {"cdr", p_cdr, 1, 1},
      {"set-car!", p_set_car, 2, 2},
      {"set-cdr!", p_set_cdr, 2, 2},
      {"null?", p_is_null, 1, 1},
      {"pair?", p_is_pair, 1, 1},
      {"list?", p_is_list, 1, 1},
      {"not", p_not, 1, 1},
      {"eq?", p_is_eq, 2, 2},
      {"eqv?", p_is_eqv, 2, 2},
      {"equal?", p_is_equal, 2, 2},
      {"length", p_length, 1, 1},
      {"list", p_list, 0, -1},
      {"cons*", p_cons_star, 1, -1},
      {"list*", p_cons_star, 1, -1},
      {"append", p_append, 0, -1},
      {"reverse", p_reverse, 1, 1},
      {"reverse!", p_reverse_in_place, 1, 1},
      {"list-tail", p_list_tail, 2, 2},
      {"list-ref", p_list_ref, 2, 2},
      {"memq", p_memq, 2, 2},
      {"memv", p_memv, 2, 2},
      {"%member", p_member, 2, 2},
      {"assq", p_assq, 2, 2},
      {"assv", p_assv, 2, 2},
      {"%assoc", p_assoc, 2, 2},
      {"symbol?", p_is_symbol, 1, 1},
      {"symbol->string", p_symbol_to_string, 1, 1},
      {"string->symbol", p_string_to_symbol, 1, 1},
      {"generate-symbol", p_generate_symbol, 0, 1},
      {"gensym", p_generate_symbol, 0, 1},
      {"vector?", p_is_vector, 1, 1},
      {"make-vector", p_make_vector, 1, 2},
      {"vector", p_vector, 0, -1},
      {"vector-length", p_vector_length, 1, 1},
      {"vector-ref", p_vector_ref, 2, 2},
      {"vector-set!", p_vector_set, 3, 3},
      {"vector->list", p_vector_to_list, 1, 3},
      {"list->vector", p_list_to_vector, 1, 1},
      {"vector-fill!", p_vector_fill, 2, 4},
      {"vector-copy", p_subvector, 1, 3},
      {"subvector", p_subvector, 3, 3},
      {"vector-copy!", p_vector_copy_to, 3, 5},
  };
  DEFINE_PRIMITIVES(table);
}
