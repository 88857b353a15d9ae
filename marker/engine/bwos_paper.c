/* The marking engine 'bwos-paper'. */
#include "marker/queue/bwos_paper.h"
#define TD_QUEUE bwos_paper
#include "marker/engine/engine.h"
