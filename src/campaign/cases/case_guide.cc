// SPDX-License-Identifier: Apache-2.0
#include "case_guide.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "coverage.h"
#include "files.h"
#include "interrupt.h"
#include "json_place.h"
#include "json_text.h"
#include "new_items_first.h"
#include "worker_pool.h"

namespace assay {
namespace {

constexpr int64_t kRoundCandidates = CaseGuide::kRoundCases * CaseGuide::kCandidates;

Result<Done> ReadNumberList(const JsonPlace& round, const char* name, int64_t min, int64_t max,
                            std::vector<int64_t>& numbers) {
  const auto list = round.Field({name});
  if (!list) return round.Problem("lacks \"" + std::string(name) + "\"");
  return list->ForEachElement([&](const JsonPlace& place) -> Result<Done> {
    const Result<int64_t> number = place.Integer(min);
    if (!number) return number.error();
    if (*number > max) {
      return place.Problem(std::to_string(*number) + " is more than " + std::to_string(max));
    }
    numbers.push_back(*number);
    return Done{};
  });
}

}  // namespace

CaseGuide::CaseGuide(const Campaign& campaign, Shard shard, const std::string& folder,
                     std::function<Result<SupportedVectors>()> open, int jobs)
    : campaign_(campaign),
      shard_(shard),
      file_(JoinPath(folder, kFileName)),
      open_(std::move(open)),
      jobs_(jobs) {}

Result<CaseGuide> CaseGuide::Open(const Campaign& campaign, Shard shard, const std::string& folder,
                                  std::function<Result<SupportedVectors>()> open, int jobs) {
  CaseGuide guide(campaign, shard, folder, std::move(open), jobs);
  const Result<Done> read = guide.Read();
  if (!read) return read.error();
  return guide;
}

Result<Done> CaseGuide::Read() {
  if (!IsThere(file_)) return Done{};
  const Result<std::string> text = ReadOwnTextFile(file_);
  if (!text) return text.error();
  const Json json = ParseJson(*text);
  if (json.is_discarded()) return BadInput(file_ + ": is not JSON");
  const JsonPlace whole(json, file_);
  const auto rounds = whole.Field({"rounds"});
  if (!rounds) return whole.Problem("lacks \"rounds\"");
  const auto items_end = std::ssize(Coverage(campaign_.chosen.targets()).Items());
  return rounds->ForEachElement([&](const JsonPlace& place) -> Result<Done> {
    Round round;
    std::vector<int64_t> items;
    const int64_t first = std::ssize(rounds_) * kRoundCandidates;
    Result<Done> done =
        ReadNumberList(place, "cases", first, first + kRoundCandidates - 1, round.cases);
    if (done) done = ReadNumberList(place, "items", 0, items_end - 1, items);
    if (!done) return done;
    if (std::ssize(round.cases) != kRoundCases) {
      return place.Problem("has " + std::to_string(round.cases.size()) + " cases, not " +
                           std::to_string(kRoundCases));
    }
    for (const int64_t item : items) round.items.push_back(static_cast<int32_t>(item));
    reached_.insert(round.items.begin(), round.items.end());
    rounds_.push_back(std::move(round));
    return Done{};
  });
}

Result<Done> CaseGuide::Write() const {
  Json rounds = Json::array();
  for (const Round& round : rounds_) {
    rounds.push_back({{"cases", round.cases}, {"items", round.items}});
  }
  return WriteFileAtomically(file_, std::string_view(JsonText(Json{{"rounds", rounds}}) + "\n"));
}

CaseGuide::Round CaseGuide::ChooseFrom(const std::vector<int64_t>& numbers,
                                       const std::vector<std::vector<int32_t>>& reach,
                                       std::vector<int64_t> rest) {
  Round round;
  const std::set<int32_t> before = reached_;
  for (const size_t i : NewItemsFirst(reach, kRoundCases, reached_)) {
    round.cases.push_back(numbers[i]);
  }
  std::ranges::set_difference(reached_, before, std::back_inserter(round.items));
  rest.resize(static_cast<size_t>(kRoundCases) - round.cases.size());
  round.cases.insert(round.cases.end(), rest.begin(), rest.end());
  return round;
}

Result<Done> CaseGuide::Choose(int64_t round) {
  while (std::ssize(rounds_) <= round && !Interrupted()) {
    const Result<Done> chosen = ChooseNext();
    if (!chosen) return chosen;
  }
  return Done{};
}

Result<Done> CaseGuide::ChooseNext() {
  std::vector<int64_t> numbers, rest;  // of cases that run, of the others
  std::vector<std::vector<int32_t>> reach;
  WorkPlan work;
  work.first = std::ssize(rounds_) * kRoundCandidates;
  work.last = work.first + kRoundCandidates;
  work.jobs = jobs_;
  work.start = [this]() -> Result<Work> {
    Result<SupportedVectors> supported = open_();
    if (!supported) return supported.error();
    const auto coverage = std::make_shared<Coverage>(campaign_.chosen.targets());
    return Work([this, coverage, supports = std::move(*supported)](int64_t number) -> std::string {
      const std::optional<TestVector> vector = campaign_.Make(shard_.At(number));
      if (!vector || !campaign_.Takes(*vector) || !supports(*vector)) return "";
      coverage->Add(*vector);
      return JsonText(Json(coverage->TakeReached()));
    });
  };
  work.merge = [&](int64_t number, const std::string& told, const Loss& loss) -> Result<Done> {
    if (loss) {
      return ResourceError("generating " + campaign_.NameOf(shard_.At(number)) +
                           ": the worker process ended: " + loss.how);
    }
    if (told.empty()) {
      rest.push_back(number);
      return Done{};
    }
    numbers.push_back(number);
    reach.push_back(ParseJson(told).get<std::vector<int32_t>>());
    return Done{};
  };
  const Result<int64_t> end = RunWork(work);
  if (!end) return end.error();
  if (Interrupted()) return Done{};
  rounds_.push_back(ChooseFrom(numbers, reach, std::move(rest)));
  return Write();
}

int64_t CaseGuide::CaseAt(int64_t index) const {
  return rounds_[static_cast<size_t>(index / kRoundCases)]
      .cases[static_cast<size_t>(index % kRoundCases)];
}

}  // namespace assay
