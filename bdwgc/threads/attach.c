/* How a thread gets and loses its mutator. */
#include "bdwgc/threads/attach.h"

#include <pthread.h>

#include "bdwgc/say.h"
#include "bdwgc/threads/register.h"
#include "tide/advanced.h"

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
void td_attach_prepare(void) {
  (void)pthread_once(&key_once, make_key);
}

void td_attach(void) {
  struct tide_error error;
  struct tide_attach_options options;
  tide_attach_options_init(&options);
  options.stop = TIDE_STOP_SIGNAL;
  td_bdwgc_self = tide_attach(td_bdwgc_heap, &options, &error);
  if (!td_bdwgc_self) td_bdwgc_die("a thread cannot be registered: %s", error.text);
  pthread_setspecific(exit_key, &exit_key);
  td_register_enter();
}

EXPORT int GC_unregister_my_thread(void) {
  if (td_bdwgc_self && !detach()) td_register_enter(); /* in a blocking region, say */
  return GC_SUCCESS;
}
EXPORT int GC_thread_is_registered(void) {
  return td_bdwgc_self != NULL;
}
