/* SPDX-License-Identifier: MIT */
/* Any bytes as an HPROF dump. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  import_as("JAVA PROFILE 1.0.", 17, data, size);
  return 0;
}
