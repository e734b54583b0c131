// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace assay {

// The profiles and extensions of TOSA 1.0 (specification, "Profiles" and "Profile Extensions").
enum class Feature : uint8_t {
  kProInt,
  kProFp,
  kExtInt16,
  kExtInt4,
  kExtBf16,
  kExtFp8e4m3,
  kExtFp8e5m2,
  kExtFft,
  kExtVariable,
  kExtControlflow,
  kExtDynamic,
  kExtDoubleround,
  kExtInexactround,
};

// A set of profiles and extensions, which a type row requires or a target implements.
class Requirements {
 public:
  constexpr Requirements() = default;
  constexpr Requirements(std::initializer_list<Feature> features) {
    for (Feature feature : features) bits_ |= Bit(feature);
  }

  constexpr bool Empty() const { return bits_ == 0; }
  constexpr bool Contains(Feature feature) const { return (bits_ & Bit(feature)) != 0; }
  constexpr bool ContainsAll(Requirements other) const { return (other.bits_ & ~bits_) == 0; }
  friend constexpr Requirements operator|(Requirements a, Requirements b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr bool operator==(Requirements, Requirements) = default;

 private:
  static constexpr uint32_t Bit(Feature feature) {
    return uint32_t{1} << static_cast<unsigned>(feature);
  }
  uint32_t bits_ = 0;
};

struct FeatureRow {
  Feature feature;
  std::string_view name;      // "PRO-INT", "EXT-INT16"
  bool experimental;          // status "Experimental"; otherwise "Complete"
  Requirements needs_one_of;  // profiles, one of which an extension needs; empty for a profile
};

// Returns all profiles and extensions, in the order of the specification.
std::span<const FeatureRow> AllFeatures();

// Returns "PRO-INT", "EXT-INT16".
std::string_view FeatureName(Feature feature);
std::optional<Feature> FeatureByName(std::string_view name);

}  // namespace assay
