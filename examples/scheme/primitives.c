/* SPDX-License-Identifier: MIT */
/* Primitive procedures: gathers them, checks their arguments, calls them. */
#include "scheme.h"

#include <math.h>
#include <string.h>

/* The start and the end of the section of primitives. The linker defines them. */
extern struct primitive __start_scheme_primitives[], __stop_scheme_primitives[];

/* Whether v is an integer that 62 bits hold. */
static bool is_integer(value v) {
  return is_fixnum(v) || (is_type(v, T_FLONUM) && fabs(flonum_of(v)) < 0x1p61 &&
                          flonum_of(v) == floor(flonum_of(v)));
}

/* Whether an argument is what the letter of a signature wants. Unknown letters allow anything. */
static bool fits(char letter, value v) {
  switch (letter) {
  case 'n':
    return is_number(v);
  case 'z':
    return is_integer(v);
  case 'i':
    return is_fixnum(v) && unfix(v) >= 0;
  case 'c':
    return is_char(v);
  case 'p':
    return is_pair(v);
  case 'l':
    return list_length(v) >= 0;
  case 'y':
    return is_type(v, T_SYMBOL);
  case 's':
    return is_type(v, T_STRING);
  case 'v':
    return is_type(v, T_VECTOR);
  case 'b':
    return is_type(v, T_BYTES);
  case 't':
    return is_type(v, T_TABLE);
  case 'r':
    return is_type(v, T_RECORD);
  case 'P':
    return is_type(v, T_PORT);
  default:
    return true;
  }
}

static const char *const letter_names[] = {
    ['n'] = "number", ['z'] = "integer",    ['i'] = "index",      ['c'] = "character",
    ['p'] = "pair",   ['l'] = "list",       ['y'] = "symbol",     ['s'] = "string",
    ['v'] = "vector", ['b'] = "bytevector", ['t'] = "hash table", ['r'] = "record",
    ['P'] = "port",
};

bool takes(value primitive, int64_t count) {
  const struct primitive *p = (const struct primitive *)primitive;
  return count >= p->least && (p->most < 0 || count <= p->most);
}

enum { LAST_WANTED = sizeof((struct primitive *)0)->wanted - 1 };

value call_primitive(value primitive, intptr_t count, value *a) {
  const struct primitive *p = (const struct primitive *)primitive;
  globals.running = primitive;
  if (!takes(primitive, count)) fail("wrong number of arguments:", fix(count));
  for (intptr_t i = 0; i < count; i++) {
    char letter = p->wanted[i < LAST_WANTED ? i : LAST_WANTED];
    if (letter != '.' && !LIKELY(fits(letter, a[i])))
      fail_type(letter_names[(unsigned char)letter], a[i]);
  }
  return p->function((int)count, a);
}

void primitives_start(void) {
  globals.running = FALSE;
  for (struct primitive *p = __start_scheme_primitives; p < __stop_scheme_primitives; p++) {
    const char *s = p->signature, *optional = strchr(s, '|');
    intptr_t length = (intptr_t)strlen(s);
    bool repeats = strchr(s, '*') != NULL;
    p->least = optional != NULL ? optional - s : repeats ? length - 2 : length;
    p->most = repeats ? -1 : length - (optional != NULL);
    for (intptr_t i = 0; i <= LAST_WANTED; i++) {
      if (*s == '|') s++;
      p->wanted[i] = *s == 0 ? '.' : *s;
      if (*s != 0 && s[1] != '*') s++;
    }
    store(symbol_of(intern_c(p->name)), global, p);
  }
}

EXPRESSION("%procedure-name", ".",
           is_type(a[0], T_CLOSURE)     ? ((struct closure *)a[0])->code->name
           : is_type(a[0], T_PRIMITIVE) ? intern_c(((struct primitive *)a[0])->name)
                                        : FALSE)
