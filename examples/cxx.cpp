// C++: a heap that closes itself, and typed allocation by a template.
#include <cstddef>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "tide/tide.h"

namespace {

struct Tree {
  Tree *left, *right;
};

class Heap {
public:
  Heap() {
    tide_error error;
    heap_.reset(tide_heap_create(nullptr, &error));
    if (heap_) mutator_ = tide_attach(heap_.get(), nullptr, &error);
    if (!mutator_) throw std::runtime_error(error.text);
    const std::size_t references[] = {offsetof(Tree, left), offsetof(Tree, right)};
    tree_ = tide_layout_offsets(heap_.get(), sizeof(Tree), references, 2, &error);
    if (tree_ == TIDE_LAYOUT_INVALID) throw std::runtime_error(error.text);
  }
  ~Heap() { tide_detach(mutator_); }
  Heap(const Heap &) = delete;
  Heap &operator=(const Heap &) = delete;

  Tree *make(Tree *left, Tree *right) {
    auto *tree = static_cast<Tree *>(tide_alloc(mutator_, tree_, sizeof(Tree)));
    if (!tree) throw std::bad_alloc();
    tree->left = left;
    tree->right = right;
    return tree;
  }
  void collect() { tide_collect(mutator_); }

private:
  struct Destroy {
    void operator()(tide_heap *heap) const { tide_heap_destroy(heap); }
  };
  std::unique_ptr<tide_heap, Destroy> heap_;
  tide_mutator *mutator_ = nullptr;
  tide_layout tree_ = TIDE_LAYOUT_INVALID;
};

// The children sit on the stack, which is scanned, while their parent is allocated.
Tree *grow(Heap &heap, int depth) {
  if (depth == 0) return heap.make(nullptr, nullptr);
  Tree *left = grow(heap, depth - 1);
  Tree *right = grow(heap, depth - 1);
  return heap.make(left, right);
}

long count(const Tree *tree) {
  return tree ? 1 + count(tree->left) + count(tree->right) : 0;
}

} // namespace

int main() try {
  Heap heap;
  Tree *tree = grow(heap, 14);
  grow(heap, 14); // dropped
  heap.collect();
  std::printf("the tree has %ld nodes\n", count(tree));
  return count(tree) == (1L << 15) - 1 ? 0 : 1;
} catch (const std::exception &error) {
  std::fprintf(stderr, "cxx: %s\n", error.what());
  return 1;
}
