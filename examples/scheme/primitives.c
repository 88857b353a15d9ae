/* Primitive procedures: gathering them, checking their arguments, and the way of errors. */
#include "machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* The linker gives these names to the ends of the section of definitions. */
extern const struct definition __start_scheme_primitives[], __stop_scheme_primitives[];

/* Letters of signatures: what an argument must be. Any other letter stands for anything. */
static const struct {
  const char *name;
  int type; /* of an object, or 0: see `fits` */
} wanted[128] = {['n'] = {"number", 0},
                 ['z'] = {"integer", 0},
                 ['i'] = {"index", 0},
                 ['c'] = {"character", 0},
                 ['p'] = {"pair", 0},
                 ['l'] = {"list", 0},
                 ['I'] = {"open input port", 0},
                 ['O'] = {"open output port", 0},
                 ['y'] = {"symbol", T_SYMBOL},
                 ['s'] = {"string", T_STRING},
                 ['v'] = {"vector", T_VECTOR},
                 ['b'] = {"bytevector", T_BYTES},
                 ['t'] = {"hash table", T_TABLE},
                 ['r'] = {"record", T_RECORD},
                 ['P'] = {"port", T_PORT},
                 ['e'] = {"error object", T_CONDITION}};

static bool is_port(value v, intptr_t flags) {
  return is_type(v, T_PORT) && (((struct port *)v)->flags & flags) == flags;
}

static bool is_integer(value v) {
  return is_fixnum(v) || (is_type(v, T_FLONUM) && fabs(flonum_of(v)) < 0x1p61 &&
                          flonum_of(v) == floor(flonum_of(v)));
}

static bool fits(int letter, value v) {
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
  case 'I':
    return is_port(v, PORT_INPUT | PORT_OPEN);
  case 'O':
    return is_port(v, PORT_OUTPUT | PORT_OPEN);
  default:
    return wanted[letter].type == 0 || is_type(v, (enum type)wanted[letter].type);
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
  for (intptr_t i = 0; i < count && p->picky; i++) {
    int letter = p->types[i < 7 ? i : 7];
    if (!fits(letter, a[i])) fail_type(wanted[letter].name, a[i]);
  }
  return p->function((int)count, a);
}

static void define(const struct definition *definition) {
  struct primitive *p = mem_refs(sizeof *p);
  p->header = make_header(T_PRIMITIVE, 0);
  p->function = definition->function;
  p->name = definition->name;
  p->least = -1;
  for (const char *s = definition->signature; *s != 0; s++) {
    if (*s == '|') {
      p->least = p->most;
    } else if (*s == '*') { /* the letter before it stands for none or more */
      memset(p->types + p->most, s[-1], sizeof p->types - (size_t)p->most);
      p->least = p->least < 0 ? p->most - 1 : p->least;
      p->most = -1;
    } else {
      p->types[p->most++] = *s;
      p->picky |= *s != '.';
    }
  }
  if (p->least < 0) p->least = p->most;
  symbol_of(intern_c(p->name))->global = (value)p;
}

void primitives_start(void) {
  globals.running = FALSE;
  for (const struct definition *d = __start_scheme_primitives; d < __stop_scheme_primitives; d++)
    define(d);
}

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

value make_condition(const char *kind, value message, value irritants) {
  value symbol = intern_c(kind);
  value condition = make_object(T_CONDITION, CONDITION_SLOTS);
  slots_of(condition)[CONDITION_KIND] = symbol;
  slots_of(condition)[CONDITION_MESSAGE] = message;
  slots_of(condition)[CONDITION_IRRITANTS] = irritants;
  return condition;
}

void fail_condition(value condition) {
  if (machine.trap == NULL) {
    struct port *port = (struct port *)make_port(stderr, FALSE, "stderr", PORT_OUTPUT | PORT_OPEN);
    print_value(port, condition, false);
    print_c(port, "\n");
    exit(1);
  }
  globals.condition = condition;
  longjmp(*machine.trap, 1);
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
  snprintf(text, sizeof text, "not a %s:", name);
  fail(text, got);
}
