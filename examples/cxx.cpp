// C++: a heap that closes itself, and errors as exceptions.
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <system_error>

#include "tide/tide.h"

namespace {

struct Tree {
  Tree *left, *right;
};

// Members are destroyed in reverse order: the thread is detached before the heap goes.
class Heap {
public:
  Heap() : heap_(tide_heap_create(nullptr, &error_)) {
    if (heap_) mutator_.reset(tide_attach(heap_.get(), nullptr, &error_));
    if (!mutator_) throw std::runtime_error(error_.text);
    const std::size_t references[] = {offsetof(Tree, left), offsetof(Tree, right)};
    tree_ = tide_layout_offsets(heap_.get(), sizeof(Tree), references, 2, &error_);
    if (tree_ == TIDE_LAYOUT_INVALID) throw std::runtime_error(error_.text);
  }

  Tree *make(Tree *left, Tree *right) {
    auto *tree = static_cast<Tree *>(tide_alloc(mutator_.get(), tree_, sizeof(Tree)));
    if (!tree) throw std::runtime_error("no room for a tree");
    tree->left = left; // the object is fresh; into an older one: tide_write
    tree->right = right;
    return tree;
  }
  void collect() { tide_collect(mutator_.get()); }

private:
  struct Close {
    void operator()(tide_heap *heap) const { tide_heap_destroy(heap); }
    void operator()(tide_mutator *mutator) const { tide_detach(mutator); }
  };
  tide_error error_;
  std::unique_ptr<tide_heap, Close> heap_;
  std::unique_ptr<tide_mutator, Close> mutator_;
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
  if (std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot write the result");
  return count(tree) == (1L << 15) - 1 ? 0 : 1;
} catch (const std::exception &error) {
  std::fprintf(stderr, "cxx: %s\n", error.what());
  return 1;
}
