/* SPDX-License-Identifier: MIT */
/* Values, objects, and what the interpreter's files share.
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

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "mem.h"

typedef uintptr_t value;

#define LIKELY(x) __builtin_expect(!!(x), 1)

enum type {
  T_SYMBOL = 1,
  T_STRING,
  T_BYTES,
  T_FLONUM,
  T_VECTOR,
  T_CLOSURE,
  T_PRIMITIVE,
  T_CODE,
  T_SEGMENT, /* frames moved from the stack to the heap */
  T_BOX,     /* an assigned variable */
  T_VALUES,
  T_RECORD, /* slot 0 is its type: a record, too, whose slot 1 is the name */
  T_TABLE,
  T_PORT,
  T_ALIAS, /* an identifier that a macro inserted */
  T_MACRO,
  T_VARIABLE,
  T_NODE, /* of the syntax tree */
};

#define FALSE ((value)0x006)
#define TRUE ((value)0x106)
#define NIL ((value)0x206)
#define END_OF_FILE ((value)0x306)
#define UNSPECIFIED ((value)0x406)
#define UNBOUND ((value)0x506) /* content of a variable that is not defined yet */

#define FIXNUM_MAX (((int64_t)1 << 61) - 1)
#define FIXNUM_MIN (-FIXNUM_MAX - 1)

struct symbol {
  value header;
  value name;        /* string */
  value global;      /* UNBOUND if not defined */
  value syntax;      /* macro, special form as fixnum, or FALSE */
  value redefinable; /* TRUE if a program defines it: calls must look at `global` */
};

struct code { /* header size = words */
  value header;
  value name;          /* symbol or FALSE */
  intptr_t parameters; /* TAKES_… */
  intptr_t room;       /* words of the stack that a call may need */
  value program[];     /* addresses inside the virtual machine, and operands */
};
/* Which arguments a program takes: that number; or more, in a list for the last parameter; or any,
 * which its only instruction deals with. */
#define TAKES_EXACTLY(count) ((intptr_t)(count))
#define TAKES_REST(count) (-(intptr_t)(count))
#define TAKES_ANY INTPTR_MIN

struct closure { /* header size = captured values */
  value header;
  struct code *code;
  value captured[];
};

struct port {
  value header;
  FILE *file;          /* NULL for a string port, or a closed one */
  value text;          /* the string to read from, a line of a file; or bytes written */
  value name;          /* string */
  intptr_t at;         /* characters read or bytes written */
  intptr_t line;       /* from 1 */
  intptr_t datum_line; /* where the latest datum starts; 0 between data */
  intptr_t flags;
};
enum { EXIT_FILE = 3 }; /* the exit code for a file that cannot be opened, read or written */
enum { PORT_INPUT = 1, PORT_OUTPUT = 2, PORT_OPEN = 4, PORT_TERMINAL = 8 };

/* ---- Telling values apart, taking them apart ------------------------------------------------- */

#define is_reference(v) (((v)&15) == 0)
#define is_fixnum(v) (((v)&3) == 1)
#define is_char(v) (((v)&15) == 10)
#define fix(n) ((value)(n) << 2 | 1)
#define unfix(v) ((int64_t)(v) >> 2)
#define make_bool(b) ((b) ? TRUE : FALSE)
#define make_char(c) ((value)(c) << 8 | 10)
#define char_of(v) ((uint32_t)((v) >> 8))
#define make_header(type, size) ((value)(size) << 8 | (value)(type) << 3 | 7)
#define header_of(v) (*(const value *)(v))
#define size_of(v) ((size_t)(header_of(v) >> 8))
#define car(v) (((value *)(v))[0])
#define cdr(v) (((value *)(v))[1])
#define symbol_of(v) ((struct symbol *)(v))
/* What follows the header. The header's size is its length, but for flonums. */
#define slots_of(v) ((value *)(v) + 1)
#define chars_of(v) ((uint32_t *)slots_of(v))
#define bytes_of(v) ((uint8_t *)slots_of(v))
#define flonum_of(v) (*(double *)slots_of(v))

/* These store into an object that a collection may have seen: see mem.h. */
#define store(object, field, content)                                                              \
  ({                                                                                               \
    __typeof__(object) holder_ = (object);                                                         \
    mem_write(holder_, &holder_->field, (value)(content));                                         \
  })
static inline void set_slot(value object, size_t index, value content) {
  mem_write((void *)object, slots_of(object) + index, content);
}
static inline void set_car(value pair, value content) {
  mem_write((void *)pair, &car(pair), content);
}
static inline void set_cdr(value pair, value content) {
  mem_write((void *)pair, &cdr(pair), content);
}

static inline bool is_pair(value v) {
  return is_reference(v) && (header_of(v) & 7) != 7;
}
static inline bool is_type(value v, enum type type) {
  return is_reference(v) && (header_of(v) & 0xff) == ((value)type << 3 | 7);
}
static inline bool is_record(value v, value type) {
  return is_type(v, T_RECORD) && slots_of(v)[0] == type;
}
static inline bool is_number(value v) {
  return is_fixnum(v) || is_type(v, T_FLONUM);
}

/* ---- Making them (lists.c, sequences.c, tables.c, symbols.c) ----------------------------------
 */

static inline value cons(value a, value d) {
  value pair = (value)mem_refs(2 * sizeof(value));
  car(pair) = a;
  cdr(pair) = d;
  return pair;
}
static inline value list2(value a, value b) {
  return cons(a, cons(b, NIL));
}
static inline value make_flonum(double number) {
  value *flonum = mem_leaf(2 * sizeof(value));
  *flonum = make_header(T_FLONUM, 0);
  flonum_of(flonum) = number;
  return (value)flonum;
}
/* Makes an object of slots that are zero, which is no value. Fill them before anyone looks. */
static inline value make_object(enum type type, size_t slots) {
  value *object = mem_refs((1 + slots) * sizeof(value));
  *object = make_header(type, slots);
  return (value)object;
}
static inline value make_object_of(enum type type, size_t slots, const value *contents) {
  value object = make_object(type, slots);
  for (size_t i = 0; i < slots; i++)
    slots_of(object)[i] = contents[i];
  return object;
}
value make_values(int count, const value *values); /* a single value stands for itself */
/* Makes a vector, string or bytevector. The content of the latter two is undefined. */
value new_sequence(enum type type, size_t length);
value make_filled(enum type type, int64_t length, value fill);
value list_to_sequence(enum type type, value list);
value copy_sequence(enum type type, value from, size_t start, size_t end);
value string_from_utf8(const char *text, size_t bytes);
value string_from_c(const char *text);
value utf8_from_string(value string, size_t from, size_t to); /* bytevector */
const char *c_from_string(value string);
size_t utf8_encode(uint32_t c, uint8_t *out); /* at most 4 bytes */
value intern(value string);
value intern_c(const char *name);
value list_reverse(value list); /* in place */
value list_reverse_onto(value list, value tail);
value slots_to_list(value object);
int64_t list_length(value list); /* -1: not a list */
bool values_eqv(value a, value b);
bool values_equal(value a, value b);
value make_table(bool by_content); /* equal?, not eqv? */
value table_ref(value table, value key, value otherwise);
void table_put(value table, value key, value content);

/* ---- Errors (error.c) -------------------------------------------------------------------------
 */

/* The latest failure. The list of its irritants is in `globals`. */
struct failure {
  const char *kind; /* "error", "syntax", "read" or "file" */
  char what[256];
};
extern struct failure failure;
extern jmp_buf *error_trap; /* where failures jump to; if NULL, they end the process */

_Noreturn void fail_as(const char *kind, const char *what, value irritants);
_Noreturn void fail_list(const char *what, value irritants);
/* The message names the primitive that runs. UNBOUND stands for no irritant. */
_Noreturn void fail(const char *what, value irritant);
_Noreturn void fail_type(const char *wanted, value got);
void depth_start(void); /* call it before mem_start, which takes address space */
/* Fails when the C stack gets short. Call it where C recurs along data. */
void check_depth(void);

/* ---- State shared by the files: every global that holds a value is in one root range --------- */

struct globals {
  value symbols;                     /* hash table by name */
  value input, output, error_output; /* lists of the current port; a port */
  value winders, handlers;           /* of dynamic-wind, with-exception-handler */
  value frames;                      /* below the stack: see vm.h */
  value thrower;                     /* closure with a continuation's program */
  value irritants;                   /* of `failure` */
  value running;                     /* the primitive that runs, for messages */
  value inlined;                     /* vector: primitives that have instructions, by opcode */
  value place;                       /* string: file and line of the form being evaluated */
  value booting;                     /* TRUE while boot.scm is loaded: it defines nothing twice */
};
extern struct globals globals;

/* ---- Text (read.c, ports.c, number.c) -------------------------------------------------------- */

value read_datum(struct port *port);             /* END_OF_FILE at the end */
value parse_number(const char *text, int radix); /* FALSE: no number */
void print_c(struct port *port, const char *text);
void print_char(struct port *port, uint32_t c);
int32_t next_char(struct port *port); /* -1 at the end */
int32_t peek_char(struct port *port);
void ports_start(void);
struct port *make_port(FILE *file, value text, const char *name, int flags);
struct port *open_file(value name, int direction); /* PORT_INPUT or PORT_OUTPUT */
value close_port(struct port *port);
_Noreturn void finish(int code); /* ends the program; EXIT_FILE if output is lost */
bool is_port(value v, intptr_t flags);
/* Returns the open input port that is argument `index`, or the current one. */
struct port *input_port(int count, const value *a, int index);
struct port *make_text_port(void); /* collects what is written to it */
value text_written(const struct port *port);
const char *c_written(struct port *port);                 /* until something else is written */
value port_place(const struct port *port, intptr_t line); /* "FILE:LINE" */
/* Returns a line from the terminal without its end, to be freed, or NULL at the end of input. */
char *edit_line(const char *prompt);

/* ---- Programs (expand.c, compile.c, vm.c) ---------------------------------------------------- */

struct node;
void forms_start(void);
struct node *expand_program(value form);  /* one form at top level */
value compile_program(struct node *node); /* a closure without arguments */
void vm_start(void);
struct mem_range vm_stack(void); /* the part in use */
value vm_run(value closure);     /* calls it without arguments; handles errors */
void compiler_start(void);

/* ---- Primitive procedures -------------------------------------------------------------------- */

/* PRIMITIVE(name, signature) { body } defines one, in any file: the linker gathers the
 * definitions. The body finds `count` arguments in `a`. The signature has a letter for each, see
 * `fits` in primitives.c; `|` comes before optional ones, `*` after a last one that repeats.
 * These objects are outside of the heap, so the collector leaves them alone. */
struct primitive {
  _Alignas(64) value header; /* makes the section an array */
  const char *name, *signature;
  value (*function)(int count, value *a);
  intptr_t least, most; /* arguments; most < 0: any number */
  intptr_t opcode;      /* of the instruction for it, or 0 */
  char wanted[8]; /* the signature's letters of the first arguments, the last one's for more */
};
#define UNUSED __attribute__((unused))
#define PRIMITIVE(name, signature) PRIMITIVE_AT(__COUNTER__, name, signature)
#define PRIMITIVE_AT(n, name, signature) PRIMITIVE_NUMBER(n, name, signature)
#define PRIMITIVE_NUMBER(n, name_, signature_)                                                     \
  static value primitive_##n(int count, value *a);                                                 \
  static struct primitive definition_##n __attribute__((used, section("scheme_primitives"))) = {   \
      .header = make_header(T_PRIMITIVE, 0),                                                       \
      .name = name_,                                                                               \
      .signature = signature_,                                                                     \
      .function = primitive_##n};                                                                  \
  static value primitive_##n(UNUSED int count, UNUSED value *a)
/* Defines a primitive that is one expression. */
#define EXPRESSION(name, signature, result)                                                        \
  PRIMITIVE(name, signature) {                                                                     \
    return result;                                                                                 \
  }

void primitives_start(void);
value call_primitive(value primitive, intptr_t count, value *a); /* checks, then calls */
bool takes(value primitive, int64_t count);

/* Returns an index below the limit, or fails. */
static inline size_t index_in(value v, size_t limit) {
  if (!is_fixnum(v) || (uint64_t)unfix(v) >= limit) fail("index out of range:", v);
  return (size_t)unfix(v);
}
/* The range that optional arguments from `first` on choose in a sequence. */
struct span {
  size_t from, to;
};
struct span span_of(int count, const value *a, int first, value sequence);
/* Compares each argument with the next. `order` returns -1, 0 or 1, or 2 for what has no order.
 * `accepted` is the sum of 1, 2 and 4 for the first three that are wanted. */
value compare_all(int count, const value *a, int accepted, int (*order)(value, value));
int order_words(value a, value b); /* of characters, or equal or not */

#endif
