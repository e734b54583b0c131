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

// The nouns of constant tensors folding: what is computed once, when, and what an execution still
// has to do. Values are named by their tensor of the main block; names are unique in a block.

// How constant a value is; what is computed from several values is as constant as the least of
// them. A run-time constant is known when a context is first executed, and stays the same in it; a
// compile-time constant is known before, and the same in every context.
enum class Constness : uint8_t { kVarying, kRuntime, kCompileTime };

// The three parts of a folded graph, in their order of execution: the first runs once, the second
// once in each context, the third, the new entry, every time.
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

// How large a folded tensor may be, against the constants that it is computed from: the distinct
// arguments and CONSTs that it depends on. kRatio: at most `limit` times their bytes; kAdditive: at
// most `limit` bytes more than they; kAbsolute: at most `limit` bytes.
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
  FoldStage stage = FoldStage::kRuntime;  // that computes it: not kEntry
  int64_t bytes = 0;                      // of its elements as Tensor stores them
  friend bool operator==(const CachedTensor&, const CachedTensor&) = default;
};

// Where an input of a stage comes from.
struct FoldSource {
  enum class Kind : uint8_t { kArgument, kCached };
  Kind kind = Kind::kArgument;
  int32_t index = 0;  // of the input of the original graph, or in FoldRecord::cached
  friend bool operator==(const FoldSource&, const FoldSource&) = default;
};

// What a stage takes and gives.
struct FoldStageRecord {
  int32_t graph = 0;               // among the graphs that the record belongs to
  std::vector<FoldSource> inputs;  // of its main block, in their order
  std::vector<int32_t> outputs;    // the same, in FoldRecord::cached; of the entry: none, since its
                                   // outputs are those of the original graph
  friend bool operator==(const FoldStageRecord&, const FoldStageRecord&) = default;
};

// What made a tensor larger.
enum class ExpanderKind : uint8_t {
  kTile,
  kBroadcast,  // of an element-wise operator, towards a CONST that repeats itself
  kPad,
  kConcat,
  kGather,
  kResizeNearest,
  kWideningCast,
};

// An expanding operator E that changed places with an element-wise one, f, which reads it:
//   result = f(E(x), partners)   became   result = E(f(x, partners)).
struct Postponement {
  ExpanderKind kind = ExpanderKind::kTile;
  // What f read of E, gone now: one tensor, or several where f read the same expansion of several.
  // Of kBroadcast: the CONSTs that f was expanded by, each of which may still have other readers.
  std::vector<std::string> expanded;
  std::string result;
  // What f gives now: one tensor for each operand of CONCAT, else one. None where f (a comparison
  // of casts) gives `result` itself, and E is gone.
  std::vector<std::string> inner;
  // New CONST and CONST_SHAPE tensors: the padding value f(pad_const), the multiples of the TILE
  // that expands a kBroadcast, partners that lost their repetition or were narrowed.
  std::vector<std::string> constants;
  friend bool operator==(const Postponement&, const Postponement&) = default;
};

// Why a folding is equivalent to the original graph: the postponed graph is the original after the
// postponements, one after the other; the stages, put together along the cached tensors, are the
// postponed graph, in which tensors keep their names and operators their attributes.
struct FoldCertificate {
  std::vector<Postponement> postponements;
  // Where each operator of the postponed graph's main block went. Several: it is computed again. A
  // CONST goes where it is read. None: nothing needs it.
  std::vector<StageSet> went;
  // Values of the postponed graph that are computed from CONSTs alone and became CONSTs, because a
  // compile-time-constant operand reads them (EXT-DYNAMIC).
  std::vector<std::string> baked;
  friend bool operator==(const FoldCertificate&, const FoldCertificate&) = default;
};

// How a graph was folded. `original`, `postponed` and FoldStageRecord::graph are positions in a
// list of graphs: that of Folding, or TestVector::graphs.
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

// Whether all positions in a record are in range for a list of graphs, and there are as many
// sources, outputs and places of operators as the graphs' main blocks have. An Error says which
// does not. Nothing is said about whether the folding is right.
Result<Done> ValidateFoldRecord(const FoldRecord& record, std::span<const Graph> graphs);

// "varying", "runtime", "compile-time".
std::string_view NameOf(Constness constness);
// "compile-time", "runtime", "entry".
std::string_view NameOf(FoldStage stage);
// "split", "runtime".
std::string_view NameOf(FoldForm form);
std::optional<FoldForm> FoldFormNamed(std::string_view name);
// "tile", "broadcast", "pad", "concat", "gather", "resize-nearest", "widening-cast".
std::string_view NameOf(ExpanderKind kind);
// "ratio", "additive", "absolute".
std::string_view NameOf(SizePolicyKind kind);
std::optional<SizePolicyKind> SizePolicyKindNamed(std::string_view name);

}  // namespace assay
