// SPDX-License-Identifier: Apache-2.0
#include "packing_fusion.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace assay {
namespace {

constexpr int kPassesMax = 64;

std::vector<int32_t> Difference(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
  std::vector<int32_t> only;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only));
  return only;
}

}  // namespace

PackingFusion::PackingFusion(const Packing& packing, int64_t height)
    : fused_(packing), first_(packing.sizes.size()), above_(first_.size(), 0) {
  std::iota(first_.begin(), first_.end(), 0);
  number_ = first_;
  // In other packings, sections may not contain all conflicts.
  if (packing.HasFixed() || !packing.by_time) return;
  const auto& alignments = packing.alignments;
  if (std::any_of(alignments.begin(), alignments.end(), [](int64_t i) { return i > 1; })) return;
  for (int32_t s = 0; s < packing.sections.size(); ++s) {
    const auto members = packing.sections[s];
    sections_.emplace_back(members.begin(), members.end());
    std::sort(sections_.back().begin(), sections_.back().end());
    int64_t room = height - packing.start;
    for (const int32_t i : members) room -= packing.sizes[Index(i)];
    is_full_.push_back(room == 0);
  }
  for (int32_t i = 0; i < packing.sections_of.size(); ++i) {
    const auto own = packing.sections_of[i];
    sections_of_.emplace_back(own.begin(), own.end());
  }
  bool changed = false;
  for (int pass = 0; pass < kPassesMax && Fuse(); ++pass) changed = true;
  if (changed) Renumber(packing);
}

bool PackingFusion::Fuse() {
  bool changed = false;
  for (int32_t s = 0; s + 1 < static_cast<int32_t>(sections_.size()); ++s) {
    if (is_full_[Index(s)] && is_full_[Index(s + 1)] && FuseAcross(s)) changed = true;
  }
  return changed;
}

// Fuses buffers across the border between a section and the next one.
bool PackingFusion::FuseAcross(int32_t section) {
  const auto& before = sections_[Index(section)];
  const auto& after = sections_[Index(section + 1)];
  const auto ends = Difference(before, after), begins = Difference(after, before);
  if (ends.size() == 1 && begins.size() == 1) {
    // With gaps in their live ranges, both may be live in another section. Then nothing fits.
    const auto& own = sections_of_[Index(ends.front())];
    const auto& other = sections_of_[Index(begins.front())];
    if (std::find_first_of(own.begin(), own.end(), other.begin(), other.end()) != own.end()) {
      return false;
    }
    Join(ends.front(), begins.front(), 0);
    return true;
  }
  return (ends.size() == 1 && Stack(begins)) || (begins.size() == 1 && Stack(ends));
}

// Joins the first two of some buffers that lie in one gap, if all are in the same sections. Then
// their order does not matter. Otherwise, another buffer could lie between two of them.
bool PackingFusion::Stack(std::span<const int32_t> buffers) {
  const auto alike = [&](int32_t i) {
    return sections_of_[Index(i)] == sections_of_[Index(buffers.front())];
  };
  if (buffers.size() < 2 || !std::all_of(buffers.begin(), buffers.end(), alike)) return false;
  Join(buffers[0], buffers[1], fused_.sizes[Index(buffers[0])]);
  return true;
}

// Makes a buffer a part of another one. It follows that buffer in time, or lies above it if there
// is a distance.
void PackingFusion::Join(int32_t lower, int32_t buffer, int64_t distance) {
  for (size_t i = 0; i < first_.size(); ++i) {
    if (first_[i] != buffer) continue;
    first_[i] = lower;
    above_[i] += distance;
  }
  for (const int32_t s : sections_of_[Index(buffer)]) {
    auto& members = sections_[Index(s)];
    std::erase(members, buffer);
    if (distance > 0) continue;
    members.insert(std::lower_bound(members.begin(), members.end(), lower), lower);
    sections_of_[Index(lower)].push_back(s);
  }
  std::sort(sections_of_[Index(lower)].begin(), sections_of_[Index(lower)].end());
  if (distance > 0) {
    fused_.sizes[Index(lower)] += fused_.sizes[Index(buffer)];
  } else {
    fused_.lifetimes[Index(lower)] += fused_.lifetimes[Index(buffer)];
  }
}

void PackingFusion::Renumber(const Packing& packing) {
  std::vector<std::vector<int32_t>> neighbours(first_.size());
  for (int32_t i = 0; i < packing.neighbours.size(); ++i) {
    const int32_t first = first_[Index(i)];
    for (const int32_t other : packing.neighbours[i]) {
      if (first_[Index(other)] != first) neighbours[Index(first)].push_back(first_[Index(other)]);
    }
  }
  Packing fused;
  fused.unit_bytes = packing.unit_bytes;
  fused.start = packing.start;
  fused.by_time = packing.by_time;
  fused.complete = packing.complete;
  for (size_t i = 0; i < first_.size(); ++i) {
    if (Index(first_[i]) != i) continue;
    number_[i] = static_cast<int32_t>(fused.sizes.size());
    fused.buffers.push_back(packing.buffers[i]);
    fused.sizes.push_back(fused_.sizes[i]);
    fused.lifetimes.push_back(fused_.lifetimes[i]);
  }
  fused.alignments.assign(fused.sizes.size(), 1);
  fused.fixed.assign(fused.sizes.size(), -1);
  const auto numbered = [&](std::vector<int32_t>& list) {
    for (int32_t& i : list) i = number_[Index(i)];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return std::span<const int32_t>(list);
  };
  for (size_t i = 0; i < first_.size(); ++i) {
    if (Index(first_[i]) != i) continue;
    fused.neighbours.Add(numbered(neighbours[i]));
    fused.obstacles.Add({});
    fused.sections_of.Add(sections_of_[i]);
  }
  for (auto& section : sections_) fused.sections.Add(numbered(section));
  fused_ = std::move(fused);
}

std::vector<int64_t> PackingFusion::Offsets(std::span<const int64_t> fused) const {
  std::vector<int64_t> offsets = above_;
  for (size_t i = 0; i < offsets.size(); ++i) offsets[i] += fused[Index(number_[Index(first_[i])])];
  return offsets;
}

}  // namespace assay
