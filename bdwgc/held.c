/* The set of held objects: a hash table that is itself a range of roots. */
#include "bdwgc/held.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bdwgc/state.h"

#define GONE ((uintptr_t)1) /* was used: a search goes on. No reference: its low bits are set */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  uintptr_t *at;
  size_t capacity; /* a power of two, or 0 */
  size_t used;     /* slots that are not 0 */
  size_t count;
} held;

static size_t home(uintptr_t key) {
  return (size_t)((uint64_t)key * 0x9e3779b97f4a7c15u >> 32) & (held.capacity - 1);
}

static size_t find(uintptr_t key) {
  size_t i = home(key);
  while (held.at[i] && held.at[i] != key)
    i = (i + 1) & (held.capacity - 1);
  return i;
}

/* The new table is a root before the old one is none. */
static bool rehash(void) {
  size_t capacity = 64, old_capacity = held.capacity;
  uintptr_t *old = held.at;
  while (capacity < 3 * (held.count + 1))
    capacity *= 2;
  uintptr_t *larger = calloc(capacity, sizeof *larger);
  if (!larger) return false;
  if (tide_root_add_range(td_bdwgc.heap, larger, capacity) != TIDE_OK) {
    free(larger);
    return false;
  }
  held.at = larger;
  held.capacity = capacity;
  held.used = held.count;
  for (size_t i = 0; i < old_capacity; i++)
    if (old[i] > GONE) held.at[find(old[i])] = old[i];
  if (old) tide_root_remove_range(td_bdwgc.heap, old);
  free(old);
  return true;
}

void *td_bdwgc_hold(void *object) {
  if (!object) return NULL;
  pthread_mutex_lock(&lock);
  bool room = held.used < held.capacity / 4 * 3 || rehash();
  if (room) {
    size_t at = find((uintptr_t)object);
    held.used += held.at[at] == 0;
    held.count += held.at[at] == 0;
    held.at[at] = (uintptr_t)object;
  }
  pthread_mutex_unlock(&lock);
  return room ? object : NULL;
}

bool td_bdwgc_is_held(const void *object) {
  pthread_mutex_lock(&lock);
  bool is = held.count && held.at[find((uintptr_t)object)] != 0;
  pthread_mutex_unlock(&lock);
  return is;
}

void td_bdwgc_let_go(void *object) {
  pthread_mutex_lock(&lock);
  if (held.count) {
    size_t at = find((uintptr_t)object);
    if (held.at[at]) {
      held.at[at] = GONE;
      held.count--;
    }
  }
  pthread_mutex_unlock(&lock);
}
