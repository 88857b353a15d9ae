/* The marking engine 'kotlin'. */
#include "marker/queue/kotlin.h"
#define TD_QUEUE kotlin
#include "marker/engine/engine.h"
