/* The marking engine 'mutex'. */
#include "marker/queue/mutex.h"
#define TD_QUEUE mutex
#include "marker/engine/engine.h"
