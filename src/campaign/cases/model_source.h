// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend.h"
#include "graph_inputs.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// The options on a user's graph, which is given without inputs.
struct ModelOptions {
  static constexpr int kSamplesMax = 1000;
  static constexpr int kStepsMax = 100;

  std::string function;             // of an MLIR file that has several
  std::vector<std::string> shapes;  // NAME=DIMENSIONS of inputs with open dimensions
  std::vector<std::string> inputs;  // files of LoadSamples(); empty: inputs are drawn
  uint64_t seed = 1;                // of drawn inputs
  int samples = 0;                  // 0: all that the files hold; one if inputs are drawn
  // The invocations of a sample. 0: kStepsOfState for a graph with variables whose inputs are
  // drawn, otherwise one.
  int steps = 1;
  static constexpr int kStepsOfState = 5;
  std::string level = "8K";
  std::string weights;        // "lattice", or "" for those of the graph
  bool draw_missing = false;  // constants whose data a file leaves out, from the seed

  // Returns the first option that is given and means something for graphs only; "" if none is.
  std::string Given() const;
};

// Closes the dimensions of a graph (CloseDimensions()) with the shapes of `--shape`. Errors begin
// with the path or the option.
Result<Done> CloseShapes(const std::string& path, const std::vector<std::string>& shapes,
                         Graph& graph);

// Returns the options that are not as by default, as words of a command line:
// " --input x=x.npy --samples 2"; "" if all are.
std::string ModelWords(const ModelOptions& options);

// A graph with samples of inputs, or a vector, which holds its own: what a command runs on.
class ModelSource {
 public:
  // Loads the graph or the vector at a path, and the inputs that are in files. Errors begin with
  // the path or an option. Error kUsage for a vector with options that are for graphs.
  static Result<ModelSource> Load(const std::string& path, const ModelOptions& options);

  bool is_graph() const { return is_graph_; }
  int64_t samples() const { return samples_; }
  // A vector as it was loaded; of a graph, one step without inputs.
  const TestVector& vector() const { return vector_; }

  // A vector that can run.
  struct Sample {
    TestVector vector;
    std::string inputs;  // one line: where they come from
    bool is_drawn = false;
  };
  // Returns a sample, from 0. If it has several steps, their contexts are 0, 0, 2, 0, 2 and so on:
  // state is kept, begins anew, and is shared where only the parity of the number counts. A drawn
  // step that is not valid, and those after it, are left out. Draws the inputs of a graph unless
  // files hold them; then there may be more samples than samples() says. They are a pure function
  // of the graph, the seed and the number of the sample. Errors of DrawModelInputs().
  Result<Sample> At(int64_t sample) const;

 private:
  // Returns one step of a sample.
  Result<Sample> StepAt(int64_t number) const;
  // Replaces the weights and inputs of a sample.
  Result<Sample> PutOnLattice(Sample sample, int64_t number) const;

  std::string path_;
  uint64_t seed_ = 1;
  bool is_graph_ = false;
  int64_t samples_ = 1;
  int64_t steps_ = 1;  // of a sample
  bool on_lattice_ = false;
  std::vector<GraphInputs> files_;  // empty: inputs are drawn
  TestVector vector_;
};

}  // namespace assay
