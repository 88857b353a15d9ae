/* Primitives for characters, strings and bytevectors. */
#include "scheme.h"

#include <string.h>
#include <wctype.h>

struct span span_of(const char *who, int count, const value *a, int first, size_t size) {
  value from = count > first ? a[first] : fix(0);
  value to = count > first + 1 ? a[first + 1] : fix((int64_t)size);
  if (!is_fixnum(from) || !is_fixnum(to) || unfix(from) < 0 || unfix(to) < unfix(from) ||
      (uint64_t)unfix(to) > size)
    fail(who, "bad range:", list3(from, to, fix((int64_t)size)));
  return (struct span){(size_t)unfix(from), (size_t)unfix(to)};
}

/* ---- Characters ----------------------------------------------------------------------------- */

static uint32_t character(const char *who, value v) {
  if (!is_char(v)) fail_type(who, "character", v);
  return char_of(v);
}

PRIMITIVE(p_is_char) {
  return make_bool(is_char(a[0]));
}
PRIMITIVE(p_char_to_integer) {
  return fix(character("char->integer", a[0]));
}
PRIMITIVE(p_integer_to_char) {
  return make_char((uint32_t)index_in("integer->char", a[0], 0x110000));
}
PRIMITIVE(p_upcase) {
  return make_char(towupper((wint_t)character("char-upcase", a[0])));
}
PRIMITIVE(p_downcase) {
  return make_char(towlower((wint_t)character("char-downcase", a[0])));
}
PRIMITIVE(p_is_alphabetic) {
  return make_bool(iswalpha((wint_t)character("char-alphabetic?", a[0])));
}
PRIMITIVE(p_is_whitespace) {
  return make_bool(iswspace((wint_t)character("char-whitespace?", a[0])));
}
PRIMITIVE(p_is_upper) {
  return make_bool(iswupper((wint_t)character("char-upper-case?", a[0])));
}
PRIMITIVE(p_is_lower) {
  return make_bool(iswlower((wint_t)character("char-lower-case?", a[0])));
}
PRIMITIVE(p_digit_value) {
  uint32_t c = character("digit-value", a[0]);
  return c >= '0' && c <= '9' ? fix(c - '0') : FALSE;
}
PRIMITIVE(p_is_numeric) {
  return make_bool(p_digit_value(1, a) != FALSE);
}

/* ---- Comparing ------------------------------------------------------------------------------ */

/* What one comparison of neighbours may give: bit 0 less, bit 1 equal, bit 2 more. */
enum { LESS = 1, EQUAL = 2, MORE = 4 };

static value compare_chars(const char *who, int count, const value *a, int accepted, bool fold) {
  bool all = true;
  for (int i = 0; i + 1 < count; i++) {
    uint32_t x = character(who, a[i]), y = character(who, a[i + 1]);
    x = fold ? towlower((wint_t)x) : x;
    y = fold ? towlower((wint_t)y) : y;
    all &= (accepted >> (1 + (x > y) - (x < y)) & 1) != 0;
  }
  return make_bool(all);
}

static int compare_two(value a, value b, bool fold) {
  const struct string *x = (struct string *)a, *y = (struct string *)b;
  for (size_t i = 0; i < size_of(a) && i < size_of(b); i++) {
    uint32_t c = fold ? towlower((wint_t)x->chars[i]) : x->chars[i];
    uint32_t d = fold ? towlower((wint_t)y->chars[i]) : y->chars[i];
    if (c != d) return c > d ? 1 : -1;
  }
  return (size_of(a) > size_of(b)) - (size_of(a) < size_of(b));
}

static value compare_strings(const char *who, int count, const value *a, int accepted, bool fold) {
  bool all = true;
  for (int i = 0; i + 1 < count; i++) {
    int order = compare_two(typed(who, T_STRING, a[i]), typed(who, T_STRING, a[i + 1]), fold);
    all &= (accepted >> (1 + order) & 1) != 0;
  }
  return make_bool(all);
}

#define COMPARISONS(X)                                                                             \
  X(equal, "=?", EQUAL)                                                                            \
  X(less, "<?", LESS)                                                                              \
  X(more, ">?", MORE) X(not_more, "<=?", LESS | EQUAL) X(not_less, ">=?", MORE | EQUAL)
#define X(name, sign, accepted)                                                                    \
  PRIMITIVE(p_char_##name) {                                                                       \
    return compare_chars("char" sign, count, a, accepted, false);                                  \
  }                                                                                                \
  PRIMITIVE(p_char_ci_##name) {                                                                    \
    return compare_chars("char-ci" sign, count, a, accepted, true);                                \
  }                                                                                                \
  PRIMITIVE(p_string_##name) {                                                                     \
    return compare_strings("string" sign, count, a, accepted, false);                              \
  }                                                                                                \
  PRIMITIVE(p_string_ci_##name) {                                                                  \
    return compare_strings("string-ci" sign, count, a, accepted, true);                            \
  }
COMPARISONS(X)
#undef X

/* ---- Strings -------------------------------------------------------------------------------- */

static uint32_t *chars(value string) {
  return ((struct string *)string)->chars;
}

static value copy_chars(const uint32_t *from, size_t length) {
  value s = make_string((int64_t)length, 0);
  memcpy(chars(s), from, length * sizeof(uint32_t));
  return s;
}

PRIMITIVE(p_is_string) {
  return make_bool(is_type(a[0], T_STRING));
}
PRIMITIVE(p_make_string) {
  size_t length = index_in("make-string", a[0], (size_t)1 << 40);
  return make_string((int64_t)length, count > 1 ? character("make-string", a[1]) : ' ');
}
PRIMITIVE(p_string) {
  value s = make_string(count, 0);
  for (int i = 0; i < count; i++)
    chars(s)[i] = character("string", a[i]);
  return s;
}
PRIMITIVE(p_string_length) {
  return fix((int64_t)size_of(typed("string-length", T_STRING, a[0])));
}
PRIMITIVE(p_string_ref) {
  typed("string-ref", T_STRING, a[0]);
  return make_char(chars(a[0])[index_in("string-ref", a[1], size_of(a[0]))]);
}
PRIMITIVE(p_string_set) {
  typed("string-set!", T_STRING, a[0]);
  chars(a[0])[index_in("string-set!", a[1], size_of(a[0]))] = character("string-set!", a[2]);
  return UNSPECIFIED;
}
PRIMITIVE(p_substring) {
  size_t size = size_of(typed("string-copy", T_STRING, a[0]));
  struct span s = span_of("string-copy", count, a, 1, size);
  return copy_chars(chars(a[0]) + s.from, s.to - s.from);
}
PRIMITIVE(p_string_append) {
  size_t length = 0;
  for (int i = 0; i < count; i++)
    length += size_of(typed("string-append", T_STRING, a[i]));
  value s = make_string((int64_t)length, 0);
  uint32_t *at = chars(s);
  for (int i = 0; i < count; at += size_of(a[i]), i++)
    memcpy(at, chars(a[i]), size_of(a[i]) * sizeof(uint32_t));
  return s;
}
PRIMITIVE(p_string_to_list) {
  size_t size = size_of(typed("string->list", T_STRING, a[0]));
  struct span s = span_of("string->list", count, a, 1, size);
  value list = NIL;
  while (s.to > s.from)
    list = cons(make_char(chars(a[0])[--s.to]), list);
  return list;
}
PRIMITIVE(p_list_to_string) {
  int64_t length = list_length(a[0]);
  if (length < 0) fail_type("list->string", "list", a[0]);
  value s = make_string(length, 0), list = a[0];
  for (size_t i = 0; list != NIL; list = cdr(list))
    chars(s)[i++] = character("list->string", car(list));
  return s;
}
PRIMITIVE(p_string_fill) {
  size_t size = size_of(typed("string-fill!", T_STRING, a[0]));
  struct span s = span_of("string-fill!", count, a, 2, size);
  while (s.from < s.to)
    chars(a[0])[s.from++] = character("string-fill!", a[1]);
  return UNSPECIFIED;
}
PRIMITIVE(p_string_copy_to) {
  size_t room = size_of(typed("string-copy!", T_STRING, a[0]));
  size_t size = size_of(typed("string-copy!", T_STRING, a[2]));
  struct span s = span_of("string-copy!", count, a, 3, size);
  size_t at = span_of("string-copy!", 2, a, 1, room).from;
  if (room - at < s.to - s.from) fail("string-copy!", "no room at the target:", a[1]);
  memmove(chars(a[0]) + at, chars(a[2]) + s.from, (s.to - s.from) * sizeof(uint32_t));
  return UNSPECIFIED;
}

/* ---- Bytevectors ---------------------------------------------------------------------------- */

static uint8_t *bytes(value v) {
  return ((struct bytes *)v)->bytes;
}

PRIMITIVE(p_is_bytes) {
  return make_bool(is_type(a[0], T_BYTES));
}
PRIMITIVE(p_make_bytes) {
  size_t length = index_in("make-bytevector", a[0], (size_t)1 << 40);
  uint8_t fill = count > 1 ? (uint8_t)index_in("make-bytevector", a[1], 256) : 0;
  return make_bytes((int64_t)length, fill);
}
PRIMITIVE(p_bytes) {
  value v = make_bytes(count, 0);
  for (int i = 0; i < count; i++)
    bytes(v)[i] = (uint8_t)index_in("bytevector", a[i], 256);
  return v;
}
PRIMITIVE(p_bytes_length) {
  return fix((int64_t)size_of(typed("bytevector-length", T_BYTES, a[0])));
}
PRIMITIVE(p_bytes_ref) {
  typed("bytevector-u8-ref", T_BYTES, a[0]);
  return fix(bytes(a[0])[index_in("bytevector-u8-ref", a[1], size_of(a[0]))]);
}
PRIMITIVE(p_bytes_set) {
  typed("bytevector-u8-set!", T_BYTES, a[0]);
  size_t at = index_in("bytevector-u8-set!", a[1], size_of(a[0]));
  bytes(a[0])[at] = (uint8_t)index_in("bytevector-u8-set!", a[2], 256);
  return UNSPECIFIED;
}
PRIMITIVE(p_bytes_copy) {
  size_t size = size_of(typed("bytevector-copy", T_BYTES, a[0]));
  struct span s = span_of("bytevector-copy", count, a, 1, size);
  value v = make_bytes((int64_t)(s.to - s.from), 0);
  memcpy(bytes(v), bytes(a[0]) + s.from, s.to - s.from);
  return v;
}
PRIMITIVE(p_bytes_append) {
  size_t length = 0;
  for (int i = 0; i < count; i++)
    length += size_of(typed("bytevector-append", T_BYTES, a[i]));
  value v = make_bytes((int64_t)length, 0);
  uint8_t *at = bytes(v);
  for (int i = 0; i < count; at += size_of(a[i]), i++)
    memcpy(at, bytes(a[i]), size_of(a[i]));
  return v;
}
PRIMITIVE(p_string_to_utf8) {
  size_t size = size_of(typed("string->utf8", T_STRING, a[0]));
  struct span s = span_of("string->utf8", count, a, 1, size);
  return utf8_from_string(a[0], s.from, s.to);
}
PRIMITIVE(p_utf8_to_string) {
  size_t size = size_of(typed("utf8->string", T_BYTES, a[0]));
  struct span s = span_of("utf8->string", count, a, 1, size);
  return string_from_utf8((const char *)bytes(a[0]) + s.from, s.to - s.from);
}

void start_strings(void) {
  static const struct definition table[] = {
#define X(name, sign, accepted)                                                                    \
  {"char" sign, p_char_##name, 1, -1}, {"char-ci" sign, p_char_ci_##name, 1, -1},                  \
      {"string" sign, p_string_##name, 1, -1}, {"string-ci" sign, p_string_ci_##name, 1, -1},
      COMPARISONS(X)
#undef X
          {"char?", p_is_char, 1, 1},
      {"char->integer", p_char_to_integer, 1, 1},
      {"integer->char", p_integer_to_char, 1, 1},
      {"char-upcase", p_upcase, 1, 1},
      {"char-downcase", p_downcase, 1, 1},
      {"char-foldcase", p_downcase, 1, 1},
      {"char-alphabetic?", p_is_alphabetic, 1, 1},
      {"char-numeric?", p_is_numeric, 1, 1},
      {"char-whitespace?", p_is_whitespace, 1, 1},
      {"char-upper-case?", p_is_upper, 1, 1},
      {"char-lower-case?", p_is_lower, 1, 1},
      {"digit-value", p_digit_value, 1, 1},
      {"string?", p_is_string, 1, 1},
      {"make-string", p_make_string, 1, 2},
      {"string", p_string, 0, -1},
      {"string-length", p_string_length, 1, 1},
      {"string-ref", p_string_ref, 2, 2},
      {"string-set!", p_string_set, 3, 3},
      {"substring", p_substring, 2, 3},
      {"string-copy", p_substring, 1, 3},
      {"string-append", p_string_append, 0, -1},
      {"string->list", p_string_to_list, 1, 3},
      {"list->string", p_list_to_string, 1, 1},
      {"string-fill!", p_string_fill, 2, 4},
      {"string-copy!", p_string_copy_to, 3, 5},
      {"bytevector?", p_is_bytes, 1, 1},
      {"make-bytevector", p_make_bytes, 1, 2},
      {"bytevector", p_bytes, 0, -1},
      {"bytevector-length", p_bytes_length, 1, 1},
      {"bytevector-u8-ref", p_bytes_ref, 2, 2},
      {"bytevector-u8-set!", p_bytes_set, 3, 3},
      {"bytevector-copy", p_bytes_copy, 1, 3},
      {"bytevector-append", p_bytes_append, 0, -1},
      {"string->utf8", p_string_to_utf8, 1, 3},
      {"utf8->string", p_utf8_to_string, 1, 3}};
  DEFINE_PRIMITIVES(table);
}
