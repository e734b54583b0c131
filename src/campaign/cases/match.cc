// SPDX-License-Identifier: Apache-2.0
#include "match.h"

#include <algorithm>
#include <sstream>

#include "joined.h"
#include "letter_case.h"
#include "name_search.h"
#include "operator_table.h"

namespace assay {
namespace {

Error Wrong(std::string_view term, const std::string& what) {
  return UsageError("--match '" + std::string(term) + "': " + what);
}

DType FirstType(const Block& block, const Operator& op) {
  const std::vector<TensorIndex>& operands = op.inputs.empty() ? op.outputs : op.inputs;
  return operands.empty() ? DType::kUnknown : block.TypeOf(operands[0]).type;
}

}  // namespace

Result<Match> Match::Parse(std::string_view text) {
  Match match;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    const std::string_view term = text.substr(start, end - start);
    start = end + 1;
    std::istringstream words{std::string(term)};
    std::string name, type_name, more;
    words >> name >> type_name >> more;
    if (name.empty() || !more.empty()) return Wrong(term, "a term is OP or OP TYPE");
    const auto op = OperatorByName(UpperCase(name));
    if (!op) {
      const auto known = NamesOfRows(AllOperators(), &OperatorRow::name);
      return Wrong(term, UnknownName("operator", name, known).message);
    }
    DType type = DType::kUnknown;
    if (!type_name.empty()) {
      const auto known = TypeByName(LowerCase(type_name));
      if (!known || *known == DType::kUnknown) {
        return Wrong(term, "no type is named " + type_name + "; there are " +
                               Joined(kAllTypes, ", ", TypeName));
      }
      type = *known;
    }
    match.terms_.push_back({*op, type});
  }
  return match;
}

bool Match::Chooses(const TestVector& vector) const {
  if (ChoosesAll()) return true;
  return std::ranges::any_of(vector.Operators(), [this](const PlacedOperator& placed) {
    return std::ranges::any_of(terms_, [&placed](const Term& term) {
      return term.op == placed.op.op &&
             (term.type == DType::kUnknown || term.type == FirstType(placed.block, placed.op));
    });
  });
}

}  // namespace assay
