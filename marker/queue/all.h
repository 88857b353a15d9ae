/* Every queue, for code that is compiled once per queue: TD_FOR_EACH_QUEUE(X) is X(Q) for each Q.
 */
#ifndef TD_MARKER_QUEUE_ALL_H
#define TD_MARKER_QUEUE_ALL_H

#include "marker/queue/abp.h"
#include "marker/queue/abp_sc.h"
#include "marker/queue/bwos.h"
#include "marker/queue/bwos_fifo.h"
#include "marker/queue/bwos_paper.h"
#include "marker/queue/chase_lev.h"
#include "marker/queue/mutex.h"
#include "marker/queue/serial.h"

#define TD_FOR_EACH_QUEUE(X)                                                                       \
  X(bwos) X(bwos_paper) X(bwos_fifo) X(abp) X(abp_sc) X(chase_lev) X(mutex) X(serial)

#endif
