/* SPDX-License-Identifier: MIT */
/* The parser of graph specs. */
#include "workloads/spec.h"

#include <stdlib.h>
#include <string.h>

/* Longest part of a spec that a message repeats. */
#define SHOWN 160

/* ---- Parsing --------------------------------------------------------------------------- */

struct parser {
  const char *text; /* the whole spec */
  struct td_graph_spec *spec;
  struct td_graph_error *error;
};

/* Part of the spec being parsed. */
struct span {
  const char *start;
  size_t length;
};

static struct span span_until(const char *start, const char *stops) {
  return (struct span){start, strcspn(start, stops)};
}

static bool span_is(struct span span, const char *word) {
  return strlen(word) == span.length && memcmp(span.start, word, span.length) == 0;
}

static int shown(size_t length) {
  return length < SHOWN ? (int)length : SHOWN;
}

/* "graph 'SPEC', character N: MESSAGE" */
static bool fail_at(const struct parser *parser, const char *at, const char *message) {
  return td_graph_fail(parser->error, TD_GRAPH_BAD_SPEC, "graph '%.*s', character %zu: %s",
                       shown(strlen(parser->text)), parser->text, (size_t)(at - parser->text) + 1,
                       message);
}

static bool fail_unknown(const struct parser *parser, struct span name, const char *what,
                         const char *known) {
  char message[600];
  if (name.length == 0)
    snprintf(message, sizeof message, "the %s is missing (known: %s)", what, known);
  else
    snprintf(message, sizeof message, "unknown %s '%.*s' (known: %s)", what, shown(name.length),
             name.start, known);
  return fail_at(parser, name.start, message);
}

/* Appends ", word" or "word" to a list that is cut short rather than overflowed. */
static void list_word(char *list, size_t capacity, const char *word) {
  size_t used = strlen(list);
  snprintf(list + used, capacity - used, "%s%s", used == 0 ? "" : ", ", word);
}

static bool find_kind(const struct parser *parser, struct span name) {
  char known[300] = "";
  const struct td_graph_kind *kind;
  for (size_t i = 0; (kind = td_graph_kind_at(i)) != NULL; i++) {
    list_word(known, sizeof known, kind->name);
    if (span_is(name, kind->name)) {
      parser->spec->kind = kind;
      return true;
    }
  }
  return fail_unknown(parser, name, "graph", known);
}

static bool find_key(const struct parser *parser, struct span name, size_t *index) {
  const struct td_graph_kind *kind = parser->spec->kind;
  char known[300] = "";
  for (size_t i = 0; i < kind->key_count; i++) {
    list_word(known, sizeof known, kind->keys[i].name);
    if (span_is(name, kind->keys[i].name)) {
      *index = i;
      return true;
    }
  }
  return fail_unknown(parser, name, "key", known);
}

/* Takes digits off the front of the text. Returns how many. */
static size_t take_digits(struct span *text, uint64_t *value) {
  size_t digits = 0;
  for (*value = 0;
       digits < text->length && text->start[digits] >= '0' && text->start[digits] <= '9';)
    *value = td_plan_add(td_plan_multiply(*value, 10), (uint64_t)(text->start[digits++] - '0'));
  *text = (struct span){text->start + digits, text->length - digits};
  return digits;
}

/* Digits and at most one of K, M, G, before which a fraction may stand that this makes a whole
 * number. What does not fit becomes UINT64_MAX, over every range. */
static bool parse_digits(struct span text, uint64_t *value) {
  static const char suffixes[] = "KMG";
  uint64_t part = 0, factor = 1;
  size_t part_digits = 0;
  if (take_digits(&text, value) == 0) return false;
  if (text.length > 0 && *text.start == '.') {
    text = (struct span){text.start + 1, text.length - 1};
    part_digits = take_digits(&text, &part);
    if (part_digits == 0 || part_digits > 9) return false;
  }
  const char *suffix = text.length == 1 ? strchr(suffixes, *text.start) : NULL;
  if (text.length > 0 && suffix == NULL) return false;
  for (const char *s = suffixes; suffix && s <= suffix; s++)
    factor *= 1000;
  part *= factor;
  for (; part_digits > 0; part_digits--, part /= 10)
    if (part % 10 != 0) return false;
  *value = td_plan_add(td_plan_multiply(*value, factor), part);
  return true;
}

static bool parse_number(const struct parser *parser, const struct td_graph_key *key,
                         struct span text, uint64_t *value) {
  char message[400];
  if (!parse_digits(text, value)) {
    snprintf(message, sizeof message, "'%.*s' is not a number for %s (digits, then K, M or G)",
             shown(text.length), text.start, key->name);
    return fail_at(parser, text.start, message);
  }
  if (*value < key->min || *value > key->max) {
    snprintf(message, sizeof message, "%s=%.*s is out of range: %llu to %llu", key->name,
             shown(text.length), text.start, (unsigned long long)key->min,
             (unsigned long long)key->max);
    return fail_at(parser, text.start, message);
  }
  return true;
}

static bool parse_choice(const struct parser *parser, const struct td_graph_key *key,
                         struct span text, uint64_t *value) {
  char known[200] = "";
  for (size_t i = 0; key->choices[i] != NULL; i++) {
    list_word(known, sizeof known, key->choices[i]);
    if (span_is(text, key->choices[i])) {
      *value = i;
      return true;
    }
  }
  return fail_unknown(parser, text, key->name, known);
}

/* key=value,key=value… up to the end of the text. */
static bool parse_keys(const struct parser *parser, const char *at) {
  bool given[TD_GRAPH_KEYS_MAX] = {false};
  for (;;) {
    struct span name = span_until(at, "=,");
    size_t index;
    if (!find_key(parser, name, &index)) return false;
    if (given[index]) return fail_at(parser, at, "the key is given twice");
    given[index] = true;
    at += name.length;
    if (*at != '=') return fail_at(parser, at, "'=' and a value are missing");
    const struct td_graph_key *key = &parser->spec->kind->keys[index];
    struct span value = span_until(at + 1, ",");
    if (!(key->choices == NULL ? parse_number : parse_choice)(parser, key, value,
                                                              &parser->spec->value[index]))
      return false;
    at = value.start + value.length;
    if (*at == '\0') return true;
    at++;
  }
}

/* What the name is followed by; `rest` points at ':' or at the end. */
static bool parse_rest(const struct parser *parser, const char *rest) {
  struct td_graph_spec *spec = parser->spec;
  for (size_t i = 0; i < spec->kind->key_count; i++)
    spec->value[i] = spec->kind->keys[i].fallback;
  if (spec->kind == &td_graph_file) {
    if (rest[0] == '\0' || rest[1] == '\0')
      return fail_at(parser, rest, "a path is missing: file:PATH");
    spec->path = spec->text + (rest + 1 - parser->text);
    return true;
  }
  return *rest == '\0' || parse_keys(parser, rest + 1);
}

static bool check_size(const struct parser *parser) {
  struct td_graph_plan plan;
  td_graph_plan(parser->spec, &plan);
  if (plan.objects <= TD_GRAPH_OBJECTS_MAX && plan.bytes < UINT64_MAX) return true;
  return td_graph_fail(parser->error, TD_GRAPH_BAD_SPEC,
                       "graph '%.*s' would have more objects than the %llu allowed",
                       shown(strlen(parser->text)), parser->text,
                       (unsigned long long)TD_GRAPH_OBJECTS_MAX);
}

static bool parse(const struct parser *parser) {
  if (strlen(parser->text) > TD_GRAPH_SPEC_BYTES_MAX)
    return td_graph_fail(parser->error, TD_GRAPH_BAD_SPEC,
                         "graph '%.*s…' is longer than the %u bytes allowed", SHOWN, parser->text,
                         TD_GRAPH_SPEC_BYTES_MAX);
  parser->spec->text = strdup(parser->text);
  if (parser->spec->text == NULL)
    return td_graph_fail(parser->error, TD_GRAPH_NO_RESOURCES, "no memory for a graph spec");
  struct span name = span_until(parser->text, ":");
  return find_kind(parser, name) && parse_rest(parser, name.start + name.length) &&
         check_size(parser);
}

bool td_graph_spec_parse(const char *text, struct td_graph_spec *spec,
                         struct td_graph_error *error) {
  *spec = (struct td_graph_spec){0};
  if (parse(&(struct parser){text == NULL ? "" : text, spec, error})) return true;
  td_graph_spec_free(spec);
  return false;
}

static bool append_spec(struct span part, struct td_graph_spec **specs, size_t *count,
                        struct td_graph_error *error) {
  struct td_graph_spec *grown = realloc(*specs, (*count + 1) * sizeof *grown);
  if (grown != NULL) *specs = grown;
  char *text = strndup(part.start, part.length);
  bool parsed = grown != NULL && text != NULL
                    ? td_graph_spec_parse(text, &grown[*count], error)
                    : td_graph_fail(error, TD_GRAPH_NO_RESOURCES, "no memory for graph specs");
  free(text);
  *count += parsed;
  return parsed;
}

bool td_graph_specs_parse(const char *text, struct td_graph_spec **specs, size_t *count,
                          struct td_graph_error *error) {
  *specs = NULL;
  *count = 0;
  for (const char *at = text == NULL ? "" : text;; at++) {
    struct span part = span_until(at, ";");
    if (!append_spec(part, specs, count, error)) {
      td_graph_specs_free(*specs, *count);
      *specs = NULL;
      *count = 0;
      return false;
    }
    at += part.length;
    if (*at == '\0') return true;
  }
}

void td_graph_spec_free(struct td_graph_spec *spec) {
  if (spec == NULL) return;
  free(spec->text);
  *spec = (struct td_graph_spec){0};
}

void td_graph_specs_free(struct td_graph_spec *specs, size_t count) {
  for (size_t i = 0; i < count; i++)
    td_graph_spec_free(&specs[i]);
  free(specs);
}

/* ---- Help ------------------------------------------------------------------------------ */

static void print_number(FILE *out, uint64_t number) {
  static const struct {
    uint64_t unit;
    const char *suffix;
  } units[] = {{1000000000, "G"}, {1000000, "M"}, {1000, "K"}};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    if (number != 0 && number % units[i].unit == 0) {
      fprintf(out, "%llu%s", (unsigned long long)(number / units[i].unit), units[i].suffix);
      return;
    }
  fprintf(out, "%llu", (unsigned long long)number);
}

static void print_key(FILE *out, const struct td_graph_key *key) {
  fprintf(out, "      %-8s  %s (", key->name, key->meaning);
  if (key->choices != NULL) {
    for (size_t i = 0; key->choices[i] != NULL; i++)
      fprintf(out, "%s%s", i == 0 ? "" : " or ", key->choices[i]);
    fprintf(out, "; default %s)\n", key->choices[key->fallback]);
    return;
  }
  print_number(out, key->min);
  fputs(" to ", out);
  print_number(out, key->max);
  fputs("; default ", out);
  print_number(out, key->fallback);
  fputs(")\n", out);
}

void td_graph_print_help(FILE *out) {
  fputs("Graphs (name:key=value,…; numbers may end in K, M or G, powers of 1000):\n", out);
  const struct td_graph_kind *kind;
  for (size_t i = 0; (kind = td_graph_kind_at(i)) != NULL; i++) {
    if (kind == &td_graph_file)
      fprintf(out, "  file:PATH   %s\n", kind->meaning);
    else
      fprintf(out, "  %-10s  %s\n", kind->name, kind->meaning);
    for (size_t k = 0; k < kind->key_count; k++)
      print_key(out, &kind->keys[k]);
  }
}
