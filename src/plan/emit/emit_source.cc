// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "emission.h"
#include "letter_case.h"

namespace assay {
namespace {

using Strings = std::vector<std::string>;

class SourceWriter {
 public:
  explicit SourceWriter(const Emission& emission) : emission_(emission) {}

  CText Write() {
    CText text, functions;
    EmittedShapes shapes(emission_.file_names);
    for (const Block* block : emission_.blocks) {
      functions.Line("");
      functions.Append(EmitBlock(emission_, *block, shapes));
    }
    WriteFunctions(functions);
    WriteOrigin(emission_, text);
    text.Line("#include \"" + emission_.model + ".h\"");
    text.Line("");
    text.Line("#include <stddef.h>");
    if (functions.text().find("  mem") != std::string::npos) text.Line("#include <string.h>");
    text.Line("");
    for (const EmittedPool& pool : emission_.pools) WriteBuffer(text, pool);
    shapes.Write(text);
    text.Append(functions);
    return text;
  }

 private:
  // Writes the array of a pool that is the model's own, or that holds constants for the caller.
  void WriteBuffer(CText& text, const EmittedPool& pool) const {
    if (!pool.IsUsed() || (!pool.is_own && !pool.is_read_only)) return;
    const std::string section = pool.is_own ? "" : "section(\"" + UpperCase(pool.name) + "\"), ";
    text.Line("__attribute__((" + section + "aligned(" + emission_.AlignmentMacro(pool) + ")))");
    const std::string array = std::string(pool.is_own ? "static " : "") +
                              (pool.is_read_only ? "const " : "") + "uint8_t " +
                              emission_.BufferName(pool) + "[" + emission_.SizeMacro(pool) + "]";
    if (pool.is_read_only) {
      text.Bytes(array, emission_.contents.at(&pool));
    } else {
      text.Line(array + ";");
    }
    text.Line("");
  }

  void WriteFunctions(CText& text) const {
    for (const bool read_only : {false, true}) {
      if (!emission_.HasCallersPools(read_only)) continue;
      text.Line("");
      text.Open(emission_.SetFunction(read_only) + " {");
      text.Line("context->" + emission_.KindOf(read_only) + " = " + emission_.KindOf(read_only) +
                ";");
      text.Close();
    }
    if (emission_.NeedsPools()) WriteHasPools(text);
    if (emission_.NeedsInit()) WriteInit(text);
    if (emission_.memory.workspace_io) {
      WriteMap(text, "inputs", emission_.main().inputs);
      WriteMap(text, "outputs", emission_.main().outputs);
    }
    WriteRun(text);
  }

  void WriteHasPools(CText& text) const {
    text.Line("");
    text.Open("static int " + emission_.model +
              "_is_base(const uint8_t* base, size_t alignment) {");
    text.Line("return base != NULL && (uintptr_t)base % alignment == 0;");
    text.Close();
    text.Line("");
    text.Open("static int " + emission_.model + "_has_pools(" + Emission::kContext + ") {");
    text.Line("if (context == NULL) return 0;");
    for (const bool read_only : {false, true}) {
      if (!emission_.NeedsPools(read_only)) continue;
      WriteLocal(text, read_only);
      text.Line("if (" + emission_.KindOf(read_only) + " == NULL) return 0;");
    }
    for (const EmittedPool& pool : emission_.pools) {
      if (!pool.IsNeeded()) continue;
      text.Line("if (!" + emission_.model + "_is_base(" + BaseOf(pool) + ", " +
                emission_.AlignmentMacro(pool) + ")) return 0;");
    }
    text.Line("return 1;");
    text.Close();
  }
  void WriteLocal(CText& text, bool read_only) const {
    const std::string kind = emission_.KindOf(read_only);
    text.Line("const " + emission_.TypeOf(read_only) + "* const " + kind + " = context->" + kind +
              ";");
  }

  using PoolSet = std::set<const EmittedPool*>;
  // Writes the first lines of a function with a context. `failure` is the statement for a context
  // without its pools. The structs of the pools `used` are local variables afterwards.
  void WritePrologue(CText& text, const std::string& failure, const PoolSet& used) const {
    if (emission_.NeedsPools()) {
      text.Line("if (!" + emission_.model + "_has_pools(context)) " + failure);
    }
    for (const bool read_only : {false, true}) {
      const bool any = std::ranges::any_of(used, [&](const EmittedPool* pool) {
        return !pool->is_own && pool->is_read_only == read_only;
      });
      if (any) WriteLocal(text, read_only);
    }
  }
  PoolSet PoolsOf(const std::vector<int32_t>& buffers) const {
    PoolSet pools;
    for (const int32_t buffer : buffers) pools.insert(&emission_.PoolOf(buffer));
    return pools;
  }

  void WriteInit(CText& text) const {
    std::vector<int32_t> buffers;
    if (emission_.memory.states) buffers.push_back(*emission_.memory.states);
    for (const auto& [buffer, bytes] : emission_.written_constants) buffers.push_back(buffer);
    text.Line("");
    text.Open(emission_.InitFunction() + " {");
    WritePrologue(text, "return ASSAY_KERNEL_NO_POOL;", PoolsOf(buffers));
    if (!emission_.NeedsPools()) text.Line("(void)context;");
    if (emission_.memory.states) {
      text.Line("memset(" + AddressOf(*emission_.memory.states) + ", 0, " +
                std::to_string(emission_.memory.variables.size()) + ");");
    }
    for (const auto& [buffer, bytes] : emission_.written_constants) {
      text.Open("{");
      text.Bytes("static const uint8_t constant[]", bytes);
      text.Line("memcpy(" + AddressOf(buffer) + ", constant, " + std::to_string(bytes.size()) +
                ");");
      text.Close();
    }
    text.Line("return ASSAY_KERNEL_OK;");
    text.Close();
  }

  void WriteMap(CText& text, const std::string& what,
                const std::vector<TensorIndex>& tensors) const {
    std::vector<int32_t> buffers;
    Strings addresses, nulls;
    for (const TensorIndex tensor : tensors) {
      buffers.push_back(BufferOf(tensor));
      addresses.push_back(AddressOf(buffers.back()));
    }
    if (tensors.empty()) addresses = {"NULL"};
    nulls.resize(addresses.size(), "NULL");
    const std::string type = emission_.model + "_" + what;
    text.Line("");
    text.Open(emission_.MapFunction(what) + " {");
    if (emission_.NeedsPools()) text.List("const " + type + " none = {", nulls, "};");
    WritePrologue(text, "return none;", PoolsOf(buffers));
    if (!emission_.NeedsPools()) text.Line("(void)context;");
    text.List("const " + type + " " + what + " = {", addresses, "};");
    text.Line("return " + what + ";");
    text.Close();
  }
  int32_t BufferOf(TensorIndex tensor) const {
    const TensorInfo& info = emission_.main().tensors[static_cast<size_t>(tensor)];
    return info.variable ? emission_.memory.graph.variables.at(info.name)
                         : emission_.memory.graph.tensors.at({&emission_.main(), tensor});
  }

  void WriteRun(CText& text) const {
    Strings arguments;
    PoolSet used;
    if (!emission_.memory.workspace_io) arguments = {"inputs", "outputs"};
    for (const EmittedPool& pool : emission_.pools) {
      if (!pool.IsUsed()) continue;
      used.insert(&pool);
      arguments.push_back(BaseOf(pool));
    }
    arguments.push_back(emission_.NeedsPools()
                            ? "context->resource_handle"
                            : "context == NULL ? NULL : context->resource_handle");
    text.Line("");
    text.List(emission_.RunFunction(), emission_.RunParameters(), ") {");
    text.Indent();
    WritePrologue(text, "return ASSAY_KERNEL_NO_POOL;", used);
    text.List("return " + emission_.model + "_main(", arguments, ");");
    text.Close();
  }

  // Returns the address of a pool's base in a function that has a context.
  std::string BaseOf(const EmittedPool& pool) const {
    return pool.is_own ? emission_.BufferName(pool)
                       : emission_.KindOf(pool.is_read_only) + "->" + pool.name;
  }
  std::string AddressOf(int32_t buffer) const {
    return emission_.Address(BaseOf(emission_.PoolOf(buffer)), buffer);
  }

  const Emission& emission_;
};

}  // namespace

CText EmitSource(const Emission& emission) { return SourceWriter(emission).Write(); }

}  // namespace assay
