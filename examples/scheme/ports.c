/* Ports: files and strings, characters as UTF-8 outside. */
#include "scheme.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

value make_port(FILE *file, value text, const char *name, int flags) {
  value title = string_from_c(name);
  struct port *port = mem_refs(sizeof *port);
  *port = (struct port){make_header(T_PORT, 0), file, text, title, 0, 1, NOT_PEEKED, flags};
  return (value)port;
}

void ports_start(void) {
  globals.input = make_port(stdin, FALSE, "stdin", PORT_INPUT | PORT_OPEN);
  globals.output = make_port(stdout, FALSE, "stdout", PORT_OUTPUT | PORT_OPEN);
  globals.error_output = make_port(stderr, FALSE, "stderr", PORT_OUTPUT | PORT_OPEN);
}

value port_place(struct port *port) {
  char text[512];
  snprintf(text, sizeof text, "%.480s:%ld", c_from_string(port->name), (long)port->line);
  return string_from_c(text);
}

/* ---- Characters in and out ------------------------------------------------------------------ */

static int32_t read_file_char(FILE *file) {
  int first = getc(file);
  if (first < 0x80) return first;
  char unit[4] = {(char)first};
  size_t bytes = 1, wanted = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  while (bytes < wanted) {
    int next = getc(file);
    if (next < 0) break;
    unit[bytes++] = (char)next;
  }
  return (int32_t)chars_of(string_from_utf8(unit, bytes))[0];
}

int32_t peek_char(struct port *port) {
  if (port->peeked == NOT_PEEKED) {
    if (port->file != NULL)
      port->peeked = read_file_char(port->file);
    else if (port->text != FALSE && (size_t)port->at < size_of(port->text))
      port->peeked = (intptr_t)chars_of(port->text)[port->at++];
    else
      port->peeked = -1;
  }
  return (int32_t)port->peeked;
}

int32_t next_char(struct port *port) {
  int32_t c = peek_char(port);
  if (c >= 0 || port->file != NULL) port->peeked = NOT_PEEKED;
  port->line += c == '\n';
  return c;
}

static void put_bytes(struct port *port, const void *bytes, size_t count) {
  if (port->file != NULL) {
    fwrite(bytes, 1, count, port->file);
    return;
  }
  size_t room = size_of(port->text), used = (size_t)port->at;
  if (used + count > room) {
    value wider = make_filled(T_BYTES, (int64_t)(2 * room + count), fix(0));
    memcpy(bytes_of(wider), bytes_of(port->text), used);
    port->text = wider;
  }
  memcpy(bytes_of(port->text) + used, bytes, count);
  port->at += (intptr_t)count;
}

void print_c(struct port *port, const char *text) {
  put_bytes(port, text, strlen(text));
}

void print_char(struct port *port, uint32_t c) {
  char byte = (char)c;
  if (c < 0x80)
    put_bytes(port, &byte, 1);
  else
    print_c(port, c_from_string(make_filled(T_STRING, 1, make_char(c))));
}

/* ---- Opening and closing -------------------------------------------------------------------- */

static _Noreturn void fail_file(const char *what, value name) {
  value reason = string_from_c(strerror(errno));
  fail_condition(make_condition("file", string_from_c(what), list2(name, reason)));
}

static value open_file(const char *mode, value name, int flags) {
  const char *path = c_from_string(name);
  FILE *file = fopen(path, mode);
  if (file == NULL) fail_file("cannot open the file:", name);
  return make_port(file, FALSE, path, flags | PORT_OPEN);
}

static value open_string(value text, int flags) {
  return make_port(NULL, text, "string", flags | PORT_OPEN);
}

static value text_written(const struct port *port) {
  if (!is_type(port->text, T_BYTES)) fail_type("string port", (value)port);
  return string_from_utf8((const char *)bytes_of(port->text), (size_t)port->at);
}

EXPRESSION("open-input-file", "s", open_file("r", a[0], PORT_INPUT))
EXPRESSION("open-output-file", "s", open_file("w", a[0], PORT_OUTPUT))
EXPRESSION("open-input-string", "s", open_string(a[0], PORT_INPUT))
EXPRESSION("open-output-string", "", open_string(make_filled(T_BYTES, 64, fix(0)), PORT_OUTPUT))
EXPRESSION("get-output-string", "P", text_written((struct port *)a[0]))

PRIMITIVE("close-port", "P") {
  struct port *port = (struct port *)a[0];
  if (port->file != NULL && port->file != stdin && port->file != stdout && port->file != stderr)
    fclose(port->file);
  port->file = NULL;
  port->flags &= ~PORT_OPEN;
  return UNSPECIFIED;
}

static value has_flags(value v, int flags) {
  return make_bool(is_type(v, T_PORT) && (((struct port *)v)->flags & flags) == flags);
}

EXPRESSION("port?", ".", has_flags(a[0], 0))
EXPRESSION("input-port?", ".", has_flags(a[0], PORT_INPUT))
EXPRESSION("output-port?", ".", has_flags(a[0], PORT_OUTPUT))
EXPRESSION("input-port-open?", ".", has_flags(a[0], PORT_INPUT | PORT_OPEN))
EXPRESSION("output-port-open?", ".", has_flags(a[0], PORT_OUTPUT | PORT_OPEN))
EXPRESSION("%current-input", "", globals.input)
EXPRESSION("%current-output", "", globals.output)
EXPRESSION("current-error-port", "", globals.error_output)
EXPRESSION("%set-input!", "I", globals.input = a[0])
EXPRESSION("%set-output!", "O", globals.output = a[0])
EXPRESSION("%place", "P", port_place((struct port *)a[0]))
EXPRESSION("file-exists?", "s", make_bool(access(c_from_string(a[0]), F_OK) == 0))

PRIMITIVE("delete-file", "s") {
  if (unlink(c_from_string(a[0])) != 0) fail_file("cannot delete the file:", a[0]);
  return UNSPECIFIED;
}

/* ---- Reading and writing -------------------------------------------------------------------- */

/* The port that is argument `index`, or the current one. */
static struct port *input(int count, const value *a, int index) {
  return (struct port *)(count > index ? a[index] : globals.input);
}
static struct port *output(int count, const value *a, int index) {
  return (struct port *)(count > index ? a[index] : globals.output);
}

static value char_or_end(int32_t c) {
  return c < 0 ? END_OF_FILE : make_char((uint32_t)c);
}

/* Characters up to `end` (dropped) or `most` of them; END_OF_FILE if there is none at all. */
static value read_chars(struct port *port, int32_t end, size_t most) {
  struct port *out = (struct port *)open_string(make_filled(T_BYTES, 64, fix(0)), PORT_OUTPUT);
  size_t got = 0;
  int32_t c = 0;
  for (; got < most && (c = next_char(port)) >= 0 && c != end; got++)
    print_char(out, (uint32_t)c);
  return got == 0 && c < 0 ? END_OF_FILE : text_written(out);
}

EXPRESSION("read", "|I", read_datum(input(count, a, 0)))
EXPRESSION("read-char", "|I", char_or_end(next_char(input(count, a, 0))))
EXPRESSION("peek-char", "|I", char_or_end(peek_char(input(count, a, 0))))
EXPRESSION("char-ready?", "|I", TRUE)
EXPRESSION("read-line", "|I", read_chars(input(count, a, 0), '\n', SIZE_MAX))
EXPRESSION("read-string", "i|I", read_chars(input(count, a, 1), -2, (size_t)unfix(a[0])))
EXPRESSION("write", ".|O", (print_value(output(count, a, 1), a[0], true), UNSPECIFIED))
EXPRESSION("display", ".|O", (print_value(output(count, a, 1), a[0], false), UNSPECIFIED))
EXPRESSION("newline", "|O", (print_char(output(count, a, 0), '\n'), UNSPECIFIED))
EXPRESSION("write-char", "c|O", (print_char(output(count, a, 1), char_of(a[0])), UNSPECIFIED))

PRIMITIVE("write-string", "s|Oii") {
  size_t to = count > 3 ? index_in(a[3], size_of(a[0]) + 1) : size_of(a[0]);
  for (size_t i = count > 2 ? (size_t)unfix(a[2]) : 0; i < to; i++)
    print_char(output(count, a, 1), chars_of(a[0])[i]);
  return UNSPECIFIED;
}
PRIMITIVE("flush-output-port", "|O") {
  struct port *port = output(count, a, 0);
  if (port->file != NULL) fflush(port->file);
  return UNSPECIFIED;
}
