/* SPDX-License-Identifier: MIT */
#include "gc/threads/mutator/callback.h"

#include "gc/check/caller/check.h"
#include "gc/object/runs.h"
#include "gc/threads/thread.h"

void td_callback_begin(struct tide_mutator *mutator, struct td_callback *call, uintptr_t held,
                       const char *name) {
  td_call_begin(&call->call, name);
  call->outer = mutator->callback;
  call->keep = (struct td_local_root){held, mutator->locals};
  mutator->locals = &call->keep;
  mutator->callback = name;
  td_runs_show(mutator);
  call->outside = td_outside_begin(mutator);
}

void td_callback_end(struct tide_mutator *mutator, const struct td_callback *call) {
  td_outside_end(mutator, call->outside);
  td_call_end(&call->call);
  mutator->locals = call->keep.up;
  mutator->callback = call->outer;
  td_runs_show(mutator);
}

void td_quiet_call_begin(struct td_call *call, const char *name) {
  struct td_self *self = td_self();
  td_call_begin(call, name);
  self->worlds++; /* as if it held one */
  td_runs_show_all(self);
}

void td_quiet_call_end(const struct td_call *call) {
  struct td_self *self = td_self();
  self->worlds--;
  td_runs_show_all(self);
  td_call_end(call);
}
