// Heaps of pages over one slab of links: pairing heaps (Fredman, Sedgewick, Sleator, Tarjan, 1986). Insertion O(1),
// removal O(log n) amortized; nothing is allocated after construction. Several heaps may share the links: a page is in
// at most one of them.
#pragma once

#include <vector>

#include "policies/replacement/page_lists.hpp"

namespace flashloom {

class HeapLinks {
 public:
  explicit HeapLinks(std::uint32_t pages) : links_(pages) {}
  std::size_t bytes() const { return links_.size() * sizeof(Link); }
  void state(StateArchive& archive) { archive.table(links_.data(), links_.size()); }

  /// Inserts a page that is in no heap into the heap with this root (kNoPage: empty). `above(a, b)`: a is above b; a
  /// strict order.
  template <class Above>
  void insert(PageIndex& root, PageIndex page, Above above) {
    links_[page] = Link{};
    root = meld(root, page, above);
  }
  template <class Above>
  void remove(PageIndex& root, PageIndex page, Above above) {
    const PageIndex below = merge(links_[page].child, above);
    if (page == root) {
      root = below;
      return;
    }
    cut(page);
    root = meld(root, below, above);
  }
  /// Restores the order after a page's key has changed so that it belongs higher.
  template <class Above>
  void raise(PageIndex& root, PageIndex page, Above above) {
    if (page == root) return;
    cut(page);
    root = meld(root, page, above);
  }

 private:
  struct Link {
    PageIndex child = kNoPage;
    PageIndex sibling = kNoPage;
    PageIndex previous = kNoPage;  ///< the previous sibling, or the parent of a first child
  };

  void cut(PageIndex page) {
    Link& link = links_[page];
    Link& previous = links_[link.previous];
    (previous.child == page ? previous.child : previous.sibling) = link.sibling;
    if (link.sibling != kNoPage) links_[link.sibling].previous = link.previous;
    link.sibling = link.previous = kNoPage;
  }
  template <class Above>
  PageIndex meld(PageIndex a, PageIndex b, Above above) {
    if (a == kNoPage) return b;
    if (b == kNoPage) return a;
    if (above(b, a)) std::swap(a, b);
    Link& top = links_[a];
    links_[b].sibling = top.child;
    links_[b].previous = a;
    if (top.child != kNoPage) links_[top.child].previous = b;
    top.child = b;
    return a;
  }
  // Two-pass merge of siblings: pairwise, then from the last pair to the first.
  template <class Above>
  PageIndex merge(PageIndex first, Above above) {
    PageIndex pairs = kNoPage;  // a stack, by `sibling`
    while (first != kNoPage) {
      const PageIndex a = first;
      const PageIndex b = links_[a].sibling;
      first = b == kNoPage ? kNoPage : links_[b].sibling;
      for (const PageIndex each : {a, b})
        if (each != kNoPage) links_[each].sibling = links_[each].previous = kNoPage;
      const PageIndex pair = meld(a, b, above);
      links_[pair].sibling = pairs;
      pairs = pair;
    }
    PageIndex root = kNoPage;
    while (pairs != kNoPage) {
      const PageIndex pair = pairs;
      pairs = links_[pair].sibling;
      links_[pair].sibling = kNoPage;
      root = meld(root, pair, above);
    }
    return root;
  }

  std::vector<Link> links_;
};

}  // namespace flashloom
