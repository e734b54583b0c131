// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "result.h"

namespace assay {

// The operations of an MLIR text in generic form. Attributes and types stay text; the reader of a
// dialect interprets them. Grammar: mlir.llvm.org, "MLIR Language Reference", Operations.
struct MlirOperation;

struct MlirArgument {
  std::string name;           // "%arg0"
  std::string type;           // "tensor<2xf32>"
  std::string_view location;  // the text inside "loc(...)"; mostly ""
};

// "^bb0(%arg0: tensor<2xf32>): ...", the only block of its region.
struct MlirRegion {
  std::vector<MlirArgument> arguments;
  std::vector<MlirOperation> operations;
};

struct MlirOperation {
  std::string place;                 // "conv.mlir:12"
  std::string location;              // that the text states; mostly ""
  std::string name;                  // "tosa.add"
  std::vector<std::string> results;  // "%0", or "%0#1" of a pack
  std::vector<std::string> operands;
  // Names and texts; "" of a unit. The texts, of which those of constants are long, lie in the text
  // that was parsed.
  std::vector<std::pair<std::string, std::string_view>> attributes;
  size_t properties = 0;  // the number of attributes, from the first on, in "<{...}>"
  std::vector<MlirRegion> regions;
  std::vector<std::string> operand_types;
  std::vector<std::string> result_types;

  // Returns the text of an attribute, or "" if there is none of that name.
  std::string_view Attribute(std::string_view attribute) const;
};

// Parses the top-level operations of a text, which must outlive them. If the operations come from
// another file, `places` lists where, in the order of the text; an empty place means the file NAME
// as a whole. Errors: `NAME:3: expected ...`. Error kUnsupported means that `text` is not in
// generic form, but MLIR itself may be able to write it so.
Result<std::vector<MlirOperation>> ParseMlir(std::string_view text, std::string_view name,
                                             std::span<const std::string> places = {});

// Attributes in "<{...}>" of an operation in generic form.
struct MlirProperties {
  std::string place;                                            // "conv.mlir:12"
  std::string operation;                                        // "tosa.add"
  std::vector<std::pair<std::string, std::string>> attributes;  // name, start of its text
};

// Returns the properties of all operations of the TOSA dialect in a text of any form. MLIR drops
// those that its version does not know, without a word.
std::vector<MlirProperties> TosaPropertiesIn(std::string_view text, std::string_view name);

// Splits at the commas outside brackets and strings, and trims the pieces.
std::vector<std::string> SplitMlir(std::string_view text);

}  // namespace assay
