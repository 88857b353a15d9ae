/* SPDX-License-Identifier: MIT */
/* Text that may hold anything, such as file names and what users type.
 *
 * A byte that does not belong to a well-formed UTF-8 character (RFC 3629) stands for U+FFFD. */
#ifndef TD_BENCH_CLI_UTF8_H
#define TD_BENCH_CLI_UTF8_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TD_UTF8_REPLACEMENT UINT32_C(0xFFFD)

/* Returns the character at *text and moves *text behind it. At the end it returns 0 and stays. */
uint32_t td_utf8_next(const char **text);

/* Returns whether a terminal, HTML and SVG can take the character as text: no control character
 * and no noncharacter. */
bool td_utf8_is_plain(uint32_t character);

void td_utf8_put(uint32_t character, FILE *out);

/* Writes the text with U+FFFD in place of every character that is not plain. */
void td_utf8_put_plain(const char *text, FILE *out);

/* Returns such a copy, to be freed, or NULL without memory. */
char *td_utf8_plain(const char *text);

#endif
