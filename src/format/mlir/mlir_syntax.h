#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "result.h"

namespace assay {

// MLIR text in generic form, taken apart into operations; what attributes and types mean is left to
// the reader of a dialect. Grammar: mlir.llvm.org, "MLIR Language Reference", Operations.
struct MlirOperation;

// "^bb0(%arg0: tensor<2xf32>): ...", the only block of its region.
struct MlirRegion {
  std::vector<std::pair<std::string, std::string>> arguments;  // name, type
  std::vector<MlirOperation> operations;
};

struct MlirOperation {
  std::string place;                                            // "conv.mlir:12"
  std::string name;                                             // "tosa.add"
  std::vector<std::string> results;                             // "%0", or "%0#1" of a pack
  std::vector<std::string> operands;                            //
  std::vector<std::pair<std::string, std::string>> attributes;  // name, text; "" of a unit
  std::vector<MlirRegion> regions;
  std::vector<std::string> operand_types;
  std::vector<std::string> result_types;

  // The text of an attribute, or "" if it has none of that name.
  std::string_view Attribute(std::string_view attribute) const;
};

// The top-level operations of a text. `places` says where the operations come from, in their order
// in the text, if that is another file; an empty place stands for the file NAME as a whole.
// Errors: `NAME:3: expected ...`. Error kUnsupported: `text` is no generic form, but MLIR itself
// may be able to write it so.
Result<std::vector<MlirOperation>> ParseMlir(std::string_view text, std::string_view name,
                                             std::span<const std::string> places = {});

// Splits at the commas outside brackets and strings; the pieces are trimmed.
std::vector<std::string> SplitMlir(std::string_view text);

}  // namespace assay
