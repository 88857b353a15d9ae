// SPDX-License-Identifier: MIT
// The queues of tide/bwos.h for C++17: tide::bwos_lifo<T> and tide::bwos_fifo<T>, which own their
// storage and share by themselves.
//
// A queue belongs to one thread, its owner: put, get and poll are the owner's; steal is for any
// other thread, size for all. It is neither copied nor moved. T is trivially copyable, up to 64
// bytes, because both forms read an item before they claim it: a thief may have read one that it
// does not get. So what may only be moved is queued as a pointer. The constructor throws
// std::invalid_argument or std::bad_alloc, and nothing else throws.
#ifndef TIDE_BWOS_HPP
#define TIDE_BWOS_HPP
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "tide/bwos.h"

namespace tide {
namespace bwos_detail {

#define TIDE_BWOS_FORM_(name, form)                                                                \
  struct name {                                                                                    \
    using queue = form##_;                                                                         \
    using owner = form##_owner_;                                                                   \
    static void make(queue *q, owner *o, void *storage, std::uint32_t blocks,                      \
                     std::uint32_t entries, std::size_t item) {                                    \
      form##_make_(q, o, storage, blocks, entries, item);                                          \
    }                                                                                              \
    static bool is_at_end(const owner *o) { return form##_is_at_end_(o); }                         \
    static bool up(queue *q, owner *o, std::uint32_t words) { return form##_up_(q, o, words); }    \
    static void store(owner *o, const void *item, std::size_t bytes) {                             \
      form##_store_(o, item, bytes);                                                               \
    }                                                                                              \
    static bool is_used_up(const owner *o) { return form##_is_used_up_(o); }                       \
    static bool may_have_more(const owner *o) { return form##_may_have_more_(o); }                 \
    static bool down(queue *q, owner *o, std::uint32_t words) {                                    \
      return form##_down_(q, o, words);                                                            \
    }                                                                                              \
    static void load(owner *o, void *item, std::size_t bytes) { form##_load_(o, item, bytes); }    \
    static bool has(const queue *q, const owner *o, std::uint32_t words) {                         \
      return form##_has_(q, o, 1, words);                                                          \
    }                                                                                              \
    static void share(queue *q, owner *o, std::uint32_t words) { form##_share_(q, o, 1, words); }  \
    static tide_bwos_taken steal(queue *q, void *out, std::uint32_t max, std::size_t bytes) {      \
      return form##_steal_(q, out, max, bytes);                                                    \
    }                                                                                              \
    static std::uint64_t size(const queue *q) { return form##_size_(q); }                          \
  }
TIDE_BWOS_FORM_(lifo, tide_bwos);
TIDE_BWOS_FORM_(fifo, tide_bwos_fifo);
#undef TIDE_BWOS_FORM_

template <class T, class Form> class queue {
  static_assert(std::is_trivially_copyable_v<T>,
                "queue a pointer to what is not trivially copyable");
  static_assert(sizeof(T) <= TIDE_BWOS_ITEM_MAX, "queue a pointer to what has over 64 bytes");
  static constexpr std::uint32_t words = (sizeof(T) + 7) / 8;

public:
  // Room for blocks * entries items; see jobs_make in tide/bwos.h.
  explicit queue(std::uint32_t blocks = 64, std::uint32_t entries = 64) {
    std::size_t bytes = tide_bwos_storage_bytes_(blocks, entries, sizeof(T));
    if (bytes != 0) storage_ = ::operator new (bytes, std::align_val_t{64});
    if (const char *wrong = tide_bwos_refuse_(&queue_, &owner_, storage_, bytes, bytes)) {
      release();
      throw std::invalid_argument(wrong);
    }
    Form::make(&queue_, &owner_, storage_, blocks, entries, sizeof(T));
  }
  ~queue() { release(); }
  queue(const queue &) = delete;
  queue &operator=(const queue &) = delete;

  // False if the queue is full; then nothing was stored. Only gets make room in a full bwos_fifo.
  [[nodiscard]] bool put(const T &item) noexcept {
    bool stored = put_only(item);
    poll();
    return stored;
  }
  // Returns how many of the items were stored, from the first on.
  [[nodiscard]] std::size_t put(const T *items, std::size_t count) noexcept {
    std::size_t stored = 0;
    while (stored < count && put_only(items[stored]))
      stored++;
    poll();
    return stored;
  }
  // Nothing if the queue is empty.
  std::optional<T> get() noexcept {
    std::optional<T> found;
    if (TIDE_BWOS_RARELY(Form::is_used_up(&owner_)) && !down()) {
      poll();
      return found;
    }
    slot item;
    Form::load(&owner_, item.bytes, sizeof(T));
    found.emplace(item.value());
    poll();
    return found;
  }
  // Shares with waiting thieves. Put and get do that; a job that does neither for long may.
  void poll() noexcept {
    if (TIDE_BWOS_RARELY(tide_bwos_is_wished_(&queue_.want))) share();
  }

  // Takes up to max items, at most 32. Returns how many, TIDE_BWOS_NOTHING or TIDE_BWOS_AGAIN.
  // All of out may be overwritten.
  tide_bwos_taken steal(T *out, std::uint32_t max) noexcept {
    tide_bwos_taken taken = Form::steal(&queue_, out, max, sizeof(T));
    if (taken == TIDE_BWOS_NOTHING && max != 0) tide_bwos_wish_(&queue_.want);
    return taken;
  }
  // Nothing if there is nothing to take now, or if another thread was faster.
  std::optional<T> steal() noexcept {
    slot item;
    tide_bwos_taken taken = Form::steal(&queue_, item.bytes, 1, sizeof(T));
    if (taken == TIDE_BWOS_NOTHING) tide_bwos_wish_(&queue_.want);
    return taken > 0 ? std::optional<T>(item.value()) : std::nullopt;
  }
  // Roughly how many items thieves could take.
  std::uint64_t size() const noexcept { return Form::size(&queue_); }

private:
  // A T that need not have a default constructor.
  struct slot {
    alignas(T) unsigned char bytes[sizeof(T)];
    const T &value() const { return *std::launder(reinterpret_cast<const T *>(bytes)); }
  };

  bool put_only(const T &item) noexcept {
    if (TIDE_BWOS_RARELY(Form::is_at_end(&owner_)) && !up()) return false;
    Form::store(&owner_, &item, sizeof(T));
    return true;
  }
  __attribute__((noinline, cold)) bool up() noexcept { return Form::up(&queue_, &owner_, words); }
  bool down() noexcept { return Form::may_have_more(&owner_) && take_over(); }
  __attribute__((noinline, cold)) bool take_over() noexcept {
    return Form::down(&queue_, &owner_, words);
  }
  __attribute__((noinline, cold)) void share() noexcept {
    if (Form::has(&queue_, &owner_, words)) Form::share(&queue_, &owner_, words);
  }
  void release() noexcept {
    if (storage_) ::operator delete (storage_, std::align_val_t{64});
  }

  typename Form::queue queue_;
  alignas(64) typename Form::owner owner_;
  void *storage_ = nullptr;
};

} // namespace bwos_detail

template <class T> using bwos_lifo = bwos_detail::queue<T, bwos_detail::lifo>;
template <class T> using bwos_fifo = bwos_detail::queue<T, bwos_detail::fifo>;

} // namespace tide

#endif
