/* SPDX-License-Identifier: MIT */
/* All that the headers allow in random order, several heaps and threads at a time, while young and
 * full collections come as they like: heaps come and go while threads sit in others, threads come,
 * go, are cancelled and end without a word, children of forks collect and fork again, and a timer
 * interrupts the program's own threads in whatever system call they are. Every object that a
 * thread finds must be what it was made as, and each remembers all that its chains hold. A run that
 * is still there after a minute hangs. Arguments: steps (per thread), threads, seed, whether
 * signals stop threads (0 or 1). */
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tests/wild/wild.h"

struct wild_counts wild_counts;
bool wild_signals;

#if defined(__SANITIZE_THREAD__)
static const bool may_fork = false; /* children may not start threads under it */
#else
static const bool may_fork = true;
#endif
#if defined(__SANITIZE_ADDRESS__)
static const bool may_cancel = false; /* it does not hear of the frames that are left */
#else
static const bool may_cancel = true;
#endif

static void *work(void *argument);

/* ---- The timer ---- */

/* Threads of the library block all signals, so it interrupts the program's own only. A fresh thread
 * of ours is not `ours` yet. */
static atomic_uint ticks, foreign_ticks;
static _Thread_local bool ours;

static void tick(int number) {
  atomic_fetch_add_explicit(ours ? &ticks : &foreign_ticks, 1, memory_order_relaxed); /* a figure */
}
static void let_ticks(int how) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  CHECK(pthread_sigmask(how, &set, NULL) == 0);
}
static void start_timer(void) {
  struct sigaction action = {.sa_handler = tick}; /* no SA_RESTART: calls see EINTR */
  struct itimerval often = {{0, 300}, {0, 300}};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
}

static void start(struct worker *w) {
  let_ticks(SIG_BLOCK);
  CHECK(pthread_create(&w->thread, NULL, work, w) == 0);
  let_ticks(SIG_UNBLOCK);
}

/* ---- Threads that come and go ---- */

static void block_all(struct worker *w, bool enter) {
  for (unsigned i = 0; i < PLACES; i++)
    if (w->seat[i].place) (enter ? tide_blocking_enter : tide_blocking_leave)(w->seat[i].m);
}

/* What a guest that was cancelled has left. */
static void tidy(struct worker *guest) {
  for (unsigned i = 0; i < PLACES; i++)
    wild_rise(guest, i, false);
  free(guest);
}

static void invite(struct worker *w) {
  struct worker **slot = &w->guests[below_of(w, GUESTS)];
  if (w->guest) return;
  if (*slot) {
    block_all(w, true);
    if (may_cancel && below_of(w, 2)) pthread_cancel((*slot)->thread);
    CHECK(pthread_join((*slot)->thread, NULL) == 0);
    block_all(w, false);
    tidy(*slot);
    *slot = NULL;
    return;
  }
  struct worker *guest = calloc(1, sizeof *guest);
  CHECK(guest);
  guest->seed = random_next(&w->seed);
  guest->kind = wild_signals ? (enum kind)below_of(w, KINDS) : (enum kind)below_of(w, 2);
  guest->steps = 1 + below_of(w, 200);
  guest->guest = true;
  guest->forked = w->forked;
  start(guest);
  count(&wild_counts.guests);
  *slot = guest;
}

/* ---- Forks ---- */

static void wait_for(struct worker *w, pid_t child) {
  int status = 0;
  block_all(w, true);
  while (waitpid(child, &status, 0) < 0)
    continue;
  block_all(w, false);
  if (status == 0) return;
  fprintf(stderr, "status %#x of child %ld\n", (unsigned)status, (long)child);
  _exit(1);
}

/* The child goes on alone: others' seats stay taken, and their roots are roots for ever. */
static void fork_off(struct worker *w) {
  if (!may_fork || w->generation == 3 || below_of(w, 4)) return;
  count(&wild_counts.forks);
  bool blocks = below_of(w, 4) == 0;
  if (blocks) block_all(w, true);
  pid_t child = fork();
  CHECK(child >= 0);
  if (blocks) block_all(w, false);
  if (child) {
    wait_for(w, child);
    return;
  }
  w->generation++;
  w->forked = true;
  for (unsigned i = 0; i < GUESTS; i++)
    w->guests[i] = NULL;
  for (unsigned i = 0; i < 150; i++)
    wild_step(w);
  wild_check_all(w);
  _exit(0);
}

/* ---- Steps ---- */

static void move_on(struct worker *w) {
  unsigned number = below_of(w, PLACES);
  if (w->seat[number].place)
    wild_rise(w, number, true);
  else
    wild_sit(w, number);
}

static const struct {
  wild_act *call;
  unsigned weight;
} acts[] = {
    {wild_make, 200},        {wild_store, 200},       {wild_chain, 100},     {wild_chain_check, 40},
    {wild_chain_change, 30}, {wild_store_shared, 60}, {wild_cut, 3},         {wild_bulk, 40},
    {wild_resize, 20},       {wild_free_fresh, 20},   {wild_weak, 40},       {wild_ephemeron, 40},
    {wild_weak_table, 30},   {wild_weak_slot, 10},    {wild_finalizers, 80}, {wild_handles, 6},
    {wild_roots, 8},         {wild_pins, 10},         {wild_fiber, 4},       {wild_collect, 12},
    {wild_block, 16},        {wild_pause, 5},         {wild_look, 12},       {wild_stand_still, 3},
    {wild_configure, 5},     {wild_nonsense, 4},      {wild_hear, 1}};

void wild_step(struct worker *w) {
  uint32_t dice = below_of(w, 500);
  if (dice < 16) move_on(w);
  if (dice / 4 == 4) invite(w);
  if (dice / 4 == 5) wild_replace(w);
  if (dice / 4 == 6) fork_off(w);
  struct seat *seat = &w->seat[below_of(w, PLACES)];
  if (!seat->place) {
    if (dice % 32 == 0) wild_sit(w, (unsigned)(seat - w->seat));
    return;
  }
  unsigned total = 0, i = 0;
  for (unsigned k = 0; k < sizeof acts / sizeof *acts; k++)
    total += acts[k].weight;
  dice = below_of(w, total);
  while (dice >= acts[i].weight)
    dice -= acts[i++].weight;
  acts[i].call(&(struct at){w, seat, seat->place, seat->m, &seat->mine});
  pthread_testcancel();
}

/* Guests end without a word: the thread's end detaches them, and who invited them tidies up. */
static void *work(void *argument) {
  struct worker *w = argument;
  ours = true;
  let_ticks(SIG_UNBLOCK);
  for (unsigned i = 0; i < PLACES; i++)
    if (below_of(w, 2)) wild_sit(w, i);
  for (uint64_t i = 0; i < w->steps; i++)
    wild_step(w);
  wild_check_all(w);
  if (w->guest) return NULL;
  block_all(w, true);
  for (unsigned i = 0; i < GUESTS; i++)
    if (w->guests[i]) pthread_join(w->guests[i]->thread, NULL), tidy(w->guests[i]);
  block_all(w, false);
  for (unsigned i = 0; i < PLACES; i++)
    wild_rise(w, i, true);
  return NULL;
}

int main(int count, char **arguments) {
  uint64_t steps = argument(count, arguments, 1, 5000), threads = argument(count, arguments, 2, 3);
  uint32_t seed = (uint32_t)argument(count, arguments, 3, 1) * 2654435761u | 1;
  wild_signals = argument(count, arguments, 4, 1) != 0;
  CHECK(threads <= 64);
  ours = true;
  start_timer();
  struct worker *all[64];
  for (unsigned i = 0; i < PLACES; i++) {
    CHECK(pthread_mutex_init(&wild_places[i].table_lock, NULL) == 0);
    wild_place_make(&wild_places[i], POLLS, &seed);
  }
  for (uint64_t i = 0; i < threads; i++) {
    CHECK(all[i] = calloc(1, sizeof *all[i]));
    all[i]->seed = random_next(&seed);
    all[i]->kind = wild_signals ? (enum kind)(i % KINDS) : (enum kind)(i % 2);
    all[i]->steps = steps;
    start(all[i]);
  }
  for (uint64_t i = 0; i < threads; i++) {
    CHECK(pthread_join(all[i]->thread, NULL) == 0);
    free(all[i]);
  }
  for (unsigned i = 0; i < PLACES; i++)
    wild_place_end(&wild_places[i], POLLS);
  CHECK(foreign_ticks == 0);
  const struct wild_counts *n = &wild_counts;
  printf("%" PRIuFAST64 " forks, %" PRIuFAST64 " heaps, %" PRIuFAST64 " guests, %" PRIuFAST64
         " finalizers, %" PRIuFAST64 " times no memory, %" PRIuFAST64 " freed, %" PRIuFAST64
         " events, %u ticks\n",
         n->forks, n->heaps, n->guests, n->finalized, n->refused, n->freed, n->events,
         (unsigned)ticks);
  return 0;
}
