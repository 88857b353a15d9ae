/* The reader: characters to data. */
#include "scheme.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOKEN_MAX = 4096 };

struct reader {
  struct port *port;
  size_t length;
  char token[TOKEN_MAX];
};

static _Noreturn void fail_read(struct reader *r, const char *what) {
  value place = port_place(r->port);
  fail_condition(make_condition("read", string_from_c(what), cons(place, NIL)));
}

static bool is_delimiter(int32_t c) {
  return c < 0 || isspace(c) || (c < 128 && strchr("()\";'", c) != NULL);
}

/* The next character, for what is inside of something: there has to be one. */
static int32_t next_inside(struct reader *r, const char *what) {
  int32_t c = next_char(r->port);
  if (c < 0) fail_read(r, what);
  return c;
}

static void skip_block_comment(struct reader *r) {
  for (int depth = 1; depth > 0;) {
    int32_t c = next_inside(r, "end of file in a block comment"), next = peek_char(r->port);
    if ((c != '|' || next != '#') && (c != '#' || next != '|')) continue;
    next_char(r->port);
    depth += c == '#' ? 1 : -1;
  }
}

static void put(struct reader *r, int32_t c) {
  if (r->length + 5 > TOKEN_MAX) fail_read(r, "token too long");
  if (c < 0x80)
    r->token[r->length++] = (char)c;
  else
    r->length += (size_t)sprintf(r->token + r->length, "%s",
                                 c_from_string(make_filled(T_STRING, 1, make_char((uint32_t)c))));
}

static void read_token(struct reader *r, int32_t first) {
  r->length = 0;
  put(r, first);
  while (!is_delimiter(peek_char(r->port)))
    put(r, next_char(r->port));
  r->token[r->length] = 0;
}

static int32_t read_hex(struct reader *r) {
  int32_t code = 0, c;
  while ((c = next_char(r->port)) != ';') {
    if (c < 0 || c > 127 || !isxdigit(c) || code > 0x10ffff) fail_read(r, "bad \\x escape");
    code = code * 16 + (isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
  }
  return code;
}

static bool is_blank(int32_t c) {
  return c == ' ' || c == '\t';
}

/* After a backslash, in strings and |symbols|; -1: a line break that counts for nothing. */
static int32_t read_escape(struct reader *r) {
  static const char letters[] = "ntrab", meanings[] = "\n\t\r\a\b";
  int32_t c = next_char(r->port);
  if (c == 'x') return read_hex(r);
  if (!is_blank(c) && c != '\n') {
    const char *found = c > 0 && c < 128 ? strchr(letters, c) : NULL;
    return found != NULL ? meanings[found - letters] : c;
  }
  while (is_blank(c))
    c = next_char(r->port);
  if (c != '\n') fail_read(r, "bad escape in a string");
  while (is_blank(peek_char(r->port)))
    next_char(r->port);
  return -1;
}

static value read_delimited(struct reader *r, int32_t end) {
  value chars = NIL;
  for (;;) {
    int32_t c = next_inside(r, end == '"' ? "end of file in a string" : "end of file in |symbol|");
    if (c == end) return list_to_sequence(T_STRING, list_reverse(chars));
    if (c == '\r') { /* a line may end with it */
      if (peek_char(r->port) == '\n') next_char(r->port);
      c = '\n';
    }
    if (c == '\\' && (c = read_escape(r)) < 0) continue;
    chars = cons(make_char((uint32_t)c), chars);
  }
}

static value read_character(struct reader *r) {
  int32_t first = next_inside(r, "end of file after #\\");
  read_token(r, first);
  if (size_of(string_from_utf8(r->token, r->length)) == 1) return make_char((uint32_t)first);
  for (size_t i = 0; char_names[i].name != NULL; i++)
    if (strcmp(r->token, char_names[i].name) == 0) return make_char(char_names[i].code);
  char *end;
  unsigned long code = strtoul(r->token + 1, &end, 16);
  if (first == 'x' && *end == 0 && code < 0x110000) return make_char((uint32_t)code);
  fail_read(r, "unknown character name");
}

static value read_in(struct reader *r, int32_t c);

/* The next character that begins a datum; skips blanks and comments. */
static int32_t next_start(struct reader *r) {
  for (;;) {
    int32_t c = next_char(r->port);
    if (c == ';') {
      while (c >= 0 && c != '\n')
        c = next_char(r->port);
    } else if (c == '#' && peek_char(r->port) == '|') {
      next_char(r->port);
      skip_block_comment(r);
    } else if (c == '#' && peek_char(r->port) == ';') {
      next_char(r->port);
      read_in(r, next_start(r));
    } else if (c < 0 || !isspace(c)) {
      return c;
    }
  }
}

static value read_list(struct reader *r) {
  value head = cons(NIL, NIL), last = head;
  for (;;) {
    int32_t c = next_start(r);
    if (c == ')') return cdr(head);
    if (c == '.' && is_delimiter(peek_char(r->port))) {
      if (last == head) fail_read(r, "nothing before the dot of a list");
      cdr(last) = read_in(r, next_start(r));
      if (next_start(r) != ')') fail_read(r, "no ) after the tail of a list");
      return cdr(head);
    }
    value next = cons(read_in(r, c), NIL);
    cdr(last) = next;
    last = next;
  }
}

static value read_sequence(struct reader *r, enum type type) {
  value list = read_list(r);
  if (list_length(list) < 0) fail_read(r, "bad vector");
  return list_to_sequence(type, list);
}

static value read_hash(struct reader *r) {
  static const struct {
    const char *name;
    value meaning;
  } names[] = {{"t", TRUE},
               {"true", TRUE},
               {"f", FALSE},
               {"false", FALSE},
               {"T", TRUE},
               {"F", FALSE},
               {"!eof", END_OF_FILE},
               {"!unspecific", UNSPECIFIED},
               {"!default", UNSPECIFIED}};
  int32_t c = next_inside(r, "end of file after #");
  if (c == '(') return read_sequence(r, T_VECTOR);
  if (c == '\\') return read_character(r);
  read_token(r, c);
  if (strcmp(r->token, "u8") == 0 && next_char(r->port) == '(') return read_sequence(r, T_BYTES);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(r->token, names[i].name) == 0) return names[i].meaning;
  if (c == '!') return read_in(r, next_start(r)); /* a directive such as #!r6rs */
  memmove(r->token + 1, r->token, r->length + 1);
  r->token[0] = '#';
  value number = parse_number(r->token, 10);
  if (number == FALSE) fail_read(r, "unknown # syntax");
  return number;
}

static value read_quoted(struct reader *r, value symbol) {
  return list2(symbol, read_in(r, next_start(r)));
}

static value read_in(struct reader *r, int32_t c) {
  check_depth();
  switch (c) {
  case -1:
    fail_read(r, "end of file inside a datum");
  case '(':
    return read_list(r);
  case ')':
    fail_read(r, "unexpected )");
  case '\'':
    return read_quoted(r, globals.quote);
  case '`':
    return read_quoted(r, globals.quasiquote);
  case ',':
    if (peek_char(r->port) != '@') return read_quoted(r, globals.unquote);
    next_char(r->port);
    return read_quoted(r, globals.unquote_splicing);
  case '"':
    return read_delimited(r, '"');
  case '|':
    return intern(read_delimited(r, '|'));
  case '#':
    return read_hash(r);
  default:
    read_token(r, c);
  }
  value number = parse_number(r->token, 10);
  return number != FALSE ? number : intern(string_from_utf8(r->token, r->length));
}

value read_datum(struct port *port) {
  struct reader r = {.port = port};
  int32_t c = next_start(&r);
  return c < 0 ? END_OF_FILE : read_in(&r, c);
}

/* ---- Numbers -------------------------------------------------------------------------------- */

/* What strtod takes and Scheme too. */
static value parse_decimal(const char *text) {
  if (strcmp(text, "+inf.0") == 0) return make_flonum(INFINITY);
  if (strcmp(text, "-inf.0") == 0) return make_flonum(-INFINITY);
  if (strcmp(text, "+nan.0") == 0 || strcmp(text, "-nan.0") == 0) return make_flonum(NAN);
  const char *digits = text + strspn(text, "+-.");
  if (!isdigit((unsigned char)*digits) || text[strspn(text, "+-.0123456789eE")] != 0) return FALSE;
  char *end;
  double number = strtod(text, &end);
  return *end == 0 ? make_flonum(number) : FALSE;
}

/* An integer or a fraction of `length` characters, or FALSE. Too large for a fixnum: an error,
 * not a wrong number. */
static value parse_integer(const char *text, size_t length, int radix) {
  char *end;
  const char *digits = text + (*text == '+' || *text == '-');
  if (!isalnum((unsigned char)*digits) || (digits[0] == '0' && tolower(digits[1]) == 'x'))
    return FALSE;
  errno = 0;
  long long n = strtoll(text, &end, radix);
  if (end != text + length) return FALSE;
  if (errno == ERANGE || n > FIXNUM_MAX || n < FIXNUM_MIN)
    fail_list("integer does not fit 62 bits:", cons(string_from_c(text), NIL));
  return fix(n);
}

static value parse_fraction(const char *text, int radix) {
  const char *slash = strchr(text, '/');
  if (slash == NULL) return FALSE;
  value a = parse_integer(text, (size_t)(slash - text), radix);
  value b = parse_integer(slash + 1, strlen(slash + 1), radix);
  if (a == FALSE || b == FALSE || unfix(b) == 0) return FALSE;
  int64_t n = unfix(a), d = unfix(b);
  return n % d == 0 ? fix(n / d) : make_flonum((double)n / (double)d);
}

value parse_number(const char *text, int radix) {
  static const char prefixes[] = "xbodei"; /* exactness is as the digits say */
  static const int radices[] = {16, 2, 8, 10};
  for (; text[0] == '#' && text[1] != 0; text += 2) {
    const char *prefix = strchr(prefixes, tolower((unsigned char)text[1]));
    if (prefix == NULL) return FALSE;
    if (prefix < prefixes + 4) radix = radices[prefix - prefixes];
  }
  value number = parse_integer(text, strlen(text), radix);
  if (number == FALSE) number = parse_fraction(text, radix);
  if (number == FALSE && radix == 10) number = parse_decimal(text);
  return number;
}
