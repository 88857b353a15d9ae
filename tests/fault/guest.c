/* SPDX-License-Identifier: MIT */
/* What the program does when it can neither hear nor ask its Boehm GC: it kills that process, which
 * is alive and would wait for ever, and says so. This program is its own guest. */
#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "bench/boehm/guest.h"
#include "bench/cli/complain.h"
#include "bench/cli/place.h"
#include "tests/stress/driver.h"
#include "tests/wrap.h"

static bool deaf, dumb;

bool __wrap_td_place_find(char path[TD_PLACE_BYTES], ...);

WRAP(ssize_t, getline, char **line, size_t *bytes, FILE *file) {
  if (!deaf) return __real_getline(line, bytes, file);
  errno = ENOMEM;
  return -1;
}

WRAP(ssize_t, send, int socket, const void *data, size_t bytes, int flags) {
  if (!dumb) return __real_send(socket, data, bytes, flags);
  errno = ENOBUFS;
  return -1;
}

bool __wrap_td_place_find(char path[TD_PLACE_BYTES], ...) {
  ssize_t length = readlink("/proc/self/exe", path, TD_PLACE_BYTES - 1);
  if (length > 0) path[length] = 0;
  return length > 0;
}

static void expect_no_child(void) {
  errno = 0;
  CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static struct td_boehm *ready_guest(void) {
  struct td_boehm *guest = NULL;
  deaf = dumb = false;
  CHECK(td_boehm_start("tree:depth=4", 1, false, 0, &guest) == TD_EXIT_OK && guest);
  return guest;
}

int main(int count, char **arguments) {
  if (count > 1) { /* the guest */
    CHECK(write(STDOUT_FILENO, "ready\n", 6) == 6);
    pause();
    return 0;
  }
  alarm(60);
  struct td_boehm *guest = NULL;
  deaf = true;
  CHECK(td_boehm_start("tree:depth=4", 1, false, 0, &guest) == TD_EXIT_RESOURCES && !guest);
  expect_no_child();
  uint64_t ns;
  guest = ready_guest();
  dumb = true;
  CHECK(td_boehm_mark(guest, &ns) == TD_EXIT_RESOURCES);
  expect_no_child();
  td_boehm_stop(guest);
  guest = ready_guest();
  deaf = true;
  CHECK(td_boehm_mark(guest, &ns) == TD_EXIT_RESOURCES);
  expect_no_child();
  td_boehm_stop(guest);
  guest = ready_guest();
  td_boehm_stop(guest);
  expect_no_child();
  return 0;
}
