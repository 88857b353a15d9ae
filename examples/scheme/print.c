/* The printer: values to characters, for display and write. */
#include "scheme.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_escaped(struct port *port, uint32_t c) {
  static const char plain[] = "\n\t\r\a\"\\|", letters[] = "ntra\"\\|";
  const char *found = c != 0 && c < 128 ? strchr(plain, (int)c) : NULL;
  if (found != NULL) {
    print_char(port, '\\');
    print_char(port, (uint32_t)letters[found - plain]);
  } else if (c < ' ' || c == 127) {
    char text[16];
    snprintf(text, sizeof text, "\\x%" PRIx32 ";", c);
    print_c(port, text);
  } else {
    print_char(port, c);
  }
}

static void print_chars(struct port *port, value string, char quote) {
  const struct string *s = (const struct string *)string;
  if (quote != 0) print_char(port, (uint32_t)quote);
  for (size_t i = 0; i < size_of(string); i++) {
    uint32_t c = s->chars[i];
    if (quote != 0 && !(quote == '"' && c == '|') && !(quote == '|' && c == '"'))
      print_escaped(port, c);
    else
      print_char(port, c);
  }
  if (quote != 0) print_char(port, (uint32_t)quote);
}

static void print_character(struct port *port, uint32_t c) {
  static const struct {
    uint32_t code;
    const char *name;
  } names[] = {{' ', "space"},  {'\n', "newline"}, {'\t', "tab"},    {'\r', "return"}, {0, "null"},
               {127, "delete"}, {27, "escape"},    {8, "backspace"}, {'\a', "alarm"}};
  print_c(port, "#\\");
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (names[i].code == c) {
      print_c(port, names[i].name);
      return;
    }
  print_char(port, c);
}

/* A symbol needs bars if it would not be read back as itself. */
static void print_symbol(struct port *port, value symbol, bool write) {
  value name = symbol_of(symbol)->name;
  value utf8 = utf8_from_string(name, 0, size_of(name));
  const char *text = (const char *)((struct bytes *)utf8)->bytes;
  bool odd = *text == 0 || strpbrk(text, " ()\"';|\n\t`,") != NULL || *text == '#' ||
             strcmp(text, ".") == 0;
  if (write && !odd && (strchr("+-.", *text) != NULL || (*text >= '0' && *text <= '9')))
    odd = parse_number(text, 10) != FALSE;
  print_chars(port, name, write && odd ? '|' : 0);
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

static void print_slots(struct port *port, const char *open, value v, size_t from, bool write) {
  print_c(port, open);
  for (size_t i = from; i < size_of(v); i++) {
    if (i > from) print_char(port, ' ');
    print_value(port, slots_of(v)[i], write);
  }
  print_char(port, ')');
}

static void print_bytes(struct port *port, value v) {
  print_c(port, "#u8(");
  for (size_t i = 0; i < size_of(v); i++) {
    char text[8];
    snprintf(text, sizeof text, i > 0 ? " %d" : "%d", ((struct bytes *)v)->bytes[i]);
    print_c(port, text);
  }
  print_char(port, ')');
}

static void print_constant(struct port *port, value v) {
  static const char *const names[] = {"#f",         "#t",       "()", "#!eof", "#<unspecified>",
                                      "#<unbound>", "#!default"};
  size_t index = (size_t)(v >> 8);
  print_c(port, index < sizeof names / sizeof names[0] ? names[index] : "#<?>");
}

/* #<what name> */
static void print_opaque(struct port *port, const char *what, value name) {
  print_c(port, "#<");
  print_c(port, what);
  if (name != FALSE) {
    print_char(port, ' ');
    print_value(port, name, false);
  }
  print_char(port, '>');
}

static void print_record(struct port *port, value v, bool write) {
  value type = slots_of(v)[0];
  print_c(port, "#<");
  print_value(port, slots_of(type)[0], false);
  for (size_t i = 1; i < size_of(v); i++) {
    print_char(port, ' ');
    print_value(port, slots_of(v)[i], write);
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

static void print_object(struct port *port, value v, bool write) {
  switch ((enum type)(header_of(v) >> 3 & 31)) {
  case T_SYMBOL:
    print_symbol(port, v, write);
    return;
  case T_STRING:
    print_chars(port, v, write ? '"' : 0);
    return;
  case T_BYTES:
    print_bytes(port, v);
    return;
  case T_FLONUM:
    print_chars(port, number_to_string(v, 10), 0);
    return;
  case T_VECTOR:
    print_slots(port, "#(", v, 0, write);
    return;
  case T_VALUES:
    print_slots(port, "#<values (", v, 0, write);
    print_char(port, '>');
    return;
  case T_RECORD:
    print_record(port, v, write);
    return;
  case T_CONDITION:
    print_condition(port, v);
    return;
  case T_CLOSURE:
    print_opaque(port, "procedure", ((struct closure *)v)->code->name);
    return;
  case T_PRIMITIVE:
    print_opaque(port, "procedure", string_from_c(((struct primitive *)v)->name));
    return;
  case T_PORT:
    print_opaque(port, "port", ((struct port *)v)->name);
    return;
  case T_RECORD_TYPE:
    print_opaque(port, "record-type", slots_of(v)[0]);
    return;
  case T_CONTINUATION:
    print_opaque(port, "continuation", FALSE);
    return;
  case T_TABLE:
    print_opaque(port, "hash-table", FALSE);
    return;
  case T_ALIAS:
    print_value(port, slots_of(v)[0], write);
    return;
  default:
    print_opaque(port, "internal", FALSE);
  }
}

void print_value(struct port *port, value v, bool write) {
  check_depth("write");
  if (is_fixnum(v)) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, unfix(v));
    print_c(port, text);
  } else if (is_char(v)) {
    if (write)
      print_character(port, char_of(v));
    else
      print_char(port, char_of(v));
  } else if (!is_reference(v)) {
    print_constant(port, v);
  } else if (is_pair(v)) {
    print_list(port, v, write);
  } else {
    print_object(port, v, write);
  }
}
