#include "model_source.h"

#include <utility>

#include "files.h"
#include "graph_source.h"
#include "levels.h"
#include "model_inputs.h"
#include "model_values.h"
#include "quoted.h"

namespace assay {
namespace {

constexpr int kSamplesMax = 1000;

Error WithPath(const std::string& path, Error error) {
  if (!error.message.starts_with(path)) error.message = path + ": " + error.message;
  return error;
}

}  // namespace

void AddModelOptions(CommandLine& line, ModelOptions& options) {
  AddFunctionOption(line, options.function);
  line.Add("--input", options.inputs,
           "inputs of a graph: NAME=FILE.npy for each of them, or FILE.npz with an array for each. "
           "An array with one leading axis more than the input holds a sample for each index of "
           "that axis; several .npz files hold their samples one after the other (default: values "
           "drawn from --seed, in the range that keeps the values inside the graph most "
           "informative)");
  line.Add("--samples", options.samples,
           "number of samples of inputs to draw, or to take from --input (default: 1, or all of "
           "--input)")
      .Between(1, kSamplesMax);
  line.Add("--seed", options.seed, "the same seed draws the same inputs of a graph").ShowDefault();
  line.Add("--level", options.level, "for graphs: level, 8K or none").ShowDefault();
}

std::string ModelOptions::Given() const {
  if (!inputs.empty()) return "--input";
  if (samples != 0) return "--samples";
  return function.empty() ? "" : "--function";
}

std::string ModelWords(const ModelOptions& options) {
  std::string words;
  if (!options.function.empty()) words += " --function " + ShellWord(options.function);
  for (const std::string& input : options.inputs) words += " --input " + ShellWord(input);
  if (options.samples != 0) words += " --samples " + std::to_string(options.samples);
  if (options.seed != 1) words += " --seed " + std::to_string(options.seed);
  if (options.level != "8K") words += " --level " + options.level;
  return words;
}

Result<ModelSource> ModelSource::Load(const std::string& path, const ModelOptions& options) {
  if (!LevelByName(options.level)) {
    return Error{Error::Kind::kUsage, "--level " + options.level + ": no such level"};
  }
  Result<GraphOrVector> loaded = LoadGraphOrVector(path, options.function);
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
    return Error{Error::Kind::kUsage,
                 path + ": holds its own inputs and steps; " + given + " is for graphs"};
  }
  if (vector.graphs[0].Main() == nullptr) {
    return BadInput(path + ": the graph has no block \"main\"");
  }
  vector.name = std::string(FileNameOf(path));
  vector.level = options.level;
  vector.steps.assign(1, {});
  source.samples_ = options.samples == 0 ? 1 : options.samples;
  if (options.inputs.empty()) return source;
  Result<std::vector<GraphInputs>> files = LoadSamples(vector.graphs[0], options.inputs);
  if (!files) return WithPath(path, files.error());
  if (options.samples > std::ssize(*files)) {
    return Error{Error::Kind::kUsage, "--samples " + std::to_string(options.samples) +
                                          ": --input holds " + std::to_string(files->size())};
  }
  source.files_ = std::move(*files);
  if (options.samples == 0) source.samples_ = std::ssize(source.files_);
  return source;
}

Result<ModelSource::Sample> ModelSource::At(int64_t sample) const {
  Sample result = {vector_, "inputs of the vector", false};
  if (!is_graph_) return result;
  GraphInputs& inputs = result.vector.steps[0].inputs;
  const std::string number = samples_ > 1 ? ", sample " + std::to_string(sample) : "";
  if (!files_.empty()) {
    inputs = files_[static_cast<size_t>(sample)];
    result.inputs = "inputs of --input" + number;
    return result;
  }
  const Block& main = MainOf(vector_);
  if (main.inputs.empty()) {
    result.inputs = "no inputs";
    return result;
  }
  Result<DrawnInputs> drawn =
      DrawModelInputs(vector_, PartNeededBy(main, main.outputs), seed_, sample);
  if (!drawn) return WithPath(path_, drawn.error());
  inputs = std::move(drawn->inputs);
  result.is_drawn = true;
  result.inputs = "inputs drawn with seed " + std::to_string(seed_) + number + ": " + drawn->range;
  return result;
}

}  // namespace assay
