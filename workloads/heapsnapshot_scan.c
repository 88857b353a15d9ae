/* SPDX-License-Identifier: MIT */
#include "workloads/heapsnapshot_scan.h"

#include <string.h>

#define DEPTH_MAX 4096u /* a tree of allocation traces is as deep as the stacks were */
#define DIGITS_MAX 18u

static bool fail(struct td_scan *scan, const char *what) {
  if (!scan->failed) td_source_fail(scan->source, td_source_offset(scan->source), "%s", what);
  scan->failed = true;
  return false;
}

/* Returns the next byte without taking it, or -1. */
static int look(struct td_scan *scan) {
  struct td_import_source *source = scan->source;
  if (scan->failed) return -1;
  if (source->next == source->end && td_source_fill(source, 1) == 0) {
    scan->failed = source->failed;
    return -1;
  }
  return *source->next;
}

static int take(struct td_scan *scan) {
  int byte = look(scan);
  if (byte >= 0) scan->source->next++;
  return byte;
}

static bool is_space(int byte) {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

int td_scan_peek(struct td_scan *scan) {
  int byte;
  while (is_space(byte = look(scan)))
    scan->source->next++;
  return byte;
}

/* Reports what was expected in place of the next byte. */
static bool fail_expected(struct td_scan *scan, const char *what) {
  if (scan->failed) return false;
  uint64_t offset = td_source_offset(scan->source);
  if (look(scan) < 0) {
    if (!scan->failed) td_source_fail(scan->source, offset, "the file ends before %s", what);
  } else {
    td_source_fail(scan->source, offset, "expected %s", what);
  }
  scan->failed = true;
  return false;
}

bool td_scan_open(struct td_scan *scan, char opening) {
  if (td_scan_peek(scan) != opening) {
    return fail_expected(scan, opening == '{' ? "an object" : "an array");
  }
  scan->source->next++;
  return true;
}

bool td_scan_more(struct td_scan *scan, char closing, bool *first) {
  int byte = td_scan_peek(scan);
  if (byte == closing) {
    scan->source->next++;
    *first = false;
    return false;
  }
  if (*first) {
    *first = false;
    return byte >= 0 ? true : fail_expected(scan, "a value");
  }
  if (byte != ',') return fail_expected(scan, "a comma or the end of the list");
  scan->source->next++;
  return true;
}

/* Takes bytes up to a quote, a backslash or the end of what is at hand, and copies what fits. */
static size_t take_plain(struct td_scan *scan, char *buffer, size_t room) {
  const uint8_t *start = scan->source->next;
  const uint8_t *at = start;
  while (at < scan->source->end && *at != '"' && *at != '\\')
    at++;
  size_t length = (size_t)(at - start);
  if (length > room) length = room;
  if (length) memcpy(buffer, start, length);
  scan->source->next = at;
  return length;
}

bool td_scan_string(struct td_scan *scan, char *buffer, size_t capacity) {
  if (td_scan_peek(scan) != '"') return fail_expected(scan, "a string");
  scan->source->next++;
  size_t room = capacity ? capacity - 1 : 0;
  size_t length = 0;
  for (;;) {
    length += take_plain(scan, buffer ? buffer + length : NULL, room - length);
    int byte = look(scan);
    if (byte == '"' || byte == '\\') scan->source->next++;
    if (byte == '"') break;
    if (byte == '\\') byte = take(scan); /* whatever is escaped is not the end */
    if (byte < 0) return fail_expected(scan, "the end of a string");
  }
  if (capacity) buffer[length] = '\0';
  return true;
}

bool td_scan_name(struct td_scan *scan, char *buffer, size_t capacity) {
  if (!td_scan_string(scan, buffer, capacity)) return false;
  if (td_scan_peek(scan) != ':') return fail_expected(scan, "a colon");
  scan->source->next++;
  return true;
}

static bool is_digit(int byte) {
  return byte >= '0' && byte <= '9';
}

bool td_scan_integer(struct td_scan *scan, uint64_t *value) {
  static const char wanted[] = "a whole number, not negative, below 10^18";
  if (!is_digit(td_scan_peek(scan))) return fail_expected(scan, wanted);
  uint64_t number = 0;
  unsigned digits = 0;
  int byte;
  while (is_digit(byte = look(scan))) {
    if (++digits > DIGITS_MAX) return fail_expected(scan, wanted);
    number = number * 10 + (uint64_t)(byte - '0');
    scan->source->next++;
  }
  if (byte == '.' || byte == 'e' || byte == 'E') return fail_expected(scan, wanted);
  *value = number;
  return true;
}

/* Scans the common case of td_scan_integers, as V8 writes it: digits, a newline at the end of a
 * row, a comma, digits.  Stops, with *next at the start of an element, wherever something else
 * comes or the end of the buffer is near. */
static size_t scan_plain(const uint8_t **next, const uint8_t *end, uint64_t *values,
                         size_t capacity) {
  const uint8_t *at = *next;
  size_t count = 0;
  while (count < capacity && (size_t)(end - at) > DIGITS_MAX + 4) {
    const uint8_t *start = at;
    uint64_t number = 0;
    while (is_digit(*at) && at < start + DIGITS_MAX)
      number = number * 10 + (uint64_t)(*at++ - '0');
    bool has_digits = at > start;
    at += *at == '\n';
    if (!has_digits || at[0] != ',' || !is_digit(at[1])) {
      at = start; /* the careful path will see what it is */
      break;
    }
    at++;
    values[count++] = number;
  }
  *next = at;
  return count;
}

size_t td_scan_integers(struct td_scan *scan, uint64_t *values, size_t capacity, bool *first) {
  size_t count = 0;
  while (count < capacity) {
    if (!td_scan_more(scan, ']', first)) return count;
    if (!is_digit(td_scan_peek(scan))) {
      fail_expected(scan, "a whole number");
      return count;
    }
    /* The scan stops at the start of an element, which is taken here: room for it is kept. */
    size_t room = capacity - count - 1;
    count += scan_plain(&scan->source->next, scan->source->end, values + count, room);
    if (!td_scan_integer(scan, &values[count])) return count;
    count++;
  }
  return count;
}

bool td_scan_skip(struct td_scan *scan) {
  char closers[DEPTH_MAX];
  unsigned depth = 0;
  do {
    int byte = td_scan_peek(scan);
    if (byte < 0) return fail_expected(scan, "the end of a value");
    if (byte == '"') {
      if (!td_scan_string(scan, NULL, 0)) return false;
      continue;
    }
    bool opens = byte == '{' || byte == '[';
    bool closes = byte == '}' || byte == ']';
    if (closes && (depth == 0 || closers[depth - 1] != byte)) return fail(scan, "a stray bracket");
    if (opens && depth == DEPTH_MAX) return fail(scan, "values nested too deeply");
    if (depth == 0 && (byte == ',' || byte == ':')) return fail_expected(scan, "a value");
    scan->source->next++;
    if (opens) closers[depth++] = byte == '{' ? '}' : ']';
    if (closes) depth--;
    if (depth == 0 && !closes) {
      /* A bare number or word: up to what may follow one. */
      while ((byte = look(scan)) >= 0 && !is_space(byte) && !strchr(",]}", byte)) {
        scan->source->next++;
      }
    }
  } while (depth > 0);
  return !scan->failed;
}

bool td_scan_end(struct td_scan *scan) {
  if (td_scan_peek(scan) >= 0) return fail(scan, "more after the end");
  return !scan->failed;
}
