/* SPDX-License-Identifier: MIT */
/* A function in whose place the linker puts another one (--wrap=NAME). */
#ifndef TD_TESTS_WRAP_H
#define TD_TESTS_WRAP_H

/* Declares __wrap_NAME, which callers get, and __real_NAME, which it may call. */
#define WRAPS(type, name, ...)                                                                     \
  type __real_##name(__VA_ARGS__);                                                                 \
  type __wrap_##name(__VA_ARGS__)

#endif
