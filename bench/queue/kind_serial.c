/* The loops of `tidemark queue` for 'serial'. */
#include "bench/queue/kind.h"
#include "marker/queue/serial.h"

extern const struct td_queue_kind td_queue_kind_serial;

#define QUEUE td_serial
#define Q(name) td_serial_##name
#define KIND td_queue_kind_serial
#define NAME "serial"
#include "bench/queue/loops.h"
