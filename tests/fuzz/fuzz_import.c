/* Any bytes as a heap dump. */
#include "tests/fuzz/fuzz.h"
#include "workloads/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct td_thg graph;
  struct td_thg_error error = {0};
  bool was_read = td_import_bytes(data, size, "fuzz", &graph, NULL, &error);
  judge(was_read, &graph, &error);
  return 0;
}
