/* SPDX-License-Identifier: MIT */
/* Graph specs: what is understood, and what is said about the rest. */
#include "workloads/spec.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/scoped.h"

static struct td_graph_spec parsed(const char *text) {
  struct td_graph_spec spec;
  struct td_graph_error error = {0};
  cr_assert(td_graph_spec_parse(text, &spec, &error), "%s", error.text);
  cr_assert_str_eq(spec.text, text);
  return spec;
}

static void expect_value(const char *text, size_t key, uint64_t value) {
  SCOPED_SPEC spec = parsed(text);
  cr_expect_eq(spec.value[key], value, "%s: key %zu is %llu", text, key,
               (unsigned long long)spec.value[key]);
}

/* Refused as a bad spec, with a message that holds every part (up to NULL). */
static void expect_refused(const char *text, const char *const *parts) {
  struct td_graph_spec spec;
  struct td_graph_error error = {0};
  cr_assert_not(td_graph_spec_parse(text, &spec, &error), "'%s' was accepted", text);
  cr_expect_eq(error.status, TD_GRAPH_BAD_SPEC);
  cr_expect_null(spec.text);
  cr_expect_null(spec.kind);
  cr_expect_null(strchr(error.text, '\n'));
  for (; *parts != NULL; parts++)
    cr_expect_not_null(strstr(error.text, *parts), "'%s' is not in: %s", *parts, error.text);
}
#define REFUSED(text, ...) expect_refused(text, (const char *const[]){__VA_ARGS__, NULL})

Test(spec, table_is_sound) {
  size_t kinds = 0;
  for (const struct td_graph_kind *kind; (kind = td_graph_kind_at(kinds)) != NULL; kinds++) {
    cr_expect(kind->name[0] != '\0' && kind->meaning[0] != '\0');
    cr_expect_leq(kind->key_count, TD_GRAPH_KEYS_MAX);
    cr_expect_not_null(kind->build);
    for (size_t i = 0; i < kind->key_count; i++) {
      const struct td_graph_key *key = &kind->keys[i];
      cr_expect(key->min <= key->fallback && key->fallback <= key->max, "%s:%s", kind->name,
                key->name);
      for (size_t j = 0; j < i; j++)
        cr_expect_str_neq(key->name, kind->keys[j].name);
    }
    for (size_t other = 0; other < kinds; other++)
      cr_expect_str_neq(kind->name, td_graph_kind_at(other)->name);
  }
  cr_expect_geq(kinds, 11);
  cr_expect_null(td_graph_kind_at(SIZE_MAX));
}

Test(spec, every_name_alone_is_a_spec) {
  for (size_t i = 0; td_graph_kind_at(i) != NULL; i++) {
    const struct td_graph_kind *kind = td_graph_kind_at(i);
    if (strcmp(kind->name, "file") == 0) continue;
    SCOPED_SPEC spec = parsed(kind->name);
    cr_expect_eq(spec.kind, kind);
    for (size_t k = 0; k < kind->key_count; k++)
      cr_expect_eq(spec.value[k], kind->keys[k].fallback);
  }
}

Test(spec, numbers_and_suffixes) {
  expect_value("tree:depth=0", 0, 0);
  expect_value("tree:depth=0007", 0, 7);
  expect_value("list:length=20K", 0, 20000);
  expect_value("list:length=5M", 0, 5000000);
  expect_value("list:length=4G", 0, UINT64_C(4000000000));
  expect_value("random:objects=5M,degree=4,roots=1024", 2, 1024);
  expect_value("random:roots=9,objects=5M", 0, 5000000);
  expect_value("random:roots=9", 1, 4);
}

Test(spec, choices) {
  expect_value("tree:order=shuffled", 1, 1);
  expect_value("tree:depth=3,order=index", 1, 0);
}

Test(spec, file_takes_the_rest_as_its_path) {
  struct td_graph_spec spec = parsed("file:a dir/b=c,d:e.thg");
  cr_expect_str_eq(spec.path, "a dir/b=c,d:e.thg");
  struct td_graph_plan plan;
  td_graph_plan(&spec, &plan);
  cr_expect_not(plan.known);
  td_graph_spec_free(&spec);
  cr_expect_null(spec.path);
}

Test(spec, says_what_is_wrong) {
  REFUSED(NULL, "graph ''");
  REFUSED("", "graph ''", "character 1", "known: tree");
  REFUSED("nonesuch:x=1", "nonesuch", "character 1", "random");
  REFUSED("tre", "unknown graph 'tre'");
  REFUSED("trees", "unknown graph 'trees'");
  REFUSED(" tree", "unknown graph ' tree'");
  REFUSED("tree:depht=3", "unknown key 'depht'", "character 6", "depth, order");
  REFUSED("tree:order=wild", "unknown order 'wild'", "character 12", "index, shuffled");
  REFUSED("tree:order=", "order is missing");
  REFUSED("tree:", "key is missing", "character 6");
  REFUSED("tree:depth", "'='", "character 11");
  REFUSED("tree:depth=3,", "key is missing", "character 14");
  REFUSED("tree:,depth=3", "key is missing", "character 6");
  REFUSED("tree:=3", "key is missing");
  REFUSED("tree:depth=3=4", "'3=4' is not a number");
  REFUSED("file", "path is missing");
  REFUSED("file:", "path is missing");
  REFUSED("tree:depth=3,depth=3", "twice", "character 14");
  REFUSED("tree:depth=banana", "'banana' is not a number", "character 12", "depth");
  REFUSED("tree:depth=", "not a number");
  REFUSED("tree:depth=-1", "not a number");
  REFUSED("tree:depth=+1", "not a number");
  REFUSED("tree:depth=1.5", "not a number");
  REFUSED("tree:depth=0x10", "not a number");
  REFUSED("list:length=5MM", "not a number");
  REFUSED("list:length=5m", "not a number");
  REFUSED("list:length=M", "not a number");
  REFUSED("list:length=5 ", "not a number");
  REFUSED("tree:depth=31", "out of range", "0 to 30");
  REFUSED("list:length=0", "out of range", "length=0");
  REFUSED("list:length=5G", "out of range");
  REFUSED("list:length=18446744073709551616", "out of range");
  REFUSED("list:length=18446744073709551615G", "out of range");
  REFUSED("list:length=99999999999999999999999999", "out of range");
  REFUSED("clustered:local=101", "out of range", "local=101", "0 to 100");
  REFUSED("clustered:degree=0", "out of range", "degree=0", "1 to 1000");
  REFUSED("clustered:objects=0", "out of range", "objects=0");
  REFUSED("powerlaw:objects=5G", "out of range");
  REFUSED("powerlaw:degree=1001", "out of range");
  REFUSED("powerlaw:local=50", "local", "objects, degree, roots");
  REFUSED("lists:count=1M,length=1M", "more objects than");
  REFUSED("dag:layers=4G,width=4G,degree=1K", "more objects than");
  REFUSED("forest:trees=1G,depth=30", "more objects than");
  REFUSED("ast:files=1G,nodes=4G", "more objects than");
  REFUSED("tree:depth=1\n2", "?"); /* one printable line */
  REFUSED("tree:dep\x1b[2Jth=1", "?[2J");
}

Test(spec, absurdly_long) {
  FREED char *text = malloc(100000);
  memset(text, 'a', 99999);
  text[99999] = '\0';
  REFUSED(text, "longer than");
  text[TD_GRAPH_SPEC_BYTES_MAX] = '\0';
  REFUSED(text, "unknown graph");
}

Test(spec, error_may_be_null) {
  struct td_graph_spec spec;
  cr_expect_not(td_graph_spec_parse("tree:depth=x", &spec, NULL));
  td_graph_spec_free(&spec);
  td_graph_spec_free(NULL);
}

Test(spec, lists_of_specs) {
  struct td_graph_spec *specs;
  size_t count;
  struct td_graph_error error;
  cr_assert(td_graph_specs_parse("tree:depth=4;list;file:x.thg", &specs, &count, &error));
  cr_expect_eq(count, 3);
  cr_expect_str_eq(specs[0].text, "tree:depth=4");
  cr_expect_str_eq(specs[1].kind->name, "list");
  cr_expect_str_eq(specs[2].path, "x.thg");
  td_graph_specs_free(specs, count);
  const char *const bad[] = {"", ";", "tree;", ";tree", "tree;;list", "tree;list:length=x"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    cr_expect_not(td_graph_specs_parse(bad[i], &specs, &count, &error), "%s", bad[i]);
    cr_expect_eq(error.status, TD_GRAPH_BAD_SPEC);
    cr_expect_null(specs);
    cr_expect_eq(count, 0);
  }
}

Test(spec, help_names_every_graph_and_key) {
  FREED char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  td_graph_print_help(out);
  fclose(out);
  for (size_t i = 0; td_graph_kind_at(i) != NULL; i++) {
    const struct td_graph_kind *kind = td_graph_kind_at(i);
    cr_expect_not_null(strstr(text, kind->name));
    cr_expect_not_null(strstr(text, kind->meaning));
    for (size_t k = 0; k < kind->key_count; k++)
      cr_expect_not_null(strstr(text, kind->keys[k].meaning));
  }
}
