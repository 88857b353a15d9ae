/* The marking engine 'ring'. */
#include "marker/queue/ring.h"
#define TD_QUEUE ring
#include "marker/engine/engine.h"
