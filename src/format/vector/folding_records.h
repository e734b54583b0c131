#pragma once

#include "read_budget.h"
#include "result.h"
#include "test_vector.h"
#include "test_vector_generated.h"

namespace assay {

// What a `.tvec` file says about folding.

// The fields `constness`, `folds` and `fold_pairs`; null where a vector has none.
struct FoldFields {
  template <class Table>
  using List = flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<Table>>>;
  List<wire::ArgumentConstness> constness;
  List<wire::FoldRecord> folds;
  List<wire::FoldPair> pairs;
};
FoldFields PutFolds(flatbuffers::FlatBufferBuilder& builder, const TestVector& vector);

// Of a verified file, into a vector that has its graphs already. An Error says what is wrong with
// which record; kUnsupported if it is something newer than this build.
Result<Done> GetFolds(const wire::TestVector& from, ReadBudget& budget, TestVector& vector);

}  // namespace assay
