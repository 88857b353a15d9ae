/* The marking engine 'bwos-fifo'. */
#include "marker/queue/bwos_fifo.h"
#define TD_QUEUE bwos_fifo
#include "marker/engine/engine.h"
