/* SPDX-License-Identifier: MIT */
/* Linux: memory. */
#include "platform/platform.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of a program that locks its memory, present and future, reservations count as locked, and a user
 * may lock 8 MiB as a rule. Once that was too little, none shall count: an unlocked page grows
 * without being asked for. */
static void *map_unlocked(size_t bytes) {
  size_t page = td_plat_page_bytes();
  void *at = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return at;
  void *moved = munlock(at, page) == 0 ? mremap(at, page, bytes, MREMAP_MAYMOVE) : MAP_FAILED;
  int saved = errno;
  if (moved == MAP_FAILED) munmap(at, page);
  errno = saved;
  return moved;
}

static void *map_reserved(size_t bytes) {
  static _Atomic(bool) locks_little; /* relaxed, both: each thread finds it out for itself */
  void *at = MAP_FAILED;
  if (!atomic_load_explicit(&locks_little, memory_order_relaxed))
    at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED && errno == EAGAIN)
    atomic_store_explicit(&locks_little, true, memory_order_relaxed);
  if (atomic_load_explicit(&locks_little, memory_order_relaxed)) at = map_unlocked(bytes);
  return at;
}

/* The system places what is as long as some huge pages at the beginning of one, as a rule: then
 * there is nothing to cut off. */
void *td_plat_reserve(size_t bytes, size_t align) {
  size_t page = td_plat_page_bytes();
  if (align < page) align = page;
  if (bytes == 0 || bytes > SIZE_MAX - align - page) {
    errno = ENOMEM;
    return NULL;
  }
  bytes = (bytes + page - 1) & ~(page - 1);
  void *at = map_reserved(bytes);
  if (at == MAP_FAILED) return NULL;
  if (((uintptr_t)at & (align - 1)) == 0) return at;
  munmap(at, bytes);
  size_t span = bytes + align - page;
  at = map_reserved(span);
  if (at == MAP_FAILED) return NULL;
  uintptr_t low = (uintptr_t)at;
  uintptr_t start = (low + align - 1) & ~(uintptr_t)(align - 1);
  if (start > low) munmap(at, start - low);
  if (low + span > start + bytes) munmap((void *)(start + bytes), low + span - (start + bytes));
  return (void *)start;
}

bool td_plat_reserve_at(void *start, size_t bytes) {
  int saved = errno, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  void *at = mmap(start, bytes, PROT_NONE, flags, -1, 0);
  /* Before Linux 4.17 the start is a wish. */
  if (at != MAP_FAILED && at != start) munmap(at, bytes);
  errno = saved;
  return at == start;
}

void td_plat_release(void *start, size_t bytes) {
  if (start && bytes) munmap(start, bytes);
}

bool td_plat_commit(void *start, size_t bytes) {
  return bytes == 0 || mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0;
}

bool td_plat_commit_zeroes(void *start, size_t bytes) {
  return bytes == 0 || mprotect(start, bytes, PROT_READ) == 0;
}

void td_plat_populate(void *start, size_t bytes) {
#ifdef MADV_POPULATE_WRITE /* since Linux 5.14 */
  int saved = errno;
  madvise(start, bytes, MADV_POPULATE_WRITE);
  errno = saved;
#else
  (void)start, (void)bytes;
#endif
}

/* Zero is exchanged for zero. A compiler could leave out a write of what was just read. */
__attribute__((no_sanitize("address"))) void td_plat_touch(void *start, size_t bytes) {
  for (size_t at = 0, page = td_plat_page_bytes(); at < bytes; at += page) {
    unsigned char zero = 0; /* relaxed: nothing is told */
    __atomic_compare_exchange_n((unsigned char *)start + at, &zero, 0, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
  }
}

bool td_plat_purge(void *start, size_t bytes) {
  return bytes == 0 || madvise(start, bytes, MADV_DONTNEED) == 0;
}

bool td_plat_decommit(void *start, size_t bytes) {
  if (bytes == 0) return true;
  if (!td_plat_purge(start, bytes)) return false;
  /* The memory is gone by now. If access stays, because there are too many mappings, no harm is
   * done: commit allows it again. */
  int saved = errno;
  mprotect(start, bytes, PROT_NONE);
  errno = saved;
  return true;
}

void td_plat_advise_huge(void *start, size_t bytes) {
  int saved = errno;
  if (bytes) madvise(start, bytes, MADV_HUGEPAGE);
  errno = saved;
}

void td_plat_advise_small(void *start, size_t bytes) {
  int saved = errno;
  if (bytes) madvise(start, bytes, MADV_NOHUGEPAGE);
  errno = saved;
}

size_t td_plat_page_bytes(void) {
  static _Atomic(size_t) known;
  /* relaxed: every thread computes the same value. */
  size_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
  if (bytes == 0) {
    bytes = (size_t)sysconf(_SC_PAGESIZE);
    atomic_store_explicit(&known, bytes, memory_order_relaxed);
  }
  return bytes;
}

static size_t whole_pages(size_t bytes) {
  size_t page = td_plat_page_bytes();
  return bytes > SIZE_MAX - page ? 0 : (bytes + page - 1) & ~(page - 1);
}

void *td_plat_map(size_t bytes) {
  int saved = errno;
  void *at =
      mmap(NULL, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  errno = saved;
  return at == MAP_FAILED ? NULL : at;
}

void td_plat_unmap(void *start, size_t bytes) {
  int saved = errno;
  if (start) munmap(start, whole_pages(bytes));
  errno = saved;
}

bool td_plat_readable(uintptr_t address) {
  int saved = errno;
  /* The system reads the set of signals before it finds that there is no such thing to do with it.
   */
  long done = syscall(SYS_rt_sigprocmask, ~0, (void *)address, NULL, (size_t)8);
  bool readable = done == 0 || errno != EFAULT;
  errno = saved;
  return readable;
}
