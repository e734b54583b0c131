// SPDX-License-Identifier: Apache-2.0
#include "emission.h"

#include "letter_case.h"
#include "quoted.h"
#include "version.h"

namespace assay {
namespace {

constexpr int64_t kAlignmentMax = int64_t{1} << 28;  // of compilers
constexpr int64_t kConstantBytesMax = int64_t{64} << 20;

Result<Done> MeasurePools(Emission& emission) {
  for (int32_t i = 0; i < std::ssize(emission.memory.graph.problem.buffers); ++i) {
    const BufferInfo& buffer = emission.BufferAt(i);
    const int64_t alignment = buffer.alignment;
    if ((alignment & (alignment - 1)) != 0 || alignment > kAlignmentMax) {
      return Unsupported("C aligns to powers of two up to " + std::to_string(kAlignmentMax) +
                         ", not to " + std::to_string(alignment));
    }
    EmittedPool& pool = emission.PoolOf(i);
    pool.bytes = std::max(pool.bytes, emission.OffsetOf(i) + buffer.size_bytes);
    pool.alignment = std::max(pool.alignment, alignment);
    // For a constant, what is written out is the read-only pool up to its end.
    const int64_t written = pool.is_read_only ? pool.bytes : buffer.size_bytes;
    if (buffer.kind == BufferKind::kConstant && written > kConstantBytesMax) {
      return Unsupported("the constants in pool " + Quoted(pool.name) + " take " +
                         std::to_string(written) + " bytes, and a source has at most " +
                         std::to_string(kConstantBytesMax));
    }
  }
  return Done{};
}

void NameAll(Emission& emission) {
  // Names that the functions use for their own variables.
  for (const char* const taken :
       {"attributes", "call", "carried", "constant", "context", "goes_on", "in", "initial",
        "inputs", "next", "null", "operands", "out", "outputs", "resource_handle", "results",
        "scratch", "status", "variable"}) {
    emission.file_names.Take(taken);
  }
  for (uint8_t id = 0; id <= static_cast<uint8_t>(AttributeId::kVarShape); ++id) {
    emission.file_names.Take(AttributeName(static_cast<AttributeId>(id)));
  }
  for (size_t i = 0; i < emission.memory.own.size(); ++i) {
    const std::string& pool = emission.memory.graph.problem.pools[i].name;
    const bool others = pool.starts_with("assay") || pool.starts_with(emission.model + "_");
    emission.pools.push_back({emission.file_names.Make((others ? "pool_" : "") + pool, "pool_"),
                              emission.memory.own[i], emission.memory.read_only[i]});
  }
  const auto fields = [&](const std::vector<TensorIndex>& tensors) {
    CNames made;
    std::vector<std::string> list;
    for (const TensorIndex tensor : tensors) {
      list.push_back(
          made.Make(emission.main().tensors[static_cast<size_t>(tensor)].name, "tensor_"));
    }
    return list;
  };
  emission.inputs = fields(emission.main().inputs);
  emission.outputs = fields(emission.main().outputs);
  for (size_t i = 0; i < emission.blocks.size(); ++i) {
    const bool main = emission.blocks[i] == &emission.main();
    emission.functions[emission.blocks[i]] =
        emission.model + (main ? "_main" : "_block_" + std::to_string(i));
  }
}

// Makes constants the content of read-only pools. Constants in other pools are written before the
// first run.
void PlaceConstants(const Block& block, Emission& emission) {
  for (const Operator& op : block.operators) {
    if (op.op != Op::kConst) continue;
    const auto found = emission.memory.graph.tensors.find({&block, op.outputs[0]});
    if (found == emission.memory.graph.tensors.end()) continue;
    const int32_t buffer = found->second;
    const EmittedPool& pool = emission.PoolOf(buffer);
    const std::span<const uint8_t> bytes = op.attributes.Value(AttributeId::kValues).bytes();
    if (!pool.is_read_only) {
      emission.written_constants.push_back({buffer, bytes});
      continue;
    }
    std::vector<uint8_t>& content = emission.contents[&pool];
    content.resize(static_cast<size_t>(pool.bytes));
    std::ranges::copy(bytes, content.begin() + emission.OffsetOf(buffer));
  }
}

}  // namespace

Result<Emission> LayOut(const Graph& graph, const ModelMemory& memory, const MemoryPlan& plan,
                        const std::string& name) {
  Emission emission{graph, memory, plan, name, {}, {}, {}, BlocksToRun(graph), {}, {}, {}, {}};
  NameAll(emission);
  const Result<Done> measured = MeasurePools(emission);
  if (!measured) return measured.error();
  for (const Block* block : emission.blocks) PlaceConstants(*block, emission);
  return emission;
}

bool Emission::HasCallersPools(bool read_only) const {
  return AnyPool(
      [&](const EmittedPool& pool) { return !pool.is_own && pool.is_read_only == read_only; });
}

bool Emission::NeedsPools(bool read_only) const {
  return AnyPool(
      [&](const EmittedPool& pool) { return pool.IsNeeded() && pool.is_read_only == read_only; });
}

std::string Emission::BufferName(const EmittedPool& pool) const {
  return model + "_" + (pool.is_own ? "" : pool.name + "_") +
         (pool.is_read_only ? "parameter" : "workspace") + "_buffer";
}

std::string Emission::SizeMacro(const EmittedPool& pool) const {
  return UpperCase(BufferName(pool)) + "_SIZE";
}

std::string Emission::AlignmentMacro(const EmittedPool& pool) const {
  return UpperCase(BufferName(pool)) + "_ALIGNMENT";
}

std::string Emission::SetFunction(bool read_only) const {
  return "void " + model + "_set_" + KindOf(read_only) + "(assay_context* context, const " +
         TypeOf(read_only) + "* " + KindOf(read_only) + ")";
}

std::string Emission::InitFunction() const {
  return "assay_kernel_status " + model + "_init(" + kContext + ")";
}

std::string Emission::MapFunction(const std::string& what) const {
  return model + "_" + what + " " + model + "_map_" + what + "(" + kContext + ")";
}

std::string Emission::RunFunction() const { return "assay_kernel_status " + model + "_run("; }

std::vector<std::string> Emission::RunParameters() const {
  if (memory.workspace_io) return {kContext};
  return {"const " + model + "_inputs* inputs", "const " + model + "_outputs* outputs", kContext};
}

void WriteOrigin(const Emission& emission, CText& text) {
  text.Comment("Model " + emission.model + ", written by `assay plan --emit` of Assay " +
               std::string(kToolkitVersion) + " from a TOSA graph.");
}

std::string Emission::Address(const std::string& base, int32_t buffer, int64_t byte) const {
  const int64_t offset = OffsetOf(buffer) + byte;
  return offset == 0 ? base : base + " + " + std::to_string(offset);
}

std::string EmittedShapes::NameOf(const Shape& shape) {
  if (shape.rank() == 0) return "NULL";
  const std::vector<int32_t> dims(shape.begin(), shape.end());
  std::string& name = known_[dims];
  if (!name.empty()) return name;
  std::string wish = "shape";
  for (const int32_t dim : dims) wish += (wish == "shape" ? "_" : "x") + std::to_string(dim);
  name = names_.Make(wish, "");
  all_.emplace_back(name, dims);
  return name;
}

void EmittedShapes::Write(CText& text) const {
  for (const auto& [name, dims] : all_) {
    std::vector<std::string> numbers;
    for (const int32_t dim : dims) numbers.push_back(std::to_string(dim));
    text.List("static const int32_t " + name + "[] = {", numbers, "};");
  }
}

std::string TypeInC(DType type) { return "ASSAY_KERNEL_" + UpperCase(TypeName(type)); }

}  // namespace assay
