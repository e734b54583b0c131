#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "graph.h"
#include "test_vector.h"
#include "worker_message.h"

namespace assay {

// The operators that a worker declares, and the largest graphs that it takes.
class Capabilities {
 public:
  Capabilities() = default;
  explicit Capabilities(const worker::Ready& ready);

  // Tells whether all operators, types, attributes and sizes of the graphs are among what the
  // worker declares. If not, `why` says why in a few words ("PAD", "CONV2D of i8, i8, i32 to i32",
  // "CLAMP with nan_mode=2", "a tensor of rank 6").
  bool Allow(const TestVector& vector, std::string* why) const;

 private:
  bool AllowOperator(const Block& block, const Operator& op, std::string* why) const;
  bool AllowSizes(const TestVector& vector, std::string* why) const;

  std::map<Op, std::set<DType>> operators_;  // by CharacteristicType; an empty set: all types
  std::map<Op, std::vector<worker::Capability>> capabilities_;
  worker::Limits limits_;
};

}  // namespace assay
