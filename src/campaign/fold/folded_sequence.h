// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "executor.h"
#include "fold_graph.h"
#include "result.h"
#include "test_vector.h"
#include "time_limit.h"

namespace assay::cli {

// A request that is done before an invocation, counted from 0.
struct CacheRequest {
  enum class Kind : uint8_t { kLimit, kEvict, kForget };
  Kind kind = Kind::kEvict;
  int64_t before = 0;
  int64_t bytes = 0;   // kLimit: the cache holds no more from then on
  std::string tensor;  // kEvict: the name of a tensor; "" for all that the cache holds
  // kForget has no fields: the context of the invocation takes new run-time constants.
};

enum class CacheAction : uint8_t { kFolded, kFoldedAgain, kTaken, kEvicted };

// A tensor that a graph caches.
struct FoldedTensor {
  int32_t graph = 0;
  std::string name;
  int64_t bytes = 0;
};

// An action of the cache on one tensor.
struct CacheEntry {
  CacheAction action = CacheAction::kFolded;
  int64_t global_index = 0;
  std::optional<int32_t> context;  // the owner's; nothing if a fault hides it
  int64_t bytes = 0;
  bool is_held = false;  // by the cache, afterwards
};

// One invocation of a folded graph.
struct FoldedInvocation {
  int32_t graph = 0, context = 0;
  // The actions of requests, of the execution, and of the end of the context.
  std::vector<CacheEntry> before, during, after;
  int64_t held_bytes = 0;             // by the cache, afterwards
  std::vector<std::string> findings;  // what is wrong, one line each
  std::string undecided;              // why the invocation is not judged, or ""
};

// The execution of the steps of a vector through the runtime of folded graphs.
struct FoldedSequence {
  std::vector<FoldedTensor> compiled;       // folded at compile time; in no cache
  std::map<int64_t, FoldedTensor> tensors;  // folded at run time, by global index
  std::vector<FoldedInvocation> invocations;
  int64_t held_bytes_max = 0;  // by the cache, at any time
};

// Checks that constants do not change in the first `count` invocations, which repeat the steps of a
// vector. Compile-time constants never change. Run-time constants change in a context only after it
// forgets them. Error kBadInput names the first input that changes.
Result<Done> CheckConstants(const TestVector& vector, const std::vector<CacheRequest>& requests,
                            int64_t count);

// Folds each graph that a step invokes, and executes `count` invocations with one cache. A context
// ends after its last invocation.
//
// Each invocation is compared with the graph before folding, and the cache with what it did before.
// The first invocation that is undecided is the last. `fold.fault` also goes to the cache and to
// the runtime.
//
// Errors: those of FoldGraph(); kResource if `limit` is reached while graphs are folded; kUsage if
// a request names a tensor that no graph folds.
Result<FoldedSequence> RunFoldedSequence(const TestVector& vector,
                                         const std::vector<CacheRequest>& requests, int64_t count,
                                         const FoldOptions& fold, const ExecutionOptions& execution,
                                         const TimeLimit& limit);

}  // namespace assay::cli
