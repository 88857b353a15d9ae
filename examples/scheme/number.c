/* Numbers: fixnums of 62 bits and flonums. A result that does not fit 62 bits is an error. */
#include "scheme.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool is_number(value v) {
  return is_fixnum(v) || is_type(v, T_FLONUM);
}

static double to_double(const char *who, value v) {
  if (is_fixnum(v)) return (double)unfix(v);
  if (!is_type(v, T_FLONUM)) fail_type(who, "number", v);
  return flonum_of(v);
}

static value checked_fix(const char *who, int64_t n, bool overflow) {
  if (overflow || n > FIXNUM_MAX || n < FIXNUM_MIN)
    fail(who, "result does not fit a 62-bit integer", NIL);
  return fix(n);
}

static int64_t to_integer(const char *who, value v) {
  if (is_type(v, T_FLONUM) && flonum_of(v) == floor(flonum_of(v)) && fabs(flonum_of(v)) < 0x1p61)
    return (int64_t)flonum_of(v);
  if (!is_fixnum(v)) fail_type(who, "integer", v);
  return unfix(v);
}

/* An integer result is inexact if an argument is. */
static value like(const int count, const value *a, int64_t n) {
  for (int i = 0; i < count; i++)
    if (!is_fixnum(a[i])) return make_flonum((double)n);
  return checked_fix("integer arithmetic", n, false);
}

value number_add(value a, value b) {
  if (is_fixnum(a) && is_fixnum(b)) return checked_fix("+", unfix(a) + unfix(b), false);
  double left = to_double("+", a);
  return make_flonum(left + to_double("+", b));
}

value number_subtract(value a, value b) {
  if (is_fixnum(a) && is_fixnum(b)) return checked_fix("-", unfix(a) - unfix(b), false);
  double left = to_double("-", a);
  return make_flonum(left - to_double("-", b));
}

value number_multiply(value a, value b) {
  int64_t product;
  if (is_fixnum(a) && is_fixnum(b)) {
    bool overflow = __builtin_mul_overflow(unfix(a), unfix(b), &product);
    return checked_fix("*", product, overflow);
  }
  double left = to_double("*", a);
  return make_flonum(left * to_double("*", b));
}

/* There are no exact fractions: what does not divide becomes inexact. */
static value divide(value a, value b) {
  if (b == fix(0)) fail("/", "division by zero", NIL);
  if (is_fixnum(a) && is_fixnum(b) && unfix(a) % unfix(b) == 0)
    return checked_fix("/", unfix(a) / unfix(b), false);
  double left = to_double("/", a);
  return make_flonum(left / to_double("/", b));
}

int number_compare(const char *who, value a, value b) {
  if (is_fixnum(a) && is_fixnum(b)) return (unfix(a) > unfix(b)) - (unfix(a) < unfix(b));
  double left = to_double(who, a), right = to_double(who, b);
  return isnan(left) || isnan(right) ? 2 : (left > right) - (left < right);
}

static value fold(value result, int from, int count, const value *a, value (*two)(value, value)) {
  for (int i = from; i < count; i++)
    result = two(result, a[i]);
  return result;
}

PRIMITIVE(p_add) {
  return fold(fix(0), 0, count, a, number_add);
}
PRIMITIVE(p_multiply) {
  return fold(fix(1), 0, count, a, number_multiply);
}
PRIMITIVE(p_subtract) {
  return count == 1 ? number_subtract(fix(0), a[0]) : fold(a[0], 1, count, a, number_subtract);
}
PRIMITIVE(p_divide) {
  return count == 1 ? divide(fix(1), a[0]) : fold(a[0], 1, count, a, divide);
}

/* Bit c + 1 of `accepted` says that outcome c of the comparison of neighbours is fine. */
static value compare_all(const char *who, int count, const value *a, int accepted) {
  bool all = true;
  for (int i = 0; i + 1 < count; i++)
    all &= (accepted >> (number_compare(who, a[i], a[i + 1]) + 1) & 1) != 0;
  if (count == 1) to_double(who, a[0]);
  return make_bool(all);
}

PRIMITIVE(p_equal) {
  return compare_all("=", count, a, 2);
}
PRIMITIVE(p_less) {
  return compare_all("<", count, a, 1);
}
PRIMITIVE(p_more) {
  return compare_all(">", count, a, 4);
}
PRIMITIVE(p_not_more) {
  return compare_all("<=", count, a, 3);
}
PRIMITIVE(p_not_less) {
  return compare_all(">=", count, a, 6);
}

#define X(function, name, test)                                                                    \
  PRIMITIVE(function) {                                                                            \
    double x = to_double(name, a[0]);                                                              \
    return make_bool(test);                                                                        \
  }
/* clang-format off */
#define DOUBLE_TESTS                                                                               \
  X(p_zero, "zero?", x == 0)                                                                       \
  X(p_positive, "positive?", x > 0)                                                                \
  X(p_negative, "negative?", x < 0)                                                                \
  X(p_is_nan, "nan?", isnan(x))                                                                    \
  X(p_is_infinite, "infinite?", isinf(x))                                                          \
  X(p_is_exact, "exact?", ((void)x, is_fixnum(a[0])))                                              \
  X(p_is_inexact, "inexact?", ((void)x, !is_fixnum(a[0])))
/* clang-format on */
DOUBLE_TESTS
#undef X

PRIMITIVE(p_odd) {
  return make_bool((to_integer("odd?", a[0]) & 1) != 0);
}
PRIMITIVE(p_even) {
  return make_bool((to_integer("even?", a[0]) & 1) == 0);
}

static value extreme(const char *who, int count, const value *a, int wanted) {
  value best = a[0];
  bool inexact = false;
  for (int i = 0; i < count; i++) {
    inexact |= !is_fixnum(a[i]);
    if (number_compare(who, a[i], best) == wanted) best = a[i];
  }
  return inexact ? make_flonum(to_double(who, best)) : best;
}

PRIMITIVE(p_max) {
  return extreme("max", count, a, 1);
}
PRIMITIVE(p_min) {
  return extreme("min", count, a, -1);
}

PRIMITIVE(p_abs) {
  if (is_fixnum(a[0])) return checked_fix("abs", llabs(unfix(a[0])), false);
  return make_flonum(fabs(to_double("abs", a[0])));
}

static int64_t divisor(const char *who, value v) {
  int64_t n = to_integer(who, v);
  if (n == 0) fail(who, "division by zero", NIL);
  return n;
}

PRIMITIVE(p_quotient) {
  int64_t n = to_integer("quotient", a[0]);
  return like(count, a, n / divisor("quotient", a[1]));
}

PRIMITIVE(p_remainder) {
  int64_t n = to_integer("remainder", a[0]);
  return like(count, a, n % divisor("remainder", a[1]));
}

static int64_t modulo(int64_t n, int64_t d) {
  int64_t r = n % d;
  return r != 0 && (r < 0) != (d < 0) ? r + d : r;
}

PRIMITIVE(p_modulo) {
  int64_t n = to_integer("modulo", a[0]);
  return like(count, a, modulo(n, divisor("modulo", a[1])));
}

PRIMITIVE(p_floor_quotient) {
  int64_t n = to_integer("floor-quotient", a[0]), d = divisor("floor-quotient", a[1]);
  return like(count, a, (n - modulo(n, d)) / d);
}

static int64_t gcd(int64_t a, int64_t b) {
  while (b != 0) {
    int64_t r = a % b;
    a = b;
    b = r;
  }
  return a < 0 ? -a : a;
}

PRIMITIVE(p_gcd) {
  int64_t result = 0;
  for (int i = 0; i < count; i++)
    result = gcd(result, to_integer("gcd", a[i]));
  return like(count, a, result);
}

static value power(value base, int64_t exponent) {
  value result = fix(1);
  for (;;) {
    if (exponent & 1) result = number_multiply(result, base);
    if ((exponent >>= 1) == 0) return result;
    base = number_multiply(base, base);
  }
}

PRIMITIVE(p_expt) {
  if (is_fixnum(a[1]) && unfix(a[1]) >= 0 && is_fixnum(a[0])) {
    if (a[0] == fix(0) || a[0] == fix(1) || a[0] == fix(-1))
      return unfix(a[1]) % 2 == 0 ? fix(a[0] != fix(0) || a[1] == fix(0)) : a[0];
    return power(a[0], unfix(a[1]));
  }
  double base = to_double("expt", a[0]);
  return make_flonum(pow(base, to_double("expt", a[1])));
}

PRIMITIVE(p_exact) {
  value v = a[0];
  if (is_fixnum(v)) return v;
  double d = to_double("exact", v);
  if (!(fabs(d) < 0x1p61) || d != floor(d)) fail("exact", "no exact number like this here:", v);
  return fix((int64_t)d);
}

PRIMITIVE(p_inexact) {
  return is_fixnum(a[0]) ? make_flonum((double)unfix(a[0])) : a[0];
}

PRIMITIVE(p_sqrt) {
  double d = to_double("sqrt", a[0]), root = sqrt(d);
  if (is_fixnum(a[0]) && root == floor(root) && (int64_t)root * (int64_t)root == unfix(a[0]))
    return fix((int64_t)root);
  return make_flonum(root);
}

/* Rounding leaves fixnums alone; of the others only an exact zero stays exact. */
static value apply_double(value v, const char *who, double (*function)(double), bool keep) {
  return keep && is_fixnum(v) ? v : make_flonum(function(to_double(who, v)));
}
/* clang-format off */
#define DOUBLE_FUNCTIONS                                                                           \
  X(floor, floor, true)                                                                            \
  X(ceiling, ceil, true)                                                                           \
  X(truncate, trunc, true)                                                                         \
  X(round, rint, true)                                                                             \
  X(sin, sin, a[0] == fix(0))                                                                      \
  X(cos, cos, false)                                                                               \
  X(tan, tan, a[0] == fix(0))                                                                      \
  X(asin, asin, a[0] == fix(0))                                                                    \
  X(acos, acos, false)                                                                             \
  X(exp, exp, false)
/* clang-format on */
#define X(name, function, keep)                                                                    \
  PRIMITIVE(p_##name) {                                                                            \
    return apply_double(a[0], #name, function, keep);                                              \
  }
DOUBLE_FUNCTIONS
#undef X
PRIMITIVE(p_log) {
  double d = log(to_double("log", a[0]));
  return make_flonum(count == 1 ? d : d / log(to_double("log", a[1])));
}
PRIMITIVE(p_atan) {
  double y = to_double("atan", a[0]);
  return make_flonum(count == 1 ? atan(y) : atan2(y, to_double("atan", a[1])));
}

PRIMITIVE(p_is_number) {
  return make_bool(is_number(a[0]));
}
PRIMITIVE(p_is_integer) {
  value v = a[0];
  bool whole = is_type(v, T_FLONUM) && isfinite(flonum_of(v)) && flonum_of(v) == rint(flonum_of(v));
  return make_bool(is_fixnum(v) || whole);
}
PRIMITIVE(p_is_rational) {
  value v = a[0];
  return make_bool(is_fixnum(v) || (is_type(v, T_FLONUM) && isfinite(flonum_of(v))));
}
PRIMITIVE(p_is_exact_integer) {
  return make_bool(is_fixnum(a[0]));
}

/* The shortest decimal that reads back as the same number. */
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

value number_to_string(value number, int radix) {
  if (!is_fixnum(number)) return flonum_to_string(to_double("number->string", number));
  char text[72], *at = text + sizeof text - 1;
  uint64_t n = (uint64_t)llabs(unfix(number));
  *at = 0;
  do
    *--at = "0123456789abcdefghijklmnopqrstuvwxyz"[n % (uint64_t)radix];
  while ((n /= (uint64_t)radix) != 0);
  if (unfix(number) < 0) *--at = '-';
  return string_from_c(at);
}

static int checked_radix(const char *who, int count, const value *a) {
  if (count < 2) return 10;
  if (!is_fixnum(a[1]) || unfix(a[1]) < 2 || unfix(a[1]) > 36) fail_type(who, "radix", a[1]);
  return (int)unfix(a[1]);
}

PRIMITIVE(p_number_to_string) {
  return number_to_string(a[0], checked_radix("number->string", count, a));
}

PRIMITIVE(p_string_to_number) {
  if (!is_type(a[0], T_STRING)) fail_type("string->number", "string", a[0]);
  value utf8 = utf8_from_string(a[0], 0, size_of(a[0]));
  const char *text = (const char *)((struct bytes *)utf8)->bytes;
  return parse_number(text, checked_radix("string->number", count, a));
}

#define X(function, name, start, op)                                                               \
  PRIMITIVE(function) {                                                                            \
    int64_t bits = start;                                                                          \
    for (int i = 0; i < count; i++)                                                                \
      bits op to_integer(name, a[i]);                                                              \
    return fix(bits);                                                                              \
  }
X(p_bit_and, "bitwise-and", -1, &=)
X(p_bit_or, "bitwise-ior", 0, |=)
X(p_bit_xor, "bitwise-xor", 0, ^=)
#undef X
PRIMITIVE(p_bit_not) {
  return fix(~to_integer("bitwise-not", a[0]));
}
PRIMITIVE(p_shift) {
  int64_t n = to_integer("arithmetic-shift", a[0]), by = to_integer("arithmetic-shift", a[1]);
  if (by <= 0) return fix(by < -63 ? n >> 63 : n >> -by);
  bool overflow = n != 0 && (by > 61 || (n << by) >> by != n);
  return checked_fix("arithmetic-shift", by > 61 ? 0 : (int64_t)((uint64_t)n << by), overflow);
}

void start_numbers(void) {
  static const struct definition table[] = {
#define X(function, name, test) {name, function, 1, 1},
      DOUBLE_TESTS
#undef X
#define X(name, function, keep) {#name, p_##name, 1, 1},
          DOUBLE_FUNCTIONS
#undef X
      {"+", p_add, 0, -1},
      {"-", p_subtract, 1, -1},
      {"*", p_multiply, 0, -1},
      {"/", p_divide, 1, -1},
      {"=", p_equal, 1, -1},
      {"<", p_less, 1, -1},
      {">", p_more, 1, -1},
      {"<=", p_not_more, 1, -1},
      {">=", p_not_less, 1, -1},
      {"odd?", p_odd, 1, 1},
      {"even?", p_even, 1, 1},
      {"max", p_max, 1, -1},
      {"min", p_min, 1, -1},
      {"abs", p_abs, 1, 1},
      {"magnitude", p_abs, 1, 1},
      {"quotient", p_quotient, 2, 2},
      {"truncate-quotient", p_quotient, 2, 2},
      {"remainder", p_remainder, 2, 2},
      {"truncate-remainder", p_remainder, 2, 2},
      {"modulo", p_modulo, 2, 2},
      {"floor-remainder", p_modulo, 2, 2},
      {"floor-quotient", p_floor_quotient, 2, 2},
      {"gcd", p_gcd, 0, -1},
      {"expt", p_expt, 2, 2},
      {"exact", p_exact, 1, 1},
      {"inexact->exact", p_exact, 1, 1},
      {"inexact", p_inexact, 1, 1},
      {"exact->inexact", p_inexact, 1, 1},
      {"sqrt", p_sqrt, 1, 1},
      {"log", p_log, 1, 2},
      {"atan", p_atan, 1, 2},
      {"number?", p_is_number, 1, 1},
      {"complex?", p_is_number, 1, 1},
      {"real?", p_is_number, 1, 1},
      {"rational?", p_is_rational, 1, 1},
      {"integer?", p_is_integer, 1, 1},
      {"exact-integer?", p_is_exact_integer, 1, 1},
      {"exact-rational?", p_is_exact_integer, 1, 1},
      {"number->string", p_number_to_string, 1, 2},
      {"string->number", p_string_to_number, 1, 2},
      {"bitwise-and", p_bit_and, 0, -1},
      {"bitwise-ior", p_bit_or, 0, -1},
      {"bitwise-xor", p_bit_xor, 0, -1},
      {"bitwise-not", p_bit_not, 1, 1},
      {"arithmetic-shift", p_shift, 2, 2}};
  DEFINE_PRIMITIVES(table);
}
