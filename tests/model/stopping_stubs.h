/* SPDX-License-Identifier: MIT */
/* For models of stops: what gc/threads/stop/world.c and gc/threads/stop/signal.c call, and what
 * does nothing there. Of signal.c that is all but the thread that is stopped. */
#ifndef TD_TESTS_MODEL_STOPPING_STUBS_H
#define TD_TESTS_MODEL_STOPPING_STUBS_H

static inline void td_stack_call(void (*run)(void *argument), void *argument) {
  run(argument);
}
static inline void td_late_tell(const struct tide_heap *heap, const struct tide_mutator *self,
                                uint64_t waited_ns) {}
static inline void td_stats_tell(struct tide_heap *heap, enum tide_event_kind event) {}

#define PTHREAD_CANCEL_DISABLE 0
#define pthread_setcancelstate(state, before) (void)(state), (void)(before)
#define PTHREAD_CANCEL_DEFERRED 0
#define pthread_setcanceltype(type, before) (*(before) = (type))
static inline void td_plat_pause(void) {}
static inline uint64_t td_plat_now_ns(void) {
  return MODEL_NOW;
}
static inline bool td_plat_signal_is_ours(int number) {
  return true;
}
static inline void td_plat_say(const char *format, int number) {}
static enum tide_status td_fail(struct tide_error *error, enum tide_status status,
                                const char *format, ...) {
  return status;
}
static enum tide_status td_succeed(struct tide_error *error) {
  return TIDE_OK;
}
static inline int td_plat_signal_default(void) {
  return 1;
}
static inline bool td_plat_signal_usable(int number) {
  return number > 0;
}
static inline bool td_plat_signal_take(int number, void (*handler)(void)) {
  return number > 0 && handler;
}
static inline void td_plat_signal_give(int number) {}
static inline void td_plat_signal_unblock(int number) {}
long strtol(const char *text, char **end, int base);

#endif
