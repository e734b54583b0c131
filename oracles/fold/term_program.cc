// SPDX-License-Identifier: Apache-2.0
#include "term_program.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace assay {
namespace {

// Returns all terms that the roots are made of, operands first, because the ids of operands are
// lower. Returns an empty list if there are more than `most`.
std::vector<TermId> Reachable(const TermArena& arena, std::span<const TermId> roots, size_t most) {
  std::vector<TermId> all, open(roots.begin(), roots.end());
  std::unordered_set<TermId> seen;
  while (!open.empty()) {
    const TermId term = open.back();
    open.pop_back();
    if (!seen.insert(term).second) continue;
    if (all.size() >= most) return {};
    all.push_back(term);
    const auto operands = arena.Operands(term);
    open.insert(open.end(), operands.begin(), operands.end());
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace

FoldProgram::FoldProgram(const TermArena& arena, std::span<const TermId> results,
                         size_t steps_max) {
  const std::vector<TermId> all = Reachable(arena, results, steps_max);
  complete_ = !all.empty();
  if (!complete_) return;
  std::unordered_map<TermId, uint32_t> rows;
  for (const TermId term : all) {
    if (arena[term].kind != TermKind::kInput) continue;
    rows.emplace(term, static_cast<uint32_t>(inputs_.size()));
    inputs_.push_back(term);
  }
  size_t widest = 1;
  std::vector<std::pair<size_t, Scalar>> constants;
  for (const TermId term : all) {
    if (arena[term].kind == TermKind::kInput) continue;
    const size_t row = rows.size();
    rows.emplace(term, static_cast<uint32_t>(row));
    if (arena.IsConstant(term)) {
      constants.emplace_back(row, arena.Value(term));
      steps_.push_back({TermKind::kConstant, 0, 0, {}});
      continue;
    }
    const auto operands = arena.Operands(term);
    steps_.push_back({arena[term].kind, static_cast<uint32_t>(operands_.size()),
                      static_cast<uint32_t>(operands.size()), arena.Numbers(term)});
    for (const TermId operand : operands) operands_.push_back(rows.at(operand));
    widest = std::max(widest, operands.size());
  }
  values_.resize(rows.size() * kLanes);
  gathered_.resize(widest);
  for (const auto& [row, value] : constants) {
    std::fill_n(values_.begin() + static_cast<ptrdiff_t>(row * kLanes), kLanes, value);
  }
  for (const TermId result : results) {
    results_.push_back(rows.at(result));
    is_float_.push_back(arena[result].is_float);
  }
}

void FoldProgram::Run(size_t lanes) {
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].kind == TermKind::kConstant) continue;
    Compute(steps_[i], std::span(values_).subspan((inputs_.size() + i) * kLanes, kLanes), lanes);
  }
}

void FoldProgram::Compute(const Step& step, std::span<Scalar> to, size_t lanes) {
  const std::span<const uint32_t> rows(operands_.data() + step.first_operand, step.operands);
  const auto value = [&](size_t operand, size_t lane) {
    return values_[rows[operand] * kLanes + lane];
  };
  for (size_t lane = 0; lane < lanes; ++lane) {
    if (step.kind == TermKind::kLookup) {  // needs two of its operands only
      const auto index = static_cast<uint64_t>(value(0, lane).integer());
      to[lane] = index < rows.size() - 1 ? value(index + 1, lane) : Scalar();
      continue;
    }
    for (size_t i = 0; i < rows.size(); ++i) gathered_[i] = value(i, lane);
    to[lane] = EvaluateTerm(step.kind, std::span(gathered_).first(rows.size()), step.numbers);
  }
}

}  // namespace assay
