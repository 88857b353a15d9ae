/* SPDX-License-Identifier: MIT */
/* Handles and their scopes. An open scope takes one slot of the same stack: a word that tells
 * where the scope outside it has its own, with low bits set so that it is no reference. */
#include "gc/threads/mutator/handles.h"

#include <stdlib.h>

#include "gc/check/caller/check.h"
#include "gc/threads/inside.h"

#define FAILED_SCOPE SIZE_MAX

static void **push(struct tide_mutator *mutator, void *word) {
  struct td_handle_segment *segment = mutator->handles;
  if (!segment || mutator->handles_used == TD_HANDLES_PER_SEGMENT) {
    struct td_handle_segment *above = segment ? segment->above : NULL;
    if (!above) {
      above = malloc(sizeof *above);
      if (!above) return NULL;
      above->below = segment;
      above->above = NULL;
      if (segment) segment->above = above;
    }
    mutator->handles = segment = above;
    mutator->handles_used = 0;
    mutator->scope_base += mutator->handles->below ? TD_HANDLES_PER_SEGMENT : 0;
  }
  void **slot = &segment->slots[mutator->handles_used++];
  *slot = word;
  return slot;
}

/* Number of slots in use, over all segments. */
static size_t depth(const struct tide_mutator *mutator) {
  return mutator->scope_base + mutator->handles_used;
}

/* Back to `wanted` slots; returns the word in the first slot dropped. */
static uintptr_t pop_to(struct tide_mutator *mutator, size_t wanted) {
  while (wanted < mutator->scope_base) {
    mutator->scope_base -= TD_HANDLES_PER_SEGMENT;
    mutator->handles = mutator->handles->below;
    /* Keep one empty segment, so that a loop at the edge of two does not allocate each time. */
    struct td_handle_segment *spare = mutator->handles->above->above;
    mutator->handles->above->above = NULL;
    free(spare);
  }
  mutator->handles_used = (uint32_t)(wanted - mutator->scope_base);
  return (uintptr_t)mutator->handles->slots[mutator->handles_used];
}

/* A scope's token is its depth plus one, so that 0 can mean "none". */
size_t tide_scope_open(struct tide_mutator *mutator) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_scope_open")) return FAILED_SCOPE;
  if (!push(mutator, (void *)(mutator->scope << 1 | 1))) return FAILED_SCOPE;
  mutator->scope = depth(mutator);
  return mutator->scope;
}

void **tide_handle(struct tide_mutator *mutator, void *reference) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_handle")) return NULL;
  return push(mutator, reference);
}

enum tide_status tide_scope_close(struct tide_mutator *mutator, size_t scope) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_scope_close")) return td_refusal(mutator);
  if (scope == 0 || scope != mutator->scope) return TIDE_ERROR_ARGUMENT;
  mutator->scope = pop_to(mutator, scope - 1) >> 1;
  return TIDE_OK;
}

static uintptr_t word_at(const struct tide_mutator *mutator, size_t at) {
  const struct td_handle_segment *segment = mutator->handles;
  size_t base = mutator->scope_base;
  for (; at < base; base -= TD_HANDLES_PER_SEGMENT)
    segment = segment->below;
  return (uintptr_t)segment->slots[at - base];
}

enum tide_status tide_scope_unwind(struct tide_mutator *mutator, size_t scope) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_scope_unwind")) return td_refusal(mutator);
  size_t open = mutator->scope;
  while (open > scope)
    open = word_at(mutator, open - 1) >> 1;
  if (scope == 0 || open != scope) return TIDE_ERROR_ARGUMENT;
  mutator->scope = pop_to(mutator, scope - 1) >> 1;
  return TIDE_OK;
}

void td_handles_list(const struct tide_mutator *mutator, struct td_root_list *list) {
  size_t used = mutator->handles_used;
  for (const struct td_handle_segment *c = mutator->handles; c; c = c->below) {
    td_root_list_add(list, TD_SPAN_SLOTS, c->slots, used);
    used = TD_HANDLES_PER_SEGMENT;
  }
  for (const struct td_local_root *l = mutator->locals; l; l = l->up)
    td_root_list_add(list, TD_SPAN_SLOTS, &l->reference, 1);
}

void td_handles_close(struct tide_mutator *mutator) {
  struct td_handle_segment *segment = mutator->handles;
  if (segment && segment->above) free(segment->above);
  while (segment) {
    struct td_handle_segment *below = segment->below;
    free(segment);
    segment = below;
  }
  mutator->handles = NULL;
  mutator->handles_used = 0;
  mutator->scope = mutator->scope_base = 0;
}
