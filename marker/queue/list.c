#include "marker/queue/list.h"

#include <string.h>

#define ENTRY(Q, name, sharing, room, edition, order, blocks, items, text)                         \
  {name, text, blocks, items, TD_QUEUE_##sharing, TD_QUEUE_##room, TD_QUEUE_##order},
const struct td_queue_entry td_queue_entries[TD_QUEUE_COUNT] = {TD_QUEUES(ENTRY)};

enum td_queue_number td_queue_find(const char *name) {
  unsigned number = 0;
  while (number < TD_QUEUE_COUNT && strcmp(td_queue_entries[number].name, name) != 0)
    number++;
  return (enum td_queue_number)number;
}
