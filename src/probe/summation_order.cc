// SPDX-License-Identifier: Apache-2.0
#include "summation_order.h"

#include <algorithm>
#include <map>
#include <optional>

namespace assay {
namespace {

// A node of a summation tree.
struct Node {
  std::optional<int> term = {};  // of a leaf
  std::vector<Node> items = {};  // that are added, the first two at once, then one by one
  bool at_once = false;          // all items are added in one step
  size_t terms = 1;              // leaves
};

using Terms = std::vector<int>;

// Returns the tree of some terms that all lie below one node, and nothing else does. Nothing if the
// numbers are those of no tree.
std::optional<Node> TreeOf(const MeetingTerms& meeting, const Terms& terms);

// Returns the items that meet term `first` at a node with `size` terms in all: one subtree, or
// several that are added at once.
std::optional<std::vector<Node>> ItemsOf(const MeetingTerms& meeting, Terms terms, int size) {
  std::vector<Node> items;
  while (!terms.empty()) {
    // The terms that meet the first of them before they meet this node.
    Terms together, others;
    for (const int term : terms) {
      const bool is_below = term == terms[0] || meeting.At(terms[0], term) < size;
      (is_below ? together : others).push_back(term);
    }
    std::optional<Node> item = TreeOf(meeting, together);
    if (!item) return std::nullopt;
    items.push_back(std::move(*item));
    terms = std::move(others);
  }
  return items;
}

std::optional<Node> TreeOf(const MeetingTerms& meeting, const Terms& terms) {
  Node node{terms[0]};
  if (terms.size() == 1) return node;
  std::map<int, Terms> by_size;  // the others, by the size of the subtree where they meet the first
  for (size_t i = 1; i < terms.size(); ++i) {
    by_size[meeting.At(terms[0], terms[i])].push_back(terms[i]);
  }
  int size = 1;
  for (const auto& [met, others] : by_size) {
    size += static_cast<int>(others.size());
    if (met != size) return std::nullopt;
    std::optional<std::vector<Node>> items = ItemsOf(meeting, others, size);
    if (!items) return std::nullopt;
    const bool at_once = items->size() > 1;
    // A chain goes on with items of one size. Others get a new node around it, for readers.
    const bool goes_on =
        !node.term && !node.at_once && !at_once && node.items.back().terms == items->front().terms;
    if (!goes_on) node = Node{{}, {std::move(node)}, at_once, node.terms};
    for (Node& item : *items) node.items.push_back(std::move(item));
    node.terms = static_cast<size_t>(size);
  }
  return node;
}

// Returns where the run of terms with one step ends that begins at items[first].
size_t EndOfRun(const std::vector<Node>& items, size_t first) {
  if (first + 1 >= items.size() || !items[first].term || !items[first + 1].term) {
    return first + 1;
  }
  const int step = *items[first + 1].term - *items[first].term;
  size_t end = first + 2;
  while (end < items.size() && items[end].term && *items[end].term - *items[end - 1].term == step) {
    ++end;
  }
  return end;
}

std::string TextOf(const Node& node) {
  if (node.term) return std::to_string(*node.term);
  std::string text;
  for (size_t i = 0; i < node.items.size();) {
    const size_t end = EndOfRun(node.items, i);
    if (!text.empty()) text += " ";
    if (end - i < 3) {
      text += TextOf(node.items[i++]);
      continue;
    }
    const int step = *node.items[i + 1].term - *node.items[i].term;
    text += std::to_string(*node.items[i].term) + ".." + std::to_string(*node.items[end - 1].term);
    if (step != 1) text += " step " + std::to_string(step);
    i = end;
  }
  return node.at_once ? "{" + text + "}" : "[" + text + "]";
}

template <class Met>
bool Fits(const MeetingTerms& meeting, Met met) {
  for (int i = 0; i < meeting.terms(); ++i) {
    for (int j = i + 1; j < meeting.terms(); ++j) {
      if (meeting.At(i, j) != met(i, j)) return false;
    }
  }
  return true;
}

// Returns the number of lanes if term i is added to lane i % lanes, and the lanes at the end; 0 if
// that is not so. Lanes of one term are none.
int LanesOf(const MeetingTerms& meeting) {
  const int terms = meeting.terms();
  for (int lanes = 2; lanes <= terms / 2; ++lanes) {
    if (terms % lanes != 0) continue;
    bool fits = true;
    for (int i = 0; fits && i < terms; ++i) {
      for (int j = i + 1; fits && j < terms; ++j) {
        const bool is_same = (j - i) % lanes == 0;
        fits = is_same ? meeting.At(i, j) == j / lanes + 1 : meeting.At(i, j) > terms / lanes;
      }
    }
    if (fits) return lanes;
  }
  return 0;
}

// The size of the subtree of neighbours of 2^k terms that has both terms.
int Neighbours(int i, int j) {
  int size = 1;
  while (i / size != j / size) size *= 2;
  return size;
}

}  // namespace

std::string SummationOrderText(const MeetingTerms& meeting) {
  const int terms = meeting.terms();
  if (Fits(meeting, [](int, int) { return 2; })) {
    return "no ones are lost: partial sums are more precise than the type, or large terms meet "
           "first";
  }
  Terms all;
  for (int i = 0; i < terms; ++i) all.push_back(i);
  const std::optional<Node> tree = TreeOf(meeting, all);
  if (!tree) return "no tree fits: the order differs from sum to sum, or some ones are kept";
  if (Fits(meeting, [](int, int j) { return j + 1; })) return "one after the other, from the first";
  if (Fits(meeting, [&](int i, int) { return terms - i; })) {
    return "one after the other, from the last";
  }
  if (Fits(meeting, Neighbours)) return "in pairs of neighbours, then pairs of these sums";
  if (const int lanes = LanesOf(meeting); lanes > 0) {
    return "in " + std::to_string(lanes) + " lanes, then the lanes: " + TextOf(*tree);
  }
  return TextOf(*tree);
}

}  // namespace assay
