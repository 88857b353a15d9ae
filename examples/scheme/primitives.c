/* Primitive procedures: gathering them, checking their arguments, and the way of errors. */
#include "scheme.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* The linker gives these names to the ends of the section of primitives. */
extern struct primitive __start_scheme_primitives[], __stop_scheme_primitives[];

static bool is_integer(value v) { /* that a 62-bit one may be made of */
  return is_fixnum(v) || (is_type(v, T_FLONUM) && fabs(flonum_of(v)) < 0x1p61 &&
                          flonum_of(v) == floor(flonum_of(v)));
}

/* What the letter of a signature wants of an argument, NULL if it has got that. Letters that are
 * not here stand for anything. */
static const char *unmet(char letter, value v) {
  switch (letter) {
  case 'n':
    return is_number(v) ? NULL : "number";
  case 'z':
    return is_integer(v) ? NULL : "integer";
  case 'i':
    return is_fixnum(v) && unfix(v) >= 0 ? NULL : "index";
  case 'c':
    return is_char(v) ? NULL : "character";
  case 'p':
    return is_pair(v) ? NULL : "pair";
  case 'l':
    return list_length(v) >= 0 ? NULL : "list";
  case 'y':
    return is_type(v, T_SYMBOL) ? NULL : "symbol";
  case 's':
    return is_type(v, T_STRING) ? NULL : "string";
  case 'v':
    return is_type(v, T_VECTOR) ? NULL : "vector";
  case 'b':
    return is_type(v, T_BYTES) ? NULL : "bytevector";
  case 't':
    return is_type(v, T_TABLE) ? NULL : "hash table";
  case 'r':
    return is_type(v, T_RECORD) ? NULL : "record";
  case 'P':
    return is_type(v, T_PORT) ? NULL : "port";
  default:
    return NULL;
  }
}

bool takes(value primitive, int64_t count) {
  const struct primitive *p = (const struct primitive *)primitive;
  return count >= p->least && (p->most < 0 || count <= p->most);
}

value call_primitive(value primitive, intptr_t count, value *a) {
  const struct primitive *p = (const struct primitive *)primitive;
  globals.running = primitive;
  if (!takes(primitive, count)) fail("wrong number of arguments:", fix(count));
  const char *letter = p->signature;
  for (intptr_t i = 0; i < count && p->picky; i++) {
    if (*letter == '|') letter++;
    const char *wanted = unmet(*letter, a[i]);
    if (wanted != NULL) fail_type(wanted, a[i]);
    if (letter[1] != '*') letter++;
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
    p->picky = s[strspn(s, ".|*")] != 0;
    symbol_of(intern_c(p->name))->global = (value)p;
  }
}

EXPRESSION("%procedure-name", ".",
           is_type(a[0], T_CLOSURE)     ? ((struct closure *)a[0])->code->name
           : is_type(a[0], T_PRIMITIVE) ? intern_c(((struct primitive *)a[0])->name)
                                        : FALSE)

value compare_all(int count, const value *a, int accepted, int (*order)(value, value)) {
  bool all = true;
  for (int i = 0; i + 1 < count; i++)
    all &= (accepted >> (order(a[i], a[i + 1]) + 1) & 1) != 0;
  return make_bool(all);
}

/* ---- Errors --------------------------------------------------------------------------------- */

void check_depth(void) {
  static uintptr_t lowest; /* C recursion below this address is refused */
  if (lowest == 0) {
    struct rlimit limit;
    size_t room = (size_t)8 << 20, most = (size_t)1 << 30;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      room = limit.rlim_cur < most ? (size_t)limit.rlim_cur : most;
    lowest = (uintptr_t)__builtin_frame_address(0) - room / 4 * 3;
  }
  if (LIKELY((uintptr_t)__builtin_frame_address(0) > lowest)) return;
  fail_list("data nested too deeply", NIL);
}

/* A record whose type boot.scm defines. */
value make_condition(const char *kind, value message, value irritants) {
  value symbol = intern_c(kind), type = symbol_of(intern_c("%condition"))->global;
  const value slots[] = {type, symbol, message, irritants};
  return make_object_of(T_RECORD, 4, slots);
}

void fail_list(const char *what, value irritants) {
  fail_condition(make_condition("error", string_from_c(what), irritants));
}

void fail(const char *what, value irritant) {
  char text[256];
  const struct primitive *p = (const struct primitive *)globals.running;
  snprintf(text, sizeof text, "%s: %s", (value)p != FALSE ? p->name : "scheme", what);
  fail_list(text, irritant == UNBOUND ? NIL : cons(irritant, NIL));
}

void fail_type(const char *name, value got) {
  char text[128];
  snprintf(text, sizeof text, "not a%s %s:", strchr("aeio", *name) != NULL ? "n" : "", name);
  fail(text, got);
}
