/* SPDX-License-Identifier: MIT */
/* Whatever a name holds, what is written is valid JSON in valid UTF-8. */
#include "inspect/base/json_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/scoped.h"

static void becomes(const char *text, const char *expected) {
  FREED char *written = NULL;
  size_t bytes = 0;
  FILE *file = open_memstream(&written, &bytes);
  cr_assert_not_null(file);
  td_json_text(file, text);
  cr_assert_eq(fclose(file), 0);
  cr_assert_str_eq(written, expected);
}

Test(json_text, plain_and_escaped) {
  becomes("", "");
  becomes("struct node", "struct node");
  becomes("a\"b\\c/d", "a\\\"b\\\\c/d");
  becomes("\n\t\x01\x1f\x7f", "\\u000a\\u0009\\u0001\\u001f\\u007f");
}

Test(json_text, whole_characters) {
  becomes("z\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\x8a.", "z\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\x8a.");
  becomes("\xed\x9f\xbf\xf4\x8f\xbf\xbf", "\xed\x9f\xbf\xf4\x8f\xbf\xbf");
}

#define BAD "\\ufffd"

Test(json_text, what_is_no_character) {
  becomes("\x80x", BAD "x");
  becomes("\xc3", BAD);
  becomes("\xc3(", BAD "(");
  becomes("\xe2\x82", BAD BAD);
  becomes("\xe2\x82\"", BAD BAD "\\\"");
  becomes("\xf0\x9f\x8c", BAD BAD BAD);
  becomes("\xc0\xaf", BAD BAD);         /* overlong */
  becomes("\xe0\x80\xaf", BAD BAD BAD); /* overlong */
  becomes("\xf0\x80\x80\xaf", BAD BAD BAD BAD);
  becomes("\xed\xa0\x80", BAD BAD BAD); /* a surrogate */
  becomes("\xf4\x90\x80\x80", BAD BAD BAD BAD);
  becomes("\xff\xfe", BAD BAD);
}
