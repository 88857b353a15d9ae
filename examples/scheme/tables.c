/* SPDX-License-Identifier: MIT */
/* Equality, searching lists, and hash tables. A table is a vector of chains of (key . content)
 * pairs. Objects never move, so an address is a lasting hash: nothing to do after a collection. */
#include "scheme.h"

#include <string.h>

struct table {
  value header;
  value chains; /* vector, its length a power of two */
  intptr_t count;
  intptr_t by_content; /* equal?, not eqv? */
};

/* ---- Equality ------------------------------------------------------------------------------- */

bool values_eqv(value a, value b) {
  if (a == b) return true;
  if (!is_type(a, T_FLONUM) || !is_type(b, T_FLONUM)) return false;
  return memcmp(&flonum_of(a), &flonum_of(b), sizeof(double)) == 0;
}

/* equal? ends on circular data, and takes little time where much is shared. A long comparison puts
 * some of the pairs and vectors that it compares into one class, and takes members of a class as
 * equal.
 * (M. Adams, R. K. Dybvig: Efficient Nondestructive Equality Checking for Trees and Graphs,
 * ICFP 2008.) */
struct comparison {
  int64_t steps; /* left before classes are used; below 0 they are */
  value classes; /* table: from a member towards the representative of its class */
};
enum { STEPS_QUICK = 400, STEPS_SLOW = 40 };

static value representative(value classes, value v) {
  for (value next = v; next != FALSE; next = table_ref(classes, v, FALSE))
    v = next;
  return v;
}

/* Whether they may be taken as equal because they, or others of their classes, met before. */
static bool met_before(struct comparison *c, value a, value b) {
  if (--c->steps >= 0) return false;
  if (c->classes == FALSE) c->classes = make_table(false);
  a = representative(c->classes, a);
  b = representative(c->classes, b);
  if (a == b) {
    c->steps = 0; /* it pays: keep using classes */
    return true;
  }
  table_put(c->classes, a, b);
  if (c->steps < -STEPS_SLOW) c->steps = STEPS_QUICK;
  return false;
}

static bool equal(struct comparison *c, value a, value b) {
  for (; is_pair(a) && is_pair(b); a = cdr(a), b = cdr(b)) {
    if (a == b || met_before(c, a, b)) return true;
    check_depth();
    if (!equal(c, car(a), car(b))) return false;
  }
  if (a == b) return true;
  if (!is_reference(a) || !is_reference(b) || header_of(a) != header_of(b)) return false;
  if (is_type(a, T_STRING))
    return memcmp(chars_of(a), chars_of(b), size_of(a) * sizeof(uint32_t)) == 0;
  if (is_type(a, T_BYTES)) return memcmp(bytes_of(a), bytes_of(b), size_of(a)) == 0;
  if (!is_type(a, T_VECTOR)) return values_eqv(a, b);
  if (met_before(c, a, b)) return true;
  check_depth();
  for (size_t i = 0; i < size_of(a); i++)
    if (!equal(c, slots_of(a)[i], slots_of(b)[i])) return false;
  return true;
}

bool values_equal(value a, value b) {
  struct comparison c = {.steps = STEPS_QUICK, .classes = FALSE};
  return equal(&c, a, b);
}

EXPRESSION("eq?", "..", make_bool(a[0] == a[1]))
EXPRESSION("eqv?", "..", make_bool(values_eqv(a[0], a[1])))
EXPRESSION("equal?", "..", make_bool(values_equal(a[0], a[1])))

/* ---- Searching lists ---------------------------------------------------------------------------
 */

static bool values_eq(value a, value b) {
  return a == b;
}

/* Returns the first tail of the list whose car is the same or, of a list of entries (key .
 * content), the first entry whose key is the same. Returns FALSE if there is none. */
static value search(const value *a, bool entries, bool (*same)(value, value)) {
  value list = a[1];
  for (; is_pair(list); list = cdr(list)) {
    value item = car(list);
    if (entries && !is_pair(item)) fail_type("pair", item);
    if (same(a[0], entries ? car(item) : item)) return entries ? item : list;
  }
  if (list != NIL) fail_type("list", list);
  return FALSE;
}

EXPRESSION("memq", "..", search(a, false, values_eq))
EXPRESSION("memv", "..", search(a, false, values_eqv))
EXPRESSION("%member", "..", search(a, false, values_equal))
EXPRESSION("assq", "..", search(a, true, values_eq))
EXPRESSION("assv", "..", search(a, true, values_eqv))
EXPRESSION("%assoc", "..", search(a, true, values_equal))

/* ---- Hashing -------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t word) {
  h = (h ^ word) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

/* Hashes the contents or the identity. `left` bounds the work on large and circular data. */
static uint64_t hash(value v, bool by_content, int left) {
  uint64_t h = 17, bits = v;
  if (is_type(v, T_FLONUM)) memcpy(&bits, &flonum_of(v), sizeof bits);
  if (!by_content || !is_reference(v)) return mix(h, bits);
  if (is_type(v, T_STRING))
    for (size_t i = 0; i < size_of(v); i++)
      h = mix(h, chars_of(v)[i]);
  else if (is_type(v, T_BYTES))
    for (size_t i = 0; i < size_of(v); i++)
      h = mix(h, bytes_of(v)[i]);
  else if (is_type(v, T_VECTOR))
    for (size_t i = 0; i < size_of(v) && left > 0; i++, left--)
      h = mix(h, hash(slots_of(v)[i], true, left / 2));
  else if (!is_pair(v))
    return mix(h, bits);
  for (; is_pair(v) && left > 0; v = cdr(v), left--)
    h = mix(h, hash(car(v), true, left / 2));
  return h;
}

/* ---- Tables --------------------------------------------------------------------------------- */

static value *chain_of(const struct table *t, value key) {
  return &slots_of(t->chains)[hash(key, t->by_content, 32) & (size_of(t->chains) - 1)];
}

/* Returns the address of the chain's link to the key's entry, or of the NIL that ends the chain.
 * That word is inside *holder. */
static value *find(const struct table *t, value key, value *holder) {
  value *link = chain_of(t, key);
  *holder = t->chains;
  for (; *link != NIL; *holder = *link, link = &cdr(*link)) {
    value other = car(car(*link));
    if (other == key || (t->by_content ? values_equal(other, key) : values_eqv(other, key))) break;
  }
  return link;
}

static value entries(const struct table *t) {
  value list = NIL;
  for (size_t i = 0; i < size_of(t->chains); i++)
    for (value p = slots_of(t->chains)[i]; p != NIL; p = cdr(p))
      list = cons(car(p), list);
  return list;
}

static value clear(struct table *t, int64_t chains) {
  t->count = 0;
  store(t, chains, make_filled(T_VECTOR, chains, NIL));
  return UNSPECIFIED;
}

/* Puts a list of one entry before its chain. */
static void add(struct table *t, value link) {
  value *chain = chain_of(t, car(car(link)));
  set_cdr(link, *chain);
  mem_write((void *)t->chains, chain, link);
  t->count++;
}

static void grow(struct table *t) {
  value chains = t->chains;
  clear(t, 2 * t->count);
  for (size_t i = 0; i < size_of(chains); i++)
    for (value link = slots_of(chains)[i], next; link != NIL; link = next) {
      next = cdr(link);
      add(t, link);
    }
}

value make_table(bool by_content) {
  struct table *t = mem_refs(sizeof *t);
  *t = (struct table){make_header(T_TABLE, 0), FALSE, 0, by_content};
  clear(t, 8);
  return (value)t;
}

value table_ref(value table, value key, value otherwise) {
  value holder;
  const value *link = find((const struct table *)table, key, &holder);
  return *link != NIL ? cdr(car(*link)) : otherwise;
}

void table_put(value table, value key, value content) {
  struct table *t = (struct table *)table;
  value holder;
  const value *link = find(t, key, &holder);
  if (*link != NIL) {
    set_cdr(car(*link), content);
    return;
  }
  if ((size_t)t->count == size_of(t->chains)) grow(t);
  add(t, cons(cons(key, content), NIL));
}

static value delete (struct table *t, value key) {
  value holder, *link = find(t, key, &holder);
  if (*link == NIL) return UNSPECIFIED;
  mem_write((void *)holder, link, cdr(*link));
  t->count--;
  return UNSPECIFIED;
}

EXPRESSION("make-equal-hashtable", ".*", make_table(true))
EXPRESSION("make-eqv-hashtable", ".*", make_table(false))
EXPRESSION("hash-table?", ".", make_bool(is_type(a[0], T_TABLE)))
EXPRESSION("hash-table-ref/default", "t..", table_ref(a[0], a[1], a[2]))
EXPRESSION("hash-table-set!", "t..", (table_put(a[0], a[1], a[2]), UNSPECIFIED))
EXPRESSION("hash-table-exists?", "t.", make_bool(table_ref(a[0], a[1], UNBOUND) != UNBOUND))
EXPRESSION("hash-table-size", "t", fix(((struct table *)a[0])->count))
EXPRESSION("hash-table-clear!", "t", clear((struct table *)a[0], 8))
EXPRESSION("hash-table-delete!", "t.", delete ((struct table *)a[0], a[1]))
EXPRESSION("%entries", "t", entries((struct table *)a[0]))
