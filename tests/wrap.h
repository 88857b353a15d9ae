/* SPDX-License-Identifier: MIT */
/* A function in whose place the linker puts another one (--wrap=NAME). */
#ifndef TD_TESTS_WRAP_H
#define TD_TESTS_WRAP_H

/* Before the body of what callers get; it may call __real_NAME. */
#define WRAP(type, name, ...)                                                                      \
  type __real_##name(__VA_ARGS__);                                                                 \
  type __wrap_##name(__VA_ARGS__);                                                                 \
  type __wrap_##name(__VA_ARGS__)

/* Callers get `instead` where `condition` is true, and what they called otherwise. */
#define REPLACES(condition, instead, type, name, parameters, arguments)                            \
  type __real_##name parameters;                                                                   \
  type __wrap_##name parameters;                                                                   \
  type __wrap_##name parameters {                                                                  \
    return (condition) ? (instead) : __real_##name arguments;                                      \
  }

#endif
