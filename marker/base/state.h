/* The inside of marker/: what markers share, and one marker's state. */
#ifndef TD_MARKER_BASE_STATE_H
#define TD_MARKER_BASE_STATE_H

#include <stdatomic.h>

#include "marker/base/events.h"
#include "marker/marker.h"
#include "marker/base/termination.h"
#include "marker/base/tracer.h"
#include "marker/queue/growth.h"
#include "marker/queue/list.h"
#include "marker/queue/policy.h"
#include "platform/platform.h"

#define TD_SLICE_SLOTS 512u  /* an array or root range is shared in slices of so many slots */
#define TD_WINDOW 32u        /* prefetch window, a power of two */
#define TD_GROUP 16u         /* tested marking: objects fetched together */
#define TD_NEAR_BYTES 256u   /* closer than this to the last object: no need to prefetch */
#define TD_NEAR_AHEAD 32u    /* so many such distances ahead is fetched when going on near by */
#define TD_BATCH 128u        /* references that wait together for their marks */
#define TD_POLL_OBJECTS 64u  /* how often an owner looks whether somebody wants work */
#define TD_STEAL_MOST 32u    /* items taken at once */
#define TD_CHUNK_BLOCKS 8u   /* dense marking: blocks claimed at once */
#define TD_DENSE_AHEAD 24u   /* dense marking: objects prefetched before they are read */
#define TD_TRACER_ITEMS 256u /* references that a trace function may hand over between spills */
/* A cycle starts with one marker; another is woken when one has scanned so many objects and has
 * so many items in its queue: less would not pay for the wake-up. */
#define TD_RECRUIT_OBJECTS 8192u
#define TD_SLICE_EFFORT (TD_SLICE_SLOTS / 8) /* a slice of an array, in objects */
#define TD_RECRUIT_ITEMS 4u

/* ---- Items of a queue: an object's address, or a slice of an array ---- */

/* Bit 63, which no address has: a slice. Bits 58…62: level; 36…57: index; 0…35: granule of the
 * array. The slice covers slots [index * S, (index + 1) * S) with S = TD_SLICE_SLOTS << level. */
#define TD_ITEM_SLICE ((uint64_t)1 << 63)
#define TD_ITEM_GRANULE_BITS 36u
#define TD_ITEM_INDEX_BITS 22u

static inline uint64_t td_slice_item(uint64_t granule, unsigned level, uint64_t index) {
  return TD_ITEM_SLICE | (uint64_t)level << (TD_ITEM_GRANULE_BITS + TD_ITEM_INDEX_BITS) |
         index << TD_ITEM_GRANULE_BITS | granule;
}

/* Bit 0: the object is marked and counted already, its children are owed. Without it: untested. */
#define TD_ITEM_OWED ((uint64_t)1)

static inline uint64_t td_item_granule(uint64_t item) {
  return item & (((uint64_t)1 << TD_ITEM_GRANULE_BITS) - 1);
}
static inline uint64_t td_item_index(uint64_t item) {
  return item >> TD_ITEM_GRANULE_BITS & (((uint64_t)1 << TD_ITEM_INDEX_BITS) - 1);
}
static inline unsigned td_item_level(uint64_t item) {
  return (unsigned)(item >> (TD_ITEM_GRANULE_BITS + TD_ITEM_INDEX_BITS)) & 31u;
}

/* ---- Shared by the markers of a heap ---- */

struct td_marker;

struct td_engine {
  const struct td_queue_entry *queue; /* its name and defaults */
  size_t (*storage_bytes)(uint32_t blocks, uint32_t items);
  size_t queue_bytes;
  size_t owner_bytes;
  void (*init)(struct td_marker *marker, uint32_t blocks, uint32_t items);
  /* After a collection, while all queues are empty and no other thread uses them: the marker's
   * queue goes back to its first storage. */
  void (*shrink)(struct td_marker *marker);
  /* Returns roughly how many items thieves could take from the queue. */
  uint64_t (*size)(const void *queue);
  /* Marks until there is nothing left for this marker; `joined` says that it is active already.
   * On return it is not. */
  void (*work)(struct td_marker *marker, bool joined);
};

struct td_markers {
  /* Constant between configurations. */
  struct td_space *space;
  const struct td_engine *engine;
  enum td_policy_kind policy;
  struct td_marker **marker;
  unsigned limit; /* markers that may take part */
  uint32_t queue_blocks, queue_items;

  /* The run: written by the collecting thread before td_term_start, read by those who joined. */
  const struct td_span *spans;
  size_t span_count;
  uint64_t cycle;
  uint64_t run;      /* counts td_mark_run */
  uint64_t start_ns; /* of the run, less what earlier runs took: zero of marking time */
  /* Helpers that watch for work look at these two while the next run is made ready: a hint then,
   * relaxed. Those who have joined see what the run began with: [term.start]. */
  _Atomic(uint64_t) root_slices;
  _Atomic(uint32_t) chunks; /* of TD_CHUNK_BLOCKS blocks, that the heap has */
  unsigned flag_rows;       /* in use: constant between configurations */

  /* Changed by all markers. */
  _Alignas(TD_CACHE_LINE) struct td_termination term;
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) root_next;  /* relaxed counter: next root slice */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) dense_next; /* relaxed counter: next chunk, cyclic */
  /* 1 once a page was flagged in this collection: until then nobody looks for flags. Whoever sets
   * a flag sets this first, and sees its own store; what others have flagged is their business. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) flagged;
  /* Markers asleep; a hint for recruiting, and the handshake of td_markers_quiet. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) parked;
  _Atomic(uint32_t) ready;    /* of those, who may take part: the others cannot be recruited */
  _Atomic(uint32_t) spinning; /* 1 while one idle marker watches for work: the others park */
  _Atomic(uint32_t) closed;   /* helpers must not look at queues: configuration changes */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) signal; /* futex: changes when sleepers should look */
  _Atomic(uint32_t) surplus; /* futex: the same for helpers that the configuration leaves out */
  _Atomic(uint32_t) quit;

  unsigned started; /* helper threads that exist; collecting thread only */
  uint64_t mark_ns;
  size_t events; /* that each marker remembers; 0: none */
};

/* ---- One marker ---- */

struct td_marker {
  struct td_markers *set;
  unsigned id;
  struct td_thread thread;

  /* The queue: shared part, owner's part, slots. One allocation, `storage` last. */
  void *memory;
  void *queue;
  void *owner;
  void *storage;
  struct td_growth growth; /* open if the queue grows */

  /* This marker only. */
  uint16_t *dense_list; /* objects of a chunk: see marker/loop/dense.c */
  uintptr_t *batches;   /* two of TD_BATCH_ROOM: see marker/loop/batch.h */
  bool dense;           /* the queue was full: go on in address order */
  bool took_part;
  bool leafy;                 /* many leaves are met: mark them there and then */
  uint32_t queued_leaves;     /* that came out of the queue since the last poll */
  struct td_policy policy;    /* whom to steal from; made anew with each configuration */
  uint32_t recruit_step;      /* objects to scan before recruiting again; doubles each time */
  uint64_t span_run;          /* the run that the next two belong to */
  size_t span;                /* where this marker's walk over the root spans stands */
  uint64_t span_first;        /* first slice of that span */
  uintptr_t weak, ephemerons; /* chains of objects met: [weak.chain] */
  /* What happened while it was not active; added to stats and events when it joins, because
   * between two collections those belong to the collecting thread: [term.leave]. */
  uint64_t parks, wakes;
  struct td_naps naps;
  uint64_t joined_ns; /* when it became active */
  struct td_events events;
  struct tide_marker_stats stats; /* this marker while active, else the collecting thread */
};

/* marker/base/idle.c: nothing to do. Leaves (if `joined`) and waits. true: joined again, there may
 * be work; false: go back to sleep, or the run is over. promising looks whether a try would pay,
 * and makes wishes known. */
bool td_idle(struct td_marker *marker, bool joined, bool (*promising)(struct td_marker *marker));
/* Wakes one sleeper, if there is any; how many. */
unsigned td_recruit(struct td_markers *set);
/* The same for a marker that has done so much in this run, in objects, and has work to share: at
 * which number to ask again. */
uint64_t td_recruit_more(struct td_marker *marker, uint64_t effort);
/* A helper thread's life; the argument is its struct td_marker. */
void *td_helper(void *argument);
/* Waits until every helper sleeps and keeps them from looking at anything until td_reopen. */
void td_quiet(struct td_markers *set);
void td_reopen(struct td_markers *set, bool moved); /* moved: the number of markers changed */
/* All sleepers look. */
void td_wake_all(struct td_markers *set);

/* marker/base/roots.c: the next slice of the roots; false: none left. */
struct td_root_slice {
  const void *start;
  size_t count;
  enum td_span_kind kind;
};
bool td_roots_next(struct td_marker *marker, struct td_root_slice *slice);
bool td_roots_left(const struct td_markers *set);

/* marker/base/events.c: what the tracing loop did, told out of line: its registers are dear. */
void td_granted(struct td_marker *marker);
void td_stolen(struct td_marker *marker, unsigned victim, uint32_t items);
/* A slice was scanned: begun when, of how many slots. */
void td_roots_done(struct td_marker *marker, uint64_t begin_ns, size_t slots);

/* marker/loop/dense.c: marks in address order for as long as that pays. false: it did not pay at
 * all, under an object per chunk of the heap. */
bool td_dense_run(struct td_marker *marker);

/* marker/loop/rare.c: the tracer of a marker. What a trace function hands over gathers in items;
 * when they are full, the references become pending work of their blocks. */
struct td_gather {
  struct tide_tracer tracer; /* first */
  struct td_marker *marker;
  uint32_t count;
  uintptr_t items[TD_TRACER_ITEMS]; /* objects, not tested */
};
void td_gather_init(struct td_gather *gather, struct td_marker *marker);

/* marker/base/weak.c: the rare kinds; called by whoever scans such an object. */
void td_weak_met(struct td_marker *marker, uintptr_t object);
/* true: the key is marked (or none): the value is an ordinary reference now. */
bool td_ephemeron_met(struct td_marker *marker, uintptr_t object);

#endif
