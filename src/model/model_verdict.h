// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend.h"
#include "case_result.h"
#include "model_layers.h"
#include "model_values.h"
#include "report.h"
#include "target.h"
#include "test_vector.h"

namespace assay {

// The elements of the outputs of a model, by what judges them.
struct Evidence {
  int64_t exact = 0;       // they have one right value
  int64_t by_lattice = 0;  // they have one if sums are plain, in a model on a lattice
  int64_t by_sets = 0;
  int64_t open = 0;  // no sound rule reaches them in the whole model
};

// The layer that a model goes wrong with.
struct WrongLayer {
  size_t layer = 0;         // index in ModelVerdict::layers
  std::string seen_by;      // one line: the way in which it was found
  bool is_suspect = false;  // the evidence is statistical, or rests on what is not declared
  std::optional<TestVector> vector;  // shows the finding; nothing for a suspect
  CaseResult result;                 // of the vector; otherwise of the whole model
};

struct ModelVerdict {
  // The reasons why the model is outside the targets, a line each. If there are any, the whole is
  // unsupported, and was not run.
  std::vector<std::string> outside;
  CaseResult whole;
  Evidence evidence;
  std::vector<Layer> layers;
  std::vector<Layer> made;  // layers on operands that were made for them (JudgeMade())
  std::optional<WrongLayer> wrong;
  int64_t runs = 0;  // of the backend
};

// The verdict on a model on one backend.
struct BackendOnModel {
  std::string title;  // the backend's description of itself
  ModelVerdict verdict;
  std::optional<ReportedFinding> finding;  // of the wrong layer
};

// Judges a model, with the inputs of its step, on a backend: the whole, each layer alone, and the
// layer that is wrong, if something is. `path` is how the user reaches the model. Nothing outside
// one of the targets is run. After a signal (interrupt.h), the layers that are left are not run.
// Error kBadInput if the model is not valid with these inputs, kUnsupported if the reference
// executor cannot run it or nothing can be expected of it.
Result<ModelVerdict> JudgeModel(Backend& backend, const TestVector& model, const std::string& path,
                                const ModelJudging& options = {});

// Judges layers of the same model on operands that were made for them. If no layer is wrong
// otherwise, the first one that is wrong there is the wrong layer.
void AddMade(Backend& backend, const TestVector& model, const std::vector<MadeOperands>& made,
             const ModelJudging& options, ModelVerdict& verdict);

}  // namespace assay
