// SPDX-License-Identifier: Apache-2.0
#include "code_guide.h"

#include <algorithm>
#include <bit>

#include "backend_kind.h"
#include "files.h"
#include "json_place.h"
#include "json_text.h"
#include "sha256.h"
#include "tvec_file.h"

namespace assay {
namespace {

constexpr uint64_t kEditsMax = 3;  // of one change
constexpr uint64_t kPositionMax = 512;
// No run has as many cases. Sums and products of such numbers do not overflow.
constexpr int64_t kLast = int64_t{1} << 40;

// Returns a number below `bound`: a random one below a power of two, of which each is as likely.
uint64_t MostlySmall(Random& random, uint64_t bound) {
  const auto bits = static_cast<uint64_t>(std::bit_width(bound - 1));
  return random.Below(std::min(uint64_t{1} << random.Below(bits + 1), bound));
}

Json EditsJson(const std::vector<ChoiceEdit>& edits) {
  Json list = Json::array();
  for (const ChoiceEdit& edit : edits) list.push_back({edit.position, edit.value});
  return list;
}

Result<int64_t> NumberIn(const JsonPlace& place, const char* name, int64_t last = kLast) {
  const auto field = place.Field({name});
  if (!field) return place.Problem("lacks \"" + std::string(name) + "\"");
  const Result<int64_t> number = field->Integer(0);
  if (number && *number > last) {
    return field->Problem(std::to_string(*number) + " is more than " + std::to_string(last));
  }
  return number;
}

// Reads the numbers of an object into the variables of the same order.
Result<Done> ReadNumbers(const JsonPlace& place,
                         std::initializer_list<std::pair<const char*, int64_t*>> numbers) {
  for (const auto& [name, value] : numbers) {
    const Result<int64_t> number = NumberIn(place, name);
    if (!number) return number.error();
    *value = *number;
  }
  return Done{};
}

Result<Done> ReadCase(const JsonPlace& place, int64_t& number, std::vector<ChoiceEdit>& edits) {
  const Result<Done> read = ReadNumbers(place, {{"case", &number}});
  const auto list = place.Field({"edits"});
  if (!read || !list) return read ? place.Problem("lacks \"edits\"") : read;
  return list->ForEachElement([&](const JsonPlace& pair) -> Result<Done> {
    if (!pair.IsArray() || pair.size() != 2) return pair.Problem("is no pair of numbers");
    const Result<int64_t> position = pair[0].Integer(0);
    const Result<int64_t> value = pair[1].Integer(0);
    if (!position || !value) return position ? value.error() : position.error();
    edits.push_back({static_cast<uint64_t>(*position), static_cast<uint64_t>(*value)});
    return Done{};
  });
}

Result<int64_t> CountEdges(const std::string& backend, const BackendOptions& limits) {
  const Result<std::unique_ptr<Backend>> opened = OpenBackend(backend, limits);
  if (!opened) return opened.error();
  if ((*opened)->Edges() > 0) return (*opened)->Edges();
  return Unsupported(backend + ": has no counters for --guided-by-backend; compile a plugin with " +
                     "clang's -fsanitize-coverage=inline-8bit-counters");
}

// Calls read(place) for each element of a list.
template <class Read>
Result<Done> ForEachIn(const JsonPlace& whole, const char* name, Read&& read) {
  const auto list = whole.Field({name});
  if (!list) return whole.Problem("lacks \"" + std::string(name) + "\"");
  return list->ForEachElement(read);
}

}  // namespace

CodeGuide::CodeGuide(const Campaign& campaign, Shard shard, const std::string& folder,
                     int64_t edges)
    : campaign_(campaign),
      shard_(shard),
      folder_(folder),
      finds_(static_cast<size_t>(edges)),
      born_(static_cast<size_t>(edges)),
      told_(static_cast<size_t>(edges)),
      kinds_(campaign.kinds.size()) {}

Result<CodeGuide> CodeGuide::Open(const Campaign& campaign, Shard shard, const std::string& folder,
                                  const std::string& backend, const BackendOptions& limits) {
  const Result<int64_t> edges = CountEdges(backend, limits);
  if (!edges) return edges.error();
  CodeGuide guide(campaign, shard, folder, *edges);
  const Result<Done> made = MakeDirectories(JoinPath(folder, kFolder));
  if (!made) return made.error();
  const Result<Done> read = guide.Read();
  if (!read) return read.error();
  return guide;
}

Result<Done> CodeGuide::Read() {
  const std::string file = JoinPath(folder_, kFileName);
  if (!FileExists(file)) return Done{};
  const Result<std::string> text = ReadOwnTextFile(file);
  if (!text) return text.error();
  const Json json = ParseJson(*text);
  if (json.is_discarded()) return BadInput(file + ": is not JSON");
  const JsonPlace whole(json, file);
  int64_t count = 0;
  Result<Done> read =
      ReadNumbers(whole, {{"edges", &count}, {"round", &round_}, {"learned", &learned_}});
  if (!read) return read;
  if (count != edges()) {
    return UsageError(file + ": is of a backend with " + std::to_string(count) +
                      " edges, and this one has " + std::to_string(edges()) +
                      "; choose another folder for --out");
  }
  for (const auto& limit : {std::pair("finds", int64_t{kFindsMax}), std::pair("born", kLast)}) {
    const int64_t last = limit.second;
    std::vector<int64_t> numbers;
    read = ForEachIn(whole, limit.first, [&](const JsonPlace& place) -> Result<Done> {
      const Result<int64_t> number = place.Integer(0);
      if (!number) return number.error();
      if (*number > last) return place.Problem("is more than " + std::to_string(last));
      numbers.push_back(*number);
      return Done{};
    });
    if (!read) return read;
    if (std::ssize(numbers) != count) return whole.Problem("has another number of edges");
    if (last == kFindsMax) finds_ = {numbers.begin(), numbers.end()};
    if (last == kLast) born_ = std::move(numbers);
  }
  std::vector<Yield> kinds;
  read = ForEachIn(whole, "kinds", [&](const JsonPlace& place) {
    Yield& kind = kinds.emplace_back();
    return ReadNumbers(place,
                       {{"cases", &kind.cases}, {"finds", &kind.finds}, {"next", &kind.next}});
  });
  if (!read) return read;
  if (kinds.size() != kinds_.size()) return whole.Problem("has another number of kinds");
  kinds_ = std::move(kinds);
  read = ForEachIn(whole, "parents", [&](const JsonPlace& place) {
    Find& parent = parents_.emplace_back();
    const Result<Done> latest =
        ReadNumbers(place, {{"latest", &parent.latest}, {"bytes", &parent.bytes}});
    if (!latest) return latest;
    return ReadCase(place, parent.original.number, parent.original.edits);
  });
  if (!read) return read;
  read = ForEachIn(whole, "cases", [&](const JsonPlace& place) {
    Case& chosen = cases_.emplace_back();
    return ReadCase(place, chosen.number, chosen.edits);
  });
  if (!read || std::ssize(cases_) == kRoundCases) return read;
  return whole.Problem("has " + std::to_string(cases_.size()) + " cases, not " +
                       std::to_string(kRoundCases));
}

Result<Done> CodeGuide::Write() const {
  Json json = {{"edges", edges()}, {"round", round_}, {"learned", learned_}};
  json["finds"] = finds_;
  json["born"] = born_;
  for (const char* list : {"kinds", "parents", "cases"}) json[list] = Json::array();
  for (const Yield& kind : kinds_) {
    json["kinds"].push_back({{"cases", kind.cases}, {"finds", kind.finds}, {"next", kind.next}});
  }
  const auto add = [&json](const char* list, const Case& one) {
    json[list].push_back({{"case", one.number}, {"edits", EditsJson(one.edits)}});
  };
  for (const Find& parent : parents_) {
    add("parents", parent.original);
    json["parents"].back()["latest"] = parent.latest;
    json["parents"].back()["bytes"] = parent.bytes;
  }
  for (const Case& chosen : cases_) add("cases", chosen);
  return WriteFileAtomically(JoinPath(folder_, kFileName), std::string_view(JsonText(json) + "\n"));
}

size_t CodeGuide::KindOf(const Case& chosen) const {
  return static_cast<size_t>(shard_.At(chosen.number)) % kinds_.size();
}

std::string CodeGuide::NameOf(const Case& chosen) const {
  const std::string name = campaign_.NameOf(shard_.At(chosen.number));
  if (chosen.edits.empty()) return name;
  return name + "+" + Sha256(JsonText(EditsJson(chosen.edits))).substr(0, 8);
}

std::string CodeGuide::NameOf(int64_t index) const { return NameOf(At(index)); }

std::optional<TestVector> CodeGuide::Make(const Case& chosen) const {
  GeneratorOptions options = campaign_.options;
  options.edits = chosen.edits;
  const int64_t number = shard_.At(chosen.number);
  std::optional<TestVector> vector =
      campaign_.KindOf(number).make(options, campaign_.IndexOf(number));
  if (vector && !chosen.edits.empty()) vector->name = NameOf(chosen);
  return vector;
}

std::optional<TestVector> CodeGuide::Make(int64_t index) const { return Make(At(index)); }

std::string CodeGuide::ReachedText() const {
  return std::to_string(edges() - std::ranges::count(finds_, 0)) + " of " +
         std::to_string(edges()) + " edges";
}

void CodeGuide::AddFacts(std::vector<std::pair<std::string, std::string>>& facts) const {
  facts.emplace_back("code of the backend", ReachedText() + " ran");
  facts.emplace_back("choice of cases",
                     "by the code of the backend that ran; another run may choose other cases");
}

Result<Done> CodeGuide::Choose(int64_t round) {
  if (round == round_) return Done{};
  round_ = round;
  cases_.clear();
  Random random =
      Random::For(campaign_.options.seed, static_cast<uint64_t>(round), "code guide", 1);
  const bool are_new_finds =
      std::ranges::any_of(kinds_, [](const Yield& kind) { return kind.finds > 0; });
  const size_t new_every = are_new_finds ? 2 : 4;
  while (std::ssize(cases_) < kRoundCases) {
    const bool is_change = cases_.size() % new_every != 0 && !parents_.empty();
    cases_.push_back(is_change ? Change(random) : NewCase(random));
  }
  for (Yield& kind : kinds_) {
    kind.cases /= 2;
    kind.finds /= 2;
  }
  return Write();
}

// A kind without a find weighs 1, one of which every case is a find weighs 64.
CodeGuide::Case CodeGuide::NewCase(Random& random) {
  std::vector<uint64_t> weights;
  uint64_t sum = 0;
  for (const Yield& kind : kinds_) {
    weights.push_back(
        static_cast<uint64_t>(1 + 63 * kind.finds / std::max<int64_t>(kind.cases, 1)));
    sum += weights.back();
  }
  uint64_t at = random.Below(sum);
  size_t kind = 0;
  while (at >= weights[kind]) at -= weights[kind++];
  // A shard may lack a kind.
  Case chosen{kinds_[kind].next, {}};
  for (size_t tries = 1; KindOf(chosen) != kind && tries < kinds_.size(); ++tries) ++chosen.number;
  kinds_[kind].next = chosen.number + 1;
  return chosen;
}

CodeGuide::Case CodeGuide::Change(Random& random) const {
  Case changed = parents_[parents_.size() - 1 - MostlySmall(random, parents_.size())].original;
  std::vector<ChoiceEdit>& edits = changed.edits;
  if (!edits.empty() && random.OneIn(8)) {
    edits.erase(edits.begin() + static_cast<ptrdiff_t>(random.Below(edits.size())));
  }
  const uint64_t count = 1 + random.Below(1 + random.Below(kEditsMax));
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t position = MostlySmall(random, kPositionMax);
    std::erase_if(edits, [position](const ChoiceEdit& edit) { return edit.position == position; });
    edits.push_back({position, random.Next() >> 1});
  }
  std::ranges::sort(edits, {}, &ChoiceEdit::position);
  return changed;
}

std::string CodeGuide::WithEdges(std::string json, Backend& backend) {
  std::string edges;
  for (const int32_t edge : backend.TakeReachedEdges()) {
    const auto i = static_cast<size_t>(edge);
    if (i >= finds_.size() || finds_[i] >= kFindsMax || told_[i] >= kFindsMax) continue;
    ++told_[i];
    edges += (edges.empty() ? "" : ",") + std::to_string(edge);
  }
  if (edges.empty() || !json.ends_with('}')) return json;
  json.pop_back();
  return json + ",\"edges\":[" + edges + "]}";
}

void CodeGuide::Learn(int64_t index, const std::string& json) {
  if (index < learned_) return;
  const Case& chosen = At(index);
  const Json whole = ParseJson(json);
  const Json* edges = whole.Find("edges");
  bool is_find = false;
  int64_t latest = 0;
  for (const Json& edge : edges != nullptr && edges->is_array() ? *edges : Json::array()) {
    const size_t i = edge.is_number_unsigned() ? edge.get<size_t>() : finds_.size();
    if (i >= finds_.size() || finds_[i] >= kFindsMax) continue;
    // A change mostly reaches what its original does.
    is_find = is_find || chosen.edits.empty() || finds_[i] == 0;
    if (finds_[i]++ == 0) born_[i] = learned_;
    latest = std::max(latest, born_[i]);
  }
  learned_ = index + 1;
  if (chosen.edits.empty()) {
    Yield& kind = kinds_[KindOf(chosen)];
    ++kind.cases;
    kind.finds += is_find ? 1 : 0;
  }
  if (is_find) found_.push_back({chosen, latest, 0});
}

// A vector that names another one, and an example worked by hand, cannot be changed.
Result<Done> CodeGuide::Keep(Find found) {
  const std::optional<TestVector> vector = Make(found.original);
  if (!vector) return Done{};
  const std::string file = JoinPath(JoinPath(folder_, kFolder), NameOf(found.original) + ".tvec");
  const std::vector<uint8_t> bytes = WriteTestVector(*vector);
  const Result<Done> written = WriteFileAtomically(file, bytes);
  if (!written) return written;
  found.bytes = std::ssize(bytes);
  const bool is_fixed = std::ranges::any_of(vector->tags, [](const std::string& tag) {
    return tag == "example" || tag.find(':') != std::string::npos;
  });
  if (is_fixed) return Done{};
  const auto later = std::ranges::upper_bound(parents_, found.Order(), {}, &Find::Order);
  parents_.insert(later, std::move(found));
  return Done{};
}

Result<Done> CodeGuide::Save() {
  for (Find& found : found_) {
    const Result<Done> kept = Keep(std::move(found));
    if (!kept) return kept;
  }
  found_.clear();
  return Write();
}

}  // namespace assay
