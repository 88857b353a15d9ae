/* SPDX-License-Identifier: MIT */
/* The state of the marking loop: a local variable of work() in marker/loop/loop.h. The modes that
 * follow the newest child work on a copy whose address goes to inlined functions only, so that the
 * compiler keeps what they use most in registers.
 *
 * An engine defines, before it includes marker/loop/loop.h:
 *
 *   QUEUE       struct QUEUE is the shared part of a queue
 *   Q(name)     its functions, and struct Q(owner): see marker/queue/contract.h
 *   owned(o)    a function: roughly how many items the owner could share
 *
 * All headers that include this one are parts of that template. */
#ifndef TD_MARKER_LOOP_STATE_H
#define TD_MARKER_LOOP_STATE_H

#ifndef Q
#error "define QUEUE, Q(name) and owned() first: marker/loop/ is a template"
#endif

#include "heap/view.h"
#include "marker/base/state.h"
#include "marker/loop/window.h"
#include "marker/scan/array.h"

/* How marking goes on. marker/loop/README.md tells what leads from one mode to another. */
enum mode {
  FOLLOW,    /* follow the newest child; references are queued as they are */
  TEST,      /* scan objects in groups of one kind, and test references in batches */
  BY_REGION, /* throw references to the regions they lead to, then visit these */
};

/* What decides the mode. */
struct mode_choice {
  enum mode sparse;        /* FOLLOW or TEST */
  int32_t score;           /* how much speaks for testing references */
  uint64_t map_before;     /* that of the object scanned last at the last poll */
  uint64_t objects_before; /* `objects` at the last poll */
  bool full;               /* the queue, or what groups it may have, is full */
  bool wide;               /* an array was met that leads to much of every region */
  uint32_t groups;         /* in the queue, at most: thieves may have taken some */
  bool deep;               /* the queue holds much: children are followed in the other order */
  bool single;             /* the next objects may have one reference each */
  bool scattered;          /* the next mode is BY_REGION */
};

/* When to share work. Effort is counted in objects; a slice of an array counts as several. */
struct sharing {
  uint64_t effort;
  uint64_t recruit_at; /* effort at which to think of waking another marker */
  uint64_t give_at;    /* effort at which thieves may get something again, */
  uint32_t give_step;  /* which is this much after the last time */
  uint64_t yield_at;   /* effort at which threads that wait for this CPU get it */
  bool spill;          /* move the window into the queue, where thieves reach it */
};

/* The flagged page whose deferred objects are being scanned. */
struct page_walk {
  size_t page;   /* 0: none */
  uint64_t from; /* granule at which to go on */
  size_t before; /* the page taken before, from which the next one is looked for */
};

struct loop {
  struct td_view v;
  struct td_marker *marker;
  struct QUEUE *queue;
  struct Q(owner) o;
  uintptr_t next;   /* the newest child; 0: none */
  uintptr_t last;   /* the object scanned last */
  uint64_t array;   /* an array, or a slice of one, that comes next; 0: none */
  uint64_t objects; /* marked, without the leaves that were marked where they were met; */
  uint64_t leaves;  /* those */
  uint32_t poll;    /* objects until the next poll */
  struct td_window window;
  uint32_t grey; /* mode TEST: objects that the marker keeps for itself, at the last poll */
  struct mode_choice mode;
  struct sharing sharing;
  struct page_walk walk;
};

#endif
