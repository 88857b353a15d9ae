/* SPDX-License-Identifier: MIT */
#include "bench/bdwgc/programs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/cli/place.h"

/* Cuts the next cell off the line. Cells are separated by " | ". */
static char *next_cell(char **line) {
  static const char separator[] = " | ";
  char *cell = *line, *end = cell ? strstr(cell, separator) : NULL;
  if (end) *end = '\0';
  *line = end ? end + sizeof separator - 1 : NULL;
  return cell;
}

static bool read_line(char *line, struct td_program *program) {
  program->name = next_cell(&line);
  program->set = next_cell(&line);
  program->collects = next_cell(&line);
  program->needs = next_cell(&line);
  program->prepare = next_cell(&line);
  program->command = line; /* what is left: commands have bars of their own */
  return program->command != NULL;
}

static char *read_file(const char *path) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *file = fopen(path, "re");
  if (!file) return NULL;
  if (getdelim(&text, &bytes, '\0', file) < 0) {
    free(text);
    text = NULL;
  }
  fclose(file);
  return text;
}

int td_programs_read(struct td_programs *programs) {
  *programs = (struct td_programs){.count = 0};
  char path[TD_PLACE_BYTES];
  if (!td_place_find(path, "../share/tidemark/bdwgc/programs.txt", TD_SOURCE_BDWGC "/programs.txt",
                     TD_INSTALLED_DATA "/programs.txt", NULL))
    return td_complain(TD_EXIT_RESOURCES, "bdwgc-bench: the list of programs is missing");
  programs->text = read_file(path);
  *strrchr(path, '/') = '\0';
  programs->folder = strdup(path);
  if (!programs->folder) return td_complain(TD_EXIT_RESOURCES, "bdwgc-bench: out of memory");
  if (!programs->text)
    return td_complain(TD_EXIT_INPUT, "bdwgc-bench: %s/programs.txt: %s", path, strerror(errno));
  char *rest = programs->text;
  for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
    if (*line == '#' || *line == '\0') continue;
    if (programs->count == TD_PROGRAMS_MOST || !read_line(line, &programs->at[programs->count]))
      return td_complain(TD_EXIT_INPUT, "bdwgc-bench: %s/programs.txt: bad line '%.40s'", path,
                         line);
    programs->count++;
  }
  return TD_EXIT_OK;
}

void td_programs_free(struct td_programs *programs) {
  free(programs->text);
  free(programs->folder);
}
