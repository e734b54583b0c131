// SPDX-License-Identifier: Apache-2.0
#include "model_source.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "files.h"
#include "graph_source.h"
#include "levels.h"
#include "model_inputs.h"
#include "model_lattice.h"
#include "model_values.h"
#include "open_dimensions.h"
#include "quoted.h"

namespace assay {
namespace {

Error WithPath(const std::string& path, Error error) {
  if (!error.message.starts_with(path)) error.message = path + ": " + error.message;
  return error;
}

// Parses "1,224,224,3". Returns nothing for a text that is no shape of a tensor.
std::optional<Shape> ParseShape(std::string_view text) {
  Shape shape;
  while (true) {
    int32_t dim = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), dim);
    if (error != std::errc() || dim < 1 || shape.rank() == Shape::kMaxRank) return std::nullopt;
    shape.PushBack(dim);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.empty()) break;
    if (text[0] != ',') return std::nullopt;
    text.remove_prefix(1);
  }
  if (shape.Elements() > std::numeric_limits<int32_t>::max()) return std::nullopt;
  return shape;
}

// Parses NAME=DIMENSIONS. Names may hold "=".
Result<std::vector<NamedShape>> ParseShapes(const std::vector<std::string>& texts) {
  std::vector<NamedShape> shapes;
  for (const std::string& text : texts) {
    const size_t equals = text.rfind('=');
    const auto shape = equals == std::string::npos
                           ? std::nullopt
                           : ParseShape(std::string_view(text).substr(equals + 1));
    if (!shape) {
      return UsageError(
          "--shape " + Quoted(text) +
          ": not NAME=1,224,224,3 with dimensions from 1, and less than 2^31 elements");
    }
    shapes.emplace_back(text.substr(0, equals), *shape);
  }
  return shapes;
}

}  // namespace

Result<Done> CloseShapes(const std::string& path, const std::vector<std::string>& shapes,
                         Graph& graph) {
  const Result<std::vector<NamedShape>> parsed = ParseShapes(shapes);
  if (!parsed) return parsed.error();
  const Result<Done> closed = CloseDimensions(graph, *parsed);
  if (!closed) return WithPath(path, closed.error());
  return Done{};
}

std::string ModelOptions::Given() const {
  if (!inputs.empty()) return "--input";
  if (!shapes.empty()) return "--shape";
  if (samples != 0) return "--samples";
  if (steps > 1) return "--steps";
  if (!weights.empty()) return "--weights";
  if (draw_missing) return "--draw-missing";
  return function.empty() ? "" : "--function";
}

std::string ModelWords(const ModelOptions& options) {
  std::string words;
  if (!options.function.empty()) words += " --function " + ShellWord(options.function);
  for (const std::string& shape : options.shapes) words += " --shape " + ShellWord(shape);
  for (const std::string& input : options.inputs) words += " --input " + ShellWord(input);
  if (options.samples != 0) words += " --samples " + std::to_string(options.samples);
  if (options.steps > 1) words += " --steps " + std::to_string(options.steps);
  if (options.seed != 1) words += " --seed " + std::to_string(options.seed);
  if (!options.weights.empty()) words += " --weights " + options.weights;
  if (options.draw_missing) words += " --draw-missing";
  if (options.level != "8K") words += " --level " + options.level;
  return words;
}

Result<ModelSource> ModelSource::Load(const std::string& path, const ModelOptions& options) {
  if (!LevelByName(options.level)) {
    return UsageError("--level " + options.level + ": no such level");
  }
  const std::optional<uint64_t> seed_of_missing =
      options.draw_missing ? std::optional(options.seed) : std::nullopt;
  Result<GraphOrVector> loaded =
      LoadGraphOrVector(path, options.function, nullptr, Captures::kResolved, seed_of_missing);
  if (!loaded) return loaded.error();
  ModelSource source;
  source.path_ = path;
  source.seed_ = options.seed;
  source.is_graph_ = loaded->is_graph;
  source.vector_ = std::move(loaded->vector);
  TestVector& vector = source.vector_;
  if (!source.is_graph_) {
    const std::string given = options.Given();
    if (given.empty()) return source;
    return UsageError(path + ": holds its own inputs and steps; " + given + " is for graphs");
  }
  if (vector.graphs[0].Main() == nullptr) {
    return BadInput(path + ": the graph has no block \"main\"");
  }
  const Result<Done> closed = CloseShapes(path, options.shapes, vector.graphs[0]);
  if (!closed) return closed.error();
  vector.name = std::string(FileNameOf(path));
  vector.level = options.level;
  vector.steps.assign(1, {});
  source.samples_ = options.samples == 0 ? 1 : options.samples;
  source.on_lattice_ = !options.weights.empty();
  const bool keeps_state = HasVariables(vector.graphs[0]);
  if (options.steps > 1 && (!keeps_state || source.on_lattice_)) {
    return UsageError(
        path + ": --steps: " + (keeps_state ? "not with --weights" : "the graph has no variables"));
  }
  const bool by_default = options.steps == 0 && keeps_state && !source.on_lattice_;
  source.steps_ = std::max(1, options.steps);
  if (by_default && options.inputs.empty()) source.steps_ = ModelOptions::kStepsOfState;
  if (options.inputs.empty()) return source;
  if (source.on_lattice_) {
    return UsageError("--weights lattice: draws the inputs; not with --input");
  }
  Result<std::vector<GraphInputs>> files = LoadSamples(vector.graphs[0], options.inputs);
  if (!files) return WithPath(path, files.error());
  if (options.samples > std::ssize(*files)) {
    return UsageError("--samples " + std::to_string(options.samples) + ": --input holds " +
                      std::to_string(files->size()));
  }
  source.files_ = std::move(*files);
  if (options.samples == 0) source.samples_ = std::ssize(source.files_) / source.steps_;
  if (source.samples_ * source.steps_ > std::ssize(source.files_) || source.samples_ == 0) {
    return UsageError("--steps " + std::to_string(options.steps) + ": --input holds " +
                      std::to_string(source.files_.size()) + " samples, one for each step");
  }
  return source;
}

Result<ModelSource::Sample> ModelSource::At(int64_t sample) const {
  if (!is_graph_) return Sample{vector_, "inputs of the vector", false};
  Result<Sample> result = StepAt(sample * steps_);
  if (!result || steps_ == 1) return result;
  TestVector& vector = result->vector;
  for (int64_t i = 1; i < steps_; ++i) {
    Result<Sample> next = StepAt(sample * steps_ + i);
    if (!next) return next;
    next->vector.steps[0].context = i < 2 || i % 2 == 1 ? 0 : 2;
    vector.steps.push_back(std::move(next->vector.steps[0]));
  }
  if (result->is_drawn) CutInvalidSteps(vector);
  result->inputs += "; " + std::to_string(vector.steps.size()) +
                    (vector.steps.size() > 2 ? " steps in two contexts" : " steps in one context");
  return result;
}

Result<ModelSource::Sample> ModelSource::StepAt(int64_t sample) const {
  Sample result = {vector_, "", false};
  GraphInputs& inputs = result.vector.steps[0].inputs;
  const bool is_one = samples_ == 1 && steps_ == 1 && sample == 0;
  const std::string number = is_one ? "" : ", sample " + std::to_string(sample);
  if (!files_.empty()) {
    inputs = files_[static_cast<size_t>(sample)];
    result.inputs = "inputs of --input" + number;
    return result;
  }
  const Block& main = MainOf(vector_);
  result.inputs = "no inputs";
  if (on_lattice_ && std::ranges::all_of(main.inputs, [&](TensorIndex input) {
        return IsFloat(main.TypeOf(input).type);
      })) {
    for (const TensorIndex input : main.inputs) {
      const TensorType& type = main.TypeOf(input);
      inputs.push_back(Tensor::Splat(type.type, type.shape, 0));
    }
    return PutOnLattice(std::move(result), sample);
  }
  if (main.inputs.empty()) return result;
  Result<DrawnInputs> drawn =
      DrawModelInputs(vector_, PartNeededBy(main, main.outputs), seed_, sample);
  if (!drawn) return WithPath(path_, drawn.error());
  inputs = std::move(drawn->inputs);
  result.is_drawn = true;
  result.inputs = "inputs drawn with seed " + std::to_string(seed_) + number + ": " + drawn->range;
  return on_lattice_ ? PutOnLattice(std::move(result), sample) : result;
}

Result<ModelSource::Sample> ModelSource::PutOnLattice(Sample sample, int64_t number) const {
  Result<LatticeModel> lattice = OnLattice(sample.vector, seed_, number);
  if (!lattice) return WithPath(path_ + ": --weights lattice", lattice.error());
  sample.inputs = "lattice of seed " + std::to_string(seed_) +
                  (samples_ > 1 ? ", sample " + std::to_string(number) : "") + ": " +
                  lattice->Summary();
  sample.vector = std::move(lattice->vector);
  sample.is_drawn = true;
  return sample;
}

}  // namespace assay
