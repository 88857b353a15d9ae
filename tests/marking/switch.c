/* SPDX-License-Identifier: MIT */
/* Engines, policies and numbers of markers change between collections, many times, with helpers
 * that have just finished, still watch for work, or sleep; then more markers than CPUs; and work
 * for which a second marker must have come and stolen.
 *
 *   switch [TIMES] */
#include "tests/marking/rig.h"

static struct rig r;

struct node {
  struct node *left, *right;
};

static struct node *tree(unsigned depth) {
  size_t scope = tide_scope_open(r.m);
  struct node *n = (struct node *)tide_alloc(r.m, TIDE_LAYOUT_REFS, sizeof *n);
  CHECK(n && tide_handle(r.m, n));
  if (depth) n->left = tree(depth - 1);
  if (depth) n->right = tree(depth - 1);
  CHECK(tide_scope_close(r.m, scope) == TIDE_OK);
  return n;
}

static void change_and_collect(size_t times, unsigned most, unsigned depth) {
  rig_open(&r, (size_t)64 << 20, 0, 0);
  CHECK(tide_handle(r.m, tree(depth)));
  uint32_t random = 2463534242u;
  for (size_t i = 0; i < times; i++) {
    unsigned markers = 1 + random_next(&random) % most;
    const char *engine = rig_engine_of(random_next(&random));
    rig_choose_policy(&r, random_next(&random));
    if (rig_engine_may(engine, markers)) rig_configure(&r, engine, markers);
    /* Two at once, so that a change meets helpers that have just been at work. */
    CHECK(tide_collect(r.m) == TIDE_OK);
    CHECK(rig_collect(&r, "after a change") == ((uint64_t)2 << depth) - 1);
  }
  rig_close(&r);
}

/* A large tree, again and again until it happened: a helper came, stole, and early grants were
 * given; nothing was counted often that is marked once. A busy
 * machine may need dozens of collections until it runs two threads in one of them, so there are
 * far more than that. */
static void helpers_steal(const char *engine) {
  rig_open(&r, (size_t)512 << 20, 0, 0);
  CHECK(tide_handle(r.m, tree(19)));
  rig_configure(&r, engine, 2);
  CHECK(tide_heap_set_engine(r.heap, "serial", NULL) == TIDE_ERROR_ARGUMENT); /* for one marker */
  uint64_t steals = 0, helped = 0, objects = 0, twice = 0;
  int rounds = 0;
  for (; rounds < 2000 && (steals == 0 || helped == 0); rounds++) {
    rig_collect(&r, "a large tree");
    steals += r.cycle.steals;
    helped += r.marker[1].objects;
    objects += r.marked;
    twice += r.cycle.objects - r.marked;
  }
  printf("%s: after %d collections %" PRIu64 " steals, helper marked %" PRIu64 " of %" PRIu64
         ", %" PRIu64 " twice\n",
         engine, rounds, steals, helped, objects, twice);
  CHECK(steals > 0 && helped > 0);
  CHECK(twice <= objects / 50); /* each needs two markers within a few instructions */
  rig_close(&r);
}

int main(int count, char **arguments) {
  size_t times = argument(count, arguments, 1, 400);
  change_and_collect(times, 4, 12);
  change_and_collect(times / 8 + 1, 8, 14);
  helpers_steal("bwos");
  helpers_steal("abp");
  return 0;
}
