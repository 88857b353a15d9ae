/* Tested marking: the way of sparse marking for graphs in which many references lead to marked
 * objects. A template like marker/loop/loop.h, which is included before this.
 *
 * Work goes in groups: the objects of one are fetched while those of the group before are scanned,
 * and the references found wait in a batch for their marks (marker/loop/batch.h). Each step is a
 * function of its own that has little to remember, so that its loop runs in registers. */

struct group {
  uint32_t count;
  uint64_t items[TD_GROUP];
};

/* A reference whose mark is here: a new object is marked, and owed if it has children. */
TD_INLINE bool admit(struct loop *l, const struct td_view *v, struct Q(owner) * o,
                     uintptr_t object) {
  if (td_view_is_marked(v, object)) return false;
  td_mark_store(td_view_mark(v, object), v->epoch);
  if (td_view_block(v, object)->kind == TD_KIND_LEAF) return true;
  uint64_t item = object | TD_ITEM_GREY;
  if (__builtin_expect(!Q(put)(l->queue, o, item), 0)) refused(l, item);
  return true;
}

/* The waiting references, whose marks have arrived: new objects are marked and owed. */
static __attribute__((noinline)) void settle(struct loop *l) {
  const struct td_view v = l->v;
  struct Q(owner) o = l->o;
  const uintptr_t *kept = l->batch.other;
  uint64_t objects = 0;
  uint32_t count = td_batch_sift(&v, l->batch.other, l->batch.waiting);
  l->tested_refs += l->batch.waiting;
  for (uint32_t i = 0; i < count; i++)
    objects += admit(l, &v, &o, kept[i]); /* false: there twice */
  l->o = o;
  l->objects += objects;
  td_batch_turn(&l->batch, &v);
}

/* For objects of any length. */
TD_INLINE void meet(void *context, uintptr_t word) {
  struct loop *l = context;
  td_batch_add(&l->batch, &l->v, word);
  if (__builtin_expect(td_batch_is_full(&l->batch), 0)) settle(l);
}

static __attribute__((noinline)) void scan_other(struct loop *l, uintptr_t object, uint8_t kind) {
  if (td_kind_is_array(kind))
    scan_array(l, object, meet);
  else if (kind == TD_KIND_LEAF)
    l->marker->queued_leaves++;
  else
    scan_rare(l, object, meet);
}

/* Scans objects that have arrived. */
static __attribute__((noinline)) void scan_group(struct loop *l, const struct group *g) {
  const struct td_view v = l->v;
  struct td_batch batch = l->batch;
  for (uint32_t i = 0; i < g->count; i++) {
    uintptr_t object = g->items[i] & ~TD_ITEM_GREY;
    if (!claim(l, &v, g->items[i])) continue;
    const uintptr_t *slots = (const uintptr_t *)object;
    const struct td_block *block = td_view_block(&v, object);
    bool bitmap = block->kind == TD_KIND_BITMAP;
    if (__builtin_expect(bitmap, 1)) {
      for (uint64_t map = block->map; map; map &= map - 1)
        td_batch_add(&batch, &v, slots[(unsigned)__builtin_ctzll(map)]);
      if (__builtin_expect(!td_batch_is_full(&batch), 1)) continue;
    }
    l->batch = batch;
    if (bitmap)
      settle(l);
    else
      scan_other(l, object, block->kind);
    batch = l->batch;
  }
  l->batch = batch;
}

static __attribute__((noinline)) void meet_part(struct loop *l, uint64_t slice) {
  scan_part(l, slice, meet);
}

/* Takes a group: what untested marking has left in the window, then from the queue, asking for the
 * objects' lines. Slices of arrays are scanned at once. */
static __attribute__((noinline)) void take_group(struct loop *l, struct group *g) {
  struct Q(owner) o = l->o;
  g->count = 0;
  while (g->count < TD_GROUP && l->count > 0)
    g->items[g->count++] = take_oldest(l);
  while (g->count < TD_GROUP) {
    uint64_t item = Q(get)(l->queue, &o);
    if (item == 0) break;
    if (__builtin_expect((item & TD_ITEM_SLICE) != 0, 0)) {
      l->o = o;
      meet_part(l, item);
      o = l->o;
    } else {
      __builtin_prefetch((const void *)item);
      g->items[g->count++] = item;
    }
  }
  l->o = o;
}

/* ---- Narrow frontiers ----
 *
 * A few objects, as in a list whose elements lead to marked objects, fill neither group nor batch.
 * Such a frontier is followed without the batch: each reference is tested where it is met, newest
 * object first, until there is a group of others. Those are scanned next, and so on. What arrays
 * and rare kinds lead to goes into the batch all the same, which ends it. */

/* What the object leads to is on its way when its turn comes. true: some of it is in the batch. */
TD_INLINE bool scan_alone(struct loop *l, const struct td_view *v, struct Q(owner) * o,
                          uint64_t item, uint64_t *refs) {
  uintptr_t object = item & ~TD_ITEM_GREY;
  const uintptr_t *slots = (const uintptr_t *)object;
  const struct td_block *block = td_view_block(v, object);
  if (!claim(l, v, item)) return false;
  if (__builtin_expect(block->kind != TD_KIND_BITMAP, 0)) {
    l->o = *o;
    scan_other(l, object, block->kind);
    *o = l->o;
    return !td_batch_is_empty(&l->batch);
  }
  for (uint64_t map = block->map; map; map &= map - 1) {
    uintptr_t word = slots[(unsigned)__builtin_ctzll(map)];
    if (!td_view_is_reference(v, word)) continue;
    *refs += 1;
    if (!admit(l, v, o, word)) continue;
    l->objects++;
    __builtin_prefetch((const void *)word);
  }
  return false;
}

/* Until the owner has `wide` items, or none. */
static __attribute__((noinline)) uint32_t follow_newest(struct loop *l, uint64_t wide) {
  const struct td_view v = l->v;
  struct Q(owner) o = l->o;
  uint64_t item, refs = 0;
  uint32_t scanned = 0;
  bool over = false;
  while (!over && scanned < TD_POLL_OBJECTS && owned(&o) < wide &&
         (item = Q(get)(l->queue, &o)) != 0) {
    if (__builtin_expect((item & TD_ITEM_SLICE) != 0, 0)) {
      l->o = o;
      meet_part(l, item);
      o = l->o;
      break;
    }
    uintptr_t object = item & ~TD_ITEM_GREY;
    fetch_ahead(l, object);
    l->last = object;
    over = scan_alone(l, &v, &o, item, &refs);
    scanned++;
  }
  l->o = o;
  l->tested_refs += refs;
  return scanned;
}

static __attribute__((noinline)) void scan_group_alone(struct loop *l, const struct group *g) {
  const struct td_view v = l->v;
  struct Q(owner) o = l->o;
  uint64_t refs = 0;
  for (uint32_t i = 0; i < g->count; i++)
    scan_alone(l, &v, &o, g->items[i], &refs);
  l->o = o;
  l->tested_refs += refs;
}

/* true: time to go on in another way. */
static __attribute__((noinline)) bool enough(struct loop *l, uint32_t scanned) {
  if (l->dense) return true;
  if (l->poll > scanned) {
    l->poll -= scanned;
    return false;
  }
  return take_stock(l);
}

/* true: time to go on in another way. */
static bool follow_narrow(struct loop *l) {
  uint64_t wide = owned(&l->o) + TD_GROUP;
  do {
    uint32_t scanned = follow_newest(l, wide);
    if (owned(&l->o) >= wide) {
      struct group group;
      take_group(l, &group);
      scan_group_alone(l, &group);
      scanned += group.count;
    }
    if (scanned == 0) return false;
    if (enough(l, scanned)) return true;
  } while (owned(&l->o) < wide && td_batch_is_empty(&l->batch));
  return false;
}

/* No group came together: the few references that wait are settled, and followed. */
static bool go_narrow(struct loop *l) {
  bool few = l->batch.count + l->batch.waiting < TD_GROUP;
  settle(l);
  if (!few) return false;
  settle(l);
  return follow_narrow(l);
}

static __attribute__((noinline)) void drain_tested_in(struct loop *l) {
  struct group now = {.count = 0}, next;
  if (l->next) meet(l, l->next);
  l->next = 0;
  for (;;) {
    take_group(l, &next);
    scan_group(l, &now);
    bool starved = now.count + next.count == 0;
    if (starved && td_batch_is_empty(&l->batch)) return;
    bool over = starved ? go_narrow(l) : enough(l, now.count);
    now = next;
    if (over) break;
  }
  _Static_assert(2 * TD_GROUP <= TD_WINDOW, "a group goes back to what is left in the window");
  while (now.count > 0)
    append(l, now.items[--now.count]);
  /* Untested marking goes on from here: no reference may be left waiting. */
  while (!l->dense && !td_batch_is_empty(&l->batch))
    settle(l);
}

/* On a copy: only what no function is shown can stay in registers elsewhere. */
TD_INLINE void drain_tested(struct loop *l) {
  struct loop copy = *l;
  drain_tested_in(&copy);
  *l = copy;
}
