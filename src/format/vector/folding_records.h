// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "read_budget.h"
#include "result.h"
#include "test_vector.h"
#include "test_vector_generated.h"

namespace assay {

// The folding records of a `.tvec` file.

// The fields `constness`, `folds` and `fold_pairs`; null if the vector has none.
struct FoldFields {
  template <class Table>
  using List = flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<Table>>>;
  List<wire::ArgumentConstness> constness;
  List<wire::FoldRecord> folds;
  List<wire::FoldPair> pairs;
};
FoldFields PutFolds(flatbuffers::FlatBufferBuilder& builder, const TestVector& vector);

// Reads the records of a verified file into a vector that has its graphs already. An Error names
// the record and the fault. It is kUnsupported if the record is newer than this build.
Result<Done> GetFolds(const wire::TestVector& from, ReadBudget& budget, TestVector& vector);

}  // namespace assay
