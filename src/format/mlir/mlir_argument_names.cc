// SPDX-License-Identifier: Apache-2.0
#include "mlir_argument_names.h"

#include <algorithm>
#include <optional>

#include "mlir_location.h"

namespace assay {
namespace {

// Attributes of an argument that name it, as "x" or ["x"].
constexpr std::string_view kNaming[] = {"tf.name", "ml_program.identifier",
                                        "tf_saved_model.index_path"};

std::string_view Inside(std::string_view text, char open, char close) {
  const bool is_there = text.size() >= 2 && text.front() == open && text.back() == close;
  return is_there ? text.substr(1, text.size() - 2) : "";
}

// Returns the text of an entry of a dictionary `{a = "x", b}`; "" if it has none of that name.
std::string EntryOf(std::string_view dictionary, std::string_view name) {
  for (const std::string& entry : SplitMlir(Inside(dictionary, '{', '}'))) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    const size_t end = entry.find_last_not_of(' ', equals - 1);
    const std::string key = UnquotedMlir(entry.substr(0, end + 1));
    if (key == name)
      return entry.substr(std::min(entry.find_first_not_of(' ', equals + 1), entry.size()));
  }
  return {};
}

std::string NameInAttributes(std::string_view dictionary) {
  for (const std::string_view naming : kNaming) {
    const std::string value = EntryOf(dictionary, naming);
    const std::vector<std::string> path = SplitMlir(Inside(value, '[', ']'));
    const std::string& text = path.empty() ? value : path.back();
    if (text.starts_with('"')) return UnquotedMlir(text);
  }
  return {};
}

// Returns the word at a line and a column of a text, both from 1.
std::string_view WordAt(std::string_view text, size_t line, size_t column) {
  size_t start = 0;
  for (; line > 1 && start < text.size(); --line) {
    start = std::min(text.find('\n', start), text.size() - 1) + 1;
  }
  text = text.substr(std::min(text.size(), start + std::max<size_t>(column, 1) - 1));
  return text.substr(0, text.find_first_of(":,) \n"));
}

// Returns the name of "%x".
std::string NameOfValue(std::string_view value) {
  return value.starts_with('%') ? std::string(value.substr(1)) : "";
}

}  // namespace

std::vector<std::string> MlirArgumentNames(const MlirOperation& function, std::string_view file,
                                           std::string_view written) {
  const std::vector<MlirArgument>& arguments = function.regions[0].arguments;
  const std::vector<std::string> attributes =
      SplitMlir(Inside(function.Attribute("arg_attrs"), '[', ']'));
  const std::vector<std::string> entries =
      SplitMlir(UnquotedMlir(EntryOf(function.Attribute("tf.entry_function"), "inputs")));
  std::vector<std::string> names;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string name = MlirLocationName(arguments[i].location);
    if (name.empty() && i < attributes.size()) name = NameInAttributes(attributes[i]);
    if (name.empty() && entries.size() == arguments.size()) name = entries[i];
    const auto position = MlirPosition(arguments[i].location, file);
    if (name.empty() && position) {
      name = NameOfValue(WordAt(written, position->first, position->second));
    }
    if (name.empty()) name = NameOfValue(arguments[i].name);
    const bool is_position = name.find_first_not_of("0123456789") == std::string::npos;
    const bool is_taken = std::ranges::find(names, name) != names.end();
    names.push_back(is_position || is_taken ? "" : std::move(name));
  }
  return names;
}

}  // namespace assay
