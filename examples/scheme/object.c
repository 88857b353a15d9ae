/* Making objects, interning symbols, comparing values. */
#include "scheme.h"

#include <string.h>

struct globals globals;

static size_t checked_length(const char *who, int64_t length, size_t each) {
  if (length < 0 || (uint64_t)length > (SIZE_MAX >> 12) / each)
    fail_type(who, "length", fix(length));
  return (size_t)length;
}

value make_vector(int64_t length, value fill) {
  size_t n = checked_length("make-vector", length, sizeof(value));
  value v = make_object(T_VECTOR, n);
  for (size_t i = 0; i < n; i++)
    slots_of(v)[i] = fill;
  return v;
}

value make_string(int64_t length, uint32_t fill) {
  size_t n = checked_length("make-string", length, sizeof(uint32_t));
  struct string *s = mem_leaf(sizeof *s + n * sizeof(uint32_t));
  s->header = make_header(T_STRING, n);
  for (size_t i = 0; i < n; i++)
    s->chars[i] = fill;
  return (value)s;
}

value make_bytes(int64_t length, uint8_t fill) {
  size_t n = checked_length("make-bytevector", length, 1);
  struct bytes *b = mem_leaf(sizeof *b + n);
  b->header = make_header(T_BYTES, n);
  memset(b->bytes, fill, n);
  return (value)b;
}

/* One code point; malformed input becomes U+FFFD. Returns the bytes used. */
static size_t decode(const unsigned char *text, size_t bytes, uint32_t *out) {
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  size_t more = text[0] < 0x80 ? 0 : text[0] < 0xe0 ? 1 : text[0] < 0xf0 ? 2 : 3;
  uint32_t c = more == 0 ? text[0] : text[0] & (0x3fu >> more);
  size_t i = 1;
  while (i <= more && i < bytes && (text[i] & 0xc0) == 0x80)
    c = c << 6 | (text[i++] & 0x3f);
  bool good = i == more + 1 && c >= least[more] && c < 0x110000 && text[0] < 0xf8;
  *out = good && !(text[0] >= 0x80 && text[0] < 0xc0) ? c : 0xfffd;
  return i;
}

value string_from_utf8(const char *text, size_t bytes) {
  const unsigned char *at = (const unsigned char *)text;
  size_t length = 0;
  uint32_t c;
  for (size_t i = 0; i < bytes; length++)
    i += decode(at + i, bytes - i, &c);
  value string = make_string((int64_t)length, 0);
  for (size_t i = 0, k = 0; i < bytes; k++)
    i += decode(at + i, bytes - i, &((struct string *)string)->chars[k]);
  return string;
}

value string_from_c(const char *text) {
  return string_from_utf8(text, strlen(text));
}

static size_t encode(uint32_t c, uint8_t *out) {
  if (c < 0x80) {
    out[0] = (uint8_t)c;
    return 1;
  }
  size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
  out[0] = (uint8_t)(lead[more] | c >> (6 * more));
  for (size_t i = 1; i <= more; i++)
    out[i] = (uint8_t)(0x80 | ((c >> (6 * (more - i))) & 0x3f));
  return more + 1;
}

value utf8_from_string(value string, size_t from, size_t to) {
  const struct string *s = (const struct string *)string;
  uint8_t unit[4];
  size_t bytes = 0;
  for (size_t i = from; i < to; i++)
    bytes += encode(s->chars[i], unit);
  struct bytes *b = mem_leaf(sizeof *b + bytes + 1);
  b->header = make_header(T_BYTES, bytes);
  uint8_t *at = b->bytes;
  for (size_t i = from; i < to; i++)
    at += encode(s->chars[i], at);
  *at = 0;
  return (value)b;
}

/* ---- Symbols -------------------------------------------------------------------------------- */

static size_t string_hash(value string) {
  const struct string *s = (const struct string *)string;
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < size_of(string); i++)
    hash = (hash ^ s->chars[i]) * 1099511628211u;
  return (size_t)(hash ^ hash >> 32);
}

static bool same_string(value a, value b) {
  return size_of(a) == size_of(b) &&
         memcmp(((struct string *)a)->chars, ((struct string *)b)->chars,
                size_of(a) * sizeof(uint32_t)) == 0;
}

static void grow_symbols(void) {
  value old = globals.symbols;
  size_t buckets = size_of(old) * 2;
  value wider = make_vector((int64_t)buckets, NIL);
  for (size_t i = 0; i < size_of(old); i++)
    for (value p = slots_of(old)[i]; p != NIL; p = cdr(p)) {
      value *bucket = &slots_of(wider)[string_hash(symbol_of(car(p))->name) % buckets];
      *bucket = cons(car(p), *bucket);
    }
  globals.symbols = wider;
}

value intern(value string) {
  if (globals.symbols == 0) globals.symbols = make_vector(1024, NIL);
  size_t hash = string_hash(string);
  for (value p = slots_of(globals.symbols)[hash % size_of(globals.symbols)]; p != NIL; p = cdr(p))
    if (same_string(symbol_of(car(p))->name, string)) return car(p);
  struct symbol *symbol = mem_refs(sizeof *symbol);
  *symbol = (struct symbol){make_header(T_SYMBOL, 0), string, UNBOUND, FALSE, FALSE};
  if (globals.symbol_count++ > 2 * size_of(globals.symbols)) grow_symbols();
  value *bucket = &slots_of(globals.symbols)[hash % size_of(globals.symbols)];
  *bucket = cons((value)symbol, *bucket);
  return (value)symbol;
}

value intern_c(const char *name) {
  return intern(string_from_c(name));
}

/* ---- Conditions, lists ---------------------------------------------------------------------- */

value make_condition(const char *kind, value message, value irritants) {
  value symbol = intern_c(kind);
  value condition = make_object(T_CONDITION, CONDITION_SLOTS);
  slots_of(condition)[CONDITION_KIND] = symbol;
  slots_of(condition)[CONDITION_MESSAGE] = message;
  slots_of(condition)[CONDITION_IRRITANTS] = irritants;
  return condition;
}

value list2(value a, value b) {
  return cons(a, cons(b, NIL));
}
value list3(value a, value b, value c) {
  return cons(a, list2(b, c));
}

value list_reverse(value list) {
  value done = NIL;
  while (is_pair(list)) {
    value next = cdr(list);
    *cdr_of(list) = done;
    done = list;
    list = next;
  }
  return done;
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

/* ---- Equality ------------------------------------------------------------------------------- */

bool values_eqv(value a, value b) {
  if (a == b) return true;
  if (!is_type(a, T_FLONUM) || !is_type(b, T_FLONUM)) return false;
  return memcmp(&((struct flonum *)a)->number, &((struct flonum *)b)->number, sizeof(double)) == 0;
}

bool values_equal(value a, value b) {
  check_depth("equal?");
  while (is_pair(a)) {
    if (a == b) return true;
    if (!is_pair(b) || !values_equal(car(a), car(b))) return false;
    a = cdr(a);
    b = cdr(b);
  }
  if (a == b) return true;
  if (!is_reference(a) || !is_reference(b) || is_pair(b) || header_of(a) != header_of(b))
    return false;
  if (is_type(a, T_STRING)) return same_string(a, b);
  if (is_type(a, T_BYTES))
    return memcmp(((struct bytes *)a)->bytes, ((struct bytes *)b)->bytes, size_of(a)) == 0;
  if (!is_type(a, T_VECTOR)) return values_eqv(a, b);
  for (size_t i = 0; i < size_of(a); i++)
    if (!values_equal(slots_of(a)[i], slots_of(b)[i])) return false;
  return true;
}
