/* Primitives for procedures, records, conditions, dynamic state, time, and evaluation. */
#include "opcodes.h"
#include "syntax.h"

#include <stdlib.h>
#include <time.h>

PRIMITIVE(p_is_procedure) {
  return make_bool(is_type(a[0], T_CLOSURE) || is_type(a[0], T_PRIMITIVE) ||
                   is_type(a[0], T_CONTINUATION));
}
PRIMITIVE(p_values) {
  if (count == 1) return a[0];
  value all = make_object(T_VALUES, (size_t)count);
  for (int i = 0; i < count; i++)
    slots_of(all)[i] = a[i];
  return all;
}
PRIMITIVE(p_void) {
  return UNSPECIFIED;
}
PRIMITIVE(p_is_boolean) {
  return make_bool(a[0] == TRUE || a[0] == FALSE);
}

/* ---- Records: each accessor is a small program ---------------------------------------------- */

/* A field is (name accessor …) or a name. */
PRIMITIVE(p_make_record_type) {
  value type = make_object(T_RECORD_TYPE, 1 + (size_t)list_length(a[1]));
  slots_of(type)[0] = a[0];
  size_t i = 1;
  for (value p = a[1]; p != NIL; p = cdr(p))
    slots_of(type)[i++] = is_pair(car(p)) ? car(car(p)) : car(p);
  return type;
}

static value field_index(value type, value field) {
  for (size_t i = 1; i < size_of(typed("record", T_RECORD_TYPE, type)); i++)
    if (slots_of(type)[i] == field) return i;
  fail("define-record-type", "no such field:", field);
}

static value record_procedure(value name, const value *words, size_t count) {
  value utf8 = utf8_from_string(symbol_of(typed("record", T_SYMBOL, name))->name, 0,
                                size_of(symbol_of(name)->name));
  return vm_closure((const char *)((struct bytes *)utf8)->bytes, words, count);
}

enum { RECORD_SLOTS_MAX = 256 };

PRIMITIVE(p_record_constructor) {
  value words[RECORD_SLOTS_MAX + 8], type = typed("record", T_RECORD_TYPE, a[0]);
  int64_t given = list_length(a[1]);
  if (given > RECORD_SLOTS_MAX) fail("define-record-type", "too many fields", fix(given));
  size_t n = 0;
  words[n++] = opcode_word(OP_ENTRY);
  words[n++] = (value)given;
  words[n++] = (value)given + 1;
  words[n++] = opcode_word(OP_RECORD_MAKE);
  words[n++] = type;
  words[n++] = size_of(type);
  for (value p = a[1]; p != NIL; p = cdr(p))
    words[n++] = field_index(type, car(p));
  words[n++] = 0;
  return record_procedure(a[2], words, n);
}

static value record_access(enum opcode opcode, value parameters, value type, value index,
                           value name) {
  const value words[] = {opcode_word(OP_ENTRY), parameters, 3, opcode_word(opcode), type, index};
  return record_procedure(name, words, 6);
}
PRIMITIVE(p_record_accessor) {
  return record_access(OP_RECORD_REF, 1, a[0], field_index(a[0], a[1]), a[2]);
}
PRIMITIVE(p_record_modifier) {
  return record_access(OP_RECORD_SET, 2, a[0], field_index(a[0], a[1]), a[2]);
}
PRIMITIVE(p_record_predicate) {
  return record_access(OP_RECORD_IS, 1, typed("record", T_RECORD_TYPE, a[0]), 0, a[1]);
}

/* ---- Conditions ----------------------------------------------------------------------------- */

PRIMITIVE(p_make_error) {
  value irritants = NIL;
  for (int i = count; i > 1; i--)
    irritants = cons(a[i - 1], irritants);
  return make_condition("error", a[0], irritants);
}
PRIMITIVE(p_is_error) {
  return make_bool(is_type(a[0], T_CONDITION));
}
PRIMITIVE(p_error_kind) {
  return is_type(a[0], T_CONDITION) ? slots_of(a[0])[CONDITION_KIND] : FALSE;
}
PRIMITIVE(p_error_message) {
  return slots_of(typed("error-object-message", T_CONDITION, a[0]))[CONDITION_MESSAGE];
}
PRIMITIVE(p_error_irritants) {
  return slots_of(typed("error-object-irritants", T_CONDITION, a[0]))[CONDITION_IRRITANTS];
}

/* ---- Dynamic state -------------------------------------------------------------------------- */

PRIMITIVE(p_winders) {
  return globals.winders;
}
PRIMITIVE(p_set_winders) {
  return globals.winders = a[0];
}
PRIMITIVE(p_continuation_winders) {
  return is_type(a[0], T_CONTINUATION) ? slots_of(a[0])[2] : NIL;
}
PRIMITIVE(p_handlers) {
  return globals.handlers;
}
PRIMITIVE(p_set_handlers) {
  return globals.handlers = a[0];
}
PRIMITIVE(p_set_place) {
  return globals.place = a[0];
}
PRIMITIVE(p_get_place) {
  return globals.place;
}

/* ---- Evaluation, time, the system ------------------------------------------------------------ */

PRIMITIVE(p_compile) {
  return compile_program(expand_program(a[0]));
}
PRIMITIVE(p_note_definitions) {
  note_definitions(a[0]);
  return UNSPECIFIED;
}
static int64_t clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
PRIMITIVE(p_jiffy) {
  return fix(clock_ns(CLOCK_MONOTONIC));
}
PRIMITIVE(p_jiffies_per_second) {
  return fix(1000000000);
}
PRIMITIVE(p_second) {
  return make_flonum((double)clock_ns(CLOCK_REALTIME) / 1e9);
}
PRIMITIVE(p_exit) {
  fflush(NULL);
  int code = count == 0 || a[0] == TRUE ? 0 : is_fixnum(a[0]) ? (int)(unfix(a[0]) & 255) : 1;
  exit(code);
}
PRIMITIVE(p_collect) {
  mem_collect();
  return UNSPECIFIED;
}
PRIMITIVE(p_collections) {
  return fix((int64_t)mem_stats().collections);
}
PRIMITIVE(p_collector) {
  return intern_c(mem_name());
}
PRIMITIVE(p_environment) {
  value name =
      utf8_from_string(typed("get-environment-variable", T_STRING, a[0]), 0, size_of(a[0]));
  const char *content = getenv((const char *)((struct bytes *)name)->bytes);
  return content != NULL ? string_from_c(content) : FALSE;
}

void start_control(void) {
  static const struct definition table[] = {{"procedure?", p_is_procedure, 1, 1},
                                            {"values", p_values, 0, -1},
                                            {"void", p_void, 0, -1},
                                            {"boolean?", p_is_boolean, 1, 1},
                                            {"%make-record-type", p_make_record_type, 2, 2},
                                            {"%record-constructor", p_record_constructor, 3, 3},
                                            {"%record-accessor", p_record_accessor, 3, 3},
                                            {"%record-modifier", p_record_modifier, 3, 3},
                                            {"%record-predicate", p_record_predicate, 2, 2},
                                            {"%make-error", p_make_error, 1, -1},
                                            {"error-object?", p_is_error, 1, 1},
                                            {"%error-kind", p_error_kind, 1, 1},
                                            {"error-object-message", p_error_message, 1, 1},
                                            {"error-object-irritants", p_error_irritants, 1, 1},
                                            {"%winders", p_winders, 0, 0},
                                            {"%set-winders!", p_set_winders, 1, 1},
                                            {"%continuation-winders", p_continuation_winders, 1, 1},
                                            {"%handlers", p_handlers, 0, 0},
                                            {"%set-handlers!", p_set_handlers, 1, 1},
                                            {"%set-place!", p_set_place, 1, 1},
                                            {"%get-place", p_get_place, 0, 0},
                                            {"%compile", p_compile, 1, 1},
                                            {"%note-definitions", p_note_definitions, 1, 1},
                                            {"current-jiffy", p_jiffy, 0, 0},
                                            {"jiffies-per-second", p_jiffies_per_second, 0, 0},
                                            {"current-second", p_second, 0, 0},
                                            {"emergency-exit", p_exit, 0, 1},
                                            {"%exit", p_exit, 0, 1},
                                            {"gc", p_collect, 0, 0},
                                            {"gc-count", p_collections, 0, 0},
                                            {"gc-name", p_collector, 0, 0},
                                            {"get-environment-variable", p_environment, 1, 1}};
  DEFINE_PRIMITIVES(table);
}
