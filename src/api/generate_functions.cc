// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "campaign.h"
#include "guarded.h"
#include "handles.h"
#include "name_search.h"
#include "reduce.h"

struct assay_generator {
  assay::Campaign campaign;
};

struct assay_candidates {
  assay::SmallerVectors smaller;
  size_t next = 0;  // the number of the one to be handed out
};

namespace assay::api {
namespace {

Result<Done> ToNumber(std::string_view name, std::string_view value, int64_t& number) {
  const auto end = std::from_chars(value.data(), value.data() + value.size(), number);
  if (end.ec == std::errc() && end.ptr == value.data() + value.size() && number > 0) return Done{};
  return BadArgument("option " + std::string(name) + ": " + std::string(value) +
                     " is no number above 0");
}

// The options of a campaign and the one that `assay gen` does not have.
struct Options {
  CampaignOptions campaign;
  int64_t dimension_max = 0;  // 0: as `assay gen`
};

Result<Done> SetOption(std::string_view name, const std::string& value, Options& options) {
  CampaignOptions& campaign = options.campaign;
  if (name == "max-rank") return ToNumber(name, value, campaign.target.rank_max);
  if (name == "max-elements") return ToNumber(name, value, campaign.target.elements_max);
  if (name == "max-dimension") return ToNumber(name, value, options.dimension_max);
  struct Text {
    std::string_view name;
    std::vector<std::string>* list;
    std::string* text;
  };
  const Text texts[] = {
      {"profile", &campaign.profiles, nullptr},    {"ext", &campaign.extensions, nullptr},
      {"op", &campaign.target.operators, nullptr}, {"type", &campaign.target.types, nullptr},
      {"level", nullptr, &campaign.level},         {"target", nullptr, &campaign.target.file},
      {"network", nullptr, &campaign.network}};
  std::vector<std::string_view> known = {"max-rank", "max-elements", "max-dimension"};
  for (const Text& option : texts) {
    known.push_back(option.name);
    if (option.name != name) continue;
    if (option.text != nullptr) *option.text = value;
    for (size_t from = 0; option.list != nullptr && from <= value.size();) {
      const size_t comma = std::min(value.find(',', from), value.size());
      option.list->push_back(value.substr(from, comma - from));
      from = comma + 1;
    }
    return Done{};
  }
  return UnknownName("option", name, known);
}

Result<std::unique_ptr<assay_generator>> NewGenerator(const char* kind, uint64_t seed,
                                                      const char* const* given, size_t count) {
  if (given == nullptr && count > 0) return NullPointer("options");
  Options options;
  if (kind != nullptr) options.campaign.kinds = {kind};
  options.campaign.seed = seed;
  for (size_t i = 0; i < count; ++i) {
    if (given[i] == nullptr) return NullPointer(("option " + std::to_string(i)).c_str());
    const std::string_view option = given[i];
    const size_t sign = option.find('=');
    if (sign == std::string_view::npos) {
      return BadArgument("option " + std::string(option) + ": has no =");
    }
    const Result<Done> set =
        SetOption(option.substr(0, sign), std::string(option.substr(sign + 1)), options);
    if (!set) return set.error();
  }
  Result<Campaign> campaign = MakeCampaign(options.campaign);
  if (!campaign) {
    const std::string& message = campaign.error().message;  // "--op: no operator is named ..."
    return Error{campaign.error().kind, message.substr(message.starts_with("--") ? 2 : 0)};
  }
  auto& dimension_max = campaign->options.dimension_max;
  constexpr int64_t kDimensionMax = 1 << 20;
  if (options.dimension_max > 0) {
    dimension_max = static_cast<int32_t>(std::min(options.dimension_max, kDimensionMax));
  }
  return std::make_unique<assay_generator>(assay_generator{std::move(*campaign)});
}

Result<std::unique_ptr<assay_vector>> Generate(const assay_generator* generator, uint64_t index) {
  if (generator == nullptr) return NullPointer("generator");
  if (index > INT64_MAX) return BadArgument("index: is above 2^63 - 1");
  const Campaign& campaign = generator->campaign;
  std::optional<TestVector> made = campaign.Make(static_cast<int64_t>(index));
  if (!made || !campaign.Takes(*made)) return std::unique_ptr<assay_vector>();
  return std::make_unique<assay_vector>(std::move(*made));
}

Result<std::unique_ptr<assay_candidates>> NewCandidates(const assay_vector* vector) {
  if (vector == nullptr) return NullPointer("vector");
  return std::unique_ptr<assay_candidates>(new assay_candidates{SmallerVectors(vector->vector)});
}

Result<std::unique_ptr<assay_vector>> NextCandidate(assay_candidates* candidates) {
  if (candidates == nullptr) return NullPointer("candidates");
  const std::optional<SmallerVectors> made = candidates->smaller.At(candidates->next);
  if (!made) return std::unique_ptr<assay_vector>();
  ++candidates->next;
  return std::make_unique<assay_vector>(made->vector());
}

using Predicate = int (*)(const assay_vector* vector, void* data);

Result<std::unique_ptr<assay_vector>> Minimized(const assay_vector* vector, Predicate fails,
                                                void* data, uint64_t calls_max,
                                                const CallersFloats& floats) {
  if (vector == nullptr) return NullPointer("vector");
  if (fails == nullptr) return NullPointer("fails");
  const auto same = [&](const TestVector& candidate) {
    const assay_vector handle(candidate);
    return floats.Call([&] { return fails(&handle, data); }) != 0;
  };
  if (!same(vector->vector)) return BadArgument("vector: it does not fail");
  const auto limit = static_cast<int64_t>(std::min<uint64_t>(calls_max, INT64_MAX));
  return std::make_unique<assay_vector>(Reduce(vector->vector, same, {.calls_max = limit}).vector);
}

}  // namespace
}  // namespace assay::api

using assay::api::Making;

assay_status assay_generator_new(const char* kind, uint64_t seed, const char* const* options,
                                 size_t option_count, assay_generator** generator,
                                 assay_error* error) {
  return Making("generator", generator, error,
                [&] { return assay::api::NewGenerator(kind, seed, options, option_count); });
}
void assay_generator_free(assay_generator* generator) { delete generator; }
uint64_t assay_generator_targets(const assay_generator* generator) {
  return generator == nullptr ? 0 : static_cast<uint64_t>(generator->campaign.Targets());
}
assay_status assay_generate(const assay_generator* generator, uint64_t index, assay_vector** vector,
                            assay_error* error) {
  return Making("vector", vector, error, [&] { return assay::api::Generate(generator, index); });
}

assay_status assay_candidates_new(const assay_vector* vector, assay_candidates** candidates,
                                  assay_error* error) {
  return Making("candidates", candidates, error, [&] { return assay::api::NewCandidates(vector); });
}
assay_status assay_candidates_next(assay_candidates* candidates, assay_vector** vector,
                                   assay_error* error) {
  return Making("vector", vector, error, [&] { return assay::api::NextCandidate(candidates); });
}
void assay_candidates_free(assay_candidates* candidates) { delete candidates; }
assay_status assay_minimize(const assay_vector* vector,
                            int (*fails)(const assay_vector* vector, void* data), void* data,
                            uint64_t calls_max, assay_vector** smallest, assay_error* error) {
  const assay::api::CallersFloats floats;
  return Making("smallest", smallest, error,
                [&] { return assay::api::Minimized(vector, fails, data, calls_max, floats); });
}
