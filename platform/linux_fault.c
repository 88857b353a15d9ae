/* SPDX-License-Identifier: MIT */
/* Linux: telling of faults before the process ends of them. */
#include "platform/platform.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <ucontext.h>

static const int numbers[] = {SIGSEGV, SIGBUS};
#define NUMBERS (sizeof numbers / sizeof *numbers)

static struct sigaction before[NUMBERS]; /* what the program had */
/* Is our handler there, or one of the program's that came later and may call it? A second time it
 * would call itself. */
static bool taken[NUMBERS];
typedef void (*tell_fn)(const uintptr_t *words, size_t count);
static _Atomic(tell_fn) told; /* read by threads that fault */

/* The address, then the registers: they come first in the context of every processor. */
#define REGISTERS 32u
static void tell(const siginfo_t *info, const void *context) {
  const ucontext_t *at = context;
  uintptr_t words[1 + REGISTERS] = {(uintptr_t)info->si_addr};
  _Static_assert(sizeof at->uc_mcontext >= REGISTERS * sizeof *words, "registers");
  __builtin_memcpy(words + 1, &at->uc_mcontext, REGISTERS * sizeof *words);
  tell_fn call = atomic_load_explicit(&told, memory_order_relaxed); /* relaxed: it is code */
  if (call) call(words, 1 + REGISTERS);
}

/* As if the program's handler had been called. Without one the fault comes again, and is the last
 * thing that happens; what was sent by a call is sent again. */
static void pass_on(const struct sigaction *action, int number, siginfo_t *info, void *context) {
  if (action->sa_flags & SA_SIGINFO) {
    action->sa_sigaction(number, info, context);
  } else if (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
    action->sa_handler(number);
  } else {
    sigaction(number, action, NULL);
    if (info->si_code <= 0) raise(number);
  }
}

static void on_fault(int number, siginfo_t *info, void *context) {
  if (info->si_code > 0) tell(info, context);
  for (size_t i = 0; i < NUMBERS; i++)
    if (numbers[i] == number) pass_on(&before[i], number, info, context);
}

static void take(void) {
  struct sigaction ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&ours.sa_mask);
  for (size_t i = 0; i < NUMBERS; i++) {
    if (taken[i] || sigaction(numbers[i], NULL, &before[i]) != 0) continue;
    taken[i] = sigaction(numbers[i], &ours, NULL) == 0;
  }
}

static void give(void) {
  struct sigaction now;
  for (size_t i = 0; i < NUMBERS; i++)
    if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
        now.sa_sigaction == on_fault)
      taken[i] = sigaction(numbers[i], &before[i], NULL) != 0;
}

void td_plat_fault_watch(void (*tell_of)(const uintptr_t *words, size_t count)) {
  atomic_store_explicit(&told, tell_of, memory_order_relaxed); /* relaxed: it is code */
  if (tell_of)
    take();
  else
    give();
}
