// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "test_vector.h"

namespace assay::python {

// The parts of a vector with one graph and one invocation that can shrink, for a search that
// decides itself what to try, such as Hypothesis. The moves are those of reduce.h. They depend on
// their arguments alone, not on each other: a move that gives no valid vector is left out.
class Structure {
 public:
  explicit Structure(TestVector vector);

  // Return the number of operators of the main block other than constants, the sizes of the
  // dimensions that can shrink, and the number of tensors with data.
  int64_t operators() const { return static_cast<int64_t>(operators_.size()); }
  const std::vector<int32_t>& dimensions() const { return sizes_; }
  int64_t data() const { return data_; }

  // Returns the vector without the operators that are not kept, with each dimension at most that
  // size, and with zeros in the tensors whose data are not kept. Its expectation is computed again.
  TestVector Smaller(const std::vector<bool>& keep_operators, const std::vector<int32_t>& sizes,
                     const std::vector<bool>& keep_data) const;

 private:
  struct Axis {
    std::string tensor;
    int axis;
  };
  TestVector vector_;
  std::vector<std::string> operators_;  // by the name of their first result
  std::vector<Axis> axes_;              // one of each class of dimensions
  std::vector<int32_t> sizes_;
  int64_t data_;
};

}  // namespace assay::python
