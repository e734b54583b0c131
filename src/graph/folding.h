// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph.h"
#include "result.h"

namespace assay {

// The data types of constant tensors folding: which values are computed once, when, and what an
// execution still has to do. Values are named by their tensor of the main block; names are unique
// in a block.

// The constness of a value. A result is as constant as the least constant of its operands. A
// run-time constant is known when a context is first executed, and stays the same in it. A
// compile-time constant is known before, and is the same in every context.
enum class Constness : uint8_t { kVarying, kRuntime, kCompileTime };

// The three parts of a folded graph, in their order of execution. The first runs once, the second
// once in each context, and the third, the new entry, every time.
enum class FoldStage : uint8_t { kCompileTime, kRuntime, kEntry };
inline constexpr int kFoldStages = 3;

// kSplit: constants of compile time are folded in their own stage. kRuntime: everything is folded
// in the run-time stage, and the stage of compile time is an empty graph.
enum class FoldForm : uint8_t { kSplit, kRuntime };

class StageSet {
 public:
  constexpr StageSet() = default;
  // Bit k stands for the stage of number k.
  static constexpr StageSet FromBits(uint8_t bits) {
    StageSet set;
    set.bits_ = bits;
    return set;
  }
  constexpr uint8_t bits() const { return bits_; }
  constexpr void Add(FoldStage stage) { bits_ = static_cast<uint8_t>(bits_ | BitOf(stage)); }
  constexpr bool Has(FoldStage stage) const { return (bits_ & BitOf(stage)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  friend bool operator==(const StageSet&, const StageSet&) = default;

 private:
  static constexpr uint8_t BitOf(FoldStage stage) {
    return static_cast<uint8_t>(1U << static_cast<unsigned>(stage));
  }
  uint8_t bits_ = 0;
};

// The limit for the size of a folded tensor, relative to the bytes of the distinct arguments and
// CONSTs that it depends on. kRatio: at most `limit` times these bytes; kAdditive: at most `limit`
// bytes more; kAbsolute: at most `limit` bytes.
enum class SizePolicyKind : uint8_t { kRatio, kAdditive, kAbsolute };

struct SizePolicy {
  SizePolicyKind kind = SizePolicyKind::kRatio;
  int64_t limit = 8;  // 0 or more
  friend bool operator==(const SizePolicy&, const SizePolicy&) = default;
};

// A tensor that a stage computes and later stages and executions read.
struct CachedTensor {
  int64_t global_index = 0;  // its key in the map of buffers, which several graphs may share
  std::string name;          // of the value in the postponed graph, and in the stages
  TensorType type;
  FoldStage stage = FoldStage::kRuntime;  // the stage that computes it; not kEntry
  int64_t bytes = 0;                      // of its elements as Tensor stores them
  friend bool operator==(const CachedTensor&, const CachedTensor&) = default;
};

// The source of an input of a stage.
struct FoldSource {
  enum class Kind : uint8_t { kArgument, kCached };
  Kind kind = Kind::kArgument;
  int32_t index = 0;  // of the input of the original graph, or in FoldRecord::cached
  friend bool operator==(const FoldSource&, const FoldSource&) = default;
};

// The inputs and outputs of a stage.
struct FoldStageRecord {
  int32_t graph = 0;               // among the graphs that the record belongs to
  std::vector<FoldSource> inputs;  // of its main block, in their order
  std::vector<int32_t> outputs;    // the same, in FoldRecord::cached; of the entry: none, since its
                                   // outputs are those of the original graph
  friend bool operator==(const FoldStageRecord&, const FoldStageRecord&) = default;
};

// The cause that made a tensor larger.
enum class ExpanderKind : uint8_t {
  kTile,
  kBroadcast,  // of an element-wise operator, towards a CONST that repeats itself
  kPad,
  kConcat,
  kGather,
  kResizeNearest,
  kWideningCast,
};

// An expanding operator E that changed places with an element-wise operator f, which reads it:
//   result = f(E(x), partners)   became   result = E(f(x, partners)).
struct Postponement {
  ExpanderKind kind = ExpanderKind::kTile;
  // The tensors of E that f read, which are gone now: one, or several if f read the same expansion
  // of several tensors. For kBroadcast, the CONSTs that f was expanded by; each may still have
  // other readers.
  std::vector<std::string> expanded;
  std::string result;
  // The results of f now: one tensor for each operand of CONCAT, otherwise one. Empty if f (a
  // comparison of casts) makes `result` itself, and E is gone.
  std::vector<std::string> inner;
  // New CONST and CONST_SHAPE tensors: the padding value f(pad_const), the multiples of the TILE
  // that expands a kBroadcast, and partners that lost their repetition or were narrowed.
  std::vector<std::string> constants;
  friend bool operator==(const Postponement&, const Postponement&) = default;
};

// The reason why a folding is equivalent to the original graph. The original graph becomes the
// postponed graph by the postponements, one after the other. The stages, put together along the
// cached tensors, are the postponed graph; tensors keep their names and operators their attributes.
struct FoldCertificate {
  std::vector<Postponement> postponements;
  // The stages of each operator of the postponed graph's main block. An operator with several is
  // computed again. A CONST is in the stages that read it. Nothing needs an operator without
  // stages.
  std::vector<StageSet> went;
  // Values of the postponed graph that are computed from CONSTs alone and became CONSTs, because a
  // compile-time-constant operand reads them (EXT-DYNAMIC).
  std::vector<std::string> baked;
  friend bool operator==(const FoldCertificate&, const FoldCertificate&) = default;
};

// A record of how a graph was folded. `original`, `postponed` and FoldStageRecord::graph are
// positions in a list of graphs: that of Folding, or TestVector::graphs.
struct FoldRecord {
  // Not inline: copies are made all over the code.
  FoldRecord();
  FoldRecord(const FoldRecord& other);
  FoldRecord& operator=(const FoldRecord& other);
  FoldRecord(FoldRecord&& other) noexcept;
  FoldRecord& operator=(FoldRecord&& other) noexcept;
  ~FoldRecord();

  FoldForm form = FoldForm::kSplit;
  SizePolicy policy;
  int32_t original = 0;
  int32_t postponed = 0;                            // the original itself if nothing was postponed
  std::array<FoldStageRecord, kFoldStages> stages;  // by FoldStage
  std::vector<CachedTensor> cached;
  FoldCertificate certificate;

  const FoldStageRecord& at(FoldStage stage) const { return stages[static_cast<size_t>(stage)]; }
  FoldStageRecord& at(FoldStage stage) { return stages[static_cast<size_t>(stage)]; }
  friend bool operator==(const FoldRecord&, const FoldRecord&) = default;
};

// A folded graph.
struct Folding {
  std::vector<Graph> graphs;
  std::vector<Constness> arguments;  // of the inputs of the original's main block
  FoldRecord record;

  const Graph& original() const { return At(record.original); }
  const Graph& postponed() const { return At(record.postponed); }
  const Graph& stage(FoldStage stage) const { return At(record.at(stage).graph); }
  friend bool operator==(const Folding&, const Folding&) = default;

 private:
  const Graph& At(int32_t graph) const { return graphs[static_cast<size_t>(graph)]; }
};

// Two graphs with the same signature, of which one may or must not replace the other.
struct FoldPair {
  int32_t before = 0;  // position in TestVector::graphs
  int32_t after = 0;
  std::string law;     // the identity that leads from one to the other: "x * 0 = 0"
  bool equal = true;   // for all inputs; else steps of the vector, one on each graph with the same
                       // inputs, have different outputs
  std::string reason;  // in a sentence, for people
  friend bool operator==(const FoldPair&, const FoldPair&) = default;
};

// Checks that every index in the record is in range for `graphs`, and that its source, output and
// operator counts match the main blocks. Returns an Error that names the first mismatch. Does not
// check that the folding is correct.
Result<Done> ValidateFoldRecord(const FoldRecord& record, std::span<const Graph> graphs);

// Returns "varying", "runtime" or "compile-time".
std::string_view NameOf(Constness constness);
// Returns "compile-time", "runtime" or "entry".
std::string_view NameOf(FoldStage stage);
// Returns "split" or "runtime".
std::string_view NameOf(FoldForm form);
std::optional<FoldForm> FoldFormNamed(std::string_view name);
// Returns "tile", "broadcast", "pad", "concat", "gather", "resize-nearest" or "widening-cast".
std::string_view NameOf(ExpanderKind kind);
// Returns "ratio", "additive" or "absolute".
std::string_view NameOf(SizePolicyKind kind);
std::optional<SizePolicyKind> SizePolicyKindNamed(std::string_view name);

}  // namespace assay
