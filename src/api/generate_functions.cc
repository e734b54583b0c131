// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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
#include "parse_number.h"
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
  if (ParseNumber(value, number) && number > 0) return Done{};
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

}  // namespace
}  // namespace assay::api

using assay::Result;
using assay::api::BadArgument, assay::api::Making, assay::api::NullPointer;

assay_status assay_generator_new(const char* kind, uint64_t seed, const char* const* options,
                                 size_t option_count, assay_generator** generator,
                                 assay_error* error) {
  return Making("generator", generator, error, [&]() -> Result<std::unique_ptr<assay_generator>> {
    if (options == nullptr && option_count > 0) return NullPointer("options");
    assay::api::Options given;
    if (kind != nullptr) given.campaign.kinds = {kind};
    given.campaign.seed = seed;
    for (size_t i = 0; i < option_count; ++i) {
      if (options[i] == nullptr) return NullPointer(("option " + std::to_string(i)).c_str());
      const std::string_view option = options[i];
      const size_t sign = option.find('=');
      if (sign == std::string_view::npos) {
        return BadArgument("option " + std::string(option) + ": has no =");
      }
      const Result<assay::Done> set =
          SetOption(option.substr(0, sign), std::string(option.substr(sign + 1)), given);
      if (!set) return set.error();
    }
    Result<assay::Campaign> campaign = MakeCampaign(given.campaign);
    if (!campaign) {
      const std::string& message = campaign.error().message;  // "--op: no operator is named ..."
      return assay::Error{campaign.error().kind, message.substr(message.starts_with("--") ? 2 : 0)};
    }
    auto& dimension_max = campaign->options.dimension_max;
    constexpr int64_t kDimensionMax = 1 << 20;
    if (given.dimension_max > 0) {
      dimension_max = static_cast<int32_t>(std::min(given.dimension_max, kDimensionMax));
    }
    return std::make_unique<assay_generator>(assay_generator{std::move(*campaign)});
  });
}
void assay_generator_free(assay_generator* generator) { delete generator; }
uint64_t assay_generator_targets(const assay_generator* generator) {
  return generator == nullptr ? 0 : static_cast<uint64_t>(generator->campaign.Targets());
}
assay_status assay_generate(const assay_generator* generator, uint64_t index, assay_vector** vector,
                            assay_error* error) {
  return Making("vector", vector, error, [&]() -> Result<std::unique_ptr<assay_vector>> {
    if (generator == nullptr) return NullPointer("generator");
    if (index > INT64_MAX) return BadArgument("index: is above 2^63 - 1");
    const assay::Campaign& campaign = generator->campaign;
    std::optional<assay::TestVector> made = campaign.Make(static_cast<int64_t>(index));
    if (!made || !campaign.Takes(*made)) return std::unique_ptr<assay_vector>();
    return std::make_unique<assay_vector>(std::move(*made));
  });
}

assay_status assay_candidates_new(const assay_vector* vector, assay_candidates** candidates,
                                  assay_error* error) {
  return Making("candidates", candidates, error,
                [&]() -> Result<std::unique_ptr<assay_candidates>> {
                  if (vector == nullptr) return NullPointer("vector");
                  return std::unique_ptr<assay_candidates>(
                      new assay_candidates{assay::SmallerVectors(vector->vector)});
                });
}
assay_status assay_candidates_next(assay_candidates* candidates, assay_vector** vector,
                                   assay_error* error) {
  return Making("vector", vector, error, [&]() -> Result<std::unique_ptr<assay_vector>> {
    if (candidates == nullptr) return NullPointer("candidates");
    const std::optional<assay::SmallerVectors> made = candidates->smaller.At(candidates->next);
    if (!made) return std::unique_ptr<assay_vector>();
    ++candidates->next;
    return std::make_unique<assay_vector>(made->vector());
  });
}
void assay_candidates_free(assay_candidates* candidates) { delete candidates; }
assay_status assay_minimize(const assay_vector* vector,
                            int (*fails)(const assay_vector* vector, void* data), void* data,
                            uint64_t calls_max, assay_vector** smallest, assay_error* error) {
  const assay::api::CallersFloats floats;
  return Making("smallest", smallest, error, [&]() -> Result<std::unique_ptr<assay_vector>> {
    if (vector == nullptr) return NullPointer("vector");
    if (fails == nullptr) return NullPointer("fails");
    const auto same = [&](const assay::TestVector& candidate) {
      const assay_vector handle(candidate);
      return floats.Call([&] { return fails(&handle, data); }) != 0;
    };
    if (!same(vector->vector)) return BadArgument("vector: it does not fail");
    const auto limit = static_cast<int64_t>(std::min<uint64_t>(calls_max, INT64_MAX));
    return std::make_unique<assay_vector>(
        Reduce(vector->vector, same, {.calls_max = limit}).vector);
  });
}
