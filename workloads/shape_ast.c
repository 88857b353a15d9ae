/* SPDX-License-Identifier: MIT */
/* Syntax trees as a parser of a dynamic language leaves them on its heap.
 *
 * A file's tree is grown from a budget of objects: a node takes one for itself and divides the
 * rest among its children, so the total is exact.  Children are allocated before their parent,
 * as a parser does; hence most references reach a few objects back.  A node is a header word
 * (kind and position) and its fields; literals have a string or a boxed number of their own;
 * names refer to interned strings, a few of them often: these are the only shared objects.
 *
 * The same walk runs twice with the same random numbers: once to allocate, once to link. */
#include "workloads/build.h"
#include "workloads/random.h"

#define HEADER_WORDS 1u
#define FIELDS_MAX 20u
#define NUMBER_BYTES 16u
/* Beyond this depth budgets are divided evenly, which bounds the recursion. */
#define RANDOM_DEPTH 64u

enum { AST_FILES = 0, AST_NODES = 1, AST_NAMES = 2 };
static const struct td_graph_key ast_keys[] = {
    [AST_FILES] = {"files", "syntax trees", 200, 1, 1000000000, NULL},
    [AST_NODES] = {"nodes", "objects of each tree, literals included", 10000, 1, 4000000000, NULL},
    [AST_NAMES] = {"names", "interned names that the trees share", 20000, 1, 1000000000, NULL},
};

struct grower {
  struct td_graph_builder *builder;
  struct td_random random;
  bool linking; /* false: the first walk, which allocates */
  uint32_t node, leaf;
  uint64_t names;
  uint64_t next; /* number of the next object */
};

static bool make(struct grower *grower, uint32_t shape, uint64_t bytes, uint64_t *number) {
  *number = grower->next++;
  return grower->linking || td_build_alloc(grower->builder, shape, bytes);
}

static bool make_node(struct grower *grower, const uint64_t *field, unsigned count,
                      uint64_t *number) {
  struct td_graph_builder *builder = grower->builder;
  if (!make(grower, grower->node, (HEADER_WORDS + count) * sizeof(void *), number)) return false;
  if (!grower->linking) return true;
  td_build_word(builder, *number, 0, *number);
  for (unsigned i = 0; i < count; i++)
    td_build_link(builder, *number, HEADER_WORDS + i, field[i]);
  td_build_step(builder);
  return true;
}

/* One object: a boxed number, or a name. Low names are the common ones. */
static bool grow_terminal(struct grower *grower, uint64_t *number) {
  if (td_random_below(&grower->random, 2) == 0)
    return make(grower, grower->leaf, NUMBER_BYTES, number);
  uint64_t name =
      td_random_below(&grower->random, 1 + td_random_below(&grower->random, grower->names));
  return make_node(grower, &name, 1, number);
}

/* Two objects: a literal and its string. */
static bool grow_literal(struct grower *grower, uint64_t *number) {
  uint64_t string, bytes = 17 + td_random_below(&grower->random, 80);
  return make(grower, grower->leaf, bytes, &string) && make_node(grower, &string, 1, number);
}

/* Small budgets become expressions, middling ones statements, large ones blocks. */
static unsigned choose_fields(struct grower *grower, uint64_t budget) {
  uint64_t most = budget - 1;
  unsigned wanted = budget <= 12   ? 2 + td_random_below(&grower->random, 2)
                    : budget <= 60 ? 2 + td_random_below(&grower->random, 3)
                                   : 4 + td_random_below(&grower->random, FIELDS_MAX - 4);
  return wanted < most ? wanted : (unsigned)most;
}

/* A tree of exactly `budget` objects, at least one. */
static bool grow(struct grower *grower, uint64_t budget, unsigned depth, uint64_t *number) {
  if (budget == 1) return grow_terminal(grower, number);
  if (budget == 2) return grow_literal(grower, number);
  unsigned count = choose_fields(grower, budget);
  uint64_t field[FIELDS_MAX], rest = budget - 1 - count; /* beyond one object for each field */
  for (unsigned i = 0; i < count; i++) {
    uint64_t share = rest / (count - i);
    if (i + 1 < count && depth < RANDOM_DEPTH && rest != 0)
      share = td_random_below(&grower->random, 2 * share + 1);
    if (!grow(grower, 1 + share, depth + 1, &field[i])) return false;
    rest -= share;
  }
  return make_node(grower, field, count, number);
}

/* ---- The whole ------------------------------------------------------------------------- */

static void plan_ast(const struct td_graph_spec *spec, struct td_graph_plan *plan) {
  uint64_t nodes = td_plan_multiply(spec->value[AST_FILES], spec->value[AST_NODES]);
  uint64_t objects = td_plan_add(td_plan_add(nodes, spec->value[AST_NAMES]), 2);
  /* An upper bound: a header and a slot in its parent are 16 bytes for each object, and at most
   * every second object is a string, of at most 96 bytes. */
  uint64_t arrays = td_plan_multiply(spec->value[AST_NAMES] + spec->value[AST_FILES] + 1, 8);
  uint64_t bytes = td_plan_add(td_plan_multiply(objects, 64), arrays);
  *plan = (struct td_graph_plan){.known = true, .objects = objects, .bytes = bytes};
}

/* Names are objects [0, names), then the trees; both walks start here. */
static bool grow_files(struct grower *grower, uint64_t array) {
  const uint64_t *value = grower->builder->spec->value;
  grower->random = td_random_start();
  grower->next = 0;
  for (uint64_t i = 0; i < grower->names; i++) {
    uint64_t number, bytes = 16 + td_random_below(&grower->random, 32);
    if (!make(grower, grower->leaf, bytes, &number)) return false;
  }
  for (uint64_t file = 0; file < value[AST_FILES]; file++) {
    uint64_t root;
    if (!grow(grower, value[AST_NODES], 0, &root)) return false;
    if (grower->linking) td_build_link(grower->builder, array, 1 + file, root);
  }
  return true;
}

static bool build_ast(struct td_graph_builder *builder) {
  const uint64_t *value = builder->spec->value;
  struct grower grower = {.builder = builder, .names = value[AST_NAMES]};
  uint64_t table = builder->capacity - 2, array = builder->capacity - 1;
  uint32_t refs;
  if (!td_build_prefix(builder, HEADER_WORDS, &grower.node) ||
      !td_build_leaf(builder, &grower.leaf) || !td_build_prefix(builder, 0, &refs) ||
      !grow_files(&grower, array) ||
      !td_build_alloc(builder, refs, grower.names * sizeof(void *)) ||
      !td_build_alloc(builder, refs, (1 + value[AST_FILES]) * sizeof(void *)))
    return false;
  grower.linking = true;
  grow_files(&grower, array); /* allocates nothing, so cannot fail */
  for (uint64_t i = 0; i < grower.names; i++)
    td_build_link(builder, table, i, i);
  td_build_link(builder, array, 0, table);
  return td_build_root(builder, array);
}

const struct td_graph_kind td_graph_ast = {
    "ast",    "syntax trees of a dynamic language: small nodes near each other, strings, names",
    ast_keys, 3,
    plan_ast, build_ast};
