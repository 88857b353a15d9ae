/* Registering threads, and the regions in which they do without the heap. */
#include "bdwgc/threads/threads.h"

#include <pthread.h>

#include "bdwgc/lock.h"
#include "bdwgc/threads/register.h"
#include "bdwgc/threads/stack.h"
#include "tide/advanced.h"

TD_TLS struct tide_mutator *td_bdwgc_self;
TD_TLS bool td_bdwgc_away;

static pthread_key_t exit_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static TD_TLS bool has_ended; /* it registers once more, to run destructors */

static bool detach(void) {
  td_register_leave();
  if (tide_detach(td_bdwgc_self) != TIDE_OK) return false;
  td_bdwgc_self = NULL;
  return true;
}

/* A registered thread ends. Destructors of the program may still allocate: wait for one round. The
 * heap has a destructor, too, so the mutator may be gone. */
static void thread_ends(void *round) {
  static char second;
  if (round != &second && !has_ended) {
    pthread_setspecific(exit_key, &second);
    return;
  }
  has_ended = true;
  if (td_bdwgc_self) (void)detach();
  td_bdwgc_self = NULL;
  td_bdwgc_away = false;
}

static void make_key(void) {
  if (pthread_key_create(&exit_key, thread_ends) != 0) td_bdwgc_die("no thread key is left");
}

/* Keys that were made earlier have their turn earlier, with the C libraries there are. */
void td_threads_prepare(void) {
  (void)pthread_once(&key_once, make_key);
}

static struct tide_mutator *attach(const char *function) {
  struct tide_error error;
  struct tide_attach_options options;
  tide_attach_options_init(&options);
  options.stop = TIDE_STOP_SIGNAL;
  struct tide_mutator *mutator = tide_attach(td_bdwgc.heap, &options, &error);
  if (!mutator) td_bdwgc_die("%s: %s", function, error.text);
  pthread_setspecific(exit_key, &exit_key);
  td_bdwgc_self = mutator;
  td_register_enter();
  return mutator;
}

struct tide_mutator *td_bdwgc_attach(void) {
  return attach("a thread that was not registered");
}

EXPORT int GC_register_my_thread(const struct GC_stack_base *base) {
  (void)base;
  if (td_bdwgc_self) return GC_DUPLICATE;
  td_bdwgc_start();
  return GC_SUCCESS;
}
EXPORT int GC_unregister_my_thread(void) {
  if (td_bdwgc_self && !detach()) td_register_enter(); /* in a blocking region, say */
  return GC_SUCCESS;
}
EXPORT int GC_thread_is_registered(void) {
  return td_bdwgc_self != NULL;
}
EXPORT void GC_allow_register_threads(void) {
  td_bdwgc_start();
}
EXPORT void GC_start_mark_threads(void) {}
/* Words on another stack are found where the thread stands: see the manual on signal stacks. */
EXPORT void GC_register_altstack(void *start, GC_word bytes, void *other, GC_word other_bytes) {
  (void)start, (void)bytes, (void)other, (void)other_bytes;
}

/* ---- Regions ---- */

void td_bdwgc_come_back_slow(void) {
  tide_blocking_leave(td_bdwgc_self);
  td_bdwgc_away = false;
}
void td_bdwgc_go_away(void) {
  td_bdwgc_away = true;
  tide_blocking_enter(td_bdwgc_self);
}

EXPORT void *GC_do_blocking(GC_fn_type call, void *data) {
  td_bdwgc_start();
  if (td_bdwgc_away) return call(data);
  td_bdwgc_go_away();
  void *result = call(data);
  td_bdwgc_come_back();
  return result;
}
EXPORT void *GC_call_with_gc_active(GC_fn_type call, void *data) {
  bool came_back = td_bdwgc_come_back();
  void *result = call(data);
  if (came_back) td_bdwgc_go_away();
  return result;
}

/* ---- The allocation lock: no collection begins while it is held ---- */

/* In a blocking region holding stops off would hold nothing off. */
EXPORT void GC_alloc_lock(void) {
  td_bdwgc_start();
  if (td_bdwgc_away) tide_collect_pause(td_bdwgc.heap);
  td_bdwgc_lock(TD_LOCK_ALLOCATION);
  td_bdwgc_has_allocation = true;
}
EXPORT void GC_alloc_unlock(void) {
  td_bdwgc_has_allocation = false;
  td_bdwgc_unlock(TD_LOCK_ALLOCATION);
  if (td_bdwgc_away) tide_collect_resume(td_bdwgc.heap);
}
EXPORT void *GC_call_with_alloc_lock(GC_fn_type call, void *data) {
  GC_alloc_lock();
  void *result = call(data);
  GC_alloc_unlock();
  return result;
}

/* ---- Fork: the collector has handlers of its own ---- */

EXPORT void GC_set_handle_fork(int value) {
  (void)value;
}
EXPORT void GC_atfork_prepare(void) {}
EXPORT void GC_atfork_parent(void) {}
EXPORT void GC_atfork_child(void) {}
