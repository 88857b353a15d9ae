/* SPDX-License-Identifier: MIT */
/* Primitives for procedures, records, dynamic state, evaluation, time, and the system. */
#include "scheme.h"

#include <stdlib.h>
#include <time.h>

EXPRESSION("procedure?", ".", make_bool(is_type(a[0], T_CLOSURE) || is_type(a[0], T_PRIMITIVE)))

/* ---- Records: (%record TYPE field …), also the types themselves ------------------------------ */

static value *field(const value *a) {
  if (!is_record(a[0], a[1])) fail("not a record of the type:", list2(a[0], slots_of(a[1])[1]));
  return &slots_of(a[0])[unfix(a[2])];
}

EXPRESSION("%record", "..*", make_object_of(T_RECORD, (size_t)count, a))
EXPRESSION("%record?", "..", make_bool(is_record(a[0], a[1])))
EXPRESSION("%record-ref", ".ri", *field(a))
EXPRESSION("%record-set!", ".ri.", (mem_write((void *)a[0], field(a), a[3]), UNSPECIFIED))

/* ---- Dynamic state -------------------------------------------------------------------------- */

EXPRESSION("%winders", "", globals.winders)
EXPRESSION("%set-winders!", ".", globals.winders = a[0])
EXPRESSION("%handlers", "", globals.handlers)
EXPRESSION("%set-handlers!", ".", globals.handlers = a[0])
EXPRESSION("%place-now", "", globals.place)
EXPRESSION("%set-place!", ".", globals.place = a[0])

/* ---- Evaluation, time, the system ------------------------------------------------------------ */

static int64_t clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

EXPRESSION("%compile", ".", compile_program(expand_program(a[0])))
EXPRESSION("%redefine!", "y", symbol_of(a[0])->redefinable = TRUE)
EXPRESSION("current-jiffy", "", fix(clock_ns(CLOCK_MONOTONIC)))
EXPRESSION("jiffies-per-second", "", fix(1000000000))
EXPRESSION("current-second", "", make_flonum((double)clock_ns(CLOCK_REALTIME) / 1e9))
EXPRESSION("gc", "", (mem_collect(), UNSPECIFIED))
EXPRESSION("gc-count", "", fix((int64_t)mem_stats().collections))
EXPRESSION("gc-name", "", intern_c(MEM_NAME))

PRIMITIVE("emergency-exit", "|.") {
  finish(count == 0 || a[0] == TRUE ? 0 : is_fixnum(a[0]) ? (int)(unfix(a[0]) & 255) : 1);
}
PRIMITIVE("get-environment-variable", "s") {
  const char *content = getenv(c_from_string(a[0]));
  return content != NULL ? string_from_c(content) : FALSE;
}
