/* SPDX-License-Identifier: MIT */
/* syntax-rules: matching patterns and filling templates.
 *
 * Bindings are ((identifier . matched) …). What a variable under an ellipsis matched is a
 * sequence: a box with a list, of sequences again under two ellipses. */
#include "syntax.h"

struct expansion {
  const struct macro *macro;
  value ellipsis; /* an identifier; () for `...`; #f where it is escaped */
  value scope;    /* of the use */
  value aliases;  /* ((identifier . alias) …): what the template inserted */
};

static value assq(value key, value list) {
  for (; is_pair(list); list = cdr(list))
    if (car(car(list)) == key) return car(list);
  return FALSE;
}

static bool is_literal(const struct expansion *e, value identifier) {
  for (value list = e->macro->literals; is_pair(list); list = cdr(list))
    if (car(list) == identifier) return true;
  return false;
}

static bool means(const struct expansion *e, value v, intptr_t special) {
  return is_identifier(v) && lookup(v, e->macro->scope) == fix(special);
}

static bool is_ellipsis(const struct expansion *e, value v) {
  if (is_literal(e, v)) return false;
  return e->ellipsis == NIL ? means(e, v, ELLIPSIS) : v == e->ellipsis;
}

static bool before_ellipsis(const struct expansion *e, value list) {
  return is_pair(cdr(list)) && is_ellipsis(e, second(list));
}

static int64_t count_pairs(value list) {
  int64_t n = 0;
  for (; is_pair(list); list = cdr(list))
    n++;
  return n;
}

/* Puts all identifiers of a pattern or template before `found`, each as often as it occurs. */
static value identifiers_in(value form, value found) {
  check_depth();
  if (is_type(form, T_VECTOR)) form = slots_to_list(form);
  for (; is_pair(form); form = cdr(form))
    found = identifiers_in(car(form), found);
  return is_identifier(form) ? cons(form, found) : found;
}

/* ---- Patterns -------------------------------------------------------------------------------- */

static bool match(struct expansion *e, value pattern, value form, value *bindings);

static bool match_identifier(struct expansion *e, value pattern, value form, value *bindings) {
  if (is_literal(e, pattern))
    return is_identifier(form) && lookup(form, e->scope) == lookup(pattern, e->macro->scope);
  if (!means(e, pattern, UNDERSCORE)) *bindings = cons(cons(pattern, form), *bindings);
  return true;
}

/* Matches the pattern with each of the first `times` items of the list. */
static bool match_repeated(struct expansion *e, value pattern, value list, int64_t times,
                           value *bindings) {
  value matches = NIL; /* the bindings of each, the last one first */
  for (; times > 0; times--, list = cdr(list)) {
    value matched = NIL;
    if (!match(e, pattern, car(list), &matched)) return false;
    matches = cons(matched, matches);
  }
  for (value names = identifiers_in(pattern, NIL); names != NIL; names = cdr(names)) {
    value name = car(names), sequence = NIL;
    if (is_literal(e, name) || is_ellipsis(e, name)) continue;
    for (value p = matches; p != NIL; p = cdr(p))
      sequence = cons(cdr(assq(name, car(p))), sequence);
    match_identifier(e, name, make_object_of(T_BOX, 1, &sequence), bindings);
  }
  return true;
}

static bool match(struct expansion *e, value pattern, value form, value *bindings) {
  check_depth();
  if (is_type(pattern, T_VECTOR))
    return is_type(form, T_VECTOR) &&
           match(e, slots_to_list(pattern), slots_to_list(form), bindings);
  for (; is_pair(pattern); pattern = cdr(pattern)) {
    if (before_ellipsis(e, pattern)) {
      int64_t times = count_pairs(form) - count_pairs(cdr(cdr(pattern)));
      if (times < 0 || !match_repeated(e, car(pattern), form, times, bindings)) return false;
      for (; times > 0; times--)
        form = cdr(form);
      pattern = cdr(pattern);
    } else {
      if (!is_pair(form) || !match(e, car(pattern), car(form), bindings)) return false;
      form = cdr(form);
    }
  }
  if (is_identifier(pattern)) return match_identifier(e, pattern, form, bindings);
  return values_equal(pattern, form);
}

/* ---- Templates ------------------------------------------------------------------------------- */

static value fill(struct expansion *e, value template, value bindings);

static value fill_identifier(struct expansion *e, value identifier, value bindings) {
  value known = assq(identifier, bindings);
  if (known == FALSE) known = assq(identifier, e->aliases);
  if (known == FALSE) {
    known = cons(identifier, make_object_of(T_ALIAS, ALIAS_SLOTS,
                                            (const value[]){identifier, e->macro->scope}));
    e->aliases = cons(known, e->aliases);
  }
  if (is_type(cdr(known), T_BOX)) fail_syntax("repeated variable without an ellipsis", identifier);
  return cdr(known);
}

/* Fills the template `sub`, which `depth` ellipses follow. Puts the results before `done`, newest
 * first. */
static value fill_repeated(struct expansion *e, value sub, int64_t depth, value bindings,
                           value done) {
  if (depth == 0) return cons(fill(e, sub, bindings), done);
  value sequences = NIL; /* ((identifier item …) …) */
  for (value names = identifiers_in(sub, NIL); names != NIL; names = cdr(names)) {
    value bound = assq(car(names), bindings);
    if (bound != FALSE && is_type(cdr(bound), T_BOX))
      sequences = cons(cons(car(names), slots_of(cdr(bound))[0]), sequences);
  }
  if (sequences == NIL) fail_syntax("no repeated variable before an ellipsis", sub);
  for (;;) {
    value inner = bindings;
    for (value p = sequences; p != NIL; p = cdr(p)) {
      value name = car(car(p)), items = cdr(car(p));
      if (!is_pair(items)) return done;
      inner = cons(cons(name, car(items)), inner);
      set_cdr(car(p), cdr(items));
    }
    done = fill_repeated(e, sub, depth - 1, inner, done);
  }
}

static value fill(struct expansion *e, value template, value bindings) {
  check_depth();
  if (is_identifier(template)) return fill_identifier(e, template, bindings);
  if (is_type(template, T_VECTOR))
    return list_to_sequence(T_VECTOR, fill(e, slots_to_list(template), bindings));
  if (!is_pair(template)) return template;
  value done = NIL;
  while (is_pair(template)) {
    value sub = car(template);
    if (is_ellipsis(e, sub) && is_pair(cdr(template))) { /* (... template) */
      value ellipsis = e->ellipsis;
      e->ellipsis = FALSE;
      template = fill(e, second(template), bindings);
      e->ellipsis = ellipsis;
      return list_reverse_onto(done, template);
    }
    int64_t depth = 0;
    for (; before_ellipsis(e, template); depth++)
      template = cdr(template);
    done = fill_repeated(e, sub, depth, bindings, done);
    template = cdr(template);
  }
  return list_reverse_onto(done, fill(e, template, bindings));
}

/* ---- Macros ---------------------------------------------------------------------------------- */

value make_macro(value spec, value scope) {
  value rest = cdr(spec), ellipsis = NIL;
  if (is_identifier(car(rest))) {
    ellipsis = car(rest);
    rest = cdr(rest);
  }
  if (list_length(rest) < 1 || list_length(car(rest)) < 0) fail_syntax("bad syntax-rules", spec);
  struct macro *macro = mem_refs(sizeof *macro);
  *macro = (struct macro){make_header(T_MACRO, 0), ellipsis, car(rest), cdr(rest), scope};
  return (value)macro;
}

value macro_expand(const struct macro *macro, value form, value scope) {
  struct expansion e = {macro, macro->ellipsis, scope, NIL};
  for (value rules = macro->rules; is_pair(rules); rules = cdr(rules)) {
    value rule = car(rules), bindings = NIL;
    if (list_length(rule) != 2 || !is_pair(car(rule)))
      fail_syntax("bad rule in syntax-rules", rule);
    if (match(&e, cdr(car(rule)), cdr(form), &bindings)) return fill(&e, second(rule), bindings);
  }
  fail_syntax("no rule of the macro fits", form);
}
