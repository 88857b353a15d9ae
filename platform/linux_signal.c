/* SPDX-License-Identifier: MIT */
/* Linux: the signal that stops threads, and telling something without the C library's locks. */
#include "platform/platform.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int td_plat_signal_default(void) {
  return SIGPWR;
}

bool td_plat_signal_usable(int number) {
  struct sigaction now;
  bool fault = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
               number == SIGABRT || number == SIGTRAP;
  int saved = errno;
  bool usable = number > 0 && number != SIGKILL && number != SIGSTOP && !fault &&
                sigaction(number, NULL, &now) == 0;
  errno = saved;
  return usable;
}

static void (*stop_handler)(void);

static void on_signal(int number) {
  (void)number;
  int saved = errno;
  stop_handler();
  errno = saved;
}

bool td_plat_signal_take(int number, void (*handler)(void)) {
  struct sigaction before, ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  if (sigaction(number, NULL, &before) != 0) return false;
  if (before.sa_flags & SA_SIGINFO ||
      (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN))
    return false;
  stop_handler = handler;
  /* A handler of the program's may not run while its thread counts as standing still. */
  sigfillset(&ours.sa_mask);
  sigdelset(&ours.sa_mask, SIGSEGV);
  sigdelset(&ours.sa_mask, SIGBUS);
  sigdelset(&ours.sa_mask, SIGFPE);
  sigdelset(&ours.sa_mask, SIGILL);
  sigdelset(&ours.sa_mask, SIGABRT);
  return sigaction(number, &ours, NULL) == 0;
}

bool td_plat_signal_is_ours(int number) {
  struct sigaction now;
  return sigaction(number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
         now.sa_handler == on_signal;
}

void td_plat_signal_give(int number) {
  struct sigaction ignored = {.sa_handler = SIG_IGN}, normal = {.sa_handler = SIG_DFL};
  if (!td_plat_signal_is_ours(number)) return;
  sigaction(number, &ignored, NULL); /* discards those that a thread has blocked */
  sigaction(number, &normal, NULL);
}

void td_plat_signal_unblock(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

bool td_plat_signal_send(long thread_id, int number) {
  int saved = errno;
  bool gone = syscall(SYS_tgkill, getpid(), thread_id, number) != 0 && errno == ESRCH;
  errno = saved;
  return !gone;
}

void td_plat_say(const char *format, ...) {
  char text[1536];
  int saved = errno, before, disabled;
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  size_t left = length < 0 ? 0 : (size_t)length;
  if (left >= sizeof text) left = sizeof text - 1;
  /* Callers hold locks, or are in the middle of a change. */
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  for (const char *at = text; left > 0;) {
    ssize_t written = write(STDERR_FILENO, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    at += written;
    left -= (size_t)written;
  }
  pthread_setcancelstate(before, &disabled);
  errno = saved;
}
