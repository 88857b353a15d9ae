/* SPDX-License-Identifier: MIT */
/* The embedder asks for checks. */
#include "gc/check/verify.h"
#include "gc/roots/gather.h"
#include "gc/state/error.h"
#include "gc/state/mutator.h"
#include "gc/threads/stop/pause.h"
#include "heap/check.h"

struct check_call {
  struct tide_check *result;
  enum tide_status status;
};

static void check_marks(struct tide_mutator *mutator, void *argument) {
  struct check_call *call = argument;
  struct tide_heap *heap = mutator->heap;
  td_roots_lock(heap);
  if (!td_verify_marks(heap, call->result)) call->status = TIDE_ERROR_MEMORY;
  td_roots_unlock(heap);
}

enum tide_status tide_check_marks(struct tide_mutator *mutator, struct tide_check *check) {
  if (!check) return TIDE_ERROR_ARGUMENT;
  struct check_call call = {check, TIDE_OK};
  enum tide_status status = td_with_world_stopped(mutator, "tide_check_marks", check_marks, &call);
  if (status == TIDE_OK) status = call.status;
  return status == TIDE_OK && !check->equal ? TIDE_ERROR_CHECK : status;
}

struct heap_call {
  struct tide_error *error;
  bool good;
};

static void check_heap(struct tide_mutator *mutator, void *argument) {
  struct heap_call *call = argument;
  call->good = td_space_check(&mutator->heap->space, call->error);
}

enum tide_status tide_check_heap(struct tide_mutator *mutator, struct tide_error *error) {
  struct heap_call call = {error, false};
  enum tide_status status = td_with_world_stopped(mutator, "tide_check_heap", check_heap, &call);
  if (status != TIDE_OK) return td_fail(error, status, "tide_check_heap: not possible here");
  if (!call.good) return TIDE_ERROR_CHECK;
  return td_succeed(error);
}

static void count_marked(struct tide_mutator *mutator, void *argument) {
  *(uint64_t *)argument = mutator->heap->space.live_objects;
}

uint64_t tide_count_marked(struct tide_mutator *mutator) {
  uint64_t count = 0;
  (void)td_with_world_stopped(mutator, "tide_count_marked", count_marked, &count);
  return count;
}
