/* The printer: values to characters, for display and write. */
#include "scheme.h"

#include <string.h>

const struct char_name char_names[] = {
    {"space", ' '},  {"newline", '\n'}, {"tab", '\t'},   {"return", '\r'},   {"null", 0},
    {"delete", 127}, {"escape", 27},    {"alarm", '\a'}, {"backspace", 8},   {"page", '\f'},
    {"nul", 0},      {"rubout", 127},   {"altmode", 27}, {"linefeed", '\n'}, {NULL, 0}};

static void print_escaped(struct port *port, uint32_t c, char quote) {
  static const char plain[] = "\n\t\r\a\\", letters[] = "ntra\\";
  const char *found = c != 0 && c < 128 ? strchr(plain, (int)c) : NULL;
  char text[16] = {'\\', found != NULL ? letters[found - plain] : quote, 0};
  if (found == NULL && c != (uint32_t)quote)
    snprintf(text, sizeof text, "\\x%lx;", (unsigned long)c);
  if (found != NULL || c == (uint32_t)quote || c < ' ' || c == 127)
    print_c(port, text);
  else
    print_char(port, c);
}

static void print_chars(struct port *port, value string, char quote) {
  if (quote != 0) print_char(port, (uint32_t)quote);
  for (size_t i = 0; i < size_of(string); i++)
    if (quote != 0)
      print_escaped(port, chars_of(string)[i], quote);
    else
      print_char(port, chars_of(string)[i]);
  if (quote != 0) print_char(port, (uint32_t)quote);
}

static void print_character(struct port *port, uint32_t c) {
  print_c(port, "#\\");
  for (size_t i = 0; char_names[i].name != NULL; i++)
    if (char_names[i].code == c) {
      print_c(port, char_names[i].name);
      return;
    }
  print_char(port, c);
}

/* A symbol needs bars if it would not be read back as itself. */
static void print_symbol(struct port *port, value symbol, bool write) {
  const char *text = c_from_string(symbol_of(symbol)->name);
  bool odd = *text == 0 || strpbrk(text, " ()\"';|\n\t`,") != NULL || *text == '#' ||
             strcmp(text, ".") == 0;
  if (write && !odd && strchr("+-.0123456789", *text) != NULL)
    odd = parse_number(text, 10) != FALSE;
  print_chars(port, symbol_of(symbol)->name, write && odd ? '|' : 0);
}

static const char *prefix_of(value list) {
  if (!is_pair(cdr(list)) || cdr(cdr(list)) != NIL) return NULL;
  return car(list) == globals.quote              ? "'"
         : car(list) == globals.quasiquote       ? "`"
         : car(list) == globals.unquote          ? ","
         : car(list) == globals.unquote_splicing ? ",@"
                                                 : NULL;
}

static void print_list(struct port *port, value list, bool write) {
  const char *prefix = prefix_of(list);
  if (prefix != NULL) {
    print_c(port, prefix);
    print_value(port, car(cdr(list)), write);
    return;
  }
  print_char(port, '(');
  print_value(port, car(list), write);
  value slow = list;
  bool step = false;
  for (list = cdr(list); is_pair(list); list = cdr(list), step = !step) {
    print_char(port, ' ');
    if (list == slow) {
      print_c(port, "...circular)");
      return;
    }
    print_value(port, car(list), write);
    slow = step ? cdr(slow) : slow;
  }
  if (list != NIL) {
    print_c(port, " . ");
    print_value(port, list, write);
  }
  print_char(port, ')');
}

static void print_items(struct port *port, const char *open, value v, bool write, char close) {
  print_c(port, open);
  for (size_t i = 0; i < size_of(v); i++) {
    if (i > 0) print_char(port, ' ');
    print_value(port, is_type(v, T_BYTES) ? fix(bytes_of(v)[i]) : slots_of(v)[i], write);
  }
  print_char(port, (uint32_t)close);
}

/* #<what name> */
static void print_opaque(struct port *port, const char *what, value name) {
  print_c(port, what);
  if (name != FALSE) {
    print_char(port, ' ');
    print_value(port, name, false);
  }
  print_char(port, '>');
}

static void print_condition(struct port *port, value v) {
  print_c(port, "#<condition ");
  print_value(port, slots_of(v)[CONDITION_MESSAGE], false);
  for (value p = slots_of(v)[CONDITION_IRRITANTS]; is_pair(p); p = cdr(p)) {
    print_char(port, ' ');
    print_value(port, car(p), true);
  }
  print_char(port, '>');
}

static void print_record(struct port *port, value v, bool write) {
  print_c(port, "#<");
  print_value(port, slots_of(slots_of(v)[0])[1], false);
  for (size_t i = 1; i < size_of(v); i++) {
    print_char(port, ' ');
    print_value(port, slots_of(v)[i], write);
  }
  print_char(port, '>');
}

static void print_object(struct port *port, value v, bool write) {
  switch ((enum type)(header_of(v) >> 3 & 31)) {
  case T_SYMBOL:
    return print_symbol(port, v, write);
  case T_STRING:
    return print_chars(port, v, write ? '"' : 0);
  case T_BYTES:
    return print_items(port, "#u8(", v, write, ')');
  case T_FLONUM:
    return print_chars(port, number_to_string(v, 10), 0);
  case T_VECTOR:
    return print_items(port, "#(", v, write, ')');
  case T_VALUES:
    return print_items(port, "#<values ", v, write, '>');
  case T_RECORD:
    return print_record(port, v, write);
  case T_CONDITION:
    return print_condition(port, v);
  case T_CLOSURE:
    return print_opaque(port, "#<procedure", ((struct closure *)v)->code->name);
  case T_PRIMITIVE:
    return print_opaque(port, "#<procedure", string_from_c(((struct primitive *)v)->name));
  case T_PORT:
    return print_opaque(port, "#<port", ((struct port *)v)->name);
  case T_CONTINUATION:
    return print_opaque(port, "#<continuation", FALSE);
  case T_TABLE:
    return print_opaque(port, "#<hash-table", FALSE);
  case T_ALIAS:
    return print_value(port, slots_of(v)[0], write);
  default:
    return print_opaque(port, "#<internal", FALSE);
  }
}

void print_value(struct port *port, value v, bool write) {
  static const char *const constants[] = {"#f",         "#t",       "()", "#!eof", "#<unspecified>",
                                          "#<unbound>", "#<vacant>"};
  check_depth();
  if (is_fixnum(v))
    print_chars(port, number_to_string(v, 10), 0);
  else if (is_char(v) && write)
    print_character(port, char_of(v));
  else if (is_char(v))
    print_char(port, char_of(v));
  else if (!is_reference(v))
    print_c(port, constants[v >> 8]);
  else if (is_pair(v))
    print_list(port, v, write);
  else
    print_object(port, v, write);
}
