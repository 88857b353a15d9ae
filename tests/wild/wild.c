/* All features of the library in random order, several heaps and threads at a time: heaps come and
 * go while threads sit in others, threads come, go, are cancelled and end without a word, children
 * of forks collect and fork again, and a timer interrupts the program's own threads in whatever
 * system call they are. Each thread remembers what its objects hold. A run that is still there
 * after a minute hangs. Arguments: steps (per thread), threads, seed, whether signals stop threads
 * (0 or 1). */
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tests/wild/wild.h"

atomic_uint_fast64_t wild_forks, wild_heaps, wild_guests, wild_finalized, wild_refused;
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
  (void)number;
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
  struct worker **slot = &w->guests[below(w, GUESTS)];
  if (w->guest) return;
  if (*slot) {
    block_all(w, true);
    if (may_cancel && below(w, 2)) pthread_cancel((*slot)->thread);
    CHECK(pthread_join((*slot)->thread, NULL) == 0);
    block_all(w, false);
    tidy(*slot);
    *slot = NULL;
    return;
  }
  struct worker *guest = calloc(1, sizeof *guest);
  CHECK(guest);
  guest->seed = random_next(&w->seed);
  guest->kind = wild_signals ? (enum kind)below(w, KINDS) : (enum kind)below(w, 2);
  guest->steps = 1 + below(w, 200);
  guest->guest = true;
  guest->forked = w->forked;
  start(guest);
  atomic_fetch_add_explicit(&wild_guests, 1, memory_order_relaxed);
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
  if (!may_fork || w->generation == 3 || below(w, 4)) return;
  atomic_fetch_add_explicit(&wild_forks, 1, memory_order_relaxed);
  bool blocks = below(w, 4) == 0;
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
  for (unsigned i = 0; i < PLACES; i++)
    if (w->seat[i].place) wild_check_all(&w->seat[i]);
  _exit(0);
}

/* ---- Steps ---- */

static void move_on(struct worker *w) {
  unsigned number = below(w, PLACES);
  if (w->seat[number].place)
    wild_rise(w, number, true);
  else
    wild_sit(w, number);
}

static void check(struct worker *w, struct seat *seat) {
  if (below(w, 8))
    wild_check(seat, below(w, SLOTS));
  else
    wild_check_all(seat);
}

static const struct {
  void (*call)(struct worker *w, struct seat *seat);
  unsigned weight;
} acts[] = {{wild_build, 200},     {check, 60},       {wild_change, 30}, {wild_weak, 30},
            {wild_finalizers, 30}, {wild_handles, 8}, {wild_roots, 8},   {wild_collect, 12},
            {wild_block, 16},      {wild_pause, 6},   {wild_look, 12},   {wild_stand_still, 3},
            {wild_configure, 6}};

void wild_step(struct worker *w) {
  uint32_t dice = below(w, 500);
  if (dice < 16) move_on(w);
  if (dice / 4 == 4) invite(w);
  if (dice / 4 == 5) wild_replace(w);
  if (dice / 4 == 6) fork_off(w);
  struct seat *seat = &w->seat[below(w, PLACES)];
  if (!seat->place) {
    if (dice % 32 == 0) wild_sit(w, (unsigned)(seat - w->seat));
    return;
  }
  unsigned total = 0, i = 0;
  for (unsigned k = 0; k < sizeof acts / sizeof *acts; k++)
    total += acts[k].weight;
  dice = below(w, total);
  while (dice >= acts[i].weight)
    dice -= acts[i++].weight;
  acts[i].call(w, seat);
  pthread_testcancel();
}

/* Guests end without a word: the thread's end detaches them, and who invited them tidies up. */
static void *work(void *argument) {
  struct worker *w = argument;
  ours = true;
  let_ticks(SIG_UNBLOCK);
  for (uint64_t i = 0; i < w->steps; i++)
    wild_step(w);
  for (unsigned i = 0; i < PLACES; i++)
    if (w->seat[i].place) wild_check_all(&w->seat[i]);
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
  uint64_t steps = argument(count, arguments, 1, 3000), threads = argument(count, arguments, 2, 3);
  uint32_t seed = (uint32_t)argument(count, arguments, 3, 1) * 2654435761u | 1;
  wild_signals = argument(count, arguments, 4, 1) != 0;
  CHECK(threads <= 64);
  ours = true;
  start_timer();
  struct worker *all[64];
  for (unsigned i = 0; i < PLACES; i++)
    wild_place_make(&wild_places[i], &seed);
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
    CHECK(tide_heap_destroy(wild_places[i].heap) == TIDE_OK);
  CHECK(foreign_ticks == 0);
  printf("%" PRIu64 " forks, %" PRIu64 " heaps, %" PRIu64 " guests, %" PRIu64
         " finalizers, %" PRIu64 " times no memory, %u ticks\n",
         (uint64_t)wild_forks, (uint64_t)wild_heaps, (uint64_t)wild_guests,
         (uint64_t)wild_finalized, (uint64_t)wild_refused, (unsigned)ticks);
  return 0;
}
