/* SPDX-License-Identifier: MIT */
/* Objects whose strings, arrays and hashes have buffers outside of them, as in mruby: 48 bytes
 * each, of which three words say where the buffer is, how long it is, and how much of it is used.
 *
 * The same program with the buffers in three places:
 *   heap     buffers are objects as well
 *   malloc   objects are collected; tide_layout_on_reclaim frees the buffers of those that died,
 *            and tide_external_add tells how much they are
 *   free     no collector: the program, which knows, frees objects and buffers itself
 *
 *   buffers [heap|malloc|free] [TURNS]     without a place: all three
 *
 * Memory is what the heap had at most, and what was asked of malloc at most.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tide/stats.h>
#include <tide/tide.h>
#include <time.h>

enum place { IN_HEAP, IN_MALLOC, BY_HAND };
static const char *const place_names[] = {"heap", "malloc", "free"};

enum kind { STRING, ARRAY, HASH };
struct object {
  enum kind kind;
  unsigned flags;
  struct object *of_class;
  void *buffer; /* STRING: bytes; ARRAY: objects; HASH: keys and values in turn */
  size_t room, used;
  uint64_t spare;
};

struct machine {
  enum place place;
  struct tide_heap *heap;
  struct tide_mutator *m;
  tide_layout layout;
  uint64_t checksum;
  size_t bytes, peak_bytes; /* from malloc */
};

/* ---- Objects and buffers ---- */

static void fail(const char *what) {
  fprintf(stderr, "buffers: %s\n", what);
  exit(1);
}

static void count(struct machine *machine, size_t before, size_t after) {
  machine->bytes += after - before;
  if (machine->bytes > machine->peak_bytes) machine->peak_bytes = machine->bytes;
}

/* A buffer that dies with its object. */
static void on_reclaim(void *dead, size_t bytes, void *context) {
  struct object *object = dead;
  struct machine *machine = context;
  (void)bytes;
  if (!object->buffer) return;
  count(machine, object->room, 0);
  if (tide_current(machine->heap)) /* not at the heap's end */
    tide_external_add(machine->m, -(ptrdiff_t)object->room);
  free(object->buffer);
}

/* With the buffer outside, a trace function finds the references in it. */
static void trace(void *at, size_t bytes, struct tide_tracer *tracer, void *context) {
  const struct object *object = at;
  (void)bytes, (void)context;
  if (object->kind != STRING) tide_trace_range(tracer, object->buffer, object->used);
}

static struct object *object_new(struct machine *machine, enum kind kind) {
  struct object *object = machine->place == BY_HAND
                              ? calloc(1, sizeof *object)
                              : tide_alloc(machine->m, machine->layout, sizeof *object);
  if (!object) fail("no memory for an object");
  if (machine->place == BY_HAND) count(machine, 0, sizeof *object);
  object->kind = kind;
  return object;
}

/* As a realloc that makes room for `room` bytes. */
static void grow(struct machine *machine, struct object *object, size_t room) {
  void *buffer;
  if (machine->place == IN_HEAP) {
    tide_layout layout = object->kind == STRING ? TIDE_LAYOUT_LEAF : TIDE_LAYOUT_REFS;
    buffer = tide_alloc(machine->m, layout, room);
    if (buffer && object->buffer) memcpy(buffer, object->buffer, object->room);
    if (buffer) tide_write(machine->m, object, &object->buffer, buffer);
  } else {
    buffer = realloc(object->buffer, room);
    if (buffer) object->buffer = buffer;
    count(machine, object->room, room);
    if (buffer && machine->place == IN_MALLOC)
      tide_external_add(machine->m, (ptrdiff_t)room - (ptrdiff_t)object->room);
  }
  if (!buffer) fail("no memory for a buffer");
  object->room = room;
}

static void append(struct machine *machine, struct object *object, struct object *element) {
  if ((object->used + 1) * sizeof element > object->room)
    grow(machine, object, object->room ? object->room * 2 : 4 * sizeof element);
  /* What the store is told of: with the buffer outside, the object that the references are of. */
  struct object **slot = (struct object **)object->buffer + object->used++;
  void *holder = machine->place == IN_HEAP ? object->buffer : object;
  if (machine->place == BY_HAND)
    *slot = element;
  else
    tide_write(machine->m, holder, slot, element);
}

static struct object *string_new(struct machine *machine, size_t length, unsigned seed) {
  struct object *string = object_new(machine, STRING);
  grow(machine, string, length);
  memset(string->buffer, 'a' + (int)(seed % 26), length);
  string->used = length;
  return string;
}

/* By hand: an object with all that it refers to. */
static void release(struct machine *machine, struct object *object) {
  if (machine->place != BY_HAND || !object) return;
  for (size_t i = 0; object->kind != STRING && i < object->used; i++)
    release(machine, ((struct object **)object->buffer)[i]);
  count(machine, object->room + sizeof *object, 0);
  free(object->buffer);
  free(object);
}

/* ---- The program ---- */

enum { KEPT = 20000 };
static struct object *kept[KEPT]; /* a root */

/* A record with some text and a list, of which a part is thrown away at once. */
static struct object *record(struct machine *machine, unsigned seed) {
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
  machine->checksum += ((unsigned char *)scratch->buffer)[seed % 300];
  release(machine, scratch);
  return hash;
}

static void run(struct machine *machine, unsigned turns) {
  unsigned seed = 1;
  for (unsigned i = 0; i < turns; i++) {
    seed = seed * 1103515245u + 12345u;
    struct object *made = record(machine, seed >> 8 & 1023);
    unsigned at = seed >> 16 & 7 ? seed >> 20 & 255 : (seed >> 12) % KEPT;
    const struct object *old = kept[at];
    if (old) machine->checksum += old->used;
    release(machine, kept[at]);
    kept[at] = made;
  }
}

/* ---- Figures ---- */

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void begin(struct machine *machine) {
  memset(kept, 0, sizeof kept);
  if (machine->place == BY_HAND) return;
  struct tide_error error;
  struct tide_options options;
  struct tide_attach_options attach;
  tide_options_init(&options);
  options.write_barrier = true;
  options.small_pages = true;
  machine->heap = tide_heap_create(&options, &error);
  if (!machine->heap) fail(error.text);
  tide_attach_options_init(&attach);
  machine->m = tide_attach(machine->heap, &attach, &error);
  if (!machine->m) fail(error.text);
  if (machine->place == IN_HEAP) {
    const size_t references[] = {offsetof(struct object, buffer)};
    machine->layout =
        tide_layout_offsets(machine->heap, sizeof(struct object), references, 1, NULL);
  } else {
    tide_layout traced = tide_layout_traced(machine->heap, trace, NULL, NULL);
    machine->layout = tide_layout_on_reclaim(machine->heap, traced, on_reclaim, machine, &error);
  }
  if (!machine->layout || tide_root_add_range(machine->heap, kept, KEPT) != TIDE_OK)
    fail("no memory for a layout or a root");
}

static void end(struct machine *machine) {
  for (unsigned i = 0; i < KEPT; i++)
    release(machine, kept[i]);
  if (machine->place == BY_HAND) return;
  if (tide_detach(machine->m) != TIDE_OK || tide_heap_destroy(machine->heap) != TIDE_OK)
    fail("the heap does not end");
}

static void measure(enum place place, unsigned turns) {
  struct machine machine = {.place = place};
  struct tide_heap_stats stats = {0};
  double start = seconds();
  begin(&machine);
  run(&machine, turns);
  tide_heap_stats(machine.heap, &stats);
  end(&machine);
  bool said =
      printf("%-6s %8.0f ms in all, pauses %6.1f ms, longest %5.2f ms, %4u collections (%u young), "
             "%6.1f MiB, checksum %llx\n",
             place_names[place], (seconds() - start) * 1e3, (double)stats.pause_ns_total / 1e6,
             (double)stats.pause_ns_max / 1e6, (unsigned)stats.collections,
             (unsigned)stats.young_collections,
             (double)(stats.peak_committed_bytes + machine.peak_bytes) / 1048576,
             (unsigned long long)machine.checksum) > 0 &&
      fflush(stdout) == 0;
  if (!said) fail(strerror(errno));
}

int main(int argc, char **argv) {
  unsigned long turns = argc > 2 ? strtoul(argv[2], NULL, 10) : 3000;
  if (argc > 3 || turns == 0 || turns > 1000000000)
    fail("usage: buffers [heap|malloc|free] [TURNS]");
  for (enum place place = IN_HEAP; place <= BY_HAND; place++) {
    if (argc > 1 && strcmp(argv[1], place_names[place]) == 0) {
      measure(place, (unsigned)turns);
      return 0;
    }
  }
  if (argc > 1) fail("usage: buffers [heap|malloc|free] [TURNS]");
  for (enum place place = IN_HEAP; place <= BY_HAND; place++)
    measure(place, (unsigned)turns);
  return 0;
}
