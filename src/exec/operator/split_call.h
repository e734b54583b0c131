// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "bound_domain.h"
#include "domain.h"
#include "parallel.h"
#include "value_domain.h"

namespace assay {

// The leading dimensions along which calls of an element-wise operator are divided. All of them
// together are rows: row i of the output depends only on row i of the operands, or on all of an
// operand that stretches.
class ElementWiseRows {
 public:
  explicit ElementWiseRows(const Signature& signature);

  // Returns the number of rows; 1 if the call cannot be divided.
  int64_t count() const { return count_; }
  int64_t ElementsOfRow() const { return out_.Elements() / count_; }
  // Returns true if the rows of operand i are those of the output. Other operands are needed whole.
  bool HasRows(size_t i) const { return has_rows_[i]; }
  // Returns the shape of `rows` rows of operand i. Rows of operands that stretch are one row.
  Shape ShapeOfInput(size_t i, int64_t rows) const;
  Shape ShapeOfOutput(int64_t rows) const { return Rest(out_, rows); }

 private:
  Shape Rest(const Shape& shape, int64_t rows) const;

  const Signature& signature_;
  const Shape& out_;
  int64_t count_ = 1;
  int axes_ = 0;
  std::vector<bool> is_whole_;  // a compile-time constant, which has no rows
  std::vector<bool> has_rows_;
};

// Runs some rows of a call.
template <class D>
class PartialCall {
 public:
  using Element = typename D::Element;
  using Result = typename D::Result;
  PartialCall(const Call<D>& call, const ElementWiseRows& rows)
      : call_(call),
        rows_(rows),
        types_(call.signature.inputs.begin(), call.signature.inputs.end()) {
    for (size_t i = 0; i < types_.size(); ++i) {
      rooms_.push_back(std::make_shared<std::vector<Element>>());
      operands_.push_back(*call.inputs[i]);
    }
    for (const DomainTensor<Element>& operand : operands_) inputs_.push_back(&operand);
  }

  // Computes rows `begin` to `end` by run(call) and stores them in the output of the whole call.
  template <class RunCall>
  void Run(int64_t begin, int64_t end, RunCall run) {
    for (size_t i = 0; i < types_.size(); ++i) {
      types_[i].shape = rows_.ShapeOfInput(i, end - begin);
      operands_[i].type = types_[i];
      if (!rows_.HasRows(i)) continue;
      const auto from = call_.inputs[i]->elements->begin();
      const int64_t row = call_.inputs[i]->size() / rows_.count();
      rooms_[i]->assign(from + begin * row, from + end * row);
      operands_[i].elements = rooms_[i];
    }
    const TensorType out = {call_.out(), rows_.ShapeOfOutput(end - begin)};
    result_.resize(static_cast<size_t>(out.shape.Elements()));
    const Signature& whole = call_.signature;
    const Signature signature = {whole.op, whole.attributes, types_, {&out, 1}, whole.constants};
    run(Call<D>{signature, inputs_, {&result_, 1}});
    std::copy(result_.begin(), result_.end(),
              call_.output().begin() + begin * rows_.ElementsOfRow());
  }

 private:
  const Call<D>& call_;
  const ElementWiseRows& rows_;
  std::vector<TensorType> types_;
  std::vector<std::shared_ptr<std::vector<Element>>> rooms_;
  std::vector<DomainTensor<Element>> operands_;
  std::vector<const DomainTensor<Element>*> inputs_;
  std::vector<Result> result_;
};

inline ValueDomain FreshDomain(const ValueDomain&) { return {}; }
inline BoundDomain FreshDomain(const BoundDomain& d) { return BoundDomain(d.declarations()); }

// Computes a call of an element-wise operator by run(domain, call), on several threads. Returns
// false if it has not computed the call: it is too small or cannot be divided, or a part has
// recorded something in its domain, which the whole call must record in its own order.
template <class D, class RunCall>
bool RunInParts(const D& d, const Call<D>& call, RunCall run) {
  constexpr double kNanosecondsOfElement = 20;
  constexpr int64_t kElementsTogether = 4096;  // which fit the cache
  const int64_t elements = call.out_shape().Elements();
  if (Threads() == 1 || elements < kElementsTogether) return false;
  const ElementWiseRows rows(call.signature);
  const int64_t of_row = rows.ElementsOfRow();
  std::atomic<bool> recorded = rows.count() == 1;
  ForEachPart(rows.count(), kNanosecondsOfElement * static_cast<double>(of_row),
              [&](int64_t begin, int64_t end) {
                PartialCall<D> part(call, rows);
                D domain = FreshDomain(d);
                const int64_t together = std::max<int64_t>(kElementsTogether / of_row, 1);
                for (int64_t row = begin; row < end && !recorded; row += together) {
                  part.Run(row, std::min(row + together, end),
                           [&](const Call<D>& some) { run(domain, some); });
                  if (!domain.judgement().valid() || domain.order_dependent() ||
                      domain.uncertain_requirement()) {
                    recorded = true;
                  }
                }
              });
  return !recorded;
}

}  // namespace assay
