/* SPDX-License-Identifier: MIT */
/* For models with the barrier or stops: headers of the library that they have types of their own in
 * place of, and constants of these. */
#ifndef TD_TESTS_MODEL_LEFT_OUT_H
#define TD_TESTS_MODEL_LEFT_OUT_H

#define TD_GC_STATE_HEAP_H
#define TD_GC_WHEN_WHEN_H
#define TD_GC_CHECK_CALLER_CHECK_H
#define TD_GC_STATE_ERROR_H
#define TD_GC_OBJECT_FIND_H
#define TD_GC_THREADS_MUTATOR_WRITTEN_H
#define TD_HEAP_SPACE_SPACE_H
#define TD_HEAP_SPACE_FIND_H
#define TD_HEAP_YOUNG_YOUNG_H
#define TIDE_TIDE_H
#define TIDE_API
#define TIDE_BEGIN
#define TIDE_END
#define TIDE_LIKELY(condition) (condition)
#define TD_GRANULE_BYTES 16u
#define TD_GRANULE_LOG2 4u
#define TD_DEFERRED 0x80u
#define TD_YOUNG 2u

#endif
