/* Hash tables and equality. Tables are open addressing in a vector of keys and one of values.
 * Objects never move, so an address is a lasting hash: nothing to do after a collection. */
#include "scheme.h"

#include <string.h>

struct table {
  value header;
  value keys, values;   /* vectors of a power of two; keys VACANT: free, UNBOUND: deleted */
  intptr_t count, used; /* live entries; those and deleted ones */
  intptr_t by_content;  /* equal?, not eqv? */
};

/* ---- Equality ------------------------------------------------------------------------------- */

bool values_eqv(value a, value b) {
  if (a == b) return true;
  if (!is_type(a, T_FLONUM) || !is_type(b, T_FLONUM)) return false;
  return memcmp(&((struct flonum *)a)->number, &((struct flonum *)b)->number, sizeof(double)) == 0;
}

/* equal? ends on circular data, and soon where much is shared: in a long comparison some of the
 * pairs and vectors that meet are united in classes, and members of a class are taken as equal.
 * (M. Adams, R. K. Dybvig: Efficient Nondestructive Equality Checking for Trees and Graphs,
 * ICFP 2008.) */
struct comparison {
  int64_t steps;   /* still to go without looking at classes; below 0 we look */
  uint64_t random; /* so that no structure is in step with us */
  value classes;   /* table: member to one nearer to the class's representative */
};
enum { STEPS_QUICK = 400, STEPS_SLOW = 40 };

static value representative(value classes, value v) {
  for (value next = v; next != FALSE; next = table_ref(classes, v, FALSE))
    v = next;
  return v;
}

/* Whether they are known to be equal, for all that matters. */
static bool met_before(struct comparison *c, value a, value b) {
  if (--c->steps >= 0) return false;
  if (c->classes == FALSE) c->classes = make_table(false);
  a = representative(c->classes, a);
  b = representative(c->classes, b);
  if (a == b) {
    c->steps = 0; /* it pays: go on like this */
    return true;
  }
  table_put(c->classes, a, b);
  c->random = c->random * 6364136223846793005u + 1442695040888963407u;
  if (c->steps < -STEPS_SLOW) c->steps = (int64_t)((c->random >> 32) % (2 * STEPS_QUICK));
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
  struct comparison c = {.steps = STEPS_QUICK, .random = 1, .classes = FALSE};
  return equal(&c, a, b);
}

EXPRESSION("eq?", "..", make_bool(a[0] == a[1]))
EXPRESSION("eqv?", "..", make_bool(values_eqv(a[0], a[1])))
EXPRESSION("equal?", "..", make_bool(values_equal(a[0], a[1])))

/* ---- Hashing -------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h) {
  h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

static uint64_t hash_bytes(const void *start, size_t bytes) {
  const unsigned char *at = start;
  uint64_t h = bytes;
  for (size_t i = 0; i < bytes; i++)
    h = (h ^ at[i]) * 1099511628211u;
  return mix(h);
}

/* `left` bounds the work on large or circular data. */
static uint64_t hash(value v, bool by_content, int left) {
  if (is_type(v, T_FLONUM)) return hash_bytes(&((struct flonum *)v)->number, sizeof(double));
  if (!by_content || left <= 0 || !is_reference(v)) return left <= 0 ? 0 : mix(v);
  if (is_type(v, T_STRING)) return hash_bytes(chars_of(v), size_of(v) * sizeof(uint32_t));
  if (is_type(v, T_BYTES)) return hash_bytes(bytes_of(v), size_of(v));
  uint64_t h = 17;
  if (is_type(v, T_VECTOR))
    for (size_t i = 0; i < size_of(v) && i < (size_t)left; i++)
      h = mix(h * 31 + hash(slots_of(v)[i], true, left / 2));
  else if (!is_pair(v))
    return mix(v);
  for (; is_pair(v) && left > 0; v = cdr(v), left--)
    h = mix(h * 31 + hash(car(v), true, left / 2));
  return h;
}

/* ---- Tables --------------------------------------------------------------------------------- */

/* The place of the key, or where to put it. */
static size_t find(const struct table *t, value key, bool *found) {
  size_t mask = size_of(t->keys) - 1, vacant = SIZE_MAX;
  const value *keys = slots_of(t->keys);
  size_t i = (size_t)hash(key, t->by_content, 32) & mask;
  for (; keys[i] != VACANT; i = (i + 1) & mask) {
    if (keys[i] == UNBOUND) {
      vacant = vacant == SIZE_MAX ? i : vacant;
    } else if (keys[i] == key ||
               (t->by_content ? values_equal(keys[i], key) : values_eqv(keys[i], key))) {
      *found = true;
      return i;
    }
  }
  *found = false;
  return vacant == SIZE_MAX ? i : vacant;
}

static value clear(struct table *t, int64_t size) {
  t->count = t->used = 0;
  t->keys = make_filled(T_VECTOR, size, VACANT);
  t->values = make_filled(T_VECTOR, size, FALSE);
  return UNSPECIFIED;
}

static void grow_if_full(struct table *t) {
  if ((size_t)t->used * 4 < size_of(t->keys) * 3) return;
  value keys = t->keys, values = t->values;
  clear(t, t->count < 4 ? 8 : (int64_t)1 << (64 - __builtin_clzll((uint64_t)t->count * 2)));
  for (size_t i = 0; i < size_of(keys); i++)
    if (slots_of(keys)[i] != VACANT && slots_of(keys)[i] != UNBOUND)
      table_put((value)t, slots_of(keys)[i], slots_of(values)[i]);
}

value make_table(bool by_content) {
  struct table *t = mem_refs(sizeof *t);
  *t = (struct table){make_header(T_TABLE, 0), FALSE, FALSE, 0, 0, by_content};
  clear(t, 8);
  return (value)t;
}

value table_ref(value table, value key, value otherwise) {
  bool found;
  const struct table *t = (const struct table *)table;
  size_t i = find(t, key, &found);
  return found ? slots_of(t->values)[i] : otherwise;
}

void table_put(value table, value key, value content) {
  bool found;
  struct table *t = (struct table *)table;
  grow_if_full(t);
  size_t i = find(t, key, &found);
  if (!found) {
    t->used += slots_of(t->keys)[i] == VACANT;
    t->count++;
  }
  slots_of(t->keys)[i] = key;
  slots_of(t->values)[i] = content;
}

EXPRESSION("make-equal-hashtable", ".*", make_table(true))
EXPRESSION("make-hash-table", ".*", make_table(true))
EXPRESSION("make-eqv-hashtable", ".*", make_table(false))
EXPRESSION("make-eq-hashtable", ".*", make_table(false))
EXPRESSION("hash-table?", ".", make_bool(is_type(a[0], T_TABLE)))
EXPRESSION("hash-table-ref/default", "t..", table_ref(a[0], a[1], a[2]))
EXPRESSION("hash-table-set!", "t..", (table_put(a[0], a[1], a[2]), UNSPECIFIED))
EXPRESSION("hash-table-contains?", "t.", make_bool(table_ref(a[0], a[1], UNBOUND) != UNBOUND))
EXPRESSION("hash-table-size", "t", fix(((struct table *)a[0])->count))
EXPRESSION("hash-table-clear!", "t|.", clear((struct table *)a[0], 8))
EXPRESSION("equal-hash", ".|.", fix((int64_t)(hash(a[0], true, 32) >> 4)))

PRIMITIVE("hash-table-delete!", "t.") {
  bool found;
  struct table *t = (struct table *)a[0];
  size_t i = find(t, a[1], &found);
  if (!found) return UNSPECIFIED;
  slots_of(t->keys)[i] = UNBOUND;
  slots_of(t->values)[i] = FALSE;
  t->count--;
  return UNSPECIFIED;
}
PRIMITIVE("hash-table->alist", "t") {
  const struct table *t = (const struct table *)a[0];
  value list = NIL;
  for (size_t i = 0; i < size_of(t->keys); i++)
    if (slots_of(t->keys)[i] != VACANT && slots_of(t->keys)[i] != UNBOUND)
      list = cons(cons(slots_of(t->keys)[i], slots_of(t->values)[i]), list);
  return list;
}
