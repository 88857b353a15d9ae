/* SPDX-License-Identifier: MIT */
/* Objects whose strings, arrays and hashes have buffers outside of them, as in mruby: see
 * buffers.h.
 *
 * The same program with the buffers in three places:
 *   heap     buffers are objects as well
 *   malloc   objects are collected; tide_layout_on_reclaim frees the buffers of those that died,
 *            and tide_external_add tells how much they are
 *   free     no collector: the program, which knows, frees objects and buffers itself
 *
 *   buffers [heap|malloc|free] [TURNS]     without a place: all three
 *
 * buffers_boehm.c is the same on Boehm GC.
 */
#include "buffers.h"

#include <tide/stats.h>
#include <tide/tide.h>

enum { IN_HEAP, IN_MALLOC, BY_HAND };
const char *const place_names[] = {"heap", "malloc", "free", NULL};

struct machine {
  int place;
  struct figures figures;
  struct tide_heap *heap;
  struct tide_mutator *m;
  tide_layout layout;
  ptrdiff_t untold;
};

/* ---- Objects and buffers ---- */

/* The heap hears of malloc's bytes by some KiB: a call for each buffer would cost a sixth of the
 * time. At the heap's end there is no mutator to call with. */
enum { TOLD_AT_ONCE = 16384 };
static void tell(struct machine *machine, ptrdiff_t bytes) {
  machine->untold += bytes;
  if (machine->untold < TOLD_AT_ONCE && machine->untold > -TOLD_AT_ONCE) return;
  if (tide_current(machine->heap)) tide_external_add(machine->m, machine->untold);
  machine->untold = 0;
}

/* A buffer that dies with its object. */
static void on_reclaim(void *dead, size_t bytes, void *context) {
  struct object *object = dead;
  struct machine *machine = context;
  (void)bytes;
  if (!object->buffer) return;
  count(&machine->figures, object->room, 0);
  tell(machine, -(ptrdiff_t)object->room);
  free(object->buffer);
}

/* With the buffer outside, a trace function finds the references in it. */
static void trace(void *at, size_t bytes, struct tide_tracer *tracer, void *context) {
  const struct object *object = at;
  (void)bytes, (void)context;
  if (object->kind != STRING) tide_trace_range(tracer, object->buffer, object->used);
}

struct object *object_new(struct machine *machine, enum kind kind) {
  struct object *object = machine->place == BY_HAND
                              ? calloc(1, sizeof *object)
                              : tide_alloc(machine->m, machine->layout, sizeof *object);
  if (!object) fail("no memory for an object");
  if (machine->place == BY_HAND) count(&machine->figures, 0, sizeof *object);
  object->kind = kind;
  return object;
}

/* As a realloc that makes room for `room` bytes. */
void grow(struct machine *machine, struct object *object, size_t room) {
  void *buffer;
  if (machine->place == IN_HEAP) {
    tide_layout layout = object->kind == STRING ? TIDE_LAYOUT_LEAF : TIDE_LAYOUT_REFS;
    buffer = tide_alloc(machine->m, layout, room);
    if (buffer && object->buffer) memcpy(buffer, object->buffer, object->room);
    if (buffer) tide_write(machine->m, object, &object->buffer, buffer);
  } else {
    buffer = realloc(object->buffer, room);
    if (buffer) object->buffer = buffer;
    count(&machine->figures, object->room, room);
    if (buffer && machine->place == IN_MALLOC)
      tell(machine, (ptrdiff_t)room - (ptrdiff_t)object->room);
  }
  if (!buffer) fail("no memory for a buffer");
  object->room = room;
}

/* What the store is told of: with the buffer outside, the object that the references are of. */
void store(struct machine *machine, struct object *object, size_t at, struct object *element) {
  struct object **slot = (struct object **)object->buffer + at;
  void *holder = machine->place == IN_HEAP ? object->buffer : object;
  if (machine->place == BY_HAND)
    *slot = element;
  else
    tide_write(machine->m, holder, slot, element);
}

/* By hand: an object with all that it refers to. */
void release(struct machine *machine, struct object *object) {
  if (machine->place != BY_HAND || !object) return;
  for (size_t i = 0; object->kind != STRING && i < object->used; i++)
    release(machine, ((struct object **)object->buffer)[i]);
  count(&machine->figures, object->room + sizeof *object, 0);
  free(object->buffer);
  free(object);
}

/* ---- The heap ---- */

static void begin(struct machine *machine) {
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

struct machine *machine_new(int place) {
  struct machine *machine = calloc(1, sizeof *machine);
  if (!machine) fail("no memory for the machine");
  machine->place = place;
  if (place != BY_HAND) begin(machine);
  return machine;
}

/* The objects that are left go by hand, or with the heap. */
struct figures machine_end(struct machine *machine) {
  struct tide_heap_stats stats = {0};
  tide_heap_stats(machine->heap, &stats);
  for (unsigned i = 0; i < KEPT; i++)
    release(machine, kept[i]);
  if (machine->place != BY_HAND &&
      (tide_detach(machine->m) != TIDE_OK || tide_heap_destroy(machine->heap) != TIDE_OK))
    fail("the heap does not end");
  struct figures figures = machine->figures;
  figures.pause_ns = stats.pause_ns_total;
  figures.longest_ns = stats.pause_ns_max;
  figures.collections = (unsigned)stats.collections;
  figures.young = (unsigned)stats.young_collections;
  figures.peak_bytes += stats.peak_committed_bytes;
  free(machine);
  return figures;
}
