/* SPDX-License-Identifier: MIT */
/* Linux: nodes of memory. No library is asked, since libtidemark needs none but the C library. */
#include "platform/linux_nodes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINE_BYTES 1024u

static bool read_line(const char *root, const char *path, char line[LINE_BYTES]) {
  char full[LINE_BYTES];
  if (snprintf(full, sizeof full, "%s/sys/devices/system/node/%s", root, path) >= (int)sizeof full)
    return false;
  FILE *file = fopen(full, "re");
  if (!file) return false;
  bool read = fgets(line, LINE_BYTES, file) != NULL;
  fclose(file);
  return read;
}

/* Reads a decimal number of at most `most` and moves on behind it. */
static bool read_number(const char **at, unsigned long most, unsigned *number) {
  char *end;
  if (**at < '0' || **at > '9') return false;
  unsigned long value = strtoul(*at, &end, 10); /* ULONG_MAX if it is too large */
  *at = end;
  *number = (unsigned)value;
  return value <= most;
}

/* Reads a list such as "0-3,8". */
static bool read_list(const char *text, bool in[TD_NODES_MAX]) {
  for (;; text++) {
    unsigned first, last;
    if (!read_number(&text, TD_NODES_MAX - 1, &first)) return false;
    last = first;
    if (*text == '-' && (text++, !read_number(&text, TD_NODES_MAX - 1, &last))) return false;
    if (last < first) return false;
    while (first <= last)
      in[first++] = true;
    if (*text != ',') return *text == '\n' || *text == 0;
  }
}

/* Reads one node's distances: to each node that is online, in order. None is nearer than itself. */
static bool read_distances(const char *root, unsigned node, const bool online[TD_NODES_MAX],
                           uint8_t distance[TD_NODES_MAX]) {
  char path[32], line[LINE_BYTES];
  snprintf(path, sizeof path, "node%u/distance", node);
  if (!read_line(root, path, line)) return false;
  const char *at = line;
  for (unsigned other = 0; other < TD_NODES_MAX; other++) {
    unsigned value;
    if (!online[other]) continue;
    at += strspn(at, " ");
    if (!read_number(&at, UINT8_MAX, &value) || value == 0) return false;
    distance[other] = (uint8_t)value;
  }
  at += strspn(at, " \n");
  for (unsigned other = 0; other < TD_NODES_MAX; other++)
    if (online[other] && distance[other] < distance[node]) return false;
  return *at == 0;
}

static bool read_nodes(const char *root, struct td_nodes *nodes) {
  char line[LINE_BYTES];
  bool online[TD_NODES_MAX] = {false}, differ = false;
  if (!read_line(root, "online", line) || strcmp(line, "0\n") == 0) return false;
  if (!read_list(line, online)) return false;
  for (unsigned node = 0; node < TD_NODES_MAX; node++) {
    if (!online[node]) continue;
    nodes->count = node + 1;
    if (!read_distances(root, node, online, nodes->distance[node])) return false;
    for (unsigned other = 0; other < TD_NODES_MAX; other++)
      differ |= online[other] && nodes->distance[node][other] != nodes->distance[node][node];
  }
  return differ;
}

void td_nodes_read(const char *root, struct td_nodes *nodes) {
  memset(nodes, 0, sizeof *nodes);
  if (read_nodes(root, nodes)) return;
  memset(nodes, 0, sizeof *nodes);
  nodes->count = 1;
}

void td_plat_nodes(struct td_nodes *nodes) {
  int saved = errno;
  td_nodes_read("", nodes);
  errno = saved;
}

int td_plat_node_here(void) {
  int saved = errno;
  unsigned cpu, node;
  long failed = syscall(SYS_getcpu, &cpu, &node, NULL);
  errno = saved;
  return failed ? -1 : (int)node;
}

bool td_plat_nodes_of(void **pages, size_t count, int *nodes) {
  int saved = errno;
  /* Without places to move to, the call only tells where pages are. */
  long failed = syscall(SYS_move_pages, 0, (unsigned long)count, pages, NULL, nodes, 0);
  errno = saved;
  return failed == 0;
}
