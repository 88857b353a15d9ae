/* SPDX-License-Identifier: MIT */
/* A stand-in for Criterion where that is not to be had (cross compilers, another C library): as
 * much of it as the tests use. Each test runs in a process of its own. The program ends with 1 if a
 * test failed. Its output is one line for each failure, and one with the counts. Each source of a
 * program includes this file, so what a program must have once is weak. */
#ifndef TESTS_MATRIX_SHIM_CRITERION_CRITERION_H
#define TESTS_MATRIX_SHIM_CRITERION_CRITERION_H

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct td_test {
  const char *suite, *name;
  void (*body)(void);
  struct td_test *next;
  void (*init)(void);
  void (*fini)(void);
  double timeout;
  int signal; /* what it has to end by */
};

enum { TD_TEST_SKIPPED = 77, TD_TEST_SECONDS = 300 };

#define TD_ONCE __attribute__((weak))

TD_ONCE struct td_test *td_tests, *td_suites;
TD_ONCE bool td_test_failed;

#define TD_TEST_DECLARE(list, suite_name, test_name, function, ...)                                \
  static struct td_test td_test_##suite_name##_##test_name = {                                     \
      .suite = #suite_name, .name = #test_name, .body = function, ##__VA_ARGS__};                  \
  __attribute__((constructor)) static void td_add_##suite_name##_##test_name(void) {               \
    td_test_##suite_name##_##test_name.next = list;                                                \
    list = &td_test_##suite_name##_##test_name;                                                    \
  }
#define Test(suite, name, ...)                                                                     \
  static void td_body_##suite##_##name(void);                                                      \
  TD_TEST_DECLARE(td_tests, suite, name, td_body_##suite##_##name, ##__VA_ARGS__)                  \
  static void td_body_##suite##_##name(void)
#define TestSuite(suite, ...)                                                                      \
  TD_TEST_DECLARE(td_suites, suite, all, NULL, ##__VA_ARGS__)                                      \
  extern int td_suite_##suite

__attribute__((format(printf, 6, 7))) TD_ONCE void td_test_check(bool good, bool must,
                                                                 const char *file, int line,
                                                                 const char *what,
                                                                 const char *format, ...) {
  if (good) return;
  td_test_failed = true;
  fprintf(stderr, "%s:%d: %s ", file, line, what);
  va_list more;
  va_start(more, format);
  vfprintf(stderr, format, more);
  va_end(more);
  fputc('\n', stderr);
  if (must) _exit(1);
}

#define TD_CHECK(good, must, what, ...)                                                            \
  td_test_check((good), must, __FILE__, __LINE__, what, " " __VA_ARGS__)
#define TD_SAME(a, b) (strcmp((a), (b)) == 0)
#define TD_NEAR(a, b, most) (fabs((double)(a) - (double)(b)) <= (double)(most))

#define cr_assert(a, ...) TD_CHECK(a, true, #a, __VA_ARGS__)
#define cr_assert_fail(...) TD_CHECK(false, true, "fails", __VA_ARGS__)
#define cr_assert_not(a, ...) TD_CHECK(!(a), true, "not " #a, __VA_ARGS__)
#define cr_assert_null(a, ...) TD_CHECK((a) == NULL, true, #a " is NULL", __VA_ARGS__)
#define cr_assert_not_null(a, ...) TD_CHECK((a) != NULL, true, #a " is not NULL", __VA_ARGS__)
#define cr_assert_eq(a, b, ...) TD_CHECK((a) == (b), true, #a " == " #b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...) TD_CHECK((a) != (b), true, #a " != " #b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...) TD_CHECK((a) < (b), true, #a " < " #b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...) TD_CHECK((a) <= (b), true, #a " <= " #b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...) TD_CHECK((a) > (b), true, #a " > " #b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...) TD_CHECK((a) >= (b), true, #a " >= " #b, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) TD_CHECK(TD_SAME(a, b), true, #a " is " #b, __VA_ARGS__)
#define cr_assert_str_empty(a, ...) TD_CHECK(TD_SAME(a, ""), true, #a " is empty", __VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...)                                                             \
  TD_CHECK(memcmp((a), (b), (n)) == 0, true, #a " holds " #b, __VA_ARGS__)
#define cr_assert_float_eq(a, b, most, ...)                                                        \
  TD_CHECK(TD_NEAR(a, b, most), true, #a " is about " #b, __VA_ARGS__)

#define cr_expect(a, ...) TD_CHECK(a, false, #a, __VA_ARGS__)
#define cr_expect_not(a, ...) TD_CHECK(!(a), false, "not " #a, __VA_ARGS__)
#define cr_expect_null(a, ...) TD_CHECK((a) == NULL, false, #a " is NULL", __VA_ARGS__)
#define cr_expect_not_null(a, ...) TD_CHECK((a) != NULL, false, #a " is not NULL", __VA_ARGS__)
#define cr_expect_eq(a, b, ...) TD_CHECK((a) == (b), false, #a " == " #b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...) TD_CHECK((a) != (b), false, #a " != " #b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...) TD_CHECK((a) > (b), false, #a " > " #b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...) TD_CHECK((a) <= (b), false, #a " <= " #b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...) TD_CHECK((a) >= (b), false, #a " >= " #b, __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) TD_CHECK(TD_SAME(a, b), false, #a " is " #b, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...) TD_CHECK(!TD_SAME(a, b), false, #a " is not " #b, __VA_ARGS__)
#define cr_expect_float_eq(a, b, most, ...)                                                        \
  TD_CHECK(TD_NEAR(a, b, most), false, #a " is about " #b, __VA_ARGS__)

#define cr_skip_test(...) _exit(TD_TEST_SKIPPED)
#define cr_log_info(...) ((void)(fprintf(stderr, __VA_ARGS__), fputc('\n', stderr)))

static _Noreturn void td_test_live(const struct td_test *test, const struct td_test *suite) {
  void (*init)(void) = test->init ? test->init : suite ? suite->init : NULL;
  void (*fini)(void) = test->fini ? test->fini : suite ? suite->fini : NULL;
  double seconds = test->timeout > 0 ? 10 * test->timeout : TD_TEST_SECONDS; /* emulated: slow */
  alarm((unsigned)seconds);
  if (init) init();
  test->body();
  if (fini) fini();
  exit(td_test_failed ? 1 : 0);
}

/* Returns how it ended: 0, 1 or TD_TEST_SKIPPED. */
static int td_test_run(const struct td_test *test) {
  const struct td_test *suite = td_suites;
  while (suite && strcmp(suite->suite, test->suite))
    suite = suite->next;
  fflush(NULL);
  int status, wanted = test->signal ? test->signal : suite ? suite->signal : 0;
  pid_t child = fork();
  if (child == 0) td_test_live(test, suite);
  if (child < 0 || waitpid(child, &status, 0) != child) return 1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == TD_TEST_SKIPPED) return TD_TEST_SKIPPED;
  bool good = wanted ? WIFSIGNALED(status) && WTERMSIG(status) == wanted
                     : WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!good) printf("FAILED %s %s: status %#x\n", test->suite, test->name, (unsigned)status);
  return good ? 0 : 1;
}

/* TD_LEFT_OUT names suites, each between two spaces. */
static bool td_test_is_left_out(const struct td_test *test) {
  const char *left_out = getenv("TD_LEFT_OUT");
  char word[128];
  snprintf(word, sizeof word, " %s ", test->suite);
  return left_out && strstr(left_out, word);
}

TD_ONCE int main(void) {
  unsigned run = 0, failed = 0, skipped = 0;
  for (const struct td_test *test = td_tests; test; test = test->next) {
    if (td_test_is_left_out(test)) continue;
    int result = td_test_run(test);
    run++;
    failed += result == 1;
    skipped += result == TD_TEST_SKIPPED;
  }
  printf("%u tests, %u failed, %u skipped\n", run, failed, skipped);
  return failed || run == 0 ? 1 : 0;
}

#endif
