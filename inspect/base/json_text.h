/* SPDX-License-Identifier: MIT */
/* Text as a JSON string, whatever is in it. */
#ifndef TD_INSPECT_BASE_JSON_TEXT_H
#define TD_INSPECT_BASE_JSON_TEXT_H

#include <stdio.h>

/* Writes the inside of a string, without the quotes. Control characters are escaped, and each byte
 * that is not part of valid UTF-8 becomes U+FFFD. Errors show in the FILE. */
void td_json_text(FILE *file, const char *text);

#endif
