/* The marking engine 'eigen'. */
#include "marker/queue/eigen.h"
#define TD_QUEUE eigen
#include "marker/engine/engine.h"
