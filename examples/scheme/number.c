/* SPDX-License-Identifier: MIT */
/* Numbers: fixnums of 62 bits and flonums. A result that does not fit 62 bits is an error. */
#include "scheme.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The signatures of primitives make sure that these get numbers, and integers. */
static double real(value v) {
  return is_fixnum(v) ? (double)unfix(v) : flonum_of(v);
}
static int64_t integer(value v) {
  return is_fixnum(v) ? unfix(v) : (int64_t)flonum_of(v);
}

static bool both_fixnums(value a, value b) {
  return is_fixnum(a) && is_fixnum(b);
}

typedef __int128 wide; /* holds any sum or product of integers */

static value checked_fix(wide n) {
  if (n > FIXNUM_MAX || n < FIXNUM_MIN) fail("result does not fit a 62-bit integer", UNBOUND);
  return fix((int64_t)n);
}

/* Makes the result of two integers inexact if one of them is. */
static value like(const value *a, int64_t n) {
  return both_fixnums(a[0], a[1]) ? checked_fix(n) : make_flonum((double)n);
}

/* ---- Arithmetic ----------------------------------------------------------------------------- */

#define ARITHMETIC(name, sign)                                                                     \
  static value name(value a, value b) {                                                            \
    return both_fixnums(a, b) ? checked_fix((wide)unfix(a) sign unfix(b))                          \
                              : make_flonum(real(a) sign real(b));                                 \
  }
ARITHMETIC(add, +)
ARITHMETIC(subtract, -)
ARITHMETIC(multiply, *)

/* There are no exact fractions, so a quotient that is no integer is inexact. */
static value divide(value a, value b) {
  if (b == fix(0)) fail("division by zero", UNBOUND);
  bool exact = both_fixnums(a, b) && unfix(a) % unfix(b) == 0;
  return exact ? checked_fix(unfix(a) / unfix(b)) : make_flonum(real(a) / real(b));
}

static value fold(value result, int from, int count, const value *a, value (*two)(value, value)) {
  for (int i = from; i < count; i++)
    result = two(result, a[i]);
  return result;
}

EXPRESSION("+", "n*", count == 0 ? fix(0) : fold(a[0], 1, count, a, add)) /* (+ -0.0) is -0.0 */
EXPRESSION("*", "n*", fold(fix(1), 0, count, a, multiply))
EXPRESSION("-", "nn*", count == 1 ? subtract(fix(0), a[0]) : fold(a[0], 1, count, a, subtract))
EXPRESSION("/", "nn*", count == 1 ? divide(fix(1), a[0]) : fold(a[0], 1, count, a, divide))

static int order_numbers(value a, value b) {
  if (both_fixnums(a, b)) return (unfix(a) > unfix(b)) - (unfix(a) < unfix(b));
  double left = real(a), right = real(b);
  return isnan(left) || isnan(right) ? 2 : (left > right) - (left < right);
}

EXPRESSION("<", "nn*", compare_all(count, a, 1, order_numbers))
EXPRESSION("=", "nn*", compare_all(count, a, 2, order_numbers))
EXPRESSION("<=", "nn*", compare_all(count, a, 3, order_numbers))
EXPRESSION(">", "nn*", compare_all(count, a, 4, order_numbers))
EXPRESSION(">=", "nn*", compare_all(count, a, 6, order_numbers))

static bool is_whole(value v) {
  return is_fixnum(v) ||
         (is_type(v, T_FLONUM) && isfinite(flonum_of(v)) && flonum_of(v) == rint(flonum_of(v)));
}

EXPRESSION("number?", ".", make_bool(is_number(a[0])))
EXPRESSION("rational?", ".", make_bool(is_number(a[0]) && isfinite(real(a[0]))))
EXPRESSION("integer?", ".", make_bool(is_whole(a[0])))
EXPRESSION("exact-integer?", ".", make_bool(is_fixnum(a[0])))
EXPRESSION("exact?", "n", make_bool(is_fixnum(a[0])))
EXPRESSION("inexact?", "n", make_bool(!is_fixnum(a[0])))
EXPRESSION("nan?", "n", make_bool(isnan(real(a[0]))))
EXPRESSION("infinite?", "n", make_bool(isinf(real(a[0]))))
EXPRESSION("zero?", "n", make_bool(real(a[0]) == 0))
EXPRESSION("positive?", "n", make_bool(real(a[0]) > 0))
EXPRESSION("negative?", "n", make_bool(real(a[0]) < 0))
EXPRESSION("odd?", "z", make_bool((integer(a[0]) & 1) != 0))
EXPRESSION("even?", "z", make_bool((integer(a[0]) & 1) == 0))

static value extreme(int count, const value *a, int order) {
  value best = a[0];
  bool inexact = false;
  for (int i = 0; i < count; i++) {
    inexact |= !is_fixnum(a[i]);
    if (order_numbers(a[i], best) == order) best = a[i];
  }
  return inexact ? make_flonum(real(best)) : best;
}

EXPRESSION("max", "nn*", extreme(count, a, 1))
EXPRESSION("min", "nn*", extreme(count, a, -1))
EXPRESSION("abs", "n",
           is_fixnum(a[0]) ? checked_fix(llabs(unfix(a[0]))) : make_flonum(fabs(real(a[0]))))

/* ---- Integers ------------------------------------------------------------------------------- */

static int64_t divisor(value v) {
  if (integer(v) == 0) fail("division by zero", UNBOUND);
  return integer(v);
}

static int64_t modulo(int64_t n, int64_t d) {
  int64_t r = n % d;
  return r != 0 && (r < 0) != (d < 0) ? r + d : r;
}

EXPRESSION("quotient", "zz", like(a, integer(a[0]) / divisor(a[1])))
EXPRESSION("remainder", "zz", like(a, integer(a[0]) % divisor(a[1])))
EXPRESSION("modulo", "zz", like(a, modulo(integer(a[0]), divisor(a[1]))))

PRIMITIVE("expt", "nn") {
  if (!both_fixnums(a[0], a[1]) || unfix(a[1]) < 0) return make_flonum(pow(real(a[0]), real(a[1])));
  value base = a[0], result = fix(1);
  for (int64_t exponent = unfix(a[1]);; base = multiply(base, base)) {
    if (exponent & 1) result = multiply(result, base);
    if ((exponent >>= 1) == 0) return result;
  }
}

/* ---- Reals ---------------------------------------------------------------------------------- */

/* Rounding returns fixnums as they are. Some of the other functions have an exact result for 0. */
#define REAL_FUNCTION(name, function, exact)                                                       \
  EXPRESSION(name, "n", exact ? a[0] : make_flonum(function(real(a[0]))))
REAL_FUNCTION("floor", floor, is_fixnum(a[0]))
REAL_FUNCTION("ceiling", ceil, is_fixnum(a[0]))
REAL_FUNCTION("truncate", trunc, is_fixnum(a[0]))
REAL_FUNCTION("round", rint, is_fixnum(a[0]))
REAL_FUNCTION("sin", sin, a[0] == fix(0))
REAL_FUNCTION("cos", cos, false)
REAL_FUNCTION("tan", tan, a[0] == fix(0))
REAL_FUNCTION("asin", asin, a[0] == fix(0))
REAL_FUNCTION("acos", acos, false)
EXPRESSION("exp", "n", a[0] == fix(0) ? fix(1) : make_flonum(exp(real(a[0]))))
EXPRESSION("log", "n|n", make_flonum(log(real(a[0])) / (count == 1 ? 1 : log(real(a[1])))))
EXPRESSION("atan", "n|n",
           make_flonum(count == 1 ? atan(real(a[0])) : atan2(real(a[0]), real(a[1]))))

PRIMITIVE("sqrt", "n") {
  double root = sqrt(real(a[0]));
  bool exact =
      is_fixnum(a[0]) && root == floor(root) && (int64_t)root * (int64_t)root == unfix(a[0]);
  return exact ? fix((int64_t)root) : make_flonum(root);
}
PRIMITIVE("exact", "n") {
  double d = real(a[0]);
  if (is_fixnum(a[0])) return a[0];
  if (!(fabs(d) < 0x1p61) || d != floor(d)) fail("no exact number like this here:", a[0]);
  return fix((int64_t)d);
}
EXPRESSION("inexact", "n", is_fixnum(a[0]) ? make_flonum(real(a[0])) : a[0])

/* ---- Text ----------------------------------------------------------------------------------- */

/* Returns the shortest decimal that reads back as the same number. */
static value flonum_to_string(double d) {
  char text[40];
  if (isnan(d)) return string_from_c("+nan.0");
  if (isinf(d)) return string_from_c(d > 0 ? "+inf.0" : "-inf.0");
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text - 3, "%.*g", digits, d);
    if (strtod(text, NULL) == d) break;
  }
  char *exponent = strpbrk(text, "e");
  if (exponent != NULL && exponent[2] == '0') /* e-07: leave the zero out */
    memmove(exponent + 2, exponent + 3, strlen(exponent + 2));
  if (strpbrk(text, ".e") == NULL) strcat(text, ".0");
  return string_from_c(text);
}

static value number_to_string(value number, int radix) {
  if (!is_fixnum(number)) return flonum_to_string(flonum_of(number));
  char text[72], *at = text + sizeof text - 1;
  uint64_t n = (uint64_t)llabs(unfix(number));
  *at = 0;
  do
    *--at = "0123456789abcdefghijklmnopqrstuvwxyz"[n % (uint64_t)radix];
  while ((n /= (uint64_t)radix) != 0);
  if (unfix(number) < 0) *--at = '-';
  return string_from_c(at);
}

/* Returns FALSE for what Scheme does not take, though strtod does. */
static value parse_decimal(const char *text) {
  char *end;
  if (strcmp(text, "+inf.0") == 0) return make_flonum(INFINITY);
  if (strcmp(text, "-inf.0") == 0) return make_flonum(-INFINITY);
  if (strcmp(text, "+nan.0") == 0 || strcmp(text, "-nan.0") == 0) return make_flonum(NAN);
  if (text[strspn(text, "+-.0123456789eE")] != 0) return FALSE;
  double number = strtod(text, &end);
  return end != text && *end == 0 ? make_flonum(number) : FALSE;
}

/* An integer that is too large for a fixnum is an error, not a wrong number. */
static value parse_integer(const char *text, int radix) {
  char *end;
  const char *digits = text + (*text == '+' || *text == '-');
  if (!isalnum((unsigned char)*digits) || (digits[0] == '0' && tolower(digits[1]) == 'x'))
    return FALSE;
  errno = 0;
  long long n = strtoll(text, &end, radix);
  if (*end != 0) return FALSE;
  if (errno == ERANGE || n > FIXNUM_MAX || n < FIXNUM_MIN)
    fail_list("integer does not fit 62 bits:", cons(string_from_c(text), NIL));
  return fix(n);
}

value parse_number(const char *text, int radix) {
  static const char prefixes[] = "xbodei"; /* e and i are ignored: the digits decide */
  static const int radices[] = {16, 2, 8, 10};
  for (; text[0] == '#' && text[1] != 0; text += 2) {
    const char *prefix = strchr(prefixes, tolower((unsigned char)text[1]));
    if (prefix == NULL) return FALSE;
    if (prefix < prefixes + 4) radix = radices[prefix - prefixes];
  }
  value number = parse_integer(text, radix);
  return number == FALSE && radix == 10 ? parse_decimal(text) : number;
}

static int radix_of(int count, const value *a) {
  if (count < 2) return 10;
  if (unfix(a[1]) < 2 || unfix(a[1]) > 36) fail_type("radix", a[1]);
  return (int)unfix(a[1]);
}

EXPRESSION("number->string", "n|i", number_to_string(a[0], radix_of(count, a)))

PRIMITIVE("string->number", "s|i") {
  const char *text = c_from_string(a[0]);
  bool whole = strlen(text) == size_of(a[0]); /* no NUL, and ASCII as all numbers are */
  return whole ? parse_number(text, radix_of(count, a)) : FALSE;
}
