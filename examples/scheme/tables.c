/* Hash tables: open addressing in a vector of keys and a vector of values. Objects never move,
 * so an address is a lasting hash, with no rehashing after a collection. */
#include "scheme.h"

struct table {
  value header;
  value keys, values;   /* vectors of a power of two; DEFAULT: free, UNBOUND: deleted */
  intptr_t count, used; /* live entries; those and deleted ones */
  intptr_t by_content;  /* equal?, not eqv? */
};

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
  if (is_type(v, T_STRING))
    return hash_bytes(((struct string *)v)->chars, size_of(v) * sizeof(uint32_t));
  if (is_type(v, T_BYTES)) return hash_bytes(((struct bytes *)v)->bytes, size_of(v));
  uint64_t h = 17;
  if (is_type(v, T_VECTOR)) {
    for (size_t i = 0; i < size_of(v) && i < (size_t)left; i++)
      h = mix(h * 31 + hash(slots_of(v)[i], true, left / 2));
    return h;
  }
  if (!is_pair(v)) return mix(v);
  for (; is_pair(v) && left > 0; v = cdr(v), left--)
    h = mix(h * 31 + hash(car(v), true, left / 2));
  return h;
}

static bool same_key(const struct table *t, value a, value b) {
  return a == b || (t->by_content ? values_equal(a, b) : values_eqv(a, b));
}

/* The slot of the key, or where to put it. */
static size_t find(const struct table *t, value key, bool *found) {
  size_t mask = size_of(t->keys) - 1, free = SIZE_MAX;
  const value *keys = slots_of(t->keys);
  size_t i = (size_t)hash(key, t->by_content, 32) & mask;
  for (; keys[i] != DEFAULT; i = (i + 1) & mask) {
    if (keys[i] == UNBOUND)
      free = free == SIZE_MAX ? i : free;
    else if (same_key(t, keys[i], key)) {
      *found = true;
      return i;
    }
  }
  *found = false;
  return free == SIZE_MAX ? i : free;
}

static void put(struct table *t, value key, value content) {
  bool found;
  size_t i = find(t, key, &found);
  if (!found) {
    t->used += slots_of(t->keys)[i] == DEFAULT;
    t->count++;
  }
  slots_of(t->keys)[i] = key;
  slots_of(t->values)[i] = content;
}

static void clear(struct table *t, int64_t size) {
  t->count = t->used = 0;
  t->keys = make_vector(size, DEFAULT);
  t->values = make_vector(size, FALSE);
}

static void grow_if_full(struct table *t) {
  if ((size_t)t->used * 4 < size_of(t->keys) * 3) return;
  value keys = t->keys, values = t->values;
  clear(t, t->count * 4 < 8 ? 8 : (int64_t)1 << (64 - __builtin_clzll((uint64_t)t->count * 2)));
  for (size_t i = 0; i < size_of(keys); i++)
    if (slots_of(keys)[i] != DEFAULT && slots_of(keys)[i] != UNBOUND)
      put(t, slots_of(keys)[i], slots_of(values)[i]);
}

static struct table *table_argument(const char *who, value v) {
  return (struct table *)typed(who, T_TABLE, v);
}

static value make_table(bool by_content) {
  struct table *t = mem_refs(sizeof *t);
  t->header = make_header(T_TABLE, 0);
  t->keys = t->values = FALSE;
  t->by_content = by_content;
  clear(t, 8);
  return (value)t;
}

PRIMITIVE(p_make_equal) {
  return make_table(true);
}
PRIMITIVE(p_make_eqv) {
  return make_table(false);
}
PRIMITIVE(p_is_table) {
  return make_bool(is_type(a[0], T_TABLE));
}
PRIMITIVE(p_ref) {
  bool found;
  const struct table *t = table_argument("hash-table-ref/default", a[0]);
  size_t i = find(t, a[1], &found);
  return found ? slots_of(t->values)[i] : count > 2 ? a[2] : FALSE;
}
PRIMITIVE(p_set) {
  struct table *t = table_argument("hash-table-set!", a[0]);
  grow_if_full(t);
  put(t, a[1], a[2]);
  return UNSPECIFIED;
}
PRIMITIVE(p_delete) {
  bool found;
  struct table *t = table_argument("hash-table-delete!", a[0]);
  size_t i = find(t, a[1], &found);
  if (found) {
    slots_of(t->keys)[i] = UNBOUND;
    slots_of(t->values)[i] = FALSE;
    t->count--;
  }
  return UNSPECIFIED;
}
PRIMITIVE(p_contains) {
  bool found;
  find(table_argument("hash-table-contains?", a[0]), a[1], &found);
  return make_bool(found);
}
PRIMITIVE(p_count) {
  return fix(table_argument("hash-table-size", a[0])->count);
}
PRIMITIVE(p_clear) {
  clear(table_argument("hash-table-clear!", a[0]), 8);
  return UNSPECIFIED;
}
PRIMITIVE(p_to_alist) {
  const struct table *t = table_argument("hash-table->alist", a[0]);
  value list = NIL;
  for (size_t i = 0; i < size_of(t->keys); i++)
    if (slots_of(t->keys)[i] != DEFAULT && slots_of(t->keys)[i] != UNBOUND)
      list = cons(cons(slots_of(t->keys)[i], slots_of(t->values)[i]), list);
  return list;
}
PRIMITIVE(p_equal_hash) {
  return fix((int64_t)(hash(a[0], true, 32) >> 4));
}

void start_tables(void) {
  static const struct definition table[] = {{"make-equal-hashtable", p_make_equal, 0, 1},
                                            {"make-hash-table", p_make_equal, 0, -1},
                                            {"make-eqv-hashtable", p_make_eqv, 0, 1},
                                            {"make-eq-hashtable", p_make_eqv, 0, 1},
                                            {"make-strong-eqv-hash-table", p_make_eqv, 0, 1},
                                            {"make-string-hash-table", p_make_equal, 0, 1},
                                            {"hash-table?", p_is_table, 1, 1},
                                            {"hash-table-ref/default", p_ref, 3, 3},
                                            {"hashtable-ref", p_ref, 3, 3},
                                            {"hash-table-set!", p_set, 3, 3},
                                            {"hashtable-set!", p_set, 3, 3},
                                            {"hash-table-delete!", p_delete, 2, 2},
                                            {"hashtable-delete!", p_delete, 2, 2},
                                            {"hash-table-contains?", p_contains, 2, 2},
                                            {"hash-table-exists?", p_contains, 2, 2},
                                            {"hashtable-contains?", p_contains, 2, 2},
                                            {"hash-table-size", p_count, 1, 1},
                                            {"hash-table-count", p_count, 1, 1},
                                            {"hashtable-size", p_count, 1, 1},
                                            {"hash-table-clear!", p_clear, 1, 1},
                                            {"hashtable-clear!", p_clear, 1, 1},
                                            {"hash-table->alist", p_to_alist, 1, 1},
                                            {"equal-hash", p_equal_hash, 1, 1}};
  DEFINE_PRIMITIVES(table);
}
