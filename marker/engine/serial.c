/* The marking engine 'serial'. */
#include "marker/queue/serial.h"
#define TD_QUEUE serial
#include "marker/engine/engine.h"
