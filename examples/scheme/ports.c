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

value port_place(struct port *port) {
  char text[512], number[32];
  value utf8 = utf8_from_string(port->name, 0, size_of(port->name));
  snprintf(number, sizeof number, ":%ld", (long)port->line);
  snprintf(text, sizeof text - sizeof number, "%s", (const char *)((struct bytes *)utf8)->bytes);
  return string_from_c(strcat(text, number));
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
  value decoded = string_from_utf8(unit, bytes);
  return (int32_t)((struct string *)decoded)->chars[0];
}

int32_t peek_char(struct port *port) {
  if (port->peeked == NOT_PEEKED) {
    if (port->file != NULL)
      port->peeked = read_file_char(port->file);
    else if (port->text != FALSE && (size_t)port->at < size_of(port->text))
      port->peeked = (intptr_t)((struct string *)port->text)->chars[port->at++];
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

static void put_bytes(struct port *port, const char *bytes, size_t count) {
  if (port->file != NULL) {
    fwrite(bytes, 1, count, port->file);
    return;
  }
  size_t room = size_of(port->text), used = (size_t)port->at;
  if (used + count > room) {
    value wider = make_bytes((int64_t)(2 * room + count), 0);
    memcpy(((struct bytes *)wider)->bytes, ((struct bytes *)port->text)->bytes, used);
    port->text = wider;
  }
  memcpy(((struct bytes *)port->text)->bytes + used, bytes, count);
  port->at += (intptr_t)count;
}

void print_c(struct port *port, const char *text) {
  put_bytes(port, text, strlen(text));
}

void print_char(struct port *port, uint32_t c) {
  char byte = (char)c;
  if (c < 0x80) {
    put_bytes(port, &byte, 1);
    return;
  }
  value utf8 = utf8_from_string(make_string(1, c), 0, 1);
  put_bytes(port, (const char *)((struct bytes *)utf8)->bytes, size_of(utf8));
}

/* ---- Primitives ----------------------------------------------------------------------------- */

static struct port *port_argument(const char *who, int count, const value *a, int index, int flag) {
  value v = count > index ? a[index] : flag == PORT_INPUT ? globals.input : globals.output;
  struct port *port = (struct port *)v;
  if (!is_type(v, T_PORT) || (port->flags & flag) == 0)
    fail_type(who, flag == PORT_INPUT ? "input port" : "output port", v);
  if ((port->flags & PORT_OPEN) == 0) fail(who, "the port is closed:", v);
  return port;
}

static value open_file(const char *mode, value name, int flags) {
  typed("open", T_STRING, name);
  value path = utf8_from_string(name, 0, size_of(name));
  const char *text = (const char *)((struct bytes *)path)->bytes;
  FILE *file = fopen(text, mode);
  if (file == NULL)
    fail_condition(make_condition("file", string_from_c("cannot open the file:"),
                                  list2(name, string_from_c(strerror(errno)))));
  return make_port(file, FALSE, text, flags | PORT_OPEN);
}

PRIMITIVE(p_open_input) {
  return open_file("r", a[0], PORT_INPUT);
}
PRIMITIVE(p_open_output) {
  return open_file("w", a[0], PORT_OUTPUT);
}
PRIMITIVE(p_open_append) {
  return open_file("a", a[0], PORT_OUTPUT);
}
PRIMITIVE(p_open_input_string) {
  return make_port(NULL, typed("open-input-string", T_STRING, a[0]), "string",
                   PORT_INPUT | PORT_OPEN);
}
PRIMITIVE(p_open_output_string) {
  return make_port(NULL, make_bytes(64, 0), "string", PORT_OUTPUT | PORT_OPEN);
}
PRIMITIVE(p_get_output_string) {
  struct port *port = port_argument("get-output-string", count, a, 0, PORT_OUTPUT);
  if (!is_type(port->text, T_BYTES)) fail_type("get-output-string", "string port", a[0]);
  return string_from_utf8((char *)((struct bytes *)port->text)->bytes, (size_t)port->at);
}
PRIMITIVE(p_close) {
  if (!is_type(a[0], T_PORT)) fail_type("close-port", "port", a[0]);
  struct port *port = (struct port *)a[0];
  if (port->file != NULL && port->file != stdin && port->file != stdout && port->file != stderr)
    fclose(port->file);
  port->file = NULL;
  port->flags &= ~PORT_OPEN;
  return UNSPECIFIED;
}
PRIMITIVE(p_current_input) {
  return globals.input;
}
PRIMITIVE(p_current_output) {
  return globals.output;
}
PRIMITIVE(p_current_error) {
  return globals.error_output;
}
PRIMITIVE(p_set_input) {
  globals.input = (value)port_argument("current-input-port", count, a, 0, PORT_INPUT);
  return UNSPECIFIED;
}
PRIMITIVE(p_set_output) {
  globals.output = (value)port_argument("current-output-port", count, a, 0, PORT_OUTPUT);
  return UNSPECIFIED;
}
PRIMITIVE(p_is_port) {
  return make_bool(is_type(a[0], T_PORT));
}
static bool has_flag(value v, int flag) {
  return is_type(v, T_PORT) && (((struct port *)v)->flags & flag) == flag;
}
PRIMITIVE(p_is_input) {
  return make_bool(has_flag(a[0], PORT_INPUT));
}
PRIMITIVE(p_is_output) {
  return make_bool(has_flag(a[0], PORT_OUTPUT));
}
PRIMITIVE(p_is_input_open) {
  return make_bool(has_flag(a[0], PORT_INPUT | PORT_OPEN));
}
PRIMITIVE(p_is_output_open) {
  return make_bool(has_flag(a[0], PORT_OUTPUT | PORT_OPEN));
}

static value char_or_end(int32_t c) {
  return c < 0 ? END_OF_FILE : make_char((uint32_t)c);
}
PRIMITIVE(p_read_char) {
  return char_or_end(next_char(port_argument("read-char", count, a, 0, PORT_INPUT)));
}
PRIMITIVE(p_peek_char) {
  return char_or_end(peek_char(port_argument("peek-char", count, a, 0, PORT_INPUT)));
}
PRIMITIVE(p_is_ready) {
  port_argument("char-ready?", count, a, 0, PORT_INPUT);
  return TRUE;
}
PRIMITIVE(p_read) {
  return read_datum(port_argument("read", count, a, 0, PORT_INPUT));
}

/* Characters up to `end` (dropped) or `most` of them; END_OF_FILE if there is none at all. */
static value read_chars(struct port *port, int32_t end, size_t most) {
  struct port *out = (struct port *)p_open_output_string(0, NULL);
  size_t got = 0;
  int32_t c = 0;
  while (got < most && (c = next_char(port)) >= 0 && c != end) {
    print_char(out, (uint32_t)c);
    got++;
  }
  if (got == 0 && c < 0) return END_OF_FILE;
  return string_from_utf8((char *)((struct bytes *)out->text)->bytes, (size_t)out->at);
}
PRIMITIVE(p_read_line) {
  return read_chars(port_argument("read-line", count, a, 0, PORT_INPUT), '\n', SIZE_MAX);
}
PRIMITIVE(p_read_string) {
  size_t most = index_in("read-string", a[0], SIZE_MAX);
  return read_chars(port_argument("read-string", count, a, 1, PORT_INPUT), -2, most);
}
PRIMITIVE(p_read_u8) {
  struct port *port = port_argument("read-u8", count, a, 0, PORT_INPUT);
  int c = port->file != NULL ? getc(port->file) : -1;
  return c < 0 ? END_OF_FILE : fix(c);
}
PRIMITIVE(p_peek_u8) {
  struct port *port = port_argument("peek-u8", count, a, 0, PORT_INPUT);
  int c = port->file != NULL ? ungetc(getc(port->file), port->file) : -1;
  return c < 0 ? END_OF_FILE : fix(c);
}

PRIMITIVE(p_write) {
  print_value(port_argument("write", count, a, 1, PORT_OUTPUT), a[0], true);
  return UNSPECIFIED;
}
PRIMITIVE(p_display) {
  print_value(port_argument("display", count, a, 1, PORT_OUTPUT), a[0], false);
  return UNSPECIFIED;
}
PRIMITIVE(p_newline) {
  print_char(port_argument("newline", count, a, 0, PORT_OUTPUT), '\n');
  return UNSPECIFIED;
}
PRIMITIVE(p_write_char) {
  if (!is_char(a[0])) fail_type("write-char", "character", a[0]);
  print_char(port_argument("write-char", count, a, 1, PORT_OUTPUT), char_of(a[0]));
  return UNSPECIFIED;
}
PRIMITIVE(p_write_string) {
  struct port *port = port_argument("write-string", count, a, 1, PORT_OUTPUT);
  size_t size = size_of(typed("write-string", T_STRING, a[0]));
  struct span s = span_of("write-string", count, a, 2, size);
  for (size_t i = s.from; i < s.to; i++)
    print_char(port, ((struct string *)a[0])->chars[i]);
  return UNSPECIFIED;
}
PRIMITIVE(p_write_u8) {
  char byte = (char)index_in("write-u8", a[0], 256);
  put_bytes(port_argument("write-u8", count, a, 1, PORT_OUTPUT), &byte, 1);
  return UNSPECIFIED;
}
PRIMITIVE(p_flush) {
  struct port *port = port_argument("flush-output-port", count, a, 0, PORT_OUTPUT);
  if (port->file != NULL) fflush(port->file);
  return UNSPECIFIED;
}
PRIMITIVE(p_end_of_file) {
  return END_OF_FILE;
}
PRIMITIVE(p_is_end_of_file) {
  return make_bool(a[0] == END_OF_FILE);
}

static const char *path_argument(const char *who, value v) {
  typed(who, T_STRING, v);
  return (const char *)((struct bytes *)utf8_from_string(v, 0, size_of(v)))->bytes;
}
PRIMITIVE(p_file_exists) {
  return make_bool(access(path_argument("file-exists?", a[0]), F_OK) == 0);
}
PRIMITIVE(p_delete_file) {
  if (unlink(path_argument("delete-file", a[0])) != 0)
    fail_condition(make_condition("file", string_from_c("cannot delete the file:"),
                                  list2(a[0], string_from_c(strerror(errno)))));
  return UNSPECIFIED;
}
PRIMITIVE(p_port_place) {
  return port_place(port_argument("%place", count, a, 0, PORT_INPUT));
}

void start_ports(void) {
  globals.input = make_port(stdin, FALSE, "stdin", PORT_INPUT | PORT_OPEN);
  globals.output = make_port(stdout, FALSE, "stdout", PORT_OUTPUT | PORT_OPEN);
  globals.error_output = make_port(stderr, FALSE, "stderr", PORT_OUTPUT | PORT_OPEN);
  static const struct definition table[] = {{"open-input-file", p_open_input, 1, 1},
                                            {"open-output-file", p_open_output, 1, 1},
                                            {"open-binary-input-file", p_open_input, 1, 1},
                                            {"%open-append", p_open_append, 1, 1},
                                            {"open-binary-output-file", p_open_output, 1, 1},
                                            {"open-input-string", p_open_input_string, 1, 1},
                                            {"open-output-string", p_open_output_string, 0, 0},
                                            {"get-output-string", p_get_output_string, 1, 1},
                                            {"close-port", p_close, 1, 1},
                                            {"close-input-port", p_close, 1, 1},
                                            {"close-output-port", p_close, 1, 1},
                                            {"%current-input", p_current_input, 0, 0},
                                            {"%current-output", p_current_output, 0, 0},
                                            {"current-error-port", p_current_error, 0, 0},
                                            {"%set-input!", p_set_input, 1, 1},
                                            {"%set-output!", p_set_output, 1, 1},
                                            {"port?", p_is_port, 1, 1},
                                            {"textual-port?", p_is_port, 1, 1},
                                            {"input-port?", p_is_input, 1, 1},
                                            {"output-port?", p_is_output, 1, 1},
                                            {"input-port-open?", p_is_input_open, 1, 1},
                                            {"output-port-open?", p_is_output_open, 1, 1},
                                            {"read-char", p_read_char, 0, 1},
                                            {"peek-char", p_peek_char, 0, 1},
                                            {"char-ready?", p_is_ready, 0, 1},
                                            {"read", p_read, 0, 1},
                                            {"read-line", p_read_line, 0, 1},
                                            {"read-string", p_read_string, 1, 2},
                                            {"read-u8", p_read_u8, 0, 1},
                                            {"peek-u8", p_peek_u8, 0, 1},
                                            {"write", p_write, 1, 2},
                                            {"write-shared", p_write, 1, 2},
                                            {"write-simple", p_write, 1, 2},
                                            {"display", p_display, 1, 2},
                                            {"newline", p_newline, 0, 1},
                                            {"write-char", p_write_char, 1, 2},
                                            {"write-string", p_write_string, 1, 4},
                                            {"write-u8", p_write_u8, 1, 2},
                                            {"flush-output-port", p_flush, 0, 1},
                                            {"flush-output", p_flush, 0, 1},
                                            {"eof-object", p_end_of_file, 0, 0},
                                            {"eof-object?", p_is_end_of_file, 1, 1},
                                            {"file-exists?", p_file_exists, 1, 1},
                                            {"delete-file", p_delete_file, 1, 1},
                                            {"%place", p_port_place, 1, 1}};
  DEFINE_PRIMITIVES(table);
}
