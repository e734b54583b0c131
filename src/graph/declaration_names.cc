// SPDX-License-Identifier: Apache-2.0
#include "declaration_names.h"

#include <algorithm>

#include "name_search.h"

namespace assay {
namespace {

constexpr DeclarationRow kRows[] = {
    {"plain-sums", &Declarations::plain_sums,
     "computes each sum and dot product as a sum of its products, in any order, in the "
     "accumulator's type or wider, and ADD, SUB, MUL, CEIL and FLOOR without error where the "
     "result is a value of the type"},
    {"rounds-results", &Declarations::rounds_results,
     "rounds each result to its type before the next operator reads it"},
    {"flushes-subnormals", &Declarations::flushes_subnormals,
     "makes each subnormal operand and result of arithmetic in fp32, fp16 and bf16 a zero"},
    {"keeps-subnormals", &Declarations::keeps_subnormals, "makes no subnormal number a zero"},
    {"taps-used", &Declarations::taps_used,
     "returns, for a tensor inside a graph, the value that every later operator has read, rounded "
     "to its type"},
    {"no-checks", &BackendDeclarations::no_checks,
     "runs graphs without checking them; vectors that demand an error are unsupported"},
};

}  // namespace

std::span<const DeclarationRow> AllDeclarations() { return kRows; }

Result<BackendDeclarations> DeclarationsNamed(std::span<const std::string> names) {
  const std::vector<std::string_view> known = NamesOfRows(kRows, &DeclarationRow::name);
  BackendDeclarations declarations;
  for (const std::string& name : names) {
    const Result<size_t> found = FindName("declaration", name, known);
    if (!found) return found.error();
    declarations.*kRows[*found].field = true;
  }
  if (declarations.flushes_subnormals && declarations.keeps_subnormals) {
    return UsageError("flushes-subnormals and keeps-subnormals exclude each other; declare one");
  }
  return declarations;
}

std::string DeclarationNames(const BackendDeclarations& declarations) {
  std::string names;
  for (const DeclarationRow& row : kRows) {
    if (!(declarations.*row.field)) continue;
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return names;
}

std::string_view WhyBeyond(const BackendDeclarations& declarations, const TestVector& vector) {
  const auto demands_error = [](const Step& step) { return step.expected == OutcomeKind::kError; };
  const bool is_beyond = declarations.no_checks && std::ranges::any_of(vector.steps, demands_error);
  return is_beyond ? "declares no checks" : "";
}

BackendDeclarations Union(BackendDeclarations a, const BackendDeclarations& b) {
  for (const DeclarationRow& row : kRows) a.*row.field = a.*row.field || b.*row.field;
  return a;
}

}  // namespace assay
