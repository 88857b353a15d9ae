/* The marking engine 'go'. */
#include "marker/queue/go.h"
#define TD_QUEUE go
#include "marker/engine/engine.h"
