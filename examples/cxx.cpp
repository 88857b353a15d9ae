// SPDX-License-Identifier: MIT
// C++: heaps, threads and roots that end with their scope, and errors as exceptions.
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <system_error>

#include "tide/tide.hpp"

namespace {

struct Tree {
  Tree *left, *right;
};

class Forest {
public:
  explicit Forest(tide_heap *heap) : me_(heap) {
    const std::size_t references[] = {offsetof(Tree, left), offsetof(Tree, right)};
    tide_error error;
    tree_ = tide_layout_offsets(heap, sizeof(Tree), references, 2, &error);
    if (tree_ == TIDE_LAYOUT_INVALID) throw tide::Error(error);
  }

  Tree *make(Tree *left, Tree *right) {
    auto *tree = static_cast<Tree *>(tide_alloc(me_, tree_, sizeof(Tree)));
    if (!tree) throw tide::Error(tide_alloc_status(me_), "no room for a tree");
    tide::write(me_, tree, &Tree::left, left);
    tide::write(me_, tree, &Tree::right, right);
    return tree;
  }

  // The children sit on the stack, which is scanned, while their parent is allocated.
  Tree *grow(int depth) {
    if (depth == 0) return make(nullptr, nullptr);
    Tree *left = grow(depth - 1);
    Tree *right = grow(depth - 1);
    return make(left, right);
  }
  void collect() { tide_collect(me_); }

private:
  tide::Mutator me_;
  tide_layout tree_;
};

long count(const Tree *tree) {
  return tree ? 1 + count(tree->left) + count(tree->right) : 0;
}

} // namespace

int main() try {
  tide::Heap heap;
  Forest forest(heap);
  tide::Root<Tree> kept(heap, forest.grow(14));
  forest.grow(14); // dropped
  forest.collect();
  std::printf("the tree has %ld nodes\n", count(kept));
  if (std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot write the result");
  return count(kept) == (1L << 15) - 1 ? 0 : 1;
} catch (const std::exception &error) {
  std::fprintf(stderr, "cxx: %s\n", error.what());
  return 1;
}
