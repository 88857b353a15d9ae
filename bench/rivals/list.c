/* SPDX-License-Identifier: MIT */
#include "bench/rivals/list.h"

#include <string.h>

#include "marker/engine/engines.h"

TD_ALL_QUEUES(TD_QUEUE_IGNORE, TD_QUEUE_DEFINE)

#define DECLARE(Q, ...) extern const struct td_engine td_engine_##Q;
TD_ALL_QUEUES(DECLARE, DECLARE)

/* What is linked with this file has all engines, not the library's alone. */
#define ENGINE(Q, ...) &td_engine_##Q,
const struct td_engine *const td_engines[] = {TD_ALL_QUEUES(ENGINE, ENGINE) NULL};

#define ENTRY(Q, ...) &td_queue_entry_##Q,
static const struct td_queue_entry *const entries[] = {TD_ALL_QUEUES(ENTRY, ENTRY) NULL};

/* Each queue of the library is among them. */
#define ONE(...) +1
_Static_assert((0 TD_QUEUES(ONE)) == (0 TD_ALL_QUEUES(ONE, TD_QUEUE_IGNORE)),
               "TD_ALL_QUEUES lacks a queue of the library");

const struct td_queue_entry *td_queue_find(const char *name) {
  size_t number = 0;
  while (entries[number] && strcmp(entries[number]->name, name) != 0)
    number++;
  return entries[number];
}
