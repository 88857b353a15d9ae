#include "workloads/heapsnapshot_json.h"

#include <string.h>

#define DEPTH_MAX 64u
#define DIGITS_MAX 18u

static bool fail(struct td_json *json, const char *what) {
  if (!json->failed) td_source_fail(json->source, td_source_offset(json->source), "%s", what);
  json->failed = true;
  return false;
}

/* The next byte, not taken, or -1. */
static int look(struct td_json *json) {
  struct td_import_source *source = json->source;
  if (json->failed) return -1;
  if (source->next == source->end) {
    bool at_end = td_source_offset(source) >= source->limit;
    if (td_source_fill(source) == 0) {
      json->failed = !at_end; /* a failed read has set the error */
      return -1;
    }
  }
  return *source->next;
}

static int take(struct td_json *json) {
  int byte = look(json);
  if (byte >= 0) json->source->next++;
  return byte;
}

static bool is_space(int byte) {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

int td_json_peek(struct td_json *json) {
  int byte;
  while (is_space(byte = look(json)))
    json->source->next++;
  return byte;
}

/* Say what was expected in place of the next byte. */
static bool fail_expected(struct td_json *json, const char *what) {
  if (json->failed) return false;
  uint64_t offset = td_source_offset(json->source);
  if (look(json) < 0) {
    if (!json->failed) td_source_fail(json->source, offset, "the file ends before %s", what);
  } else {
    td_source_fail(json->source, offset, "expected %s", what);
  }
  json->failed = true;
  return false;
}

bool td_json_open(struct td_json *json, char opening) {
  if (td_json_peek(json) != opening) {
    return fail_expected(json, opening == '{' ? "an object" : "an array");
  }
  json->source->next++;
  return true;
}

bool td_json_more(struct td_json *json, char closing, bool *first) {
  int byte = td_json_peek(json);
  if (byte == closing) {
    json->source->next++;
    *first = false;
    return false;
  }
  if (*first) {
    *first = false;
    return byte >= 0 ? true : fail_expected(json, "a value");
  }
  if (byte != ',') return fail_expected(json, "a comma or the end of the list");
  json->source->next++;
  return true;
}

/* Take bytes up to a quote, a backslash or the end of what is at hand, copying what fits. */
static size_t take_plain(struct td_json *json, char *buffer, size_t room) {
  const uint8_t *start = json->source->next;
  const uint8_t *at = start;
  while (at < json->source->end && *at != '"' && *at != '\\')
    at++;
  size_t length = (size_t)(at - start);
  if (length > room) length = room;
  if (length) memcpy(buffer, start, length);
  json->source->next = at;
  return length;
}

bool td_json_string(struct td_json *json, char *buffer, size_t capacity) {
  if (td_json_peek(json) != '"') return fail_expected(json, "a string");
  json->source->next++;
  size_t room = capacity ? capacity - 1 : 0;
  size_t length = 0;
  for (;;) {
    length += take_plain(json, buffer ? buffer + length : NULL, room - length);
    int byte = look(json);
    if (byte == '"' || byte == '\\') json->source->next++;
    if (byte == '"') break;
    if (byte == '\\') byte = take(json); /* whatever is escaped is not the end */
    if (byte < 0) return fail_expected(json, "the end of a string");
  }
  if (capacity) buffer[length] = '\0';
  return true;
}

bool td_json_name(struct td_json *json, char *buffer, size_t capacity) {
  if (!td_json_string(json, buffer, capacity)) return false;
  if (td_json_peek(json) != ':') return fail_expected(json, "a colon");
  json->source->next++;
  return true;
}

static bool is_digit(int byte) {
  return byte >= '0' && byte <= '9';
}

bool td_json_integer(struct td_json *json, uint64_t *value) {
  static const char wanted[] = "a whole number, not negative, below 10^18";
  if (!is_digit(td_json_peek(json))) return fail_expected(json, wanted);
  uint64_t number = 0;
  unsigned digits = 0;
  int byte;
  while (is_digit(byte = look(json))) {
    if (++digits > DIGITS_MAX) return fail_expected(json, wanted);
    number = number * 10 + (uint64_t)(byte - '0');
    json->source->next++;
  }
  if (byte == '.' || byte == 'e' || byte == 'E') return fail_expected(json, wanted);
  *value = number;
  return true;
}

/* The common case of td_json_integers: "digits comma [newline]" with the buffer's end far off.
 * Stops, with *next at the start of an element, wherever something else comes. */
static size_t scan_integers(const uint8_t **next, const uint8_t *end, uint64_t *values,
                            size_t capacity) {
  const uint8_t *at = *next;
  size_t count = 0;
  while (count < capacity && (size_t)(end - at) > DIGITS_MAX + 4) {
    const uint8_t *start = at;
    uint64_t number = 0;
    while (is_digit(*at) && at < start + DIGITS_MAX)
      number = number * 10 + (*at++ - '0');
    if (at == start || *at != ',') {
      at = start;
      break;
    }
    at++;
    if (*at == '\n') at++;
    if (!is_digit(*at)) {
      at = start; /* leave a comma before anything odd to the careful path */
      break;
    }
    values[count++] = number;
  }
  *next = at;
  return count;
}

size_t td_json_integers(struct td_json *json, uint64_t *values, size_t capacity, bool *first) {
  size_t count = 0;
  while (count < capacity) {
    if (!td_json_more(json, ']', first)) return count;
    if (!is_digit(td_json_peek(json))) {
      fail_expected(json, "a whole number");
      return count;
    }
    /* The scan leaves off at the start of an element, so one more is always taken here: room for
     * it is kept. */
    size_t room = capacity - count - 1;
    count += scan_integers(&json->source->next, json->source->end, values + count, room);
    if (!td_json_integer(json, &values[count])) return count;
    count++;
  }
  return count;
}

bool td_json_skip(struct td_json *json) {
  char closers[DEPTH_MAX];
  unsigned depth = 0;
  do {
    int byte = td_json_peek(json);
    if (byte < 0) return fail_expected(json, "the end of a value");
    if (byte == '"') {
      if (!td_json_string(json, NULL, 0)) return false;
      continue;
    }
    bool opens = byte == '{' || byte == '[';
    bool closes = byte == '}' || byte == ']';
    if (closes && (depth == 0 || closers[depth - 1] != byte)) return fail(json, "a stray bracket");
    if (opens && depth == DEPTH_MAX) return fail(json, "values nested too deeply");
    if (depth == 0 && (byte == ',' || byte == ':')) return fail_expected(json, "a value");
    json->source->next++;
    if (opens) closers[depth++] = byte == '{' ? '}' : ']';
    if (closes) depth--;
    if (depth == 0 && !closes) {
      /* A bare number or word: up to what may follow one. */
      while ((byte = look(json)) >= 0 && !is_space(byte) && !strchr(",]}", byte)) {
        json->source->next++;
      }
    }
  } while (depth > 0);
  return !json->failed;
}

bool td_json_end(struct td_json *json) {
  if (td_json_peek(json) >= 0) return fail(json, "more after the end");
  return !json->failed;
}
