/* Linux: threads. */
#include "platform/platform.h"

#include <errno.h>
#include <signal.h>

bool td_plat_thread_start(struct td_thread *thread, void *(*body)(void *), void *argument) {
  sigset_t all, before;
  sigfillset(&all);
  /* Faults in our own thread must still reach the program's crash handler. */
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGFPE);
  sigdelset(&all, SIGILL);
  sigdelset(&all, SIGABRT);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread->handle, NULL, body, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return error == 0;
}

void td_plat_thread_join(struct td_thread *thread) {
  pthread_join(thread->handle, NULL);
}

bool td_plat_stack_bounds(void **low, void **high) {
  pthread_attr_t attributes;
  int error = pthread_getattr_np(pthread_self(), &attributes);
  if (error) {
    errno = error;
    return false;
  }
  size_t bytes = 0;
  error = pthread_attr_getstack(&attributes, low, &bytes);
  pthread_attr_destroy(&attributes);
  if (error) {
    errno = error;
    return false;
  }
  *high = (char *)*low + bytes;
  return true;
}
