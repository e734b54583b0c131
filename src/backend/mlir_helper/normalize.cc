// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

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

// The source of constants whose data the file leaves out.
struct Drawing {
  std::mt19937_64 random;
  int64_t elements_left = int64_t{1} << 27;
};

// Draws the elements of a constant. Floats are multiples of a power of two, which shrinks with the
// number of elements that meet in a sum, so that values inside a model stay in range. Integers are
// of the whole type, but those of 32 bits and more, which are biases, go up to 1000. Sets `problem`
// if the constant is too large.
mlir::DenseElementsAttr Drawn(mlir::ShapedType type, Drawing& drawing, std::string& problem) {
  std::mt19937_64& random = drawing.random;
  const mlir::Type element = type.getElementType();
  int64_t count = 1;
  for (const int64_t dimension : type.getShape()) {
    if (dimension > 0 && count > drawing.elements_left / dimension) {
      problem = "the constants without data have more than 134217728 elements to draw";
      return nullptr;
    }
    count *= dimension;
  }
  drawing.elements_left -= count;
  const unsigned width = element.getIntOrFloatBitWidth();
  const auto between = [&random](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  if (width == 1) {
    llvm::SmallVector<bool> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(random() % 2 != 0);
    return mlir::DenseElementsAttr::get(type, values);
  }
  const int64_t slices = type.getRank() > 1 ? type.getDimSize(0) : count;
  const double in_sum = static_cast<double>(count / std::max<int64_t>(1, slices));
  const int shift = 6 + static_cast<int>(std::ceil(std::log2(std::max(1.0, in_sum)) / 2));
  const int64_t most = width >= 32 ? 1000 : (int64_t{1} << (width - 1)) - 1;
  const size_t bytes = (width + 7) / 8;
  std::vector<char> values(static_cast<size_t>(count) * bytes);
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    uint64_t bits = 0;
    if (const auto real = mlir::dyn_cast<mlir::FloatType>(element)) {
      llvm::APFloat value(std::ldexp(static_cast<double>(between(-64, 64)), -shift));
      bool is_inexact = false;
      value.convert(real.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &is_inexact);
      bits = value.bitcastToAPInt().getZExtValue();
    } else {
      bits = static_cast<uint64_t>(between(-most, most));
    }
    std::memcpy(&values[i * bytes], &bits, bytes);  // little-endian
  }
  return mlir::DenseElementsAttr::getFromRawBuffer(type, values);
}

// Returns the values of a resource. They are stored as in memory; booleans take one byte each or
// are packed, eight in a byte.
// With `drawing`, those of one without data are drawn.
mlir::DenseElementsAttr DenseOf(mlir::DenseResourceElementsAttr resource, Drawing* drawing,
                                std::string& problem) {
  const mlir::ShapedType type = resource.getType();
  const mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob();
  const std::string name = "dense_resource<" + resource.getRawHandle().getKey().str() + ">";
  if (blob == nullptr && drawing != nullptr) return Drawn(type, *drawing, problem);
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
  Drawing drawing{std::mt19937_64(request.seed)};
  const auto prepare = [&](mlir::AttrTypeReplacer& replacer) {
    replacer.addReplacement([](mlir::quant::QuantizedType type) -> std::optional<mlir::Type> {
      // A calibrated type has values of the expressed type and no storage type.
      const bool has_storage = !mlir::isa<mlir::quant::CalibratedQuantizedType>(type);
      return has_storage ? type.getStorageType() : type.getExpressedType();
    });
    replacer.addReplacement(
        [&](mlir::DenseResourceElementsAttr resource) -> std::optional<mlir::Attribute> {
          if (!problem.empty() || !IsPlain(resource.getType())) return std::nullopt;
          const mlir::DenseElementsAttr dense =
              DenseOf(resource, request.draw_missing ? &drawing : nullptr, problem);
          return dense ? std::optional<mlir::Attribute>(dense) : std::nullopt;
        });
  };
  mlir::AttrTypeReplacer shared;
  prepare(shared);
  module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* operation) {
    reply.places.push_back(PlaceOf(operation->getLoc()));
    // A replacer remembers what it has made of an attribute. All constants of a type without data
    // have the same one, and each needs other elements.
    mlir::AttrTypeReplacer own;
    if (request.draw_missing) prepare(own);
    (request.draw_missing ? own : shared)
        .replaceElementsIn(operation, /*replaceAttrs=*/true, /*replaceLocs=*/false,
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
