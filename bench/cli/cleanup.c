/* SPDX-License-Identifier: MIT */
#include "bench/cli/cleanup.h"

#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

/* A comparison has a child per marker count and kind of Boehm GC. */
#define FILES_MAX 16u
#define CHILDREN_MAX 256u

static const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
#define ENDINGS (sizeof endings / sizeof endings[0])

/* Written by the main thread, read by the handler, which interrupts it: a slot is written in one
 * piece. */
static const char *volatile files[FILES_MAX];
static volatile pid_t children[CHILDREN_MAX];

/* Calls functions only that POSIX allows in a handler. */
static void end(int number) {
  for (size_t i = 0; i < CHILDREN_MAX; i++) {
    pid_t child = children[i];
    if (child == 0) continue;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0); /* it may be writing one of the files */
  }
  for (size_t i = 0; i < FILES_MAX; i++) {
    const char *path = files[i];
    if (path) unlink(path);
  }
  signal(number, SIG_DFL);
  raise(number); /* takes effect when this returns */
}

static void fill_set(sigset_t *set) {
  sigemptyset(set);
  for (size_t i = 0; i < ENDINGS; i++)
    sigaddset(set, endings[i]);
}

void td_cleanup_setup(void) {
  signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error to report */
  struct sigaction action = {.sa_handler = end};
  fill_set(&action.sa_mask);
  for (size_t i = 0; i < ENDINGS; i++) {
    struct sigaction before;
    if (sigaction(endings[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(endings[i], &action, NULL);
  }
}

void td_cleanup_hold(sigset_t *before) {
  sigset_t set;
  fill_set(&set);
  pthread_sigmask(SIG_BLOCK, &set, before);
}

void td_cleanup_release(const sigset_t *before) {
  pthread_sigmask(SIG_SETMASK, before, NULL);
}

bool td_cleanup_note_file(const char *path) {
  for (size_t i = 0; i < FILES_MAX; i++) {
    if (files[i]) continue;
    files[i] = path;
    return true;
  }
  return false;
}

void td_cleanup_forget_file(const char *path) {
  for (size_t i = 0; i < FILES_MAX; i++)
    if (files[i] == path) files[i] = NULL;
}

bool td_cleanup_note_child(pid_t child) {
  for (size_t i = 0; i < CHILDREN_MAX; i++) {
    if (children[i]) continue;
    children[i] = child;
    return true;
  }
  return false;
}

void td_cleanup_forget_child(pid_t child) {
  for (size_t i = 0; i < CHILDREN_MAX; i++)
    if (children[i] == child) children[i] = 0;
}
