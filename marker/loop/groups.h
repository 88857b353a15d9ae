/* SPDX-License-Identifier: MIT */
/* Group items: grey objects of one kind that wait in the queue in a chunk.
 *
 * [group.item] What its maker wrote into the chunk is seen by the marker that takes the item: see
 * td_Q_put in marker/queue/contract.h. */
#ifndef TD_MARKER_LOOP_GROUPS_H
#define TD_MARKER_LOOP_GROUPS_H

#include <string.h>

#include "marker/loop/object.h"
#include "marker/region/regions.h"
#include "marker/test/tester.h"

TD_INLINE struct td_waiting_group *group_of(const struct loop *l, uint64_t item) {
  struct td_chunks *pool = &l->marker->set->regions->pool;
  return (struct td_waiting_group *)(void *)&pool->at[td_item_granule(item)];
}

/* The chunk of a group is not needed any more. */
TD_INLINE void give_chunk_back(struct loop *l, uint64_t item) {
  td_chunks_put(&l->marker->set->regions->pool, &l->marker->visitor->stock,
                (uint32_t)td_item_granule(item));
}

/* Puts grey objects into the queue. If it is full, or there is no chunk, they are deferred. */
static void put_group(struct loop *l, uint32_t kind, const uint32_t *at, uint32_t count) {
  struct td_marker *marker = l->marker;
  uint32_t chunk = td_chunks_get(&marker->set->regions->pool, &marker->visitor->stock);
  if (l->mode.groups >= TD_GROUPS_MANY) notice_full(l);
  if (chunk) {
    const uint64_t item = td_group_item(chunk);
    struct td_waiting_group *group = group_of(l, item);
    group->kind = kind;
    group->count = count;
    memcpy(group->at, at, count * sizeof *at);
    if (Q(put)(l->queue, &l->o, item)) {
      l->mode.groups++;
      return;
    }
    give_chunk_back(l, item);
  }
  for (uint32_t i = 0; i < count; i++)
    refused(l, td_view_object(&l->v, at[i]) | TD_ITEM_GREY);
}

/* The group's objects join those of the tester. */
static void take_group_item(struct loop *l, uint64_t item) {
  struct td_tester *t = l->marker->tester;
  const struct td_waiting_group *group = group_of(l, item);
  const uint32_t kind = group->kind, count = group->count;
  memcpy(t->stack[kind] + t->grey[kind], group->at, count * sizeof *group->at);
  t->grey[kind] += count;
  l->mode.groups -= l->mode.groups > 0;
  give_chunk_back(l, item);
}

/* For modes that know no groups. Takes the objects out of the chunk, and returns how many. */
static uint32_t open_group(struct loop *l, uint64_t item, uintptr_t *objects) {
  const struct td_waiting_group *group = group_of(l, item);
  const uint32_t count = group->count;
  for (uint32_t i = 0; i < count; i++)
    objects[i] = td_view_object(&l->v, group->at[i]);
  give_chunk_back(l, item);
  return count;
}

static __attribute__((noinline, cold)) void defer_group_item(struct loop *l, uint64_t item) {
  uintptr_t objects[TD_GROUP_ITEM_MOST];
  for (uint32_t i = open_group(l, item, objects); i-- > 0;)
    td_defer_grey(l->marker, objects[i]);
}

#endif
