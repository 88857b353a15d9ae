/* SPDX-License-Identifier: MIT */
/* The program of buffers.h on Boehm GC, with the buffers in two places:
 *   boehm       buffers are objects as well
 *   finalizers  buffers are malloc's, and a finalizer frees them
 *
 *   buffers-boehm [boehm|finalizers] [TURNS]
 *
 * A pause is a collection from beginning to end, as the program's one thread waits for all of it.
 */
#include "buffers.h"

#include <gc/gc.h>
#include <gc/gc_mark.h>

enum { IN_HEAP, IN_MALLOC };
const char *const place_names[] = {"boehm", "finalizers", NULL};

struct machine {
  int place;
  unsigned kind; /* of objects whose references lie in malloc's buffers */
  struct figures figures;
  double begun_ms;
};
static struct machine *measured; /* Boehm GC's events have no context */

static void GC_CALLBACK on_event(GC_EventType event) {
  if (event == GC_EVENT_START) measured->begun_ms = milliseconds(CLOCK_MONOTONIC);
  if (event != GC_EVENT_END) return;
  uint64_t ns = (uint64_t)((milliseconds(CLOCK_MONOTONIC) - measured->begun_ms) * 1e6);
  measured->figures.collections++;
  measured->figures.pause_ns += ns;
  if (ns > measured->figures.longest_ns) measured->figures.longest_ns = ns;
}

/* Finds the references in the buffer. */
static struct GC_ms_entry *mark(GC_word *at, struct GC_ms_entry *top, struct GC_ms_entry *limit,
                                GC_word unused) {
  struct object *object = (struct object *)at;
  (void)unused;
  if (object->kind == STRING || !object->buffer) return top;
  void **slots = object->buffer;
  for (size_t i = 0; i < object->used; i++)
    top = GC_MARK_AND_PUSH(slots[i], top, limit, &slots[i]);
  return top;
}

static void GC_CALLBACK finalize(void *dead, void *unused) {
  const struct object *object = dead;
  (void)unused;
  count(&measured->figures, object->room, 0);
  free(object->buffer);
}

struct object *object_new(struct machine *machine, enum kind kind) {
  struct object *object = machine->place == IN_HEAP
                              ? GC_malloc(sizeof *object)
                              : GC_generic_malloc(sizeof *object, (int)machine->kind);
  if (!object) fail("no memory for an object");
  object->kind = kind;
  if (machine->place == IN_MALLOC)
    GC_register_finalizer_no_order(object, finalize, NULL, NULL, NULL);
  return object;
}

void grow(struct machine *machine, struct object *object, size_t room) {
  void *buffer;
  if (machine->place == IN_HEAP) {
    buffer = object->kind == STRING ? GC_malloc_atomic(room) : GC_malloc(room);
    if (buffer && object->buffer) memcpy(buffer, object->buffer, object->room);
  } else {
    buffer = realloc(object->buffer, room);
    count(&machine->figures, object->room, room);
  }
  if (!buffer) fail("no memory for a buffer");
  object->buffer = buffer;
  object->room = room;
}

void store(struct machine *machine, struct object *object, size_t at, struct object *element) {
  (void)machine;
  ((struct object **)object->buffer)[at] = element;
}

void release(struct machine *machine, struct object *object) {
  (void)machine, (void)object;
}

struct machine *machine_new(int place) {
  GC_INIT();
  measured = calloc(1, sizeof *measured);
  if (!measured) fail("no memory for the machine");
  measured->place = place;
  measured->kind = GC_new_kind(GC_new_free_list(), GC_MAKE_PROC(GC_new_proc(mark), 0), 0, 1);
  GC_set_on_collection_event(on_event);
  return measured;
}

/* Its heap stays, and what is left in it is nobody's. */
struct figures machine_end(struct machine *machine) {
  machine->figures.peak_bytes += GC_get_heap_size();
  return machine->figures;
}
