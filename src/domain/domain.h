// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "signature.h"

namespace assay {

// The base of every numeric domain. It records broken rules.
//
// A domain D supplies an operator's meaning with elements (D::Element) and a vocabulary. The
// meaning writes elements of type D::Result, which is mostly the same type. The meaning is a
// template over D and never branches on an element. All domains have the words of ValueDomain
// (value_domain.h) and DomainBase. A word there does exactly what the specification's helper of
// that name does.
class DomainBase {
 public:
  Judgement& judgement() { return judgement_; }

  // Checks a REQUIRE on facts that are known before execution.
  void Require(bool holds, const char* rule) { judgement_.Require(holds, rule); }

  // Most domains have these words in common. The others hide them.
  //
  // CAST from float to float changes nothing, because Store() rounds.
  template <class Element>
  static Element FloatToFloat(DType, DType, const Element& a) {
    return a;
  }
  // RESCALE with INEXACT_ROUND. `result` is the answer of SINGLE_ROUND, clipped to low..high. The
  // bound domain also admits the integers near value * multiplier * 2^-shift + output_zp.
  template <class Element>
  static Element InexactRound(const Element& result, const Element&, const Element&, const Element&,
                              const Element&, int64_t, int64_t) {
    return result;
  }
  // Returns the largest magnitude of a float tensor, for DotRule::input_maximum and Bilinear();
  // nothing if it does not matter.
  template <class Elements>
  static std::optional<double> MaximumMagnitude(DType, const Elements&) {
    return {};
  }
  // Returns the largest power of two that all elements of a float tensor are multiples of, for
  // DotRule::quantum; 0 if it does not matter.
  template <class Elements>
  static double Quantum(DType, const Elements&) {
    return 0;
  }

  // Returns true if some other order of summation would have left the accumulator's range, although
  // the pseudocode's order did not. Such a graph is valid, but no generator may emit it.
  bool order_dependent() const { return order_dependent_; }
  // Returns true if a REQUIRE was decided by an element that the specification does not determine.
  bool uncertain_requirement() const { return uncertain_requirement_; }

 protected:
  Judgement judgement_;
  bool order_dependent_ = false;
  bool uncertain_requirement_ = false;
};

// REQUIRE(minimum_s<type>() <= x && x <= maximum_s<type>()); returns x.
template <class D>
typename D::Element RequireRange(D& d, DType type, const typename D::Element& x, const char* rule) {
  return d.RequireBetween(x, MinimumInteger(type), MaximumInteger(type), rule);
}

// A tensor in a domain. Its elements are shared and never change after a call has returned.
template <class Element>
struct DomainTensor {
  TensorType type;
  std::shared_ptr<const std::vector<Element>> elements;
  const Element& operator[](int64_t i) const { return (*elements)[static_cast<size_t>(i)]; }
  int64_t size() const { return static_cast<int64_t>(elements->size()); }
};

// One execution of one operator in domain D: the data that a meaning reads and writes.
template <class D>
struct Call {
  using Element = typename D::Element;
  using Result = typename D::Result;

  const Signature& signature;
  std::span<const DomainTensor<Element>* const> inputs;
  // One vector per output, which already has the length of the output. Every element is written:
  // computed elements through Store(), copied elements unchanged.
  std::span<std::vector<Result>> outputs;

  const Attributes& attributes() const { return *signature.attributes; }
  const DomainTensor<Element>& input(int i) const { return *inputs[static_cast<size_t>(i)]; }
  std::vector<Result>& output(int i = 0) const { return outputs[static_cast<size_t>(i)]; }
  DType in(int i = 0) const { return signature.in(i); }
  DType out(int i = 0) const { return signature.out(i); }
  const Shape& shape(int i = 0) const { return signature.shape(i); }
  const Shape& out_shape(int i = 0) const { return signature.out_shape(i); }
};

// The parameters of a sum or dot product (specification, "Dot product accuracy requirements").
struct DotRule {
  DType in_type;      // of the data operand
  DType weight_type;  // of the other operand; in_type for sums
  DType acc_type;     // the integer accumulator; for floats acc_t of the type row
  DType out_type;
  int64_t kernel_size = 1;                   // KS
  std::optional<double> input_maximum = {};  // max |in| over the tensor, unless local_bound is true
  // The largest difference between a weight and the weight that a backend uses. It is not zero only
  // if weights come from the pseudocode instead of operands.
  double weight_error = 0;
  // If not 0, all products of floats are multiples of it, and the backend sums them as they are
  // (Declarations::plain_sums).
  double quantum = 0;
  const char* overflow = "";  // the REQUIRE that a sum out of range breaks
  friend bool operator==(const DotRule&, const DotRule&) = default;
};

}  // namespace assay
