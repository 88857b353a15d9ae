/* SPDX-License-Identifier: MIT */
#include "bench/cli/utf8.h"

#include <stdlib.h>
#include <string.h>

/* The bytes of a character, by its first byte; 0: no character begins so. */
static unsigned length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0; /* a continuation, or a longer form than needed */
  if (first < 0xE0) return 2;
  if (first < 0xF0) return 3;
  return first < 0xF5 ? 4 : 0;
}

/* Is it the shortest form, within Unicode, and no surrogate? */
static bool is_valid(uint32_t character, unsigned length) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  return character >= least[length] && character <= 0x10FFFF &&
         !(character >= 0xD800 && character <= 0xDFFF);
}

uint32_t td_utf8_next(const char **text) {
  const unsigned char *at = (const unsigned char *)*text;
  if (at[0] == '\0') return 0;
  *text += 1;
  unsigned length = length_of(at[0]);
  if (length == 0) return TD_UTF8_REPLACEMENT;
  uint32_t character = length == 1 ? at[0] : at[0] & (0x7Fu >> length);
  for (unsigned i = 1; i < length; i++) {
    if (at[i] >> 6 != 2) return TD_UTF8_REPLACEMENT; /* the terminating zero is caught here, too */
    character = character << 6 | (at[i] & 0x3Fu);
  }
  if (!is_valid(character, length)) return TD_UTF8_REPLACEMENT;
  *text += length - 1;
  return character;
}

bool td_utf8_is_plain(uint32_t character) {
  if (character < 0x20 || (character >= 0x7F && character < 0xA0)) return false;
  if (character >= 0xFDD0 && character <= 0xFDEF) return false;
  return (character & 0xFFFE) != 0xFFFE;
}

/* Returns the number of bytes, at most 4. */
static unsigned encode(uint32_t c, char bytes[4]) {
  if (c < 0x80) {
    bytes[0] = (char)c;
    return 1;
  }
  unsigned length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (unsigned i = length - 1; i > 0; i--, c >>= 6)
    bytes[i] = (char)(0x80 | (c & 0x3F));
  bytes[0] = (char)((0xF00u >> length & 0xFFu) | c);
  return length;
}

void td_utf8_put(uint32_t character, FILE *out) {
  char bytes[4];
  fwrite(bytes, 1, encode(character, bytes), out);
}

static uint32_t next_plain(const char **text) {
  uint32_t character = td_utf8_next(text);
  return character == 0 || td_utf8_is_plain(character) ? character : TD_UTF8_REPLACEMENT;
}

void td_utf8_put_plain(const char *text, FILE *out) {
  uint32_t character;
  while ((character = next_plain(&text)) != 0)
    td_utf8_put(character, out);
}

char *td_utf8_plain(const char *text) {
  char *plain = malloc(3 * strlen(text) + 1); /* one byte becomes three at most */
  if (!plain) return NULL;
  char *end = plain;
  uint32_t character;
  while ((character = next_plain(&text)) != 0) {
    char bytes[4];
    unsigned length = encode(character, bytes);
    memcpy(end, bytes, length);
    end += length;
  }
  *end = '\0';
  return plain;
}
