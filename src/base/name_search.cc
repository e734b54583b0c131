// SPDX-License-Identifier: Apache-2.0
#include "name_search.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "joined.h"
#include "letter_case.h"

namespace assay {
namespace {

constexpr size_t kNearestMax = 4;
constexpr size_t kListedMax = 24;

// Returns the edit distance of a and b: the number of letters to insert, delete, replace, or swap
// with the next one.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t k = 1; k <= b.size(); ++k) {
      const size_t replaced = last[k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1);
      row[k] = std::min({replaced, last[k] + 1, row[k - 1] + 1});
      const bool swapped = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
      if (swapped) row[k] = std::min(row[k], before[k - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last.back();
}

// Returns the distance of a name from a known name, both in lower case. Returns nothing if they are
// too far apart for the known name to be meant.
std::optional<size_t> Distance(const std::string& name, const std::string& known) {
  if (name.empty()) return std::nullopt;
  const size_t most = std::max<size_t>(name.size() / 3, 1);
  const size_t difference =
      name.size() < known.size() ? known.size() - name.size() : name.size() - known.size();
  const size_t edits = difference > most ? most + 1 : EditDistance(name, known);
  if (edits <= most) return edits;
  constexpr size_t kPartMin = 3;
  const size_t at = name.size() < kPartMin ? std::string::npos : known.find(name);
  if (at == std::string::npos) return std::nullopt;
  return at == 0 ? most + 1 : most + 2;
}

}  // namespace

Result<size_t> FindName(std::string_view what, std::string_view name,
                        std::span<const std::string_view> known, std::string_view prefix) {
  const auto exact = std::find(known.begin(), known.end(), name);
  if (exact != known.end()) return static_cast<size_t>(exact - known.begin());
  const std::string lower = LowerCase(name);
  for (const std::string& meant : {lower, LowerCase(prefix) + lower}) {
    const auto is_meant = [&meant](std::string_view other) { return LowerCase(other) == meant; };
    const auto found = std::find_if(known.begin(), known.end(), is_meant);
    if (found == known.end() || name.empty()) continue;
    if (std::find_if(found + 1, known.end(), is_meant) != known.end()) break;
    return static_cast<size_t>(found - known.begin());
  }
  return UnknownName(what, name, known, prefix);
}

Result<size_t> FindOptionName(std::string_view option, std::string_view what, std::string_view name,
                              std::span<const std::string_view> known, std::string_view prefix) {
  Result<size_t> found = FindName(what, name, known, prefix);
  return found ? found : UsageError(std::string(option) + ": " + found.error().message);
}

Result<std::vector<size_t>> FindOptionNames(std::string_view option, std::string_view what,
                                            std::span<const std::string> names,
                                            std::span<const std::string_view> known,
                                            std::string_view prefix) {
  std::vector<size_t> positions;
  for (const std::string& name : names) {
    const Result<size_t> found = FindOptionName(option, what, name, known, prefix);
    if (!found) return found.error();
    positions.push_back(*found);
  }
  return positions;
}

std::vector<std::string_view> NearestNames(std::string_view name,
                                           std::span<const std::string_view> known,
                                           std::string_view prefix) {
  std::vector<std::pair<size_t, std::string_view>> near;
  for (const std::string_view other : known) {
    std::optional<size_t> distance = Distance(LowerCase(name), LowerCase(other));
    if (!prefix.empty()) {
      const auto with_prefix = Distance(LowerCase(prefix) + LowerCase(name), LowerCase(other));
      if (with_prefix && (!distance || *with_prefix < *distance)) distance = with_prefix;
    }
    if (distance) near.emplace_back(*distance, other);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> names;
  for (const auto& [distance, other] : near) {
    if (names.size() < kNearestMax) names.push_back(other);
  }
  return names;
}

Error UnknownName(std::string_view what, std::string_view name,
                  std::span<const std::string_view> known, std::string_view prefix) {
  std::vector<std::string_view> nearest = NearestNames(name, known, prefix);
  std::string text = "no " + std::string(what) + " is named '" + std::string(name) + "'";
  if (!nearest.empty()) {
    text += nearest.size() == 1 ? "; the nearest is " : "; the nearest are ";
  } else if (known.size() <= kListedMax && !known.empty()) {
    text += known.size() == 1 ? "; there is " : "; there are ";
    nearest.assign(known.begin(), known.end());
  }
  return UsageError(text + Joined(nearest));
}

}  // namespace assay
