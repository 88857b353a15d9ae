/* SPDX-License-Identifier: MIT */
/* Any bytes as a heap snapshot of V8. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  import_as("{", 1, data, size);
  return 0;
}
