// SPDX-License-Identifier: Apache-2.0
#include "term_classes.h"

#include <algorithm>

namespace assay {
namespace {

constexpr size_t kConditionTermsMax = 256;
constexpr size_t kConditionsMax = 16;  // of a pair

void AppendWord(int64_t word, std::string& key) {
  key.append(reinterpret_cast<const char*>(&word), sizeof(word));
}

}  // namespace

FoldClasses::FoldClasses(const TermArena& arena, const std::vector<TermId>& conditions)
    : arena_(arena) {
  for (const TermId condition : conditions) {
    order_.clear();
    std::vector<TermId> terms, inputs;
    if (!Collect(condition, terms) || terms.size() > kConditionTermsMax) continue;
    for (const TermId term : terms) {
      if (arena_[term].kind == TermKind::kInput) inputs.push_back(term);
    }
    if (inputs.empty()) continue;
    std::ranges::sort(inputs);
    by_input_[inputs[0]].push_back(conditions_.size());
    conditions_.push_back(condition);
    inputs_of_.push_back(std::move(inputs));
  }
}

bool FoldClasses::Collect(TermId root, std::vector<TermId>& terms) {
  std::vector<TermId> open = {root};
  while (!open.empty()) {
    const TermId term = open.back();
    if (order_.contains(term)) {
      open.pop_back();
      continue;
    }
    const size_t before = open.size();
    const auto operands = arena_.Operands(term);
    for (size_t i = operands.size(); i > 0; --i) {  // so that the first one comes first
      if (!order_.contains(operands[i - 1])) open.push_back(operands[i - 1]);
    }
    if (open.size() > before) continue;
    open.pop_back();
    order_.emplace(term, static_cast<uint32_t>(order_.size()));
    terms.push_back(term);
    if (--room_ < 0) return false;
  }
  return true;
}

// Returns the conditions that read only the inputs of these terms.
std::vector<TermId> FoldClasses::ConditionsOn(const std::vector<TermId>& terms) const {
  std::vector<TermId> all;
  for (const TermId term : terms) {
    const auto found = by_input_.find(term);
    if (found == by_input_.end()) continue;
    for (const size_t i : found->second) {
      const bool applies =
          std::ranges::all_of(inputs_of_[i], [&](TermId x) { return order_.contains(x); });
      if (applies && all.size() < kConditionsMax) all.push_back(conditions_[i]);
    }
  }
  return all;
}

// Appends a term by its position in the order instead of its id, with everything that is known of
// it. For an input, appends the values that it may have, and not which input it is.
void FoldClasses::AppendKey(TermId term, std::string& key) const {
  const TermNode& node = arena_[term];
  AppendWord(static_cast<int64_t>(node.kind) << 32 | static_cast<int64_t>(node.type) << 16 |
                 node.classes << 1 | (node.is_float ? 1 : 0),
             key);
  AppendWord(node.low, key);
  AppendWord(node.high, key);
  AppendWord(static_cast<int64_t>(node.operands) << 32 | node.numbers, key);
  for (const TermId operand : arena_.Operands(term)) AppendWord(order_.at(operand), key);
  if (node.kind == TermKind::kInput) return;
  for (const int64_t number : arena_.Numbers(term)) AppendWord(number, key);
}

bool FoldClasses::Add(TermId before, TermId after) {
  order_.clear();
  std::vector<TermId> terms;
  if (!Collect(before, terms) || !Collect(after, terms)) return false;
  const std::vector<TermId> conditions = ConditionsOn(terms);
  for (const TermId condition : conditions) {
    if (!Collect(condition, terms)) return false;
  }
  std::string key;
  for (const TermId term : terms) AppendKey(term, key);
  AppendWord(order_.at(before), key);
  AppendWord(order_.at(after), key);
  for (const TermId condition : conditions) AppendWord(order_.at(condition), key);
  if (known_.try_emplace(std::move(key), pairs_.size()).second) {
    pairs_.push_back({before, after, conditions});
  }
  return true;
}

}  // namespace assay
