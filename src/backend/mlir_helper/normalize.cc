// SPDX-License-Identifier: Apache-2.0
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Parser/Parser.h"
#include "quantized_types.h"
#include "run_case.h"

namespace assay {
namespace {

constexpr int64_t kHexAbove = 64;  // elements: takes a third of the text, and is fast to read

// Returns the values of a resource. They are stored as in memory; booleans take one byte each or
// are packed, eight in a byte.
mlir::DenseElementsAttr DenseOf(mlir::DenseResourceElementsAttr resource, std::string& problem) {
  const mlir::ShapedType type = resource.getType();
  const mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob();
  const std::string name = "dense_resource<" + resource.getRawHandle().getKey().str() + ">";
  if (blob == nullptr) {
    problem = name + " has no data in this file";
    return nullptr;
  }
  const llvm::ArrayRef<char> bytes = blob->getData();
  const auto size = static_cast<int64_t>(bytes.size());
  const bool is_bool = type.getElementType().isInteger(1);
  if (is_bool && size == type.getNumElements()) {
    llvm::SmallVector<bool> values;
    for (const char byte : bytes) values.push_back(byte != 0);
    return mlir::DenseElementsAttr::get(type, values);
  }
  const int64_t count = type.getNumElements();
  const int64_t packed =
      is_bool ? count / 8 + (count % 8 != 0) : count * ((type.getElementTypeBitWidth() + 7) / 8);
  bool is_splat = false;
  if (size != packed || !mlir::DenseElementsAttr::isValidRawBuffer(type, bytes, is_splat)) {
    problem = name + " has " + std::to_string(size) + " bytes, which are not those of " +
              std::to_string(count) + " elements";
    return nullptr;
  }
  return mlir::DenseElementsAttr::getFromRawBuffer(type, bytes);
}

// Returns true if the number of elements can be computed from the bytes of a resource of this type.
bool IsPlain(mlir::ShapedType type) {
  return type.hasStaticShape() && type.getElementType().isIntOrFloat();
}

}  // namespace

std::string PlaceOf(mlir::Location location) {
  const auto file = location->findInstanceOf<mlir::FileLineColLoc>();
  if (!file) return {};
  return file.getFilename().str() + ":" + std::to_string(file.getLine());
}

std::string GenericForm(mlir::ModuleOp module, int64_t hex_above, bool locations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, mlir::OpPrintingFlags()
                            .enableDebugInfo(locations)
                            .printGenericOpForm()
                            .useLocalScope()  // no aliases
                            .elideLargeElementsAttrs(int64_t{1} << 40)
                            .printLargeElementsAttrWithHex(hex_above));
  return text;
}

std::string CustomForm(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, mlir::OpPrintingFlags().useLocalScope().elideLargeElementsAttrs(kHexAbove));
  return text;
}

void Normalize(mlir::MLIRContext& context, const mlir_message::Request& request,
               mlir_message::Reply& reply) {
  context.allowUnregisteredDialects();
  const mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(request.module, config, request.name);
  if (!module) return;

  std::string problem;
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([](mlir::quant::QuantizedType type) -> std::optional<mlir::Type> {
    // A calibrated type has values of the expressed type and no storage type.
    const bool has_storage = !mlir::isa<mlir::quant::CalibratedQuantizedType>(type);
    return has_storage ? type.getStorageType() : type.getExpressedType();
  });
  replacer.addReplacement(
      [&](mlir::DenseResourceElementsAttr resource) -> std::optional<mlir::Attribute> {
        if (!problem.empty() || !IsPlain(resource.getType())) return std::nullopt;
        const mlir::DenseElementsAttr dense = DenseOf(resource, problem);
        return dense ? std::optional<mlir::Attribute>(dense) : std::nullopt;
      });
  module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* operation) {
    reply.places.push_back(PlaceOf(operation->getLoc()));
    replacer.replaceElementsIn(operation, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                               /*replaceTypes=*/true);
    if (problem.empty()) return mlir::WalkResult::advance();
    const std::string& place = reply.places.back();
    reply.detail = (place.empty() ? request.name : place) + ": " + problem;
    return mlir::WalkResult::interrupt();
  });
  if (!problem.empty()) return;
  reply.rewritten = GenericForm(*module, kHexAbove, /*locations=*/true);
  reply.stage = mlir_message::Stage::kOk;
}

}  // namespace assay
