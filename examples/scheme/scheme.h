/* Values, objects and what the interpreter's files tell each other.
 *
 * A value is one word. Its low bits say what it is, such that a collector which ignores words
 * with any of the low four bits set sees references only:
 *
 *   …0000  reference to an object (16-byte aligned, never moves)
 *   ….…01  fixnum, 62 bits            ….1010  character, code point << 8
 *   ….110  constant: #f #t () eof …   ….111  header of an object; never a value
 *
 * A pair is two words and has no header: since no value looks like a header, an object whose
 * first word is a value is a pair. Every other object starts with a header
 * (size << 8 | type << 3 | 7). Objects are of two kinds for the collector: `leaf` (strings,
 * bytevectors, flonums) and `refs`; small integers, C functions and addresses inside the
 * interpreter may sit in words of the latter, as they point outside the heap. */
#ifndef EXAMPLES_SCHEME_SCHEME_H
#define EXAMPLES_SCHEME_SCHEME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "mem.h"

typedef uintptr_t value;

#define LIKELY(x) __builtin_expect(!!(x), 1)

enum type {
  T_SYMBOL,
  T_STRING,
  T_BYTES,
  T_FLONUM,
  T_VECTOR,
  T_CLOSURE,
  T_PRIMITIVE,
  T_CONTINUATION,
  T_CODE,
  T_SEGMENT, /* frames moved from the stack to the heap */
  T_BOX,     /* an assigned variable */
  T_VALUES,
  T_RECORD,
  T_RECORD_TYPE,
  T_CONDITION,
  T_TABLE,
  T_PORT,
  T_ALIAS, /* an identifier that a macro inserted */
  T_MACRO,
  T_SCOPE,
  T_VARIABLE,
  T_NODE, /* of the syntax tree */
};

#define FALSE ((value)0x006)
#define TRUE ((value)0x106)
#define NIL ((value)0x206)
#define END_OF_FILE ((value)0x306)
#define UNSPECIFIED ((value)0x406)
#define UNBOUND ((value)0x506) /* content of a variable not defined yet */
#define DEFAULT ((value)0x606) /* an optional argument not given */

#define FIXNUM_MAX (((int64_t)1 << 61) - 1)
#define FIXNUM_MIN (-FIXNUM_MAX - 1)

struct pair {
  value car, cdr;
};

struct symbol {
  value header;
  value name;        /* string */
  value global;      /* UNBOUND if not defined */
  value syntax;      /* macro, special form as fixnum, or FALSE */
  value redefinable; /* TRUE: a program defines it, calls must look at `global` */
};

struct string { /* leaf; header size = length in characters */
  value header;
  uint32_t chars[];
};

struct bytes { /* leaf; header size = length */
  value header;
  uint8_t bytes[];
};

struct flonum { /* leaf */
  value header;
  double number;
};

/* Vectors, multiple values: header size = slots. Boxes: one slot. Records: slot 0 is the type.
 * Record types: slot 0 the name, then the names of the fields. Conditions: see enum. */
struct object {
  value header;
  value slot[];
};

enum { CONDITION_KIND, CONDITION_MESSAGE, CONDITION_IRRITANTS, CONDITION_SLOTS };

struct code { /* header size = words */
  value header;
  value name;      /* symbol or FALSE */
  value program[]; /* addresses inside the virtual machine, and operands */
};

struct closure { /* header size = captured values */
  value header;
  struct code *code;
  value captured[];
};

struct primitive {
  value header;
  value (*function)(int count, value *arguments);
  const char *name;
  intptr_t least, most; /* arguments; most < 0: any number */
  intptr_t inlined;     /* opcodes of the virtual machine, see primitive.h; 0 none */
};

struct port {
  value header;
  FILE *file;      /* NULL: string port or closed */
  value text;      /* string read from, or bytes written to */
  value name;      /* string or FALSE */
  intptr_t at;     /* characters read or bytes written */
  intptr_t line;   /* from 1 */
  intptr_t peeked; /* a character read ahead; NOT_PEEKED */
  intptr_t flags;
};
enum { NOT_PEEKED = -2 };
enum { PORT_INPUT = 1, PORT_OUTPUT = 2, PORT_OPEN = 4, PORT_BINARY = 8 };

/* ---- Telling values apart --------------------------------------------------------------- */

static inline bool is_reference(value v) {
  return (v & 15) == 0;
}
static inline value header_of(value v) {
  return *(const value *)v;
}
static inline bool is_pair(value v) {
  return is_reference(v) && (header_of(v) & 7) != 7;
}
static inline bool is_type(value v, enum type type) {
  return is_reference(v) && (header_of(v) & 0xff) == ((value)type << 3 | 7);
}
static inline bool is_fixnum(value v) {
  return (v & 3) == 1;
}
static inline bool is_char(value v) {
  return (v & 15) == 10;
}

static inline value make_header(enum type type, size_t size) {
  return (value)size << 8 | (value)type << 3 | 7;
}
static inline size_t size_of(value v) {
  return header_of(v) >> 8;
}

static inline value fix(int64_t n) {
  return (value)n << 2 | 1;
}
static inline int64_t unfix(value v) {
  return (int64_t)v >> 2;
}
static inline value make_bool(bool b) {
  return b ? TRUE : FALSE;
}
static inline value make_char(uint32_t c) {
  return (value)c << 8 | 10;
}
static inline uint32_t char_of(value v) {
  return (uint32_t)(v >> 8);
}

static inline value *car_of(value v) {
  return &((struct pair *)v)->car;
}
static inline value *cdr_of(value v) {
  return &((struct pair *)v)->cdr;
}
static inline value car(value v) {
  return ((struct pair *)v)->car;
}
static inline value cdr(value v) {
  return ((struct pair *)v)->cdr;
}
static inline value *slots_of(value v) {
  return ((struct object *)v)->slot;
}
static inline struct symbol *symbol_of(value v) {
  return (struct symbol *)v;
}
static inline double flonum_of(value v) {
  return ((struct flonum *)v)->number;
}

/* ---- Making them (object.c) ------------------------------------------------------------- */

static inline value cons(value a, value d) {
  struct pair *p = mem_refs(sizeof *p);
  p->car = a;
  p->cdr = d;
  return (value)p;
}
static inline value make_flonum(double number) {
  struct flonum *f = mem_leaf(sizeof *f);
  f->header = make_header(T_FLONUM, 0);
  f->number = number;
  return (value)f;
}
/* An object of slots that are zero, which is no value: fill them before anyone looks. */
static inline value make_object(enum type type, size_t slots) {
  struct object *o = mem_refs(sizeof *o + slots * sizeof(value));
  o->header = make_header(type, slots);
  return (value)o;
}
value make_vector(int64_t length, value fill);
value make_string(int64_t length, uint32_t fill);
value make_bytes(int64_t length, uint8_t fill);
value string_from_utf8(const char *text, size_t bytes);
value string_from_c(const char *text);
/* The bytes of a string, NUL-terminated, as bytevector. */
value utf8_from_string(value string, size_t from, size_t to);
value intern(value string);
value intern_c(const char *name);
value make_condition(const char *kind, value message, value irritants);
value list_reverse(value list);  /* in place */
int64_t list_length(value list); /* -1: not a list */
value list2(value a, value b);
value list3(value a, value b, value c);
bool values_eqv(value a, value b);
bool values_equal(value a, value b);

/* ---- Errors (vm.c) ---------------------------------------------------------------------- */

/* Raise a condition; they do not return. `who` names the procedure, NULL for none. */
_Noreturn void fail(const char *who, const char *what, value irritant);
_Noreturn void fail_list(const char *who, const char *what, value irritants);
_Noreturn void fail_type(const char *who, const char *wanted, value got);
_Noreturn void fail_condition(value condition);
/* Fails when the C stack gets short: call it where C recurs along data. */
void check_depth(const char *who);

/* ---- Roots and state shared by the files ------------------------------------------------- */

/* Every global that holds a value; one root range. */
struct globals {
  value symbols; /* vector of lists: the symbol table */
  value symbol_count;
  value input, output, error_output; /* current ports */
  value winders, handlers;           /* of dynamic-wind, with-exception-handler */
  value parent, parent_length;       /* frames below the stack, see vm.c */
  value condition;                   /* travelling from fail to the virtual machine */
  value quote, quasiquote, unquote, unquote_splicing, dots, underscore, arrow, else_, define, begin,
      lambda;
  value place; /* string: file and line of the form being evaluated */
};
extern struct globals globals;

/* ---- read.c, print.c, port.c --------------------------------------------------------------- */

value read_datum(struct port *port); /* END_OF_FILE at the end */
value parse_number(const char *text, int radix);
void print_value(struct port *port, value v, bool write);
void print_c(struct port *port, const char *text);
void print_char(struct port *port, uint32_t c);
int32_t next_char(struct port *port); /* -1 at the end */
int32_t peek_char(struct port *port);
value make_port(FILE *file, value text, const char *name, int flags);
/* "FILE:LINE" of the next datum. */
value port_place(struct port *port);

/* ---- number.c --------------------------------------------------------------------------- */

value number_add(value a, value b);
value number_subtract(value a, value b);
value number_multiply(value a, value b);
int number_compare(const char *who, value a, value b); /* -1 0 1, 2 if a NaN is involved */
bool is_number(value v);
value number_to_string(value number, int radix);

/* ---- expand.c, compile.c, vm.c ------------------------------------------------------------ */

struct node;
void forms_start(void);
struct node *expand_program(value form);  /* one form at top level */
value compile_program(struct node *node); /* a closure without arguments */
/* Notes what a whole file will define, so that calls to it are not inlined. */
void note_definitions(value forms);
value strip_syntax(value form); /* macros' aliases back to symbols */

void vm_start(void);
value vm_run(value closure); /* calls it without arguments; errors are raised inside */
value vm_closure(const char *name, const value *words, size_t count);

/* ---- Primitive procedures: every file defines its table ------------------------------------ */

#define UNUSED __attribute__((unused))
#define PRIMITIVE(function) static value function(UNUSED int count, UNUSED value *a)

struct definition {
  const char *name;
  value (*function)(int count, value *arguments);
  int least, most;
};
#define DEFINE_PRIMITIVES(table) define_primitives(table, sizeof table / sizeof table[0])
void define_primitives(const struct definition *table, size_t count);
void start_lists(void);
void start_numbers(void);
void start_strings(void);
void start_ports(void);
void start_tables(void);
void start_control(void);
void compiler_start(void);

/* Arguments; the wrong type is an error of the procedure `who`. */
static inline value typed(const char *who, enum type type, value v) {
  static const char *const names[] = {
      [T_SYMBOL] = "symbol",          [T_STRING] = "string",          [T_BYTES] = "bytevector",
      [T_VECTOR] = "vector",          [T_CONDITION] = "error object", [T_TABLE] = "hash table",
      [T_RECORD_TYPE] = "record type"};
  if (!is_type(v, type)) fail_type(who, names[type], v);
  return v;
}
/* A fixnum in [0, limit). */
static inline size_t index_in(const char *who, value v, size_t limit) {
  if (!is_fixnum(v) || (uint64_t)unfix(v) >= limit) fail(who, "index out of range:", v);
  return (size_t)unfix(v);
}
/* Optional start and end, from argument `first` on. */
struct span {
  size_t from, to;
};
struct span span_of(const char *who, int count, const value *a, int first, size_t size);

#endif
