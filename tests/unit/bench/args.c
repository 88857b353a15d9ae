/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/redirect.h>

#include "bench/cli/args.h"

#include <string.h>

Test(numbers, decimal_and_binary_suffixes) {
  static const struct {
    const char *text;
    bool is_bytes, right;
    uint64_t value;
  } cases[] = {
      {"0", false, true, 0},
      {"12", false, true, 12},
      {"5M", false, true, 5000000},
      {"5M", true, true, 5u << 20},
      {"5MiB", true, true, 5u << 20},
      {"3K", false, true, 3000},
      {"18446744073709551615", false, true, UINT64_MAX},
      {"18446744073709551616", false, false, 0},
      {"18446744073709551615K", false, false, 0},
      {"", false, false, 0},
      {"-1", false, false, 0},
      {" 1", false, false, 0},
      {"1 ", false, false, 0},
      {"1.5", false, false, 0},
      {"0x10", false, false, 0},
      {"5MiB", false, false, 0},
      {"5MX", true, false, 0},
      {"K", false, false, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint64_t value = 0;
    bool right = td_parse_number(cases[i].text, cases[i].is_bytes, &value);
    cr_expect_eq(right, cases[i].right, "'%s'", cases[i].text);
    if (right) cr_expect_eq(value, cases[i].value, "'%s'", cases[i].text);
  }
}

struct parsed {
  bool flag;
  const char *word;
  uint64_t number;
  double real;
  struct td_words words, positional;
  struct td_numbers numbers;
  struct td_reals reals;
};

/* Arguments are copied: parsing cuts lists up. */
static int parse(struct parsed *p, int count, const char *const *arguments) {
  const struct td_option options[] = {
      {.name = "flag", .flag = &p->flag, .text = ""},
      {.name = "output", .argument = "W", .word = &p->word, .text = ""},
      {.name = "number", .argument = "N", .number = &p->number, .min = 1, .max = 10, .text = ""},
      {.name = "real", .argument = "R", .real = &p->real, .min = 0, .max = 1, .text = ""},
      {.name = "words", .argument = "W", .words = &p->words, .separator = ';', .text = ""},
      {.name = "numbers", .argument = "N", .numbers = &p->numbers, .max = 100, .text = ""},
      {.name = "reals", .argument = "R", .reals = &p->reals, .max = 100, .text = ""},
  };
  const struct td_usage usage = {.command = "test",
                                 .summary = "",
                                 .positional = "THING",
                                 .words = &p->positional,
                                 .words_max = 1,
                                 .options = options,
                                 .option_count = sizeof options / sizeof options[0]};
  static char copies[16][64];
  char *argv[17] = {copies[0]};
  for (int i = 0; i < count; i++) {
    snprintf(copies[i + 1], sizeof copies[0], "%s", arguments[i]);
    argv[i + 1] = copies[i + 1];
  }
  return td_args_parse(&usage, count + 1, argv);
}

#define PARSE(p, ...)                                                                              \
  parse(p, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)),                          \
        (const char *const[]){__VA_ARGS__})

Test(args, takes_every_kind) {
  struct parsed p = {0};
  cr_assert_eq(PARSE(&p, "--flag", "-o", "file", "--number=7", "--real", "0.25", "thing", "--words",
                     "a,b;c", "--numbers", "1,2", "--numbers", "3", "--reals", "0,99.5"),
               TD_ARGS_GO_ON);
  cr_assert(p.flag && p.number == 7 && p.real == 0.25);
  cr_assert_str_eq(p.word, "file");
  cr_assert_eq(p.positional.count, 1);
  cr_assert_str_eq(p.positional.at[0], "thing");
  cr_assert_eq(p.words.count, 2);
  cr_assert_str_eq(p.words.at[0], "a,b");
  cr_assert_str_eq(p.words.at[1], "c");
  cr_assert(p.numbers.count == 3 && p.numbers.at[2] == 3);
  cr_assert(p.reals.count == 2 && p.reals.at[1] == 99.5);
}

Test(args, the_last_scalar_counts) {
  struct parsed p = {0};
  cr_assert_eq(PARSE(&p, "--number", "3", "--number", "4"), TD_ARGS_GO_ON);
  cr_assert_eq(p.number, 4);
}

Test(args, refuses_with_status_2, .init = cr_redirect_stderr) {
  static const char *const wrong[][2] = {
      {"--nonesuch", NULL}, {"-z", NULL},           {"--number", NULL},  {"--number", "0"},
      {"--number", "11"},   {"--number", "ten"},    {"--number=", NULL}, {"--real", "1.5"},
      {"--real", "nan"},    {"--flag=1", NULL},     {"--words", "a;;b"}, {"--numbers", "1,x"},
      {"--numbers", "101"}, {"--reals", "inf"},     {"--output", ""},    {"thing", "thing"},
      {"--", NULL},         {"--numbers", "1,2,,"}, {"--reals", "1e9"},  {"--num", "3"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    struct parsed p = {0};
    int status = parse(&p, wrong[i][1] ? 2 : 1, wrong[i]);
    cr_expect_eq(status, 2, "%s %s: %d", wrong[i][0], wrong[i][1] ? wrong[i][1] : "", status);
  }
}

Test(args, help_ends_it, .init = cr_redirect_stdout) {
  struct parsed p = {0};
  cr_assert_eq(PARSE(&p, "--nonesuch", "--help"), 0);
}
