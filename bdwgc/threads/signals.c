/* SPDX-License-Identifier: MIT */
/* The signal that stops threads. None is needed to let them go on. */
#include <pthread.h>
#include <signal.h>

#include "bdwgc/heap.h"
#include "bdwgc/say.h"
#include "tide/advanced.h"

static int restart_signal = SIGXCPU; /* for programs that leave it alone */

EXPORT int GC_get_suspend_signal(void) {
  int number = tide_stop_signal();
  return number ? number : SIGPWR;
}
/* Once there is a heap, threads may have to be stopped at any time: the signal stays. */
EXPORT void GC_set_suspend_signal(int number) {
  struct tide_error error;
  if (td_bdwgc_heap) {
    if (number != GC_get_suspend_signal())
      td_bdwgc_warn("GC_set_suspend_signal: %lu comes after GC_init and has no effect",
                    (GC_word)number);
    return;
  }
  if (tide_stop_signal_set(number, &error) != TIDE_OK)
    td_bdwgc_die("GC_set_suspend_signal: %s", error.text);
}
VALUE(int, thr_restart_signal, restart_signal)

/* Whatever a thread blocks, it can be stopped. */
EXPORT int GC_pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
  sigset_t allowed;
  if (!set || how == SIG_UNBLOCK) return pthread_sigmask(how, set, old);
  allowed = *set;
  sigdelset(&allowed, GC_get_suspend_signal());
  return pthread_sigmask(how, &allowed, old);
}
