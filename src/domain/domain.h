#pragma once

#include <memory>
#include <span>
#include <vector>

#include "signature.h"

namespace assay {

// What every numeric domain carries: where broken rules go.
//
// A domain D gives an operator's meaning its elements (D::Element; what it writes is a D::Result,
// mostly the same) and its vocabulary; the meaning is a template over D and never branches on an
// element. All domains speak the words of ValueDomain (value_domain.h); a word means there exactly
// what the specification's helper of that name does.
class DomainBase {
 public:
  Judgement& judgement() { return judgement_; }

  // A REQUIRE on facts that are known before execution.
  void Require(bool holds, const char* rule) { judgement_.Require(holds, rule); }

  // Whether some other order of summation would have left the accumulator's range, although the
  // pseudocode's order did not: such a graph is valid, but no generator may emit it.
  bool order_dependent() const { return order_dependent_; }
  // Whether a REQUIRE was decided by an element that the specification does not determine.
  bool uncertain_requirement() const { return uncertain_requirement_; }

 protected:
  Judgement judgement_;
  bool order_dependent_ = false;
  bool uncertain_requirement_ = false;
};

// A tensor in a domain. Elements are shared and never change once a call has returned.
template <class Element>
struct DomainTensor {
  TensorType type;
  std::shared_ptr<const std::vector<Element>> elements;
  const Element& operator[](int64_t i) const { return (*elements)[static_cast<size_t>(i)]; }
  int64_t size() const { return static_cast<int64_t>(elements->size()); }
};

// One execution of one operator in domain D: what a meaning reads and writes.
template <class D>
struct Call {
  using Element = typename D::Element;
  using Result = typename D::Result;

  const Signature& signature;
  std::span<const DomainTensor<Element>* const> inputs;
  // One vector per output, already as long as the output has elements; every element is written,
  // what was computed through Store(), what was only copied as it is.
  std::span<std::vector<Result>> outputs;

  const Attributes& attributes() const { return *signature.attributes; }
  const DomainTensor<Element>& input(int i) const { return *inputs[static_cast<size_t>(i)]; }
  std::vector<Result>& output(int i = 0) const { return outputs[static_cast<size_t>(i)]; }
  DType in(int i = 0) const { return signature.in(i); }
  DType out(int i = 0) const { return signature.out(i); }
  const Shape& shape(int i = 0) const { return signature.shape(i); }
  const Shape& out_shape(int i = 0) const { return signature.out_shape(i); }
};

// Parameters of a sum or dot product (specification, "Dot product accuracy requirements").
struct DotRule {
  DType in_type;      // of the data operand
  DType weight_type;  // of the other operand; in_type for sums
  DType acc_type;     // the integer accumulator; for floats acc_t of the type row
  DType out_type;
  int64_t kernel_size = 1;    // KS
  double input_maximum = -1;  // max |in| over the whole tensor if local_bound is false, else -1
  // How far a weight may be from what a backend calculates with: not zero only where weights come
  // from the pseudocode instead of operands.
  double weight_error = 0;
  const char* overflow = "";  // the REQUIRE that a sum out of range breaks
  friend bool operator==(const DotRule&, const DotRule&) = default;
};

}  // namespace assay
