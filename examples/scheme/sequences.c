/* SPDX-License-Identifier: MIT */
/* Vectors, strings and bytevectors have the same procedures. Characters, and UTF-8. */
#include "scheme.h"

#include <string.h>
#include <wctype.h>

static const size_t widths[] = {
    [T_VECTOR] = sizeof(value), [T_STRING] = sizeof(uint32_t), [T_BYTES] = 1};

static uint8_t *place(enum type type, value s, size_t index) {
  return bytes_of(s) + index * widths[type];
}

value new_sequence(enum type type, size_t length) {
  if (length >= SIZE_MAX >> 12) fail_type("length", fix((int64_t)length));
  size_t bytes = sizeof(value) + length * widths[type] + (type == T_BYTES); /* for a NUL */
  value *s = type == T_VECTOR ? mem_refs(bytes) : mem_leaf(bytes);
  *s = make_header(type, length);
  return (value)s;
}

static inline value get(enum type type, value s, size_t i) {
  return type == T_VECTOR   ? slots_of(s)[i]
         : type == T_STRING ? make_char(chars_of(s)[i])
                            : fix(bytes_of(s)[i]);
}

static inline value put(enum type type, value s, size_t i, value v) {
  if (type == T_STRING && !is_char(v)) fail_type("character", v);
  if (type == T_BYTES && (!is_fixnum(v) || (uint64_t)unfix(v) > 255)) fail_type("byte", v);
  if (type == T_VECTOR) set_slot(s, i, v);
  if (type == T_STRING) chars_of(s)[i] = char_of(v);
  if (type == T_BYTES) bytes_of(s)[i] = (uint8_t)unfix(v);
  return UNSPECIFIED;
}

value make_filled(enum type type, int64_t length, value fill) {
  value s = new_sequence(type, (size_t)length);
  for (size_t i = 0; i < (size_t)length; i++)
    put(type, s, i, fill);
  return s;
}

value copy_sequence(enum type type, value from, size_t start, size_t end) {
  value s = new_sequence(type, end - start);
  memcpy(place(type, s, 0), place(type, from, start), (end - start) * widths[type]);
  return s;
}

value list_to_sequence(enum type type, value list) {
  value s = new_sequence(type, (size_t)list_length(list));
  for (size_t i = 0; list != NIL; list = cdr(list))
    put(type, s, i++, car(list));
  return s;
}

struct span span_of(int count, const value *a, int first, value s) {
  size_t from = count > first ? (size_t)unfix(a[first]) : 0;
  size_t to = count > first + 1 ? (size_t)unfix(a[first + 1]) : size_of(s);
  if (from > to || to > size_of(s)) fail("bad range:", list2(fix((int64_t)from), fix((int64_t)to)));
  return (struct span){from, to};
}

static value from_arguments(enum type type, int count, const value *a) {
  value s = new_sequence(type, (size_t)count);
  for (int i = 0; i < count; i++)
    put(type, s, (size_t)i, a[i]);
  return s;
}

static value copy(enum type type, int count, const value *a) {
  struct span span = span_of(count, a, 1, a[0]);
  return copy_sequence(type, a[0], span.from, span.to);
}

static value copy_into(enum type type, int count, const value *a) {
  struct span span = span_of(count, a, 3, a[2]);
  size_t at = span_of(2, a, 1, a[0]).from;
  if (size_of(a[0]) - at < span.to - span.from) fail("no room at the target:", a[1]);
  uint8_t *to = place(type, a[0], at), *from = place(type, a[2], span.from);
  if (type == T_VECTOR)
    mem_write_range((void *)a[0], to, from, span.to - span.from);
  else
    memmove(to, from, (span.to - span.from) * widths[type]);
  return UNSPECIFIED;
}

static value fill_all(enum type type, int count, const value *a) {
  struct span span = span_of(count, a, 2, a[0]);
  for (; span.from < span.to; span.from++)
    put(type, a[0], span.from, a[1]);
  return UNSPECIFIED;
}

static value append(enum type type, int count, const value *a) {
  size_t length = 0;
  for (int i = 0; i < count; i++)
    length += size_of(a[i]);
  value s = new_sequence(type, length);
  length = 0;
  for (int i = 0; i < count; length += size_of(a[i++]))
    memcpy(place(type, s, length), place(type, a[i], 0), size_of(a[i]) * widths[type]);
  return s;
}

static value to_list(enum type type, int count, const value *a) {
  struct span span = span_of(count, a, 1, a[0]);
  value list = NIL;
  while (span.to > span.from)
    list = cons(get(type, a[0], --span.to), list);
  return list;
}

/* `s` is the letter for signatures, `item` the name before -ref and -set!, `initial` the content.
 */
#define SEQUENCE(type, name, s, item, initial)                                                     \
  EXPRESSION(name "?", ".", make_bool(is_type(a[0], type)))                                        \
  EXPRESSION("make-" name, "i|.", make_filled(type, unfix(a[0]), count > 1 ? a[1] : initial))      \
  EXPRESSION(name, ".*", from_arguments(type, count, a))                                           \
  EXPRESSION(name "-length", s, fix((int64_t)size_of(a[0])))                                       \
  EXPRESSION(item "-ref", s ".", get(type, a[0], index_in(a[1], size_of(a[0]))))                   \
  EXPRESSION(item "-set!", s "..", put(type, a[0], index_in(a[1], size_of(a[0])), a[2]))           \
  EXPRESSION(name "-copy", s "|ii", copy(type, count, a))                                          \
  EXPRESSION(name "-copy!", s "i" s "|ii", copy_into(type, count, a))                              \
  EXPRESSION(name "-fill!", s ".|ii", fill_all(type, count, a))                                    \
  EXPRESSION(name "-append", s "*", append(type, count, a))                                        \
  EXPRESSION(name "->list", s "|ii", to_list(type, count, a))                                      \
  EXPRESSION("list->" name, "l", list_to_sequence(type, a[0]))

SEQUENCE(T_VECTOR, "vector", "v", "vector", FALSE)
SEQUENCE(T_STRING, "string", "s", "string", make_char(' '))
SEQUENCE(T_BYTES, "bytevector", "b", "bytevector-u8", fix(0))
EXPRESSION("%slots", ".", is_type(a[0], T_RECORD) ? slots_to_list(a[0]) : FALSE)

/* ---- UTF-8 ---------------------------------------------------------------------------------- */

/* Decodes one code point. Malformed input becomes U+FFFD. Returns how many bytes it takes. */
static inline size_t decode(const unsigned char *text, size_t bytes, uint32_t *out) {
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  size_t more = text[0] < 0xe0 ? 1 : text[0] < 0xf0 ? 2 : 3, i = 1;
  uint32_t c = *out = text[0];
  if (c < 0x80) return 1;
  c &= 0x3fu >> more;
  while (i <= more && i < bytes && (text[i] & 0xc0) == 0x80)
    c = c << 6 | (text[i++] & 0x3f);
  bool good = i == more + 1 && c >= least[more] && c < 0x110000;
  *out = good && text[0] >= 0xc0 && text[0] < 0xf8 ? c : 0xfffd;
  return i;
}

value string_from_utf8(const char *text, size_t bytes) {
  const unsigned char *at = (const unsigned char *)text, *end = at + bytes;
  value string = new_sequence(T_STRING, bytes); /* no more characters than bytes */
  size_t length = 0;
  while (at < end)
    at += decode(at, (size_t)(end - at), &chars_of(string)[length++]);
  *(value *)string = make_header(T_STRING, length);
  return string;
}

value string_from_c(const char *text) {
  return string_from_utf8(text, strlen(text));
}

size_t utf8_encode(uint32_t c, uint8_t *out) {
  static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
  size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  out[0] = (uint8_t)(lead[more] | c >> (6 * more));
  for (size_t i = 1; i <= more; i++)
    out[i] = (uint8_t)(0x80 | ((c >> (6 * (more - i))) & 0x3f));
  return more + 1;
}

value utf8_from_string(value string, size_t from, size_t to) {
  uint8_t unit[4];
  size_t bytes = 0;
  for (size_t i = from; i < to; i++)
    bytes += utf8_encode(chars_of(string)[i], unit);
  value result = new_sequence(T_BYTES, bytes);
  uint8_t *at = bytes_of(result);
  for (size_t i = from; i < to; i++)
    at += utf8_encode(chars_of(string)[i], at);
  *at = 0;
  return result;
}

const char *c_from_string(value string) {
  return (const char *)bytes_of(utf8_from_string(string, 0, size_of(string)));
}

PRIMITIVE("string->utf8", "s|ii") {
  struct span span = span_of(count, a, 1, a[0]);
  return utf8_from_string(a[0], span.from, span.to);
}
PRIMITIVE("utf8->string", "b|ii") {
  struct span span = span_of(count, a, 1, a[0]);
  return string_from_utf8((const char *)bytes_of(a[0]) + span.from, span.to - span.from);
}

/* ---- Characters, comparing ------------------------------------------------------------------- */

static wint_t wide(value v) {
  return (wint_t)char_of(v);
}

EXPRESSION("char?", ".", make_bool(is_char(a[0])))
EXPRESSION("char->integer", "c", fix(char_of(a[0])))
EXPRESSION("integer->char", ".", make_char((uint32_t)index_in(a[0], 0x110000)))
EXPRESSION("char-upcase", "c", make_char(towupper(wide(a[0]))))
EXPRESSION("char-downcase", "c", make_char(towlower(wide(a[0]))))
EXPRESSION("char-alphabetic?", "c", make_bool(iswalpha(wide(a[0]))))
EXPRESSION("char-whitespace?", "c", make_bool(iswspace(wide(a[0]))))
EXPRESSION("char-upper-case?", "c", make_bool(iswupper(wide(a[0]))))
EXPRESSION("char-lower-case?", "c", make_bool(iswlower(wide(a[0]))))
EXPRESSION("char-numeric?", "c", make_bool(wide(a[0]) - '0' < 10))
EXPRESSION("digit-value", "c", wide(a[0]) - '0' < 10 ? fix(wide(a[0]) - '0') : FALSE)

static int order_strings(value a, value b) {
  for (size_t i = 0; i < size_of(a) && i < size_of(b); i++) {
    int order = order_words(chars_of(a)[i], chars_of(b)[i]);
    if (order != 0) return order;
  }
  return order_words(size_of(a), size_of(b));
}

#define COMPARISON(sign, accepted)                                                                 \
  EXPRESSION("char" sign, "cc*", compare_all(count, a, accepted, order_words))                     \
  EXPRESSION("string" sign, "ss*", compare_all(count, a, accepted, order_strings))
COMPARISON("<?", 1)
COMPARISON("=?", 2) COMPARISON("<=?", 3) COMPARISON(">?", 4) COMPARISON(">=?", 6)
