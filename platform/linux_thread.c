/* SPDX-License-Identifier: MIT */
/* Linux: threads. */
#include "platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

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
  /* A thread that is the last of its process runs the handlers of exit. A C library need not notice
   * that it waits for itself. */
  if (!pthread_equal(thread->handle, pthread_self())) pthread_join(thread->handle, NULL);
}

extern void *__libc_stack_end __attribute__((weak));

/* What the kernel leaves free for a process's first stack (MIN_GAP of its layouts). */
#define FIRST_STACK_GAP ((uintptr_t)128 << 20)

/* The bounds of a process's first stack. The GNU C library reads the list of all mappings for them,
 * which takes a noticeable part of a program that runs for a few milliseconds. Returns false on
 * other threads, on the stack of a thread that forked, and where the limit is so large that the
 * stack may end earlier, at other mappings. */
static bool first_stack_bounds(struct td_stack_bounds *bounds) {
  struct rlimit limit;
  if (!&__libc_stack_end || td_plat_thread_id() != getpid()) return false;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > FIRST_STACK_GAP) return false;
  uintptr_t page = td_plat_page_bytes(), here = (uintptr_t)__builtin_frame_address(0);
  uintptr_t high = ((uintptr_t)__libc_stack_end + page - 1) & ~(page - 1);
  uintptr_t low = high - (limit.rlim_cur & ~(page - 1));
  *bounds = (struct td_stack_bounds){.low = low, .high = high, .grows = true};
  return here >= low && here < high;
}

bool td_plat_stack_bounds(struct td_stack_bounds *bounds) {
  pthread_attr_t attributes;
  void *low;
  size_t bytes = 0;
  if (first_stack_bounds(bounds)) return true;
  int error = pthread_getattr_np(pthread_self(), &attributes);
  if (!error) {
    error = pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
  }
  if (error && td_plat_thread_id() == getpid() && &__libc_stack_end) {
    /* Without /proc the GNU C library does not tell bounds, but where the stack began. */
    uintptr_t page = td_plat_page_bytes(), high = (uintptr_t)__libc_stack_end;
    *bounds = (struct td_stack_bounds){.low = (uintptr_t)&attributes & ~(page - 1),
                                       .high = (high + page - 1) & ~(page - 1),
                                       .grows = true};
    return true;
  }
  if (error) {
    errno = error;
    return false;
  }
  *bounds = (struct td_stack_bounds){.low = (uintptr_t)low,
                                     .high = (uintptr_t)low + bytes,
                                     .grows = td_plat_thread_id() == getpid()};
  return true;
}

/* From the top down: what is mapped there ends soon if it is another stack. Returns `low`, or where
 * the first gap above it ends. */
static uintptr_t mapped_from(uintptr_t low, uintptr_t high) {
  unsigned char resident[512];
  size_t page = td_plat_page_bytes(), most = sizeof resident * page;
  uintptr_t end = (high + page - 1) & ~(uintptr_t)(page - 1);
  int saved = errno;
  while (end > low && most >= page) {
    size_t bytes = end - low < most ? end - low : most;
    if (mincore((void *)(end - bytes), bytes, resident) == 0 || errno != ENOMEM)
      end -= bytes;
    else
      most = bytes / page / 2 * page;
  }
  errno = saved;
  return end;
}

bool td_plat_stack_reaches(uintptr_t address, uintptr_t high) {
  uintptr_t low = address & ~(uintptr_t)(td_plat_page_bytes() - 1);
  return mapped_from(low, high) == low;
}

uintptr_t td_plat_stack_mapped(uintptr_t high) {
  return mapped_from(0, high);
}

bool td_plat_signal_stack(uintptr_t address, uintptr_t *low, uintptr_t *high) {
  stack_t stack;
  int saved = errno;
  bool known = sigaltstack(NULL, &stack) == 0 && stack.ss_flags & SS_ONSTACK;
  errno = saved;
  if (!known || address - (uintptr_t)stack.ss_sp >= stack.ss_size) return false;
  *low = (uintptr_t)stack.ss_sp;
  *high = *low + stack.ss_size;
  return true;
}

long td_plat_thread_id(void) {
  return syscall(SYS_gettid);
}

const char *td_plat_thread_name(long id, char name[TD_THREAD_NAME_BYTES]) {
  char path[64];
  int saved = errno;
  snprintf(path, sizeof path, "/proc/self/task/%ld/comm", id);
  int file = open(path, O_RDONLY | O_CLOEXEC); /* no stream: see td_plat_say */
  ssize_t bytes = file >= 0 ? read(file, name, TD_THREAD_NAME_BYTES - 1) : -1;
  if (file >= 0) close(file);
  if (bytes <= 0) name[0] = '?', bytes = 1;
  name[bytes] = 0;
  name[strcspn(name, "\n")] = 0;
  errno = saved;
  return name;
}
