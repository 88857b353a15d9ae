/* What a slab costs by either source, the first time, given back, and again; printed, not judged.
 * Argument: how many slabs. */
#include <time.h>

#include "heap/jemalloc/arena.h"
#include "platform/platform.h"
#include "tests/stress/driver.h"

#define SLAB ((size_t)2 << 20)
enum { SLABS_MOST = 1024 };

static struct td_arena *arena; /* NULL: the system */
static char *range, *slabs[SLABS_MOST];
static uint64_t count;

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void take(uint64_t i, bool touch) {
  size_t bytes = SLAB;
  bool zero;
  if (arena) {
    CHECK((slabs[i] = td_arena_take(arena, &bytes, SLAB, &zero)));
  } else {
    slabs[i] = range + i * SLAB;
    CHECK(td_plat_commit(slabs[i], SLAB));
    td_plat_advise_huge(slabs[i], SLAB);
  }
  for (size_t at = 0; touch && at < SLAB; at += td_plat_page_bytes())
    *(volatile char *)(slabs[i] + at) = 1;
}

static double take_all(bool touch) {
  double begin = now_us();
  for (uint64_t i = 0; i < count; i++)
    take(i, touch);
  return (now_us() - begin) / (double)count;
}

static double give_all(void) {
  double begin = now_us();
  for (uint64_t i = 0; i < count; i++) {
    if (arena)
      td_arena_give(arena, slabs[i]);
    else
      td_plat_decommit(slabs[i], SLAB);
  }
  return (now_us() - begin) / (double)count;
}

static void measure(const char *source, bool touch) {
  size_t bytes = (count + 8) * 2 * SLAB;
  CHECK((range = td_plat_reserve(bytes, SLAB)));
  if (source[0] == 'j') CHECK((arena = td_arena_open(range, bytes)));
  double first = take_all(touch), given = give_all(), again = take_all(touch);
  printf("%-8s %-11s first %8.2f, given back %6.2f, again %8.2f us a slab\n", source,
         touch ? "touched" : "not touched", first, given, again);
  td_arena_close(arena);
  arena = NULL;
  td_plat_release(range, bytes);
}

int main(int arguments_count, char **arguments) {
  count = argument(arguments_count, arguments, 1, 20);
  CHECK(count > 0 && count <= SLABS_MOST);
  for (int touch = 0; touch < 2; touch++) {
    measure("system", touch);
    measure("jemalloc", touch);
  }
  return 0;
}
