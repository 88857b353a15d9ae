// SPDX-License-Identifier: MIT
// The C++ header: what its objects begin they end, by return and by exception.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "tide/stats.h"
#include "tide/tide.hpp"

#define CHECK(x)                                                                                   \
  ((x) ? (void)0                                                                                   \
       : (std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #x), std::abort()))

namespace {

struct Node {
  Node *next;
  std::uintptr_t number;
};

struct World {
  tide::Heap heap;
  tide::Mutator me{heap, TIDE_STACK_PRECISE};
  tide_layout layout = TIDE_LAYOUT_INVALID;
  World() {
    const std::size_t next = offsetof(Node, next);
    layout = tide_layout_offsets(heap, sizeof(Node), &next, 1, nullptr);
    CHECK(layout != TIDE_LAYOUT_INVALID);
  }
  Node *make(Node *next) {
    auto *node = static_cast<Node *>(tide_alloc(me, layout, sizeof(Node)));
    CHECK(node);
    tide::write(me, node, &Node::next, next);
    return node;
  }
  uint64_t live() {
    CHECK(tide_collect(me) == TIDE_OK);
    return tide_count_marked(me);
  }
};

void handles_end_with_their_scope() {
  World w;
  {
    tide::Scope scope(w.me);
    tide::Handle<Node> node = scope.handle(w.make(nullptr));
    node.set(w.make(node));
    CHECK(w.live() == 2 && node->next && !node->next->next);
    {
      tide::Scope inner(w.me);
      inner.handle(w.make(nullptr));
      CHECK(w.live() == 3);
    }
    CHECK(w.live() == 2);
  }
  CHECK(w.live() == 0);
}

void exceptions_close_everything() {
  World w;
  try {
    tide::Scope outer(w.me);
    outer.handle(w.make(nullptr));
    tide::Scope inner(w.me);
    inner.handle(w.make(nullptr));
    tide::Pause pause(w.heap);
    tide::Blocking blocking(w.me);
    throw std::runtime_error("away");
  } catch (const std::runtime_error &) {
  }
  CHECK(w.live() == 0);
}

void roots_hold_their_objects() {
  World w;
  {
    tide::Root<Node> root(w.heap, w.make(nullptr));
    CHECK(w.live() == 1);
    root = w.make(root);
    CHECK(w.live() == 2 && root->next);
  }
  CHECK(w.live() == 0);
}

void pauses_nest() {
  World w;
  tide::Pause outer(w.heap);
  {
    tide::Pause inner(w.heap);
    CHECK(tide_collect(w.me) == TIDE_ERROR_STATE);
  }
  CHECK(tide_collect(w.me) == TIDE_ERROR_STATE);
}

void failures_are_exceptions() {
  tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = 1;
  bool thrown = false;
  try {
    tide::Heap heap(&options);
  } catch (const tide::Error &error) {
    thrown = error.status() == TIDE_ERROR_ARGUMENT && std::strstr(error.what(), "heap_max_bytes");
  }
  CHECK(thrown);
  World w;
  thrown = false;
  try {
    tide::Mutator again(w.heap);
  } catch (const tide::Error &error) {
    thrown = error.status() == TIDE_ERROR_STATE;
  }
  CHECK(thrown);
#ifndef TD_DEBUG // a debug build of the library aborts here
  thrown = false;
  try {
    tide::Blocking blocking(w.me);
    tide::Scope scope(w.me);
  } catch (const tide::Error &) {
    thrown = true;
  }
  CHECK(thrown);
#endif
}

} // namespace

int main() {
  handles_end_with_their_scope();
  exceptions_close_everything();
  roots_hold_their_objects();
  pauses_nest();
  failures_are_exceptions();
  std::puts("scopes end what they begin");
}
