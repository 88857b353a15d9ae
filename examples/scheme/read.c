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
  return c < 0 || isspace(c) || c == '(' || c == ')' || c == '"' || c == ';' || c == '\'';
}

static void skip_block_comment(struct reader *r) {
  int depth = 1;
  while (depth > 0) {
    int32_t c = next_char(r->port);
    if (c < 0) fail_read(r, "end of file in a block comment");
    if (c == '|' && peek_char(r->port) == '#') {
      next_char(r->port);
      depth--;
    } else if (c == '#' && peek_char(r->port) == '|') {
      next_char(r->port);
      depth++;
    }
  }
}

static void put(struct reader *r, int32_t c) {
  if (r->length + 5 > TOKEN_MAX) fail_read(r, "token too long");
  if (c < 0x80) {
    r->token[r->length++] = (char)c;
    return;
  }
  value string = make_string(1, (uint32_t)c);
  value utf8 = utf8_from_string(string, 0, 1);
  memcpy(r->token + r->length, ((struct bytes *)utf8)->bytes, size_of(utf8));
  r->length += size_of(utf8);
}

static void read_token(struct reader *r, int32_t first) {
  r->length = 0;
  put(r, first);
  while (!is_delimiter(peek_char(r->port)))
    put(r, next_char(r->port));
  r->token[r->length] = 0;
}

/* After a backslash, in strings and |symbols|; -1: a line break that counts for nothing. */
static int32_t read_escape(struct reader *r) {
  int32_t c = next_char(r->port);
  switch (c) {
  case 'n':
    return '\n';
  case 't':
    return '\t';
  case 'r':
    return '\r';
  case 'a':
    return '\a';
  case 'b':
    return '\b';
  case '0':
    return 0;
  case 'x': {
    int32_t code = 0;
    while ((c = next_char(r->port)) != ';') {
      if (c < 0 || c > 127 || !isxdigit(c) || code > 0x10ffff) fail_read(r, "bad \\x escape");
      code = code * 16 + (isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
    }
    return code;
  }
  case ' ':
  case '\t':
  case '\n':
    while (c == ' ' || c == '\t')
      c = next_char(r->port);
    if (c != '\n') fail_read(r, "bad escape in a string");
    while (peek_char(r->port) == ' ' || peek_char(r->port) == '\t')
      next_char(r->port);
    return -1;
  default:
    return c;
  }
}

static value read_delimited(struct reader *r, int32_t end) {
  size_t length = 0, room = 16;
  value text = make_string((int64_t)room, 0);
  for (;;) {
    int32_t c = next_char(r->port);
    if (c < 0) fail_read(r, end == '"' ? "end of file in a string" : "end of file in a |symbol|");
    if (c == end) break;
    if (c == '\\' && (c = read_escape(r)) < 0) continue;
    if (length == room) {
      value wider = make_string((int64_t)(room *= 2), 0);
      memcpy(((struct string *)wider)->chars, ((struct string *)text)->chars, length * 4);
      text = wider;
    }
    ((struct string *)text)->chars[length++] = (uint32_t)c;
  }
  value exact = make_string((int64_t)length, 0);
  memcpy(((struct string *)exact)->chars, ((struct string *)text)->chars, length * 4);
  return exact;
}

static value read_character(struct reader *r) {
  static const struct {
    const char *name;
    uint32_t code;
  } names[] = {{"space", ' '},  {"newline", '\n'}, {"tab", '\t'},      {"nul", 0},
               {"null", 0},     {"return", '\r'},  {"linefeed", '\n'}, {"altmode", 27},
               {"escape", 27},  {"backspace", 8},  {"delete", 127},    {"rubout", 127},
               {"alarm", '\a'}, {"page", '\f'}};
  int32_t first = next_char(r->port);
  if (first < 0) fail_read(r, "end of file after #\\");
  read_token(r, first);
  value decoded = string_from_utf8(r->token, r->length);
  if (size_of(decoded) == 1) return make_char((uint32_t)first);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(r->token, names[i].name) == 0) return make_char(names[i].code);
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
      *cdr_of(last) = read_in(r, next_start(r));
      if (next_start(r) != ')') fail_read(r, "no ) after the tail of a list");
      return cdr(head);
    }
    value next = cons(read_in(r, c), NIL);
    *cdr_of(last) = next;
    last = next;
  }
}

static value list_to(struct reader *r, enum type type, value list) {
  int64_t length = list_length(list);
  if (length < 0) fail_read(r, "bad vector");
  value v = type == T_VECTOR ? make_vector(length, FALSE) : make_bytes(length, 0);
  for (int64_t i = 0; i < length; i++, list = cdr(list)) {
    if (type == T_VECTOR)
      slots_of(v)[i] = car(list);
    else if (!is_fixnum(car(list)) || unfix(car(list)) < 0 || unfix(car(list)) > 255)
      fail_read(r, "not a byte in a bytevector");
    else
      ((struct bytes *)v)->bytes[i] = (uint8_t)unfix(car(list));
  }
  return v;
}

static value read_hash(struct reader *r) {
  int32_t c = next_char(r->port);
  if (c == '(') return list_to(r, T_VECTOR, read_list(r));
  if (c == '\\') return read_character(r);
  if (c == '!') {
    read_token(r, c);
    bool eof = strcmp(r->token, "!eof") == 0;
    return eof ? END_OF_FILE : strcmp(r->token, "!default") == 0 ? DEFAULT : UNSPECIFIED;
  }
  read_token(r, c < 0 ? ' ' : c);
  const char *name = r->token;
  if (strcmp(name, "t") == 0 || strcmp(name, "true") == 0) return TRUE;
  if (strcmp(name, "f") == 0 || strcmp(name, "false") == 0) return FALSE;
  if (strcmp(name, "u8") == 0 && next_char(r->port) == '(')
    return list_to(r, T_BYTES, read_list(r));
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
  check_depth("read");
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

static bool looks_decimal(const char *text) {
  bool digit = false;
  for (const char *p = text; *p != 0; p++) {
    if (isdigit((unsigned char)*p))
      digit = true;
    else if (!((*p == '.') || (digit && strchr("eE", *p) != NULL) ||
               (strchr("+-", *p) != NULL && (p == text || strchr("eE", p[-1]) != NULL))))
      return false;
  }
  return digit && strchr("eE", text[strlen(text) - 1]) == NULL;
}

static value parse_real(const char *text) {
  if (strcmp(text, "+inf.0") == 0) return make_flonum(INFINITY);
  if (strcmp(text, "-inf.0") == 0) return make_flonum(-INFINITY);
  if (strcmp(text, "+nan.0") == 0 || strcmp(text, "-nan.0") == 0) return make_flonum(NAN);
  if (!looks_decimal(text)) return FALSE;
  char *end;
  double number = strtod(text, &end);
  return *end == 0 ? make_flonum(number) : FALSE;
}

/* An integer, or FALSE. Too large for a fixnum: an error, not a wrong number. */
static value parse_integer(const char *text, int radix) {
  char *end;
  const char *digits = text + (*text == '+' || *text == '-');
  int digit = tolower((unsigned char)*digits);
  if (!isalnum(digit) || (isdigit(digit) ? digit - '0' : digit - 'a' + 10) >= radix) return FALSE;
  errno = 0;
  long long n = strtoll(text, &end, radix);
  if (*end != 0 || (radix == 16 && tolower((unsigned char)digits[1]) == 'x')) return FALSE;
  if (errno == ERANGE || n > FIXNUM_MAX || n < FIXNUM_MIN)
    fail("read", "integer does not fit 62 bits", string_from_c(text));
  return fix(n);
}

value parse_number(const char *text, int radix) {
  char exactness = 0;
  while (text[0] == '#' && text[1] != 0) {
    int letter = tolower((unsigned char)text[1]);
    if (letter == 'e' || letter == 'i')
      exactness = (char)letter;
    else if (strchr("xbod", letter) == NULL)
      return FALSE;
    else
      radix = letter == 'x' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : 10;
    text += 2;
  }
  if (*text == 0) return FALSE;
  value number = parse_integer(text, radix);
  if (number == FALSE && radix == 10) number = parse_real(text);
  const char *slash = strchr(text, '/');
  if (number == FALSE && slash != NULL && (size_t)(slash - text) < 64) {
    char numerator[64] = {0};
    memcpy(numerator, text, (size_t)(slash - text));
    value a = parse_integer(numerator, radix), b = parse_integer(slash + 1, radix);
    if (a == FALSE || b == FALSE || unfix(b) == 0) return FALSE;
    int64_t n = unfix(a), d = unfix(b);
    number = n % d == 0 ? fix(n / d) : make_flonum((double)n / (double)d);
  }
  if (exactness == 'i' && is_fixnum(number)) return make_flonum((double)unfix(number));
  if (exactness == 'e' && is_type(number, T_FLONUM)) {
    double d = flonum_of(number);
    if (fabs(d) < 0x1p61 && d == floor(d)) return fix((int64_t)d);
    fail("read", "no exact number like this here", number);
  }
  return number;
}
