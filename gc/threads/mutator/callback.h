/* SPDX-License-Identifier: MIT */
/* Around a call of the embedder's function from within an allocation. Such a function may neither
 * allocate nor detach. A signal may stop the thread meanwhile. */
#ifndef TD_GC_THREADS_MUTATOR_CALLBACK_H
#define TD_GC_THREADS_MUTATOR_CALLBACK_H

#include "gc/check/caller/check.h"
#include "gc/threads/inside.h"

struct td_callback {
  struct td_call call;
  struct td_local_root keep;
  const char *outer;
  struct td_outside outside;
};
/* `held`, an object or 0, stays alive until the end. `name` says in messages what was called. For
 * functions with TD_KEEPS_CALL. */
void td_callback_begin(struct tide_mutator *mutator, struct td_callback *call, uintptr_t held,
                       const char *name);
void td_callback_end(struct tide_mutator *mutator, const struct td_callback *call);

/* The same for functions that may call only what is allowed while the world stands still. */
void td_quiet_call_begin(struct td_call *call, const char *name);
void td_quiet_call_end(const struct td_call *call);

#endif
