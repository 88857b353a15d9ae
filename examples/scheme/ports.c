/* SPDX-License-Identifier: MIT */
/* Ports: files, strings, and the terminal. Outside of the interpreter, characters are UTF-8. A file
 * that cannot be opened, read, written or closed is an error of the kind "file". */
#include "scheme.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct port *make_port(FILE *file, value text, const char *name, int flags) {
  value title = string_from_c(name);
  struct port *port = mem_refs(sizeof *port);
  *port = (struct port){make_header(T_PORT, 0), file, text, title, 0, 1, 0, flags | PORT_OPEN};
  return port;
}

static struct port *make_file_port(FILE *file, const char *name, int flags) {
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
  char number[24];
  struct port *text = make_text_port();
  snprintf(number, sizeof number, ":%ld", (long)line);
  print_c(text, c_from_string(port->name));
  print_c(text, number);
  return text_written(text);
}

/* Fails for the reason in `errno`. */
static _Noreturn void fail_file(const char *what, value name) {
  value reason = string_from_c(strerror(errno));
  fail_as("file", what, list2(name, reason));
}

/* ---- Characters in and out ------------------------------------------------------------------ */

/* Returns a line from the terminal with its end, or an empty string at the end of input. */
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

/* Reads up to the end of a line. Of a long line it reads a piece that ends where a character ends.
 */
static value read_piece(struct port *port) {
  enum { ROOM = 4096, CHARACTER_BYTES = 4 };
  char piece[ROOM];
  size_t count = 0;
  int c = 0;
  while (count < ROOM && c != '\n' && (c = getc_unlocked(port->file)) != EOF) {
    if (count > ROOM - CHARACTER_BYTES && (c & 0xc0) != 0x80) {
      ungetc(c, port->file);
      break;
    }
    piece[count++] = (char)c;
  }
  if (!ferror(port->file)) return string_from_utf8(piece, count);
  int reason = errno;
  close_port(port);
  errno = reason;
  fail_file("cannot read the file:", port->name);
}

/* Reads more of a file, or a line from the terminal. Returns false at the end. */
static bool refill(struct port *port) {
  if (port->file == NULL) return false;
  port->at = 0;
  if ((port->flags & PORT_TERMINAL) != 0)
    store(port, text, edited_line(port->datum_line == 0 ? "> " : "  "));
  else
    store(port, text, read_piece(port));
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
    if (fwrite(bytes, 1, count, port->file) != count)
      fail_file("cannot write to the file:", port->name);
    return;
  }
  size_t room = size_of(port->text), used = (size_t)port->at;
  if (used + count > room) {
    value wider = new_sequence(T_BYTES, 2 * room + count);
    memcpy(bytes_of(wider), bytes_of(port->text), used);
    store(port, text, wider);
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

/* Refuses names that hold a NUL: the system would read them up to there. */
static const char *path_from(value name) {
  for (size_t i = 0; i < size_of(name); i++)
    if (chars_of(name)[i] == 0) fail_list("NUL character in the name of a file:", cons(name, NIL));
  return c_from_string(name);
}

struct port *open_file(value name, int direction) {
  const char *path = path_from(name);
  FILE *file = fopen(path, direction == PORT_INPUT ? "r" : "w");
  struct stat status;
  if (file != NULL && fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode)) {
    fclose(file);
    file = NULL;
    errno = EISDIR;
  }
  if (file == NULL) fail_file("cannot open the file:", name);
  return make_file_port(file, path, direction);
}

static value delete_file(value name) {
  if (unlink(path_from(name)) != 0) fail_file("cannot delete the file:", name);
  return UNSPECIFIED;
}

static value flush(const struct port *port) {
  if (port->file != NULL && fflush(port->file) != 0)
    fail_file("cannot write to the file:", port->name);
  return UNSPECIFIED;
}

value close_port(struct port *port) {
  FILE *file = port->file;
  bool standard = file == stdin || file == stdout || file == stderr;
  port->flags &= ~PORT_OPEN;
  if (standard) return (port->flags & PORT_OUTPUT) != 0 ? flush(port) : UNSPECIFIED;
  port->file = NULL;
  if (file != NULL && fclose(file) != 0) fail_file("cannot close the file:", port->name);
  return UNSPECIFIED;
}

/* Writes what is buffered for one file, or for all files if it is NULL. Reports a failure. */
static bool flush_last(FILE *file, const char *name) {
  if (fflush(file) == 0) return true;
  fprintf(stderr, "scheme: cannot write %s: %s\n", name, strerror(errno));
  return false;
}

void finish(int code) {
  bool written = flush_last(stdout, "standard output");
  written &= flush_last(NULL, "a file that was left open");
  exit(written || code != 0 ? code : EXIT_FILE);
}

/* Prints a message behind what has been printed so far. If that cannot be done, there is no one
 * left to tell. */
static value complain(value message) {
  value bytes = utf8_from_string(message, 0, size_of(message));
  flush_last(stdout, "standard output");
  fwrite(bytes_of(bytes), 1, size_of(bytes), stderr);
  return UNSPECIFIED;
}

/* From here on the port, standard input, is read by edited lines. */
static value edit_input(struct port *port) {
  store(port, text, string_from_c(""));
  port->at = port->datum_line = 0;
  port->flags |= PORT_TERMINAL;
  return UNSPECIFIED;
}

EXPRESSION("open-input-file", "s", (value)open_file(a[0], PORT_INPUT))
EXPRESSION("open-output-file", "s", (value)open_file(a[0], PORT_OUTPUT))
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
EXPRESSION("%complain", "s", complain(a[0]))
EXPRESSION("%edit-input!", "", edit_input((struct port *)car(globals.input)))
EXPRESSION("file-exists?", "s", make_bool(access(path_from(a[0]), F_OK) == 0))
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

/* Reads characters up to `end`, which it drops, or at most `most` of them. Returns END_OF_FILE if
 * there is none. */
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

EXPRESSION("read-char", "|.", char_or_end(next_char(input_port(count, a, 0))))
EXPRESSION("peek-char", "|.", char_or_end(peek_char(input_port(count, a, 0))))
EXPRESSION("char-ready?", "|.", make_bool(input_port(count, a, 0) != NULL))
EXPRESSION("read-line", "|.", read_chars(input_port(count, a, 0), '\n', INT64_MAX))
EXPRESSION("read-string", "i|.", read_chars(input_port(count, a, 1), -2, unfix(a[0])))
EXPRESSION("newline", "|.", (print_char(output_port(count, a, 0), '\n'), UNSPECIFIED))
EXPRESSION("write-char", "c|.", (print_char(output_port(count, a, 1), char_of(a[0])), UNSPECIFIED))
EXPRESSION("write-string", "s|.ii", write_chars(output_port(count, a, 1), a[0], count, a))
EXPRESSION("flush-output-port", "|.", flush(output_port(count, a, 0)))
