/* SPDX-License-Identifier: MIT */
#include "bench/exec/uses.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/cli/child.h"

static const char name[] = "libgc.so.1";

struct image {
  char *at;
  size_t bytes;
};

static bool map(const char *path, struct image *image) {
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool good = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
  if (good) {
    image->bytes = (size_t)status.st_size;
    image->at = mmap(NULL, image->bytes, PROT_READ, MAP_PRIVATE, file, 0);
    good = image->at != MAP_FAILED;
  }
  close(file);
  return good;
}

static bool is_elf(const struct image *image) {
  return image->bytes >= sizeof(Elf64_Ehdr) && memcmp(image->at, ELFMAG, SELFMAG) == 0 &&
         image->at[EI_CLASS] == ELFCLASS64;
}

/* Copies the path of the program's loader. Returns false if it has none: linked statically. */
static bool find_loader(const struct image *image, char loader[PATH_MAX]) {
  Elf64_Ehdr header;
  memcpy(&header, image->at, sizeof header);
  for (size_t i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr part;
    size_t at = header.e_phoff + i * sizeof part;
    if (at > image->bytes - sizeof part) return false;
    memcpy(&part, image->at + at, sizeof part);
    if (part.p_type != PT_INTERP) continue;
    if (part.p_filesz == 0 || part.p_filesz > PATH_MAX || part.p_offset > image->bytes ||
        part.p_filesz > image->bytes - part.p_offset)
      return false;
    memcpy(loader, image->at + part.p_offset, part.p_filesz);
    loader[part.p_filesz - 1] = '\0';
    return true;
  }
  return false;
}

/* Has the loader list what it would load. */
static bool is_listed(char *loader, const char *path) {
  char list[] = "--list";
  char *arguments[] = {loader, list, (char *)path, NULL};
  int ends[2];
  pid_t child;
  if (pipe2(ends, O_CLOEXEC) != 0) return true;
  const struct td_child_start start = {
      .arguments = arguments, .in = -1, .out = ends[1], .errors = ends[1]};
  bool started = td_child_start(&start, &child) == 0, listed = false;
  close(ends[1]);
  FILE *lines = fdopen(ends[0], "r");
  char line[PATH_MAX + 64];
  while (started && lines && fgets(line, sizeof line, lines))
    listed |= strstr(line, name) != NULL;
  if (lines)
    fclose(lines);
  else
    close(ends[0]);
  if (!started) return true;
  (void)td_child_wait(child);
  return listed;
}

bool td_exec_may_use_libgc(const char *path) {
  struct image image;
  char loader[PATH_MAX];
  if (!map(path, &image)) return true;
  bool elf = is_elf(&image), dynamic = elf && find_loader(&image, loader);
  bool named = memmem(image.at, image.bytes, name, sizeof name - 1) != NULL;
  munmap(image.at, image.bytes);
  return !elf || named || (dynamic && is_listed(loader, path));
}
