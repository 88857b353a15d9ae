/* SPDX-License-Identifier: MIT */
/* What is written: JSON, tables. */
#include <criterion/criterion.h>

#include "bench/cli/grid.h"
#include "bench/cli/json.h"
#include "bench/cli/utf8.h"
#include "tests/scoped.h"

#include <math.h>

Test(json, nests_and_separates) {
  FREED char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  struct td_json json;
  td_json_begin(&json, out);
  td_json_object_begin(&json, NULL);
  td_json_count(&json, "a", UINT64_MAX);
  td_json_array_begin(&json, "b");
  td_json_bool(&json, NULL, true);
  td_json_null(&json, NULL);
  td_json_array_end(&json);
  td_json_array_begin(&json, "c");
  td_json_array_end(&json);
  td_json_object_end(&json);
  td_json_end(&json);
  fclose(out);
  cr_assert_str_eq(text,
                   "{\n  \"a\": 18446744073709551615,\n  \"b\": [\n    true,\n    null\n  ],\n"
                   "  \"c\": []\n}\n");
}

Test(json, escapes_and_knows_no_infinity) {
  FREED char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  struct td_json json;
  td_json_begin(&json, out);
  td_json_array_begin(&json, NULL);
  td_json_string(&json, NULL, "a\"b\\c\n\x01é\xff");
  td_json_string(&json, NULL, NULL);
  td_json_real(&json, NULL, (double)INFINITY);
  td_json_real(&json, NULL, (double)NAN);
  td_json_real(&json, NULL, 0.5);
  td_json_array_end(&json);
  fclose(out);
  cr_assert_str_eq(
      text, "[\n  \"a\\\"b\\\\c\\u000a\\u0001é\uFFFD\",\n  null,\n  null,\n  null,\n  0.5\n]");
}

/* Every way in which bytes fail to be UTF-8, and what is left of them. */
Test(utf8, replaces_what_is_none) {
  static const struct {
    const char *text, *plain;
  } cases[] = {
      {"plain é 漢 \U0001F600", "plain é 漢 \U0001F600"},
      {"\xff", "\uFFFD"},
      {"a\x80"
       "b",
       "a\uFFFDb"},
      {"\xc3", "\uFFFD"},
      {"\xc3(", "\uFFFD("},
      {"\xe2\x82", "\uFFFD\uFFFD"},
      {"\xc0\xaf", "\uFFFD\uFFFD"},
      {"\xe0\x80\x80", "\uFFFD\uFFFD\uFFFD"},
      {"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
      {"\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
      {"\xf8\x88\x80\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
      {"tab\tbell\a\x7f", "tab\uFFFDbell\uFFFD\uFFFD"},
      {"\xc2\x85", "\uFFFD"},
      {"\xef\xbf\xbe", "\uFFFD"},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    FREED char *plain = td_utf8_plain(cases[i].text);
    cr_expect_str_eq(plain, cases[i].plain, "case %zu", i);
  }
}

Test(grid, aligns_characters_not_bytes) {
  struct td_grid grid;
  td_grid_begin(&grid, "name >of_µs");
  td_grid_cell(&grid, "é");
  td_grid_cell(&grid, "%d", 7);
  td_grid_cell(&grid, "abcdef");
  td_grid_cell(&grid, "123456");
  FREED char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  td_grid_print(&grid, out);
  fclose(out);

  cr_assert_str_eq(text, "name     of µs\né            7\nabcdef  123456\n");
}
