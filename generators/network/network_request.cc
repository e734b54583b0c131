// SPDX-License-Identifier: Apache-2.0
#include "network_request.h"

#include <algorithm>

#include "float_arithmetic.h"
#include "integer_arithmetic.h"
#include "joined.h"
#include "parse_number.h"
#include "recipe.h"

namespace assay {
namespace {

constexpr int kAttempts = 4;

struct Form {
  std::string_view name;
  DType type;
  Requirements needs;
};
constexpr Form kForms[] = {{"fp32", DType::kFp32, {Feature::kProFp}},
                           {"fp16", DType::kFp16, {Feature::kProFp}},
                           {"bf16", DType::kBf16, {Feature::kProFp, Feature::kExtBf16}},
                           {"i8", DType::kInt8, {Feature::kProInt}}};

const Form& FormOf(DType type) { return *std::ranges::find(kForms, type, &Form::type); }

Error Refuse(const std::string& text, const std::string& what) {
  return UsageError("--network " + text + ": " + what);
}

// Returns the words of a list, with "," between them.
std::vector<std::string> WordsOf(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ',') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::string Names() { return Joined(AllArchitectures(), ", ", &Architecture::name); }

TestVector Finish(NetworkGraph& graph, std::vector<TensorIndex> outputs) {
  TestVector vector;
  Step step;
  vector.graphs.push_back(graph.Finish(std::move(outputs), step));
  vector.steps.push_back(std::move(step));
  return vector;
}

// The operators that may follow the last layer of a lattice network.
constexpr Op kLastOperators[] = {Op::kSigmoid, Op::kTanh, Op::kErf};

std::optional<TestVector> BuildLattice(const NetworkRequest& request, const Level& level,
                                       uint64_t walk, Random random) {
  const bool real = request.size >= request.architecture->real_size;
  LatticePlan plan;
  plan.type = request.type;
  plan.narrow_accumulator = random.OneIn(2);
  if (random.OneIn(4)) plan.last = random.Pick(kLastOperators);
  std::optional<uint64_t> layers;  // with weights
  for (int attempt = 0; attempt < 2 * kAttempts; ++attempt) {
    plan.attempt = attempt % kAttempts;
    // If no attempt finds room for more bits, the network does without them.
    const bool is_special = attempt < kAttempts;
    plan.special = !is_special     ? LatticeLayer::kSparse
                   : walk % 2 == 0 ? LatticeLayer::kDense
                                   : LatticeLayer::kWide;
    const uint64_t place = walk / 2;
    while (true) {
      plan.special_layer = static_cast<int32_t>(layers ? place % *layers : place);
      NetworkGraph graph(level);
      LatticeArithmetic arithmetic(graph, plan, random);
      std::vector<TensorIndex> outputs =
          request.architecture->build(arithmetic, request.size, real);
      const bool is_first = !layers.has_value();
      layers = static_cast<uint64_t>(arithmetic.layers());
      // The first build counts the layers.
      if (is_special && is_first && place >= *layers) continue;
      if (arithmetic.failed()) break;
      return Finish(graph, std::move(outputs));
    }
  }
  return std::nullopt;
}

}  // namespace

std::string NetworkRequest::ToString() const {
  return std::string(architecture->name) + "@" + std::to_string(size) + "," +
         std::string(FormOf(type).name) + (lattice ? ",lattice" : "");
}

Result<NetworkRequest> ParseNetwork(const std::string& text) {
  NetworkRequest request;
  const std::vector<std::string> words = WordsOf(text);
  const size_t at = words[0].find('@');
  request.architecture = ArchitectureByName(words[0].substr(0, at));
  if (request.architecture == nullptr) {
    return Refuse(text, "no network of this name; there are " + Names());
  }
  const Architecture& row = *request.architecture;
  request.size = row.small_sizes[0];
  if (at != std::string::npos) {
    const std::string size = words[0].substr(at + 1);
    if (!ParseNumber(size, request.size) || !row.Has(request.size)) {
      return Refuse(text, "the size of " + std::string(row.name) + " is a multiple of " +
                              std::to_string(row.size_step) + " from " +
                              std::to_string(row.size_min) + " to " + std::to_string(row.size_max));
    }
  }
  for (size_t i = 1; i < words.size(); ++i) {
    const auto* form = std::ranges::find(kForms, words[i], &Form::name);
    if (form != std::end(kForms)) {
      request.type = form->type;
    } else if (words[i] == "lattice") {
      request.lattice = true;
    } else {
      return Refuse(text, "'" + words[i] + "' is none of fp32, fp16, bf16, i8 and lattice");
    }
  }
  if (request.lattice && !IsFloat(request.type)) {
    return Refuse(text, "i8 has no lattice version; its networks are exact as they are");
  }
  return request;
}

std::vector<NetworkRequest> SmallNetworks(const GeneratorOptions& options) {
  std::vector<NetworkRequest> networks;
  for (const int which : {0, 1}) {
    for (const bool lattice : {false, true}) {
      for (const Form& form : kForms) {
        const bool is_meant = options.target.Empty() || options.target.ContainsAll(form.needs);
        if (!is_meant || !AllowsType(options, form.type)) continue;
        if (lattice && !IsFloat(form.type)) continue;
        for (const Architecture& row : AllArchitectures()) {
          networks.push_back({&row, row.small_sizes[which], form.type, lattice});
        }
      }
    }
  }
  return networks;
}

std::optional<TestVector> BuildNetwork(const NetworkRequest& request, const Level& level,
                                       uint64_t walk, Random random) {
  if (request.lattice) return BuildLattice(request, level, walk, random);
  const bool real = request.size >= request.architecture->real_size;
  NetworkGraph graph(level);
  const auto build = [&](Arithmetic&& arithmetic) {
    return Finish(graph, request.architecture->build(arithmetic, request.size, real));
  };
  if (!IsFloat(request.type)) return build(IntegerArithmetic(graph, random));
  return build(NaturalArithmetic(graph, request.type, random));
}

}  // namespace assay
