/* SPDX-License-Identifier: MIT */
#include "bench/cli/json.h"

#include <inttypes.h>
#include <math.h>

#include "bench/cli/utf8.h"

static void write_text(FILE *out, const char *text) {
  fputc('"', out);
  uint32_t c;
  while ((c = td_utf8_next(&text)) != 0) {
    if (c == '"' || c == '\\')
      fprintf(out, "\\%c", (int)c);
    else if (c < 0x20 || c == 0x7F)
      fprintf(out, "\\u%04x", (unsigned)c);
    else
      td_utf8_put(c, out);
  }
  fputc('"', out);
}

static void new_line(struct td_json *json) {
  fprintf(json->out, "\n%*s", (int)(2 * json->depth), "");
}

static void begin_value(struct td_json *json, const char *key) {
  if (json->depth > 0) {
    if (json->filled[json->depth]) fputc(',', json->out);
    json->filled[json->depth] = true;
    new_line(json);
  }
  if (!key) return;
  write_text(json->out, key);
  fputs(": ", json->out);
}

static void nest(struct td_json *json, const char *key, char bracket) {
  begin_value(json, key);
  fputc(bracket, json->out);
  /* Nothing that we write is as deep as this. Deeper levels share the last one, so a mistake costs
   * commas, not memory. */
  if (json->depth + 1 < TD_JSON_DEPTH_MAX) json->depth++;
  json->filled[json->depth] = false;
}

static void unnest(struct td_json *json, char bracket) {
  bool filled = json->filled[json->depth];
  if (json->depth > 0) json->depth--;
  if (filled) new_line(json);
  fputc(bracket, json->out);
}

void td_json_begin(struct td_json *json, FILE *out) {
  *json = (struct td_json){.out = out};
}
void td_json_end(struct td_json *json) {
  fputc('\n', json->out);
}

void td_json_object_begin(struct td_json *json, const char *key) {
  nest(json, key, '{');
}
void td_json_object_end(struct td_json *json) {
  unnest(json, '}');
}
void td_json_array_begin(struct td_json *json, const char *key) {
  nest(json, key, '[');
}
void td_json_array_end(struct td_json *json) {
  unnest(json, ']');
}

void td_json_string(struct td_json *json, const char *key, const char *value) {
  if (!value) {
    td_json_null(json, key);
    return;
  }
  begin_value(json, key);
  write_text(json->out, value);
}

void td_json_count(struct td_json *json, const char *key, uint64_t value) {
  begin_value(json, key);
  fprintf(json->out, "%" PRIu64, value);
}

void td_json_real(struct td_json *json, const char *key, double value) {
  if (!isfinite(value)) {
    td_json_null(json, key);
    return;
  }
  begin_value(json, key);
  fprintf(json->out, "%.6g", value);
}

void td_json_thousandths(struct td_json *json, const char *key, uint64_t thousandths) {
  begin_value(json, key);
  fprintf(json->out, "%" PRIu64 ".%03" PRIu64, thousandths / 1000, thousandths % 1000);
}

void td_json_bool(struct td_json *json, const char *key, bool value) {
  begin_value(json, key);
  fputs(value ? "true" : "false", json->out);
}

void td_json_null(struct td_json *json, const char *key) {
  begin_value(json, key);
  fputs("null", json->out);
}
