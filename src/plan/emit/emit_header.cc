// SPDX-License-Identifier: Apache-2.0
#include "emission.h"
#include "letter_case.h"

namespace assay {
namespace {

void DefineSizes(const Emission& emission, CText& text, const std::string& what,
                 const std::vector<TensorIndex>& tensors, const std::vector<std::string>& names) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorType& type = emission.main().TypeOf(tensors[i]);
    text.Line("#define " + UpperCase(emission.model) + "_" + UpperCase(names[i]) + what + " " +
              std::to_string(type.shape.Elements() * ElementBytes(type.type)));
  }
}

void WriteSizes(const Emission& emission, CText& text) {
  text.Comment(
      "Pools: how many bytes are used from the base on, and what the address of the base is a "
      "multiple of.");
  for (const EmittedPool& pool : emission.pools) {
    if (!pool.IsUsed() && pool.is_own) continue;
    text.Line("#define " + emission.SizeMacro(pool) + " " + std::to_string(pool.bytes));
    text.Line("#define " + emission.AlignmentMacro(pool) + " " + std::to_string(pool.alignment));
  }
  text.Comment("Bytes of inputs and outputs.");
  DefineSizes(emission, text, "_INPUT_SIZE", emission.main().inputs, emission.inputs);
  DefineSizes(emission, text, "_OUTPUT_SIZE", emission.main().outputs, emission.outputs);
  text.Line("");
}

// Writes the struct of the caller's pools of one kind, the arrays of constants, and the function
// that puts the struct into a context.
void WritePools(const Emission& emission, CText& text, bool read_only) {
  if (!emission.HasCallersPools(read_only)) return;
  text.Comment(read_only ? "Pools of constants, by the addresses of their bases: the arrays "
                           "below, or copies of them."
                         : "Workspaces, by the addresses of their bases.");
  text.Open("typedef struct " + emission.TypeOf(read_only) + " {");
  for (const EmittedPool& pool : emission.pools) {
    if (pool.is_own || pool.is_read_only != read_only) continue;
    text.Line(pool.PointerType() + pool.name + ";");
  }
  text.Close("} " + emission.TypeOf(read_only) + ";");
  for (const EmittedPool& pool : emission.pools) {
    if (!read_only || !emission.contents.contains(&pool) || pool.is_own) continue;
    text.Line("extern const uint8_t " + emission.BufferName(pool) + "[" + emission.SizeMacro(pool) +
              "];");
  }
  text.Comment("What it points to is there as long as the context is used.");
  text.Line(emission.SetFunction(read_only) + ";");
  text.Line("");
}

void WriteFields(const Emission& emission, CText& text, const std::string& what,
                 const std::vector<TensorIndex>& tensors, const std::vector<std::string>& names,
                 bool read_only) {
  text.Open("typedef struct " + emission.model + "_" + what + " {");
  for (size_t i = 0; i < tensors.size(); ++i) {
    text.Line((read_only ? "const void* " : "void* ") + names[i] + "; /* " +
              emission.main().TypeOf(tensors[i]).ToString() + " */");
  }
  if (tensors.empty()) text.Line("const void* none; /* there are no " + what + " */");
  text.Close("} " + emission.model + "_" + what + ";");
  text.Line("");
}

std::string RunComment(const Emission& emission) {
  std::string comment =
      "Runs the model. A status that is not ASSAY_KERNEL_OK is that of the first operator that "
      "broke a rule, after which nothing else has run, or ASSAY_KERNEL_NO_POOL. Nothing is "
      "allocated but by the kernels.";
  if (!emission.memory.workspace_io) {
    comment += " No output overlaps an input, another output or a pool.";
  }
  if (!emission.NeedsPools()) comment += " `context` may be NULL.";
  const bool shared = emission.AnyPool(
      [](const EmittedPool& pool) { return pool.IsUsed() && pool.is_own && !pool.is_read_only; });
  if (shared) comment += " One run at a time: the workspace is the model's own.";
  return comment;
}

void DeclareFunctions(const Emission& emission, CText& text) {
  if (emission.NeedsInit()) {
    text.Comment(
        "Before the first run, and to begin anew: writes the constants that lie in workspaces, "
        "and forgets all variables. Both stay there from run to run, and are lost if the "
        "workspace is used for anything else.");
    text.Line(emission.InitFunction() + ";");
    text.Line("");
  }
  if (emission.memory.workspace_io) {
    text.Comment(
        "Where inputs and outputs lie in the pools of the context; NULL if these are not set. "
        "Inputs are written before a run, which may overwrite them; outputs are read before the "
        "next.");
    text.Line(emission.MapFunction("inputs") + ";");
    text.Line(emission.MapFunction("outputs") + ";");
    text.Line("");
  }
  text.Comment(RunComment(emission));
  text.List(emission.RunFunction(), emission.RunParameters(), ");");
}

}  // namespace

CText EmitHeader(const Emission& emission) {
  const std::string macro = UpperCase(emission.model);
  CText text;
  WriteOrigin(emission, text);
  text.Line("#ifndef " + macro + "_H");
  text.Line("#define " + macro + "_H");
  text.Line("");
  text.Line("#include <assay/assay_kernel.h>");
  text.Line("#include <stdint.h>");
  text.Line("");
  text.Line("#ifdef __cplusplus");
  text.Line("extern \"C\" {");
  text.Line("#endif");
  text.Line("");
  WriteSizes(emission, text);
  WritePools(emission, text, false);
  WritePools(emission, text, true);
  WriteFields(emission, text, "inputs", emission.main().inputs, emission.inputs,
              !emission.memory.workspace_io);
  WriteFields(emission, text, "outputs", emission.main().outputs, emission.outputs,
              emission.memory.workspace_io);
  DeclareFunctions(emission, text);
  text.Line("");
  text.Line("#ifdef __cplusplus");
  text.Line("}");
  text.Line("#endif");
  text.Line("");
  text.Line("#endif");
  return text;
}

}  // namespace assay
