// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "files.h"
#include "json_place.h"
#include "name_search.h"
#include "quoted.h"
#include "target_file.h"

namespace assay {
namespace {

// Finds a name from the file among known names; the Error lists the nearest ones.
Result<size_t> Find(const JsonPlace& place, std::string_view what, std::string_view name,
                    const std::vector<std::string_view>& known) {
  const auto found = std::ranges::find(known, name);
  if (found != known.end()) return static_cast<size_t>(found - known.begin());
  const std::string quoted = Quoted(name);
  return place.Problem(UnknownName(what, quoted.substr(1, quoted.size() - 2), known).message);
}

// Calls do(element) for each element of a list. An empty list is an Error, because it does not
// restrict the target: a list that is not there allows everything, too.
template <class Do>
Result<Done> ForEachOfSome(const JsonPlace& place, const Do& handle) {
  if (place.IsArray() && place.size() == 0) {
    return place.Problem("is empty; name at least one, or leave the field out");
  }
  return place.ForEachElement(handle);
}

Result<DType> ReadType(const JsonPlace& place) {
  const Result<std::string> name = place.Text();
  if (!name) return name.error();
  if (*name == "any") return DType::kUnknown;
  const Result<size_t> found = Find(place, "type", *name, NamesOfRows(kAllTypes, TypeName));
  if (!found) return found.error();
  return kAllTypes[*found];
}

Result<Done> ReadTypes(const JsonPlace& place, std::vector<DType>& types) {
  return ForEachOfSome(place, [&](const JsonPlace& element) -> Result<Done> {
    const Result<DType> type = ReadType(element);
    if (!type) return type.error();
    types.push_back(*type);
    return Done{};
  });
}

// Reads a number, or the name of one.
Result<int64_t> ReadNumber(const JsonPlace& place, Op op, const Quantity& quantity) {
  if (place.IsNumber()) return place.Integer();
  if (const Result<bool> truth = place.Truth()) {
    const auto number = NumberByName(op, quantity, *truth ? "true" : "false");
    if (number) return *number;
    return place.Problem("is not a whole number of 64 bits");
  }
  const Result<std::string> name = place.Text();
  if (!name) return place.Problem("is not a whole number of 64 bits");
  const auto number = NumberByName(op, quantity, *name);
  if (number && *name != "UNKNOWN") return *number;
  return place.Problem("is no value of " + NameOf(op, quantity));
}

Result<TargetRange> ReadRange(const JsonPlace& place, Op op, const Quantity& quantity) {
  TargetRange range = {quantity};
  const Result<Done> read =
      place.ForEachField([&](const std::string& field, const JsonPlace& value) -> Result<Done> {
        if (field == "values") {
          return ForEachOfSome(value, [&](const JsonPlace& element) -> Result<Done> {
            const Result<int64_t> number = ReadNumber(element, op, quantity);
            if (!number) return number.error();
            range.values.push_back(*number);
            return Done{};
          });
        }
        if (field != "min" && field != "max") return value.Problem("a field that is not known");
        const Result<int64_t> number = ReadNumber(value, op, quantity);
        if (!number) return number.error();
        (field == "min" ? range.min : range.max) = *number;
        return Done{};
      });
  if (!read) return read.error();
  if (range.min > range.max) return place.Problem("min is greater than max");
  return range;
}

Result<Done> ReadRanges(const JsonPlace& place, Op op, std::vector<TargetRange>& ranges) {
  const std::vector<Quantity> quantities = QuantitiesOf(op);
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities) names.push_back(NameOf(op, quantity));
  return place.ForEachField([&](const std::string& name, const JsonPlace& value) -> Result<Done> {
    const Result<size_t> found = Find(value, "range of " + std::string(OperatorName(op)), name,
                                      {names.begin(), names.end()});
    if (!found) return found.error();
    const Result<TargetRange> range = ReadRange(value, op, quantities[*found]);
    if (!range) return range.error();
    ranges.push_back(*range);
    return Done{};
  });
}

// Reads a type name, or an object with type variables, "inputs", "outputs" and "ranges".
Result<TypeChoice> ReadChoice(const JsonPlace& place, Op op) {
  TypeChoice choice;
  if (!place.IsObject()) {
    const Result<DType> type = ReadType(place);
    if (!type) return type.error();
    choice.first = *type;
    return choice;
  }
  const auto variables = RowOf(op).type_variables;
  std::vector<std::string_view> known(variables.begin(), variables.end());
  known.insert(known.end(), {"inputs", "outputs", "ranges"});
  const Result<Done> read =
      place.ForEachField([&](const std::string& name, const JsonPlace& value) -> Result<Done> {
        if (name == "inputs") return ReadTypes(value, choice.inputs);
        if (name == "outputs") return ReadTypes(value, choice.outputs);
        if (name == "ranges") return ReadRanges(value, op, choice.ranges);
        const Result<size_t> found =
            Find(value, "type variable of " + std::string(OperatorName(op)), name, known);
        if (!found) return found.error();
        const Result<DType> type = ReadType(value);
        if (!type) return type.error();
        choice.variables[*found] = *type;
        return Done{};
      });
  if (!read) return read.error();
  const bool has_row = std::ranges::any_of(RowOf(op).type_rows, [&](const TypeRow& row) {
    for (size_t i = 0; i < choice.variables.size(); ++i) {
      const DType type = choice.variables[i];
      if (type != DType::kUnknown && type != row.types[i]) return false;
    }
    return true;
  });
  if (has_row || RowOf(op).type_rows.empty()) return choice;
  return place.Problem("no row of the type table of " + std::string(OperatorName(op)) +
                       " has these types");
}

Result<Done> ReadConstants(const JsonPlace& place, Op op, std::vector<int>& constants) {
  std::vector<std::string_view> names;
  for (const ArgumentRow& row : RowOf(op).arguments) {
    if (row.direction == Direction::kInput) names.push_back(row.name);
  }
  return ForEachOfSome(place, [&](const JsonPlace& element) -> Result<Done> {
    const Result<std::string> name = element.Text();
    if (!name) return name.error();
    const Result<size_t> found =
        Find(element, "operand of " + std::string(OperatorName(op)), *name, names);
    if (!found) return found.error();
    constants.push_back(static_cast<int>(*found));
    return Done{};
  });
}

Result<OperatorUses> ReadUses(const JsonPlace& place, Op op) {
  OperatorUses uses;
  const Result<Done> known = place.HasOnly({"types", "ranges", "constants"});
  if (!known) return known.error();
  if (const auto types = place.Field({"types"})) {
    const Result<Done> read = types->ForEachElement([&](const JsonPlace& element) -> Result<Done> {
      const Result<TypeChoice> choice = ReadChoice(element, op);
      if (!choice) return choice.error();
      uses.types.push_back(*choice);
      return Done{};
    });
    if (!read) return read.error();
    if (uses.types.empty()) return types->Problem("is empty; leave the operator out instead");
  }
  if (const auto ranges = place.Field({"ranges"})) {
    const Result<Done> read = ReadRanges(*ranges, op, uses.ranges);
    if (!read) return read.error();
  }
  if (const auto constants = place.Field({"constants"})) {
    const Result<Done> read = ReadConstants(*constants, op, uses.constants);
    if (!read) return read.error();
  }
  return uses;
}

Result<Done> ReadOperators(const JsonPlace& place, Target& target) {
  target.operators.emplace();
  const std::vector<std::string_view> names = NamesOfRows(AllOperators(), &OperatorRow::name);
  const Result<Done> read =
      place.ForEachField([&](const std::string& name, const JsonPlace& value) -> Result<Done> {
        const Result<size_t> found = Find(value, "operator", name, names);
        if (!found) return found.error();
        const Op op = AllOperators()[*found].op;
        Result<OperatorUses> uses = ReadUses(value, op);
        if (!uses) return uses.error();
        (*target.operators)[op] = std::move(*uses);
        return Done{};
      });
  if (!read) return read.error();
  // Constants are operands of other operators, so a target has them without saying so.
  for (const Op op : {Op::kConst, Op::kConstShape}) target.operators->try_emplace(op);
  return Done{};
}

// Reads the profiles or the extensions, whose names begin with `prefix`; all if there is no field.
Result<Requirements> ReadFeatures(const std::optional<JsonPlace>& place, const char* what,
                                  const std::string& prefix) {
  Requirements features;
  std::vector<std::string_view> names;
  for (const FeatureRow& row : AllFeatures()) {
    if (!row.name.starts_with(prefix)) continue;
    names.push_back(row.name);
    if (!place) features = features | Requirements{row.feature};
  }
  if (!place) return features;
  const auto add = [&](const JsonPlace& element) -> Result<Done> {
    const Result<std::string> name = element.Text();
    if (!name) return name.error();
    const Result<size_t> found = Find(element, what, *name, names);
    if (!found) return found.error();
    features = features | Requirements{*FeatureByName(names[*found])};
    return Done{};
  };
  // A target may have no extension, but every operator needs a profile or an extension.
  const Result<Done> read =
      prefix == "EXT-" ? place->ForEachElement(add) : ForEachOfSome(*place, add);
  if (!read) return read.error();
  return features;
}

Result<Done> ReadLimits(const JsonPlace& place, TargetLimits& limits) {
  const struct {
    std::string_view name;
    int64_t TargetLimits::*limit;
  } kLimits[] = {
      {"rank", &TargetLimits::rank},         {"dimension", &TargetLimits::dimension},
      {"elements", &TargetLimits::elements}, {"constant_bytes", &TargetLimits::constant_bytes},
      {"graphs", &TargetLimits::graphs},     {"nesting", &TargetLimits::nesting}};
  std::vector<std::string_view> names;
  for (const auto& row : kLimits) names.push_back(row.name);
  return place.ForEachField([&](const std::string& name, const JsonPlace& value) -> Result<Done> {
    const Result<size_t> found = Find(value, "limit", name, names);
    if (!found) return found.error();
    const Result<int64_t> number = value.Integer(1);
    if (!number) return number.error();
    limits.*(kLimits[*found].limit) = *number;
    return Done{};
  });
}

Result<Done> ReadSwitches(const JsonPlace& place, Target& target) {
  const struct {
    const char* name;
    bool Target::*flag;
  } kFlags[] = {{"control_flow", &Target::control_flow},
                {"variables", &Target::variables},
                {"variable_tensors", &Target::variable_tensors}};
  for (const auto& [name, flag] : kFlags) {
    const auto field = place.Field({name});
    if (!field) continue;
    const Result<bool> truth = field->Truth();
    if (!truth) return truth.error();
    target.*flag = *truth;
  }
  return Done{};
}

Result<Done> ReadHead(const JsonPlace& root, Target& target) {
  const auto version = root.Field({"assay_target"});
  if (!version) return root.Problem("has no \"assay_target\", the version of the schema");
  const Result<int64_t> number = version->Integer();
  if (!number) return number.error();
  if (*number != kTargetVersion) {
    return version->Problem("version " + std::to_string(*number) + "; this build reads version " +
                            std::to_string(kTargetVersion));
  }
  const Result<Done> known =
      root.HasOnly({"assay_target", "name", "profiles", "extensions", "level", "types", "limits",
                    "control_flow", "variables", "variable_tensors", "operators"});
  if (!known) return known;
  if (const auto name = root.Field({"name"})) {
    const Result<std::string> text = name->Text();
    if (!text) return text.error();
    target.name = *text;
  }
  if (const auto level = root.Field({"level"})) {
    const Result<std::string> text = level->Text();
    if (!text) return text.error();
    if (!LevelByName(*text)) return level->Problem("is neither 8K nor none");
    target.level = *text;
  }
  const auto profiles = root.Field({"profiles"}), extensions = root.Field({"extensions"});
  if (!profiles && !extensions) return Done{};
  const Result<Requirements> of_profiles = ReadFeatures(profiles, "profile", "PRO-");
  if (!of_profiles) return of_profiles.error();
  const Result<Requirements> of_extensions = ReadFeatures(extensions, "extension", "EXT-");
  if (!of_extensions) return of_extensions.error();
  target.features = *of_profiles | *of_extensions;
  return Done{};
}

}  // namespace

Result<Target> ReadTarget(std::string_view text, std::string_view file) {
  const Result<Json> json = ParseWrittenJson(text, file);
  if (!json) return json.error();
  const JsonPlace root(*json, file);
  if (json->is_discarded() || !root.IsObject()) return root.Problem("is not a JSON object");
  Target target;
  const Result<Done> head = ReadHead(root, target);
  if (!head) return head.error();
  if (const auto types = root.Field({"types"})) {
    const Result<Done> read = ReadTypes(*types, target.types);
    if (!read) return read.error();
  }
  if (const auto limits = root.Field({"limits"})) {
    const Result<Done> read = ReadLimits(*limits, target.limits);
    if (!read) return read.error();
  }
  const Result<Done> switches = ReadSwitches(root, target);
  if (!switches) return switches.error();
  if (const auto operators = root.Field({"operators"})) {
    const Result<Done> read = ReadOperators(*operators, target);
    if (!read) return read.error();
  }
  return target;
}

Result<Target> LoadTarget(const std::string& path) {
  const Result<std::string> text = ReadTextFile(path, OnceReadText::kBytesMax);
  if (!text) return text.error();
  return ReadTarget(*text, path);
}

}  // namespace assay
