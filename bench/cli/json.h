/* SPDX-License-Identifier: MIT */
/* Writes JSON with indentation.
 *
 * Inside an object every call takes a key; inside an array the key is NULL. Every begin needs its
 * end. JSON has no infinities and no NAN: they become null. Control characters in text are escaped,
 * and bytes that are not UTF-8 become U+FFFD. Errors show in ferror(out). */
#ifndef TD_BENCH_CLI_JSON_H
#define TD_BENCH_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TD_JSON_DEPTH_MAX 16u

struct td_json {
  FILE *out;
  unsigned depth;
  bool filled[TD_JSON_DEPTH_MAX]; /* does the object or array at this depth have an element yet? */
};

void td_json_begin(struct td_json *json, FILE *out);
/* Ends the document with a newline. */
void td_json_end(struct td_json *json);

void td_json_object_begin(struct td_json *json, const char *key);
void td_json_object_end(struct td_json *json);
void td_json_array_begin(struct td_json *json, const char *key);
void td_json_array_end(struct td_json *json);
void td_json_string(struct td_json *json, const char *key, const char *value); /* NULL: null */
void td_json_count(struct td_json *json, const char *key, uint64_t value);
void td_json_real(struct td_json *json, const char *key, double value);
/* Writes thousandths / 1000 exactly, where the six digits of td_json_real are not enough:
 * nanoseconds as microseconds, for example. */
void td_json_thousandths(struct td_json *json, const char *key, uint64_t thousandths);
void td_json_bool(struct td_json *json, const char *key, bool value);
void td_json_null(struct td_json *json, const char *key);

#endif
