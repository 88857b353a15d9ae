// SPDX-License-Identifier: MIT
// Tidemark for C++: objects whose lifetime is that of a C call and its counterpart. C++11.
// Constructors throw tide::Error where the C function fails; destructors do not throw. None may be
// copied or moved. They convert to what C functions want. Only Heap and Root belong to no thread.
#ifndef TIDE_TIDE_HPP
#define TIDE_TIDE_HPP
#include <cstdint>
#include <stdexcept>

#include "tide/tide.h"

namespace tide {
class Error : public std::runtime_error {
  tide_status status_;

public:
  explicit Error(const tide_error &error)
      : std::runtime_error(error.text[0] ? error.text : tide_status_text(error.status)),
        status_(error.status) {}
  Error(tide_status status, const char *what) : std::runtime_error(what), status_(status) {}
  tide_status status() const noexcept { return status_; }
};

struct Fixed {
  Fixed() = default;
  Fixed(const Fixed &) = delete;
  Fixed &operator=(const Fixed &) = delete;
};

// tide_heap_create, tide_heap_destroy. Destroyed after its mutators and roots: declare it first.
class Heap : Fixed {
  tide_heap *heap_;

public:
  explicit Heap(const tide_options *options = nullptr) {
    tide_error error;
    heap_ = tide_heap_create(options, &error);
    if (!heap_) throw Error(error);
  }
  ~Heap() { tide_heap_destroy(heap_); }
  operator tide_heap *() const noexcept { return heap_; }
};

// tide_attach, tide_detach: the calling thread as a mutator.
class Mutator : Fixed {
  tide_mutator *mutator_;

public:
  explicit Mutator(tide_heap *heap, tide_stack stack = TIDE_STACK_CONSERVATIVE) {
    tide_attach_options options;
    tide_attach_options_init(&options);
    options.stack = stack;
    tide_error error;
    mutator_ = tide_attach(heap, &options, &error);
    if (!mutator_) throw Error(error);
  }
  ~Mutator() { tide_detach(mutator_); }
  operator tide_mutator *() const noexcept { return mutator_; }
};

// A handle: a slot that keeps its object alive until its scope ends. Copies are the same slot.
template <class T> class Handle {
  void **slot_;

public:
  explicit Handle(void **slot) noexcept : slot_(slot) {}
  T *get() const noexcept { return static_cast<T *>(*slot_); }
  T *operator->() const noexcept { return get(); }
  T &operator*() const noexcept { return *get(); }
  operator T *() const noexcept { return get(); }
  void set(T *object) const noexcept { *slot_ = object; }
};

// tide_scope_open, tide_scope_unwind. Leaving it by an exception closes those inside it as well.
class Scope : Fixed {
  tide_mutator *mutator_;
  size_t scope_;

public:
  explicit Scope(tide_mutator *mutator) : mutator_(mutator), scope_(tide_scope_open(mutator)) {
    if (scope_ == SIZE_MAX) throw Error(TIDE_ERROR_MEMORY, "tide::Scope: no scope can be opened");
  }
  ~Scope() { tide_scope_unwind(mutator_, scope_); }
  template <class T> Handle<T> handle(T *object) {
    void **slot = tide_handle(mutator_, object);
    if (!slot) throw Error(TIDE_ERROR_MEMORY, "tide::Scope: no memory for a handle");
    return Handle<T>(slot);
  }
};

// tide_blocking_enter, tide_blocking_leave.
class Blocking : Fixed {
  tide_mutator *mutator_;

public:
  explicit Blocking(tide_mutator *mutator) noexcept : mutator_(mutator) {
    tide_blocking_enter(mutator_);
  }
  ~Blocking() { tide_blocking_leave(mutator_); }
};

// tide_collect_pause, tide_collect_resume.
class Pause : Fixed {
  tide_heap *heap_;

public:
  explicit Pause(tide_heap *heap) : heap_(heap) {
    tide_status status = tide_collect_pause(heap);
    if (status != TIDE_OK) throw Error(status, "tide::Pause: collecting cannot be paused here");
  }
  ~Pause() { tide_collect_resume(heap_); }
};

// tide_root_add, tide_root_remove: a reference that this object, outside of the heap, holds.
template <class T> class Root : Fixed {
  tide_heap *heap_;
  T *object_;

public:
  explicit Root(tide_heap *heap, T *object = nullptr) : heap_(heap), object_(object) {
    tide_status status = tide_root_add(heap_, &object_);
    if (status != TIDE_OK) throw Error(status, "tide::Root: the root cannot be registered");
  }
  ~Root() { tide_root_remove(heap_, &object_); }
  Root &operator=(T *object) noexcept {
    object_ = object;
    return *this;
  }
  T *get() const noexcept { return object_; }
  T *operator->() const noexcept { return object_; }
  T &operator*() const noexcept { return *object_; }
  operator T *() const noexcept { return object_; }
};

// tide_write into a member of an object: tide::write(me, node, &Node::next, other).
template <class Object, class Member, class Value>
inline void write(tide_mutator *mutator, Object *object, Member Object::*member, Value value) {
  static_assert(sizeof(Member) == sizeof(void *), "a reference slot is a word");
  const Member converted = value;
  tide_write(mutator, object, &(object->*member),
             const_cast<void *>(static_cast<const void *>(converted)));
}
} // namespace tide
#endif
