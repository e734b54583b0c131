// SPDX-License-Identifier: Apache-2.0
#include "relation_inputs.h"

#include "telling_inputs.h"

namespace assay {
namespace {

constexpr int kTries = 16;

// Returns true if every input that may differ from `base` does. An input may differ if its
// constness is at most `most` and it is not fixed.
bool AllDiffer(const FoldSubject& subject, const std::vector<Tensor>& inputs,
               const std::vector<Tensor>& base, Constness most) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool may = subject.arguments[i] <= most && !subject.fixed.contains(i);
    if (may && inputs[i] == base[i]) return false;
  }
  return true;
}

// Draws the inputs of one run after the other from telling_inputs.h.
class Source {
 public:
  Source(const FoldSubject& subject, int seed)
      : subject_(subject), inputs_(subject.graph, subject.graph), run_(2 * kTries * seed) {
    const Block& main = *subject.graph.Main();
    for (const TensorIndex input : main.inputs) types_.push_back(main.TypeOf(input));
  }

  bool HasNone() const { return types_.empty(); }

  // Returns `base` with other inputs whose constness is at most `most`. All of these differ if
  // possible. If `base` is empty, returns any inputs. Returns nothing if no inputs are valid.
  std::vector<Tensor> Choose(const std::vector<Tensor>& base, Constness most) {
    for (int attempt = 0; attempt < 2 * kTries; ++attempt) {
      const std::vector<Tensor> fresh = inputs_.Of(run_++, types_);
      std::vector<Tensor> inputs = base.empty() ? fresh : base;
      for (size_t i = 0; i < inputs.size(); ++i) {
        const bool is_fixed = subject_.fixed.contains(i);
        if (subject_.arguments[i] <= most && !is_fixed) inputs[i] = fresh[i];
        if (is_fixed) inputs[i] = subject_.fixed.at(i);
      }
      const bool is_other = base.empty() || AllDiffer(subject_, inputs, base, most) ||
                            (attempt >= kTries && inputs != base);
      if (is_other && IsValidOn(subject_, inputs)) return inputs;
    }
    return {};
  }

 private:
  const FoldSubject& subject_;
  FoldInputs inputs_;
  std::vector<TensorType> types_;
  int run_;
};

}  // namespace

bool IsValidOn(const FoldSubject& subject, std::span<const Tensor> inputs) {
  Context context;
  return Execute(context, subject.graph, inputs, subject.execution).kind == OutcomeKind::kValid;
}

std::optional<RelationInputs> ChooseInputs(const FoldSubject& subject, int seed) {
  Source source(subject, seed);
  RelationInputs chosen;
  chosen.some = source.Choose({}, Constness::kCompileTime);
  if (chosen.some.empty()) chosen.some = subject.sample;
  if (chosen.some.empty() && !source.HasNone()) return std::nullopt;
  const auto other = [&](Constness most) {
    const std::vector<Tensor> inputs = source.Choose(chosen.some, most);
    return inputs.empty() ? chosen.some : inputs;
  };
  chosen.varied = other(Constness::kVarying);
  chosen.other_weights = other(Constness::kRuntime);
  chosen.other_compiled = other(Constness::kCompileTime);
  if (!IsValidOn(subject, chosen.some)) return std::nullopt;
  return chosen;
}

}  // namespace assay
