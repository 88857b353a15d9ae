/* SPDX-License-Identifier: MIT */
/* What all public headers share: version, types, statuses and errors. Begin with tide/tide.h. */
#ifndef TIDE_BASE_H
#define TIDE_BASE_H
/* Marks are read eight at a time, the first in the lowest byte; addresses take 48 bits. */
#if !defined(__LP64__) || !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Tidemark needs a 64-bit little-endian processor"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __GNUC__
#error "Tidemark needs GCC or Clang"
#endif
#define TIDE_API __attribute__((visibility("default")))
#define TIDE_LIKELY(x) __builtin_expect(!!(x), 1)

/* Around each header's declarations. To -Wshadow a function hides the structure of its name. */
#ifdef __cplusplus
#define TIDE_BEGIN                                                                                 \
  extern "C" {                                                                                     \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")
#define TIDE_END                                                                                   \
  _Pragma("GCC diagnostic pop")                                                                    \
  }
#else
#define TIDE_BEGIN
#define TIDE_END
#endif
TIDE_BEGIN
#define TIDE_VERSION_MAJOR 0
#define TIDE_VERSION_MINOR 3
#define TIDE_VERSION_PATCH 0

struct tide_heap;    /* a heap and its collector */
struct tide_mutator; /* a thread that is attached to a heap */
struct tide_tracer;  /* takes references from a trace function or root callback */

/* The number of a layout in the heap that made it. */
typedef uint16_t tide_layout;

enum tide_status {
  TIDE_OK = 0,
  TIDE_ERROR_ARGUMENT,    /* a NULL, zero, huge or contradictory argument */
  TIDE_ERROR_ENVIRONMENT, /* an environment variable TIDE_… has a value that means nothing */
  TIDE_ERROR_MEMORY,      /* the system or the heap's limit gives no more memory */
  TIDE_ERROR_LIMIT,       /* a count over one of Tidemark's own limits (TIDE_…_MAX) */
  TIDE_ERROR_STATE,       /* right call, wrong moment: already attached, still attached, … */
  TIDE_ERROR_SYSTEM,      /* the operating system refused a thread, a mapping or a file */
  TIDE_ERROR_CHECK,       /* a verification found a difference */
  TIDE_ERROR_UNSUPPORTED, /* this build of the library leaves it out */
};

/* Filled in by calls that can fail for more than one reason. Pass NULL if you don't care. */
struct tide_error {
  enum tide_status status;
  char text[256]; /* one line that names what was wrong and where; no newline */
};

/* Returns a constant English phrase for a status, never NULL. */
TIDE_API const char *tide_status_text(enum tide_status status);

/* Returns "MAJOR.MINOR.PATCH" of the library that is linked. */
TIDE_API const char *tide_version(void);
TIDE_END
#endif
