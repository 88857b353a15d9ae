/* SPDX-License-Identifier: MIT */
/* Lines from the terminal, edited where libedit is installed. */
#include "scheme.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SCHEME_HAS_EDITLINE
#include <editline/readline.h>

char *edit_line(const char *prompt) {
  char *line = readline(prompt);
  if (line != NULL && *line != 0) add_history(line);
  return line;
}
#else
char *edit_line(const char *prompt) {
  char *line = NULL;
  size_t room = 0;
  printf("%s", prompt);
  if (getline(&line, &room, stdin) < 0) {
    free(line);
    if (feof(stdin)) return NULL;
    perror("scheme: cannot read from the terminal"); /* another prompt would not help */
    exit(EXIT_FILE);
  }
  line[strcspn(line, "\n")] = 0;
  return line;
}
#endif

EXPRESSION("%terminal?", "", make_bool(isatty(STDIN_FILENO) != 0))
