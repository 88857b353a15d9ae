/* Every queue, for code that is compiled once per queue: TD_FOR_EACH_QUEUE(X) is X(Q) for each Q.
 */
#ifndef TD_MARKER_QUEUE_ALL_H
#define TD_MARKER_QUEUE_ALL_H

#include "marker/queue_abp.h"
#include "marker/queue_abp_sc.h"
#include "marker/queue_bwos.h"
#include "marker/queue_bwos_fifo.h"
#include "marker/queue_bwos_paper.h"
#include "marker/queue_chase_lev.h"
#include "marker/queue_mutex.h"
#include "marker/queue_serial.h"

#define TD_FOR_EACH_QUEUE(X)                                                                       \
  X(bwos) X(bwos_paper) X(bwos_fifo) X(abp) X(abp_sc) X(chase_lev) X(mutex) X(serial)

#endif
