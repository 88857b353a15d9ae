/* SPDX-License-Identifier: MIT */
#include "inspect/base/json_text.h"

/* Returns how many bytes the UTF-8 character at `at` has, 0 if there is none. The first two bytes
 * decide about overlong forms, surrogates and numbers over U+10FFFF (RFC 3629, section 4). */
static unsigned character_bytes(const unsigned char *at) {
  unsigned bytes = 1;
  unsigned char low = 0x80, high = 0xbf; /* of the second byte */
  if (at[0] >= 0xc2 && at[0] <= 0xdf) bytes = 2;
  if (at[0] >= 0xe0 && at[0] <= 0xef) bytes = 3;
  if (at[0] >= 0xf0 && at[0] <= 0xf4) bytes = 4;
  if (bytes == 1) return at[0] < 0x80;
  if (at[0] == 0xe0) low = 0xa0;
  if (at[0] == 0xed) high = 0x9f;
  if (at[0] == 0xf0) low = 0x90;
  if (at[0] == 0xf4) high = 0x8f;
  if (at[1] < low || at[1] > high) return 0;
  for (unsigned i = 2; i < bytes; i++)
    if (at[i] < 0x80 || at[i] > 0xbf) return 0; /* also at the text's end */
  return bytes;
}

void td_json_text(FILE *file, const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  while (*at) {
    unsigned bytes = character_bytes(at);
    if (bytes == 0)
      fputs("\\ufffd", file);
    else if (*at == '"' || *at == '\\')
      fprintf(file, "\\%c", *at);
    else if (*at < 0x20 || *at == 0x7f)
      fprintf(file, "\\u%04x", *at);
    else
      fwrite(at, 1, bytes, file);
    at += bytes ? bytes : 1;
  }
}
