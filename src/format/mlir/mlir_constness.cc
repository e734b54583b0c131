// SPDX-License-Identifier: Apache-2.0
#include "mlir_constness.h"

#include <charconv>
#include <optional>
#include <string>

#include "mlir_syntax.h"

namespace assay {
namespace {

// Parses "1 : i32" or "1".
std::optional<size_t> PositionOf(std::string_view text) {
  size_t position = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (error != std::errc()) return std::nullopt;
  const std::string_view rest(end, static_cast<size_t>(text.data() + text.size() - end));
  const bool is_typed = rest == " : i32" || rest == " : i64" || rest == " : index";
  return rest.empty() || is_typed ? std::optional(position) : std::nullopt;
}

// Parses "[1 : i32, 2 : i32]" or "array<i32: 1, 2>".
std::optional<std::vector<size_t>> PositionsOf(std::string_view text) {
  if (text.starts_with("array<") && text.ends_with('>')) {
    text.remove_suffix(1);
    const size_t colon = text.find(':');
    text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
  } else if (text.starts_with('[') && text.ends_with(']')) {
    text = text.substr(1, text.size() - 2);
  } else {
    return std::nullopt;
  }
  std::vector<size_t> positions;
  for (const std::string& piece : SplitMlir(text)) {
    if (piece.empty()) continue;
    const std::optional<size_t> position = PositionOf(piece);
    if (!position) return std::nullopt;
    positions.push_back(*position);
  }
  return positions;
}

}  // namespace

Result<std::vector<Constness>> ReadMlirConstness(std::string_view text, std::string_view name,
                                                 const MlirSource& source) {
  const Result<std::vector<MlirOperation>> operations = ParseMlir(text, name, source.places);
  if (!operations) return operations.error();
  const Result<const MlirOperation*> function =
      FindMlirFunction(*operations, source.function, name);
  if (!function) return function.error();
  const MlirOperation& main = **function;
  std::vector<Constness> arguments(main.regions[0].arguments.size(), Constness::kVarying);
  for (const auto& [attribute, constness] :
       {std::pair("compiletime_const_args_index", Constness::kCompileTime),
        std::pair("runtime_const_args_index", Constness::kRuntime)}) {
    const std::string_view list = main.Attribute(attribute);
    if (list.empty()) continue;
    const std::string place = main.place + ": " + attribute + ": ";
    const auto positions = PositionsOf(list);
    if (!positions) return BadInput(place + "not a list of positions");
    for (const size_t position : *positions) {
      if (position >= arguments.size()) {
        return BadInput(place + "there is no argument " + std::to_string(position));
      }
      if (arguments[position] != Constness::kVarying) {
        return BadInput(place + "argument " + std::to_string(position) + " is there twice");
      }
      arguments[position] = constness;
    }
  }
  return arguments;
}

}  // namespace assay
