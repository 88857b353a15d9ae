/* syntax-rules: matching patterns and filling templates. */
#include "syntax.h"

struct matcher {
  value literals, ellipsis, macro_scope;
  value use_scope;
  value renames; /* ((identifier . alias) …) of this expansion */
};

/* Bindings are ((identifier depth . matched) …); matched is a list under each ellipsis. */
static value binding_of(value identifier, value bindings) {
  for (; bindings != NIL; bindings = cdr(bindings))
    if (car(car(bindings)) == identifier) return cdr(car(bindings));
  return FALSE;
}

bool is_member(value v, value list) {
  for (; is_pair(list); list = cdr(list))
    if (car(list) == v) return true;
  return false;
}

/* An inner macro that a template wrote has its `...` renamed: look at what it was. */
static value root_of(value identifier) {
  while (is_type(identifier, T_ALIAS))
    identifier = slots_of(identifier)[ALIAS_IDENTIFIER];
  return identifier;
}

static bool is_ellipsis(const struct matcher *m, value v) {
  value candidate = m->ellipsis == globals.dots ? root_of(v) : v;
  return candidate == m->ellipsis && !is_member(v, m->literals);
}

static bool before_ellipsis(const struct matcher *m, value list) {
  return is_pair(cdr(list)) && is_ellipsis(m, car(cdr(list)));
}

static value vector_list(value vector) {
  value list = NIL;
  for (size_t i = size_of(vector); i-- > 0;)
    list = cons(slots_of(vector)[i], list);
  return list;
}

static int64_t count_pairs(value list) {
  int64_t n = 0;
  for (; is_pair(list); list = cdr(list))
    n++;
  return n;
}

static bool match(struct matcher *m, value pattern, value form, value *bindings);

/* The identifiers that a pattern binds, each with its depth, added to `found`. */
static value pattern_variables(struct matcher *m, value pattern, int64_t depth, value found) {
  if (is_identifier(pattern)) {
    if (is_member(pattern, m->literals) || is_ellipsis(m, pattern) ||
        root_of(pattern) == globals.underscore)
      return found;
    return cons(cons(pattern, cons(fix(depth), NIL)), found);
  }
  if (is_type(pattern, T_VECTOR)) pattern = vector_list(pattern);
  for (; is_pair(pattern); pattern = cdr(pattern))
    found = pattern_variables(m, car(pattern), depth + before_ellipsis(m, pattern), found);
  return is_identifier(pattern) ? pattern_variables(m, pattern, depth, found) : found;
}

static bool match_repeated(struct matcher *m, value pattern, value *form, value *bindings) {
  int64_t times = count_pairs(*form) - count_pairs(cdr(cdr(pattern)));
  if (times < 0) return false;
  value sub = car(pattern), variables = pattern_variables(m, sub, 1, NIL);
  for (; times > 0; times--, *form = cdr(*form)) {
    value inner = NIL;
    if (!match(m, sub, car(*form), &inner)) return false;
    for (value v = variables; v != NIL; v = cdr(v)) {
      value entry = cdr(car(v)), matched = binding_of(car(car(v)), inner);
      if (matched != FALSE) cdr(entry) = cons(cdr(matched), cdr(entry));
    }
  }
  for (value v = variables; v != NIL; v = cdr(v)) {
    value entry = cdr(car(v));
    cdr(entry) = list_reverse(cdr(entry));
    *bindings = cons(car(v), *bindings);
  }
  return true;
}

static bool match_identifier(struct matcher *m, value pattern, value form, value *bindings) {
  if (is_member(pattern, m->literals))
    return is_identifier(form) && lookup(form, m->use_scope) == lookup(pattern, m->macro_scope);
  if (root_of(pattern) != globals.underscore)
    *bindings = cons(cons(pattern, cons(fix(0), form)), *bindings);
  return true;
}

static bool match(struct matcher *m, value pattern, value form, value *bindings) {
  check_depth();
  for (; is_pair(pattern); pattern = cdr(pattern)) {
    if (before_ellipsis(m, pattern)) {
      if (!match_repeated(m, pattern, &form, bindings)) return false;
      pattern = cdr(pattern);
      continue;
    }
    if (!is_pair(form) || !match(m, car(pattern), car(form), bindings)) return false;
    form = cdr(form);
  }
  if (is_identifier(pattern)) return match_identifier(m, pattern, form, bindings);
  if (is_type(pattern, T_VECTOR))
    return is_type(form, T_VECTOR) && match(m, vector_list(pattern), vector_list(form), bindings);
  return values_equal(pattern, form);
}

/* ---- Templates ------------------------------------------------------------------------------ */

static value rename_identifier(struct matcher *m, value identifier) {
  for (value p = m->renames; p != NIL; p = cdr(p))
    if (car(car(p)) == identifier) return cdr(car(p));
  value alias = new_alias(identifier, m->macro_scope);
  m->renames = cons(cons(identifier, alias), m->renames);
  return alias;
}

static value fill(struct matcher *m, value template, value bindings);

/* Bindings under an ellipsis that the template mentions. */
static value repeated_in(struct matcher *m, value template, value bindings, value found) {
  if (is_identifier(template)) {
    value bound = binding_of(template, bindings);
    return bound != FALSE && unfix(car(bound)) > 0 ? cons(cons(template, bound), found) : found;
  }
  if (is_type(template, T_VECTOR)) template = vector_list(template);
  for (; is_pair(template); template = cdr(template))
    found = repeated_in(m, car(template), bindings, found);
  return is_identifier(template) ? repeated_in(m, template, bindings, found) : found;
}

/* Template `sub` followed by `depth` ellipses; results are consed onto `done`, newest first. */
static value fill_repeated(struct matcher *m, value sub, int64_t depth, value bindings,
                           value done) {
  if (depth == 0) return cons(fill(m, sub, bindings), done);
  value variables = repeated_in(m, sub, bindings, NIL);
  if (variables == NIL) fail_syntax("no repeated variable before an ellipsis", strip_syntax(sub));
  for (;;) {
    value inner = bindings;
    for (value v = variables; v != NIL; v = cdr(v)) {
      value entry = car(v), left = cdr(cdr(entry));
      if (!is_pair(left)) return done;
      inner = cons(cons(car(entry), cons(fix(unfix(car(cdr(entry))) - 1), car(left))), inner);
      car(v) = cons(car(entry), cons(car(cdr(entry)), cdr(left)));
    }
    done = fill_repeated(m, sub, depth - 1, inner, done);
  }
}

static value fill(struct matcher *m, value template, value bindings) {
  check_depth();
  if (is_identifier(template)) {
    value bound = binding_of(template, bindings);
    return bound != FALSE ? cdr(bound) : rename_identifier(m, template);
  }
  if (is_type(template, T_VECTOR))
    return list_to_sequence(T_VECTOR, fill(m, vector_list(template), bindings));
  if (!is_pair(template)) return template;
  if (is_ellipsis(m, car(template)) && is_pair(cdr(template))) {
    struct matcher plain = *m;
    plain.ellipsis = FALSE;
    value filled = fill(&plain, car(cdr(template)), bindings);
    m->renames = plain.renames;
    return filled;
  }
  value done = NIL;
  while (is_pair(template) && !(is_ellipsis(m, car(template)) && is_pair(cdr(template)))) {
    value sub = car(template);
    int64_t depth = 0;
    for (template = cdr(template); is_pair(template) && is_ellipsis(m, car(template)); depth++)
      template = cdr(template);
    done = fill_repeated(m, sub, depth, bindings, done);
  }
  value list = template == NIL ? NIL : fill(m, template, bindings);
  while (done != NIL) {
    value next = cdr(done);
    cdr(done) = list;
    list = done;
    done = next;
  }
  return list;
}

value make_macro(value spec, value scope) {
  value rest = cdr(spec), ellipsis = globals.dots;
  if (is_pair(rest) && is_identifier(car(rest))) {
    ellipsis = car(rest);
    rest = cdr(rest);
  }
  if (list_length(rest) < 1 || list_length(car(rest)) < 0)
    fail_syntax("bad syntax-rules", strip_syntax(spec));
  value macro = make_object(T_MACRO, MACRO_SLOTS);
  slots_of(macro)[MACRO_LITERALS] = car(rest);
  slots_of(macro)[MACRO_RULES] = cdr(rest);
  slots_of(macro)[MACRO_SCOPE] = scope;
  slots_of(macro)[MACRO_ELLIPSIS] = ellipsis;
  return macro;
}

value macro_expand(value macro, value form, value scope) {
  struct matcher m = {.literals = slots_of(macro)[MACRO_LITERALS],
                      .ellipsis = slots_of(macro)[MACRO_ELLIPSIS],
                      .macro_scope = slots_of(macro)[MACRO_SCOPE],
                      .use_scope = scope,
                      .renames = NIL};
  for (value rules = slots_of(macro)[MACRO_RULES]; is_pair(rules); rules = cdr(rules)) {
    value rule = car(rules), bindings = NIL;
    if (list_length(rule) != 2 || !is_pair(car(rule)))
      fail_syntax("bad rule in syntax-rules", strip_syntax(rule));
    if (match(&m, cdr(car(rule)), cdr(form), &bindings)) return fill(&m, car(cdr(rule)), bindings);
  }
  fail_syntax("no rule of the macro fits", strip_syntax(form));
}
