/* Watching what roots name. */
#include "gc/cycle/watch.h"

#include <string.h>

#include "gc/object/scan.h"
#include "gc/when/when.h"
#include "heap/find.h"

/* How many words of roots are looked at. */
#define WORDS_MOST 4096u
/* Much is a MUCH_PART-th of what lives, or more than MUCH_OBJECTS. */
#define MUCH_PART 64u
#define MUCH_OBJECTS 256u
#define VISITED (2 * MUCH_OBJECTS) /* a power of two */

static uint8_t *mark_of(const struct td_space *space, uintptr_t object) {
  return &space->marks[td_granule_of(space->base, object)];
}

/* Is it old and not logged? Its memory may have become something else since. */
static bool is_at_rest(const struct td_space *space, uintptr_t object) {
  return *mark_of(space, object) == space->epoch;
}

static bool is_long(const struct td_space *space, uintptr_t object) {
  return td_space_object_bytes(space, object) > TD_PAGE_BYTES;
}

void td_watch_begin(struct tide_heap *heap) {
  struct td_watch *watch = heap->watch;
  struct td_space *space = &heap->space;
  unsigned kept = 0;
  watch->words = watch->seen_count = watch->seen_again = 0;
  watch->let_go = false;
  if (!td_filling_looks(&heap->when->filling)) {
    watch->count = 0;
    return;
  }
  for (unsigned i = 0; i < watch->count; i++) {
    uintptr_t object = watch->objects[i];
    if (!is_at_rest(space, object)) continue;
    watch->objects[kept++] = object;
    if (!is_long(space, object)) *mark_of(space, object) = TD_YOUNG;
  }
  watch->count = kept;
}

/* ---- What roots name ---- */

struct seeing {
  struct td_scanner scanner; /* first */
  struct td_watch *watch;
};

static bool is_seen(const struct td_watch *watch, uintptr_t object) {
  for (unsigned i = 0; i < watch->seen_count; i++)
    if (watch->seen[i] == object) return true;
  return false;
}

static void see(struct td_scanner *scanner, uintptr_t target) {
  struct td_watch *watch = ((struct seeing *)scanner)->watch;
  if (watch->seen_count == TD_WATCHED || is_seen(watch, target)) return;
  if (!td_holds_object(scanner->space, td_granule_of(scanner->space->base, target))) return;
  watch->seen[watch->seen_count++] = target;
}

void td_watch_see(struct tide_heap *heap, const struct td_span *spans, size_t count) {
  struct seeing seeing = {.watch = heap->watch};
  if (!td_filling_looks(&heap->when->filling)) return;
  td_scanner_init(&seeing.scanner, &heap->space, see);
  for (size_t i = 0; i < count && heap->watch->words < WORDS_MOST; i++) {
    struct td_span span = spans[i];
    size_t left = WORDS_MOST - heap->watch->words;
    if (span.count > left) span.count = left;
    heap->watch->words += (unsigned)span.count;
    td_scan_span(&seeing.scanner, &span);
  }
}

/* The objects that the seen ones refer to, and so on while there is room. Each is watched together
 * with the one that refers to it, so it is found as long as that one does. */
static void see_below(struct tide_heap *heap) {
  struct seeing seeing = {.watch = heap->watch};
  td_scanner_init(&seeing.scanner, &heap->space, see);
  for (unsigned i = 0; i < heap->watch->seen_count && heap->watch->seen_count < TD_WATCHED; i++)
    if (!is_long(&heap->space, heap->watch->seen[i]))
      td_scan_object(&seeing.scanner, heap->watch->seen[i]);
}

/* ---- What an object leads to ---- */

struct following {
  struct td_scanner scanner; /* first */
  uintptr_t visited[VISITED];
  uintptr_t waiting[MUCH_OBJECTS];
  unsigned count, waiting_count;
  uint64_t bytes;
  bool much;
};

static void follow(struct td_scanner *scanner, uintptr_t object) {
  struct following *f = (struct following *)scanner;
  uint64_t granule = td_granule_of(scanner->space->base, object);
  if (f->much || !td_holds_object(scanner->space, granule)) return;
  size_t at = granule * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (VISITED - 1);
  for (; f->visited[at]; at = (at + 1) & (VISITED - 1))
    if (f->visited[at] == object) return;
  if (f->count == MUCH_OBJECTS) {
    f->much = true;
    return;
  }
  f->visited[at] = object;
  f->waiting[f->waiting_count++] = object;
  f->count++;
  f->bytes += td_space_object_bytes(scanner->space, object);
}

static bool leads_to_much(const struct tide_heap *heap, uintptr_t object) {
  struct following following = {.count = 0};
  td_scanner_init(&following.scanner, &heap->space, follow);
  follow(&following.scanner, object);
  while (following.waiting_count > 0 && !following.much) {
    td_scan_object(&following.scanner, following.waiting[--following.waiting_count]);
    if (following.bytes > heap->space.live_bytes / MUCH_PART) following.much = true;
  }
  return following.much;
}

void td_watch_end(struct tide_heap *heap) {
  struct td_watch *watch = heap->watch;
  struct td_space *space = &heap->space;
  unsigned lost = 0;
  if (!td_filling_looks(&heap->when->filling)) return;
  for (unsigned i = 0; i < watch->count; i++) {
    uintptr_t object = watch->objects[i];
    bool lives = is_long(space, object) ? is_seen(watch, object) : is_at_rest(space, object);
    if (!is_long(space, object)) watch->seen_again += lives;
    if (lives) continue;
    *mark_of(space, object) = space->epoch;
    watch->objects[lost++] = object;
  }
  for (unsigned i = 0; i < lost && !watch->let_go; i++)
    watch->let_go = leads_to_much(heap, watch->objects[i]);
  see_below(heap);
  memcpy(watch->objects, watch->seen, watch->seen_count * sizeof *watch->seen);
  watch->count = watch->seen_count;
}
