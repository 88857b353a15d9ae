/* Ports: files, strings, and the terminal line by line; characters are UTF-8 outside. */
#include "scheme.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct port *make_port(FILE *file, value text, const char *name, int flags) {
  value title = string_from_c(name);
  struct port *port = mem_refs(sizeof *port);
  *port = (struct port){make_header(T_PORT, 0), file, text, title, 0, 1, 0, flags | PORT_OPEN};
  return port;
}

struct port *make_file_port(FILE *file, const char *name, int flags) {
  return make_port(file, string_from_c(""), name, flags);
}

void ports_start(void) {
  globals.input = cons((value)make_file_port(stdin, "stdin", PORT_INPUT), NIL);
  globals.output = cons((value)make_file_port(stdout, "stdout", PORT_OUTPUT), NIL);
  globals.error_output = (value)make_file_port(stderr, "stderr", PORT_OUTPUT);
}

bool is_port(value v, intptr_t flags) {
  return is_type(v, T_PORT) && (((struct port *)v)->flags & flags) == flags;
}

value port_place(const struct port *port, intptr_t line) {
  char text[512];
  snprintf(text, sizeof text, "%.480s:%ld", c_from_string(port->name), (long)line);
  return string_from_c(text);
}

/* ---- Characters in and out ------------------------------------------------------------------ */

/* A line from the terminal with its end, or an empty string at the end of input. */
static value edited_line(const char *prompt) {
  struct port *text = make_text_port();
  char *line = edit_line(prompt);
  if (line != NULL) {
    print_c(text, line);
    print_char(text, '\n');
  }
  free(line);
  return text_written(text);
}

/* Reads the next line of a file or from the terminal. Returns false at the end. */
static bool refill(struct port *port) {
  static char *line;
  static size_t room;
  if (port->file == NULL) return false;
  port->at = 0;
  if ((port->flags & PORT_TERMINAL) != 0) {
    port->text = edited_line(port->datum_line == 0 ? "> " : "  ");
  } else {
    ssize_t length = getline(&line, &room, port->file);
    port->text = string_from_utf8(line, length < 0 ? 0 : (size_t)length);
  }
  return size_of(port->text) != 0;
}

int32_t peek_char(struct port *port) {
  bool there = (size_t)port->at < size_of(port->text) || refill(port);
  return there ? (int32_t)chars_of(port->text)[port->at] : -1;
}

int32_t next_char(struct port *port) {
  int32_t c = peek_char(port);
  port->at += c >= 0;
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
    value wider = new_sequence(T_BYTES, 2 * room + count);
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
  uint8_t unit[4];
  if (c < 0x80 && port->file == NULL && (size_t)port->at < size_of(port->text))
    bytes_of(port->text)[port->at++] = (uint8_t)c;
  else
    put_bytes(port, unit, utf8_encode(c, unit));
}

struct port *make_text_port(void) {
  return make_port(NULL, new_sequence(T_BYTES, 64), "string", PORT_OUTPUT);
}

const char *c_written(struct port *port) {
  put_bytes(port, "", 1);
  port->at--;
  return (const char *)bytes_of(port->text);
}

value text_written(const struct port *port) {
  if (!is_type(port->text, T_BYTES)) fail_type("string port", (value)port);
  return string_from_utf8((const char *)bytes_of(port->text), (size_t)port->at);
}

/* ---- Opening and closing -------------------------------------------------------------------- */

static _Noreturn void fail_file(const char *what, value name) {
  value reason = string_from_c(strerror(errno));
  fail_as("file", what, list2(name, reason));
}

static value open_file(const char *mode, value name, int direction) {
  const char *path = c_from_string(name);
  FILE *file = fopen(path, mode);
  if (file == NULL) fail_file("cannot open the file:", name);
  return (value)make_file_port(file, path, direction);
}

static value delete_file(value name) {
  if (unlink(c_from_string(name)) != 0) fail_file("cannot delete the file:", name);
  return UNSPECIFIED;
}

static value close_port(struct port *port) {
  if (port->file == stdin || port->file == stdout || port->file == stderr) return UNSPECIFIED;
  if (port->file != NULL) fclose(port->file);
  port->file = NULL;
  port->flags &= ~PORT_OPEN;
  return UNSPECIFIED;
}

/* Standard input with line editing, starting on a new line. */
static value edit_input(struct port *port) {
  port->text = string_from_c("");
  port->at = port->datum_line = 0;
  port->flags |= PORT_TERMINAL;
  return UNSPECIFIED;
}

EXPRESSION("open-input-file", "s", open_file("r", a[0], PORT_INPUT))
EXPRESSION("open-output-file", "s", open_file("w", a[0], PORT_OUTPUT))
EXPRESSION("open-input-string", "s", (value)make_port(NULL, a[0], "string", PORT_INPUT))
EXPRESSION("open-output-string", "", (value)make_text_port())
EXPRESSION("get-output-string", "P", text_written((struct port *)a[0]))
EXPRESSION("close-port", "P", close_port((struct port *)a[0]))
EXPRESSION("port?", ".", make_bool(is_port(a[0], 0)))
EXPRESSION("input-port?", ".", make_bool(is_port(a[0], PORT_INPUT)))
EXPRESSION("output-port?", ".", make_bool(is_port(a[0], PORT_OUTPUT)))
EXPRESSION("input-port-open?", ".", make_bool(is_port(a[0], PORT_INPUT | PORT_OPEN)))
EXPRESSION("output-port-open?", ".", make_bool(is_port(a[0], PORT_OUTPUT | PORT_OPEN)))
EXPRESSION("%input-cell", "", globals.input)
EXPRESSION("%output-cell", "", globals.output)
EXPRESSION("current-error-port", "", globals.error_output)
EXPRESSION("%place", "P", port_place((struct port *)a[0], ((struct port *)a[0])->datum_line))
EXPRESSION("%edit-input!", "", edit_input((struct port *)car(globals.input)))
EXPRESSION("file-exists?", "s", make_bool(access(c_from_string(a[0]), F_OK) == 0))
EXPRESSION("delete-file", "s", delete_file(a[0]))

/* ---- Reading and writing -------------------------------------------------------------------- */

struct port *input_port(int count, const value *a, int index) {
  value port = count > index ? a[index] : car(globals.input);
  if (!is_port(port, PORT_INPUT | PORT_OPEN)) fail_type("open input port", port);
  return (struct port *)port;
}

static struct port *output_port(int count, const value *a, int index) {
  value port = count > index ? a[index] : car(globals.output);
  if (!is_port(port, PORT_OUTPUT | PORT_OPEN)) fail_type("open output port", port);
  return (struct port *)port;
}

static value char_or_end(int32_t c) {
  return c < 0 ? END_OF_FILE : make_char((uint32_t)c);
}

/* Characters up to `end` (dropped) or `most` of them; END_OF_FILE if there is none at all. */
static value read_chars(struct port *port, int32_t end, int64_t most) {
  struct port *out = make_text_port();
  int32_t c = 0;
  while (most-- > 0 && (c = next_char(port)) >= 0 && c != end)
    print_char(out, (uint32_t)c);
  return out->at == 0 && c < 0 ? END_OF_FILE : text_written(out);
}

static value write_chars(struct port *port, value string, int count, const value *a) {
  struct span span = span_of(count, a, 2, string);
  value bytes = utf8_from_string(string, span.from, span.to);
  put_bytes(port, bytes_of(bytes), size_of(bytes));
  return UNSPECIFIED;
}

static value flush(const struct port *port) {
  if (port->file != NULL) fflush(port->file);
  return UNSPECIFIED;
}

EXPRESSION("read-char", "|.", char_or_end(next_char(input_port(count, a, 0))))
EXPRESSION("peek-char", "|.", char_or_end(peek_char(input_port(count, a, 0))))
EXPRESSION("char-ready?", "|.", make_bool(input_port(count, a, 0) != NULL))
EXPRESSION("read-line", "|.", read_chars(input_port(count, a, 0), '\n', INT64_MAX))
EXPRESSION("read-string", "i|.", read_chars(input_port(count, a, 1), -2, unfix(a[0])))
EXPRESSION("newline", "|.", (print_char(output_port(count, a, 0), '\n'), UNSPECIFIED))
EXPRESSION("write-char", "c|.", (print_char(output_port(count, a, 1), char_of(a[0])), UNSPECIFIED))
EXPRESSION("write-string", "s|.ii", write_chars(output_port(count, a, 1), a[0], count, a))
EXPRESSION("flush-output-port", "|.", flush(output_port(count, a, 0)))
