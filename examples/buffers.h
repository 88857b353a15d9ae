/* SPDX-License-Identifier: MIT */
/* A program with the shape of an interpreter's, mruby's: objects of 48 bytes each, of which three
 * words say where the buffer is of a string, an array or a hash, how long it is, and how much of it
 * is used. Who includes it says where objects and buffers lie. */
#ifndef EXAMPLES_BUFFERS_H
#define EXAMPLES_BUFFERS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum kind { STRING, ARRAY, HASH };
struct object {
  enum kind kind;
  unsigned flags;
  struct object *of_class;
  void *buffer; /* STRING: bytes; ARRAY: objects; HASH: keys and values in turn */
  size_t room, used;
  uint64_t spare;
};

enum { KEPT = 20000 };
static struct object *kept[KEPT]; /* a root */

struct figures {
  size_t bytes, peak_bytes; /* asked of malloc; at the end peak_bytes is all memory */
  uint64_t pause_ns, longest_ns;
  unsigned collections, young;
};

static inline void count(struct figures *figures, size_t before, size_t after) {
  figures->bytes += after - before;
  if (figures->bytes > figures->peak_bytes) figures->peak_bytes = figures->bytes;
}

static inline void fail(const char *what) {
  fprintf(stderr, "buffers: %s\n", what);
  exit(1);
}

/* ---- What differs ---- */

struct machine;
extern const char *const place_names[]; /* NULL ends them */
struct machine *machine_new(int place);
struct figures machine_end(struct machine *machine);
struct object *object_new(struct machine *machine, enum kind kind);
/* As a realloc that makes room for `room` bytes. */
void grow(struct machine *machine, struct object *object, size_t room);
void store(struct machine *machine, struct object *object, size_t at, struct object *element);
/* Where the program frees: an object with all that it refers to. */
void release(struct machine *machine, struct object *object);

/* ---- The program ---- */

static inline void append(struct machine *machine, struct object *object, struct object *element) {
  if ((object->used + 1) * sizeof element > object->room)
    grow(machine, object, object->room ? object->room * 2 : 4 * sizeof element);
  store(machine, object, object->used++, element);
}

static inline struct object *string_new(struct machine *machine, size_t length, unsigned seed) {
  struct object *string = object_new(machine, STRING);
  grow(machine, string, length);
  memset(string->buffer, 'a' + (int)(seed % 26), length);
  string->used = length;
  return string;
}

/* A record with some text and a list, of which a part is thrown away at once. */
static inline struct object *record(struct machine *machine, unsigned seed, uint64_t *checksum) {
  struct object *hash = object_new(machine, HASH);
  for (unsigned i = 0; i < 4; i++) {
    append(machine, hash, string_new(machine, 8 + i, seed));
    append(machine, hash, string_new(machine, 20 + (seed * 7 + i * 31) % 200, seed + i));
  }
  struct object *list = object_new(machine, ARRAY);
  append(machine, hash, list);
  for (unsigned i = 0; i < 3 + seed % 12; i++)
    append(machine, list, string_new(machine, 16, i));
  struct object *scratch = string_new(machine, 300, seed);
  *checksum += ((unsigned char *)scratch->buffer)[seed % 300];
  release(machine, scratch);
  return hash;
}

static inline uint64_t run(struct machine *machine, unsigned turns) {
  unsigned seed = 1;
  uint64_t checksum = 0;
  for (unsigned i = 0; i < turns; i++) {
    seed = seed * 1103515245u + 12345u;
    struct object *made = record(machine, seed >> 8 & 1023, &checksum);
    unsigned at = seed >> 16 & 7 ? seed >> 20 & 255 : (seed >> 12) % KEPT;
    const struct object *old = kept[at];
    if (old) checksum += old->used;
    release(machine, kept[at]);
    kept[at] = made;
  }
  return checksum;
}

/* ---- Figures ---- */

static inline double milliseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static inline void measure(int place, unsigned turns) {
  memset(kept, 0, sizeof kept);
  double start = milliseconds(CLOCK_MONOTONIC), worked = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
  struct machine *machine = machine_new(place);
  uint64_t checksum = run(machine, turns);
  struct figures figures = machine_end(machine);
  start = milliseconds(CLOCK_MONOTONIC) - start;
  worked = milliseconds(CLOCK_PROCESS_CPUTIME_ID) - worked;
  bool said = printf("%-10s %7.0f ms, %7.0f of CPUs, pauses %6.1f ms, longest %5.2f ms, %4u "
                     "collections (%u young), %6.1f MiB, checksum %llx\n",
                     place_names[place], start, worked, (double)figures.pause_ns / 1e6,
                     (double)figures.longest_ns / 1e6, figures.collections, figures.young,
                     (double)figures.peak_bytes / 1048576, (unsigned long long)checksum) > 0 &&
              fflush(stdout) == 0;
  if (!said) fail(strerror(errno));
}

int main(int argc, char **argv) {
  unsigned long turns = argc > 2 ? strtoul(argv[2], NULL, 10) : 3000;
  bool known = argc < 2;
  if (argc > 3 || turns == 0 || turns > 1000000000) fail("usage: buffers [PLACE] [TURNS]");
  for (int place = 0; place_names[place]; place++)
    known |= argc > 1 && strcmp(argv[1], place_names[place]) == 0;
  if (!known) fail("usage: buffers [PLACE] [TURNS]");
  for (int place = 0; place_names[place]; place++)
    if (argc < 2 || strcmp(argv[1], place_names[place]) == 0) measure(place, (unsigned)turns);
  return 0;
}

#endif
