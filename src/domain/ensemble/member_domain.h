// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "random.h"
#include "value_domain.h"

namespace assay {

struct Member;  // member.h
enum class Keeps : uint8_t;

// The value domain with the words of a member of the ensemble, for one call of one operator. Its
// elements of a float type need not be values of the type. Words that are not here are those of
// ValueDomain.
//
// The words are in a file of their own because meanings are instantiated for this domain too.
class MemberDomain : public ValueDomain {
 public:
  // `is_cast` says that the operator is CAST. `seed` determines where results lie, for a member
  // that moves them.
  MemberDomain(const Member& member, bool is_cast, uint64_t seed);

  Element Store(DType type, Element x) const;

  Element Elementary(Op op, DType type, Element a) const;
  Element Pow(DType type, Element a, Element b) const;
  Element Bilinear(DType type, double maximum, std::span<const Element, 4> corners, double dy,
                   double dx) const;
  Element FloatToFloat(DType from, DType to, Element a) const;

  Element Dot(const DotRule& rule, std::span<const Element> a, std::span<const Element> b,
              std::span<const Element> padding, const Element* bias);
  Element Sum(const DotRule& rule, std::span<const Element> a);
  Element Average(const DotRule& rule, std::span<const Element> a, int64_t count);
  Element Product(DType type, std::span<const Element> a) const;
  static std::optional<double> MaximumMagnitude(DType type, std::span<const Element> elements);

 private:
  // Returns a value of the type that is at most `distance` away from the reference, at random, and
  // that the rule admits, which allows `error`. Returns the reference if the member moves nothing,
  // or if there is no such value.
  Element Moved(DType type, double reference, double distance, double error) const;
  Element Moved(DType type, double reference, double error) const {
    return Moved(type, reference, error, error);
  }
  // Does the same for a sum of products with this sum of magnitudes.
  Element MovedSum(const DotRule& rule, double sum, double magnitudes) const;
  // Returns the sum of `count` terms; products says that term(i) may have to be rounded.
  template <class Term>
  double Total(DType acc_type, size_t count, bool products, Term term);

  const Member& member_;
  Keeps keeps_;
  mutable Random random_;
  std::vector<double> terms_;  // of one pairwise sum
};

}  // namespace assay
