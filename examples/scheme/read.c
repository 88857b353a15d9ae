/* SPDX-License-Identifier: MIT */
/* The reader makes data from characters. */
#include "scheme.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct reader {
  struct port *port;
  struct port *text; /* of the token or string that is being read */
};

static _Noreturn void fail_read(struct reader *r, const char *what) {
  value place = port_place(r->port, r->port->line);
  fail_as("read", what, cons(place, NIL));
}

static bool is_blank(int32_t c) {
  return c == ' ' || c == '\t';
}
static bool is_space(int32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
static bool is_delimiter(int32_t c) {
  return c < 0 || is_space(c) || (c < 128 && strchr("()\";'", c) != NULL);
}

/* Returns the next character. Fails at the end of file. */
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

/* ---- Tokens, strings, characters ------------------------------------------------------------- */

/* Reads up to a delimiter. Returns the text, which begins with `start` and `first`. */
static const char *read_token(struct reader *r, const char *start, int32_t first) {
  r->text->at = 0;
  print_c(r->text, start);
  print_char(r->text, (uint32_t)first);
  while (!is_delimiter(peek_char(r->port)))
    print_char(r->text, (uint32_t)next_char(r->port));
  const char *token = c_written(r->text);
  if (strlen(token) != (size_t)r->text->at) fail_read(r, "NUL character outside of a string");
  return token;
}

static int32_t read_hex(struct reader *r) {
  int32_t code = 0, c;
  while ((c = next_char(r->port)) != ';') {
    if (c < 0 || c > 127 || !isxdigit(c)) fail_read(r, "bad \\x escape");
    code = code * 16 + (isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
    if (code > 0x10ffff) fail_read(r, "no such character");
  }
  return code;
}

/* Reads what follows a backslash in a string or |symbol|. Returns -1 for an escaped end of line,
 * which stands for no character. */
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
  for (r->text->at = 0;;) {
    int32_t c = next_inside(r, end == '"' ? "end of file in a string" : "end of file in |symbol|");
    if (c == end) return text_written(r->text);
    if (c == '\r') { /* CR and CR LF end a line, too */
      if (peek_char(r->port) == '\n') next_char(r->port);
      c = '\n';
    }
    if (c == '\\' && (c = read_escape(r)) < 0) continue;
    print_char(r->text, (uint32_t)c);
  }
}

/* Of several names for a character, the one to print comes first. */
static const struct char_name {
  const char *name;
  uint32_t code;
} char_names[] = {{"space", ' '},   {"newline", '\n'},  {"tab", '\t'},  {"return", '\r'},
                  {"null", 0},      {"delete", 127},    {"escape", 27}, {"alarm", '\a'},
                  {"backspace", 8}, {"page", '\f'},     {"nul", 0},     {"rubout", 127},
                  {"altmode", 27},  {"linefeed", '\n'}, {NULL, 0}};

PRIMITIVE("%char-name", "c") {
  for (const struct char_name *known = char_names; known->name != NULL; known++)
    if (known->code == char_of(a[0])) return string_from_c(known->name);
  return FALSE;
}

static value read_character(struct reader *r) {
  int32_t first = next_inside(r, "end of file after #\\");
  const char *token = read_token(r, "", first);
  if (size_of(text_written(r->text)) == 1) return make_char((uint32_t)first);
  for (const struct char_name *known = char_names; known->name != NULL; known++)
    if (strcmp(token, known->name) == 0) return make_char(known->code);
  char *end;
  unsigned long code = strtoul(token + 1, &end, 16);
  if (first != 'x' || *end != 0 || code > 0x10ffff) fail_read(r, "unknown character name");
  return make_char((uint32_t)code);
}

/* ---- Data ----------------------------------------------------------------------------------- */

static value read_in(struct reader *r, int32_t c);

/* Skips blanks and comments. Returns the character that begins the next datum. */
static int32_t next_start(struct reader *r) {
  check_depth();
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
    } else if (!is_space(c)) {
      return c;
    }
  }
}

static value read_next(struct reader *r) {
  return read_in(r, next_start(r));
}

static value read_list(struct reader *r) {
  value head = cons(NIL, NIL), last = head;
  for (;;) {
    int32_t c = next_start(r);
    if (c == ')') return cdr(head);
    if (c == '.' && is_delimiter(peek_char(r->port))) {
      if (last == head) fail_read(r, "nothing before the dot of a list");
      set_cdr(last, read_next(r));
      if (next_start(r) != ')') fail_read(r, "no ) after the tail of a list");
      return cdr(head);
    }
    value next = cons(read_in(r, c), NIL);
    set_cdr(last, next);
    last = next;
  }
}

static value read_sequence(struct reader *r, enum type type) {
  value list = read_list(r);
  if (list_length(list) < 0) fail_read(r, "bad vector");
  return list_to_sequence(type, list);
}

static value read_hash(struct reader *r) {
  int32_t c = next_inside(r, "end of file after #");
  if (c == '(') return read_sequence(r, T_VECTOR);
  if (c == '\\') return read_character(r);
  const char *token = read_token(r, "#", c);
  if (strcmp(token, "#u8") == 0 && next_char(r->port) == '(') return read_sequence(r, T_BYTES);
  if (strcasecmp(token, "#t") == 0 || strcasecmp(token, "#true") == 0) return TRUE;
  if (strcasecmp(token, "#f") == 0 || strcasecmp(token, "#false") == 0) return FALSE;
  if (strcmp(token, "#!eof") == 0) return END_OF_FILE;
  if (c == '!') return read_next(r); /* a directive such as #!r6rs */
  value number = parse_number(token, 10);
  if (number == FALSE) fail_read(r, "unknown # syntax");
  return number;
}

static bool is_fraction(const char *token) {
  size_t above = strspn(token, "+-0123456789");
  const char *below = token + above + 1;
  return above > 0 && token[above] == '/' && isdigit((unsigned char)token[above - 1]) &&
         *below != 0 && below[strspn(below, "0123456789")] == 0;
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
    return list2(intern_c("quote"), read_next(r));
  case '`':
    return list2(intern_c("quasiquote"), read_next(r));
  case ',':
    if (peek_char(r->port) != '@') return list2(intern_c("unquote"), read_next(r));
    next_char(r->port);
    return list2(intern_c("unquote-splicing"), read_next(r));
  case '"':
    return read_delimited(r, '"');
  case '|':
    return intern(read_delimited(r, '|'));
  case '#':
    return read_hash(r);
  default:
    break;
  }
  const char *token = read_token(r, "", c);
  value number = parse_number(token, 10);
  if (number == FALSE && is_fraction(token)) fail_read(r, "there are no fractions here");
  return number != FALSE ? number : intern(text_written(r->text));
}

value read_datum(struct port *port) {
  struct reader r = {port, make_text_port()};
  port->datum_line = 0;
  int32_t c = next_start(&r);
  port->datum_line = port->line;
  return c < 0 ? END_OF_FILE : read_in(&r, c);
}

EXPRESSION("read", "|.", read_datum(input_port(count, a, 0)))
