// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend.h"
#include "mlir_client.h"
#include "mlir_message.h"
#include "test_vector.h"

namespace assay {

// Looks for the pass of MLIR that makes a vector wrong, by cutting its pipeline.
//
// A module between two passes that work on TOSA is still TOSA. So it is read back and executed by
// the reference executor: the first pass after which the result is wrong is at fault. A module
// behind that is not TOSA, so a stage of the lowering is exchanged for other passes with the same
// meaning. If the result is then right, that stage is at fault. If no stage is, and with all of
// them exchanged the result is still wrong, the fault is in the pass that lowers the operator. The
// stages that lower variables have no such exchange. They are at fault if the result is right with
// arguments and results instead of variables.
class MlirBlame {
 public:
  // `request` has the limits of each run. `vector` and `judge` must outlive the object.
  MlirBlame(std::shared_ptr<MlirClient> client, mlir_message::Request request,
            const TestVector& vector, const JudgeAnswer& judge)
      : client_(std::move(client)), request_(std::move(request)), vector_(vector), judge_(judge) {}

  // Looks among the passes of a pipeline that works on TOSA.
  BlamedPass InRewrite(const std::string& pipeline);

  // Runs the vector with the rewrite, the lowering and the optimization of a request. With
  // `state_as_arguments`, variables are arguments and results of the function or not; without it,
  // they are what they are for the backend.
  using Run = std::function<Result<std::vector<Outcome>>(const mlir_message::Request& request,
                                                         std::optional<bool> state_as_arguments)>;

  // Looks among the passes of the rewrite and the lowering that `run` uses for `request`.
  BlamedPass InLowering(const mlir_message::Request& request, const Run& run);

 private:
  Answer AfterRewrite(const std::string& pipeline);
  Answer AfterLowering(const mlir_message::Request& request, const Run& run,
                       std::optional<bool> state_as_arguments = std::nullopt);
  std::string ModuleAfter(const std::string& pipeline, bool custom_form);
  BlamedPass Between(const std::string& pass, const std::string& before, const std::string& after,
                     std::string evidence);
  BlamedPass InVariant(const mlir_message::Request& request, const Run& run);
  BlamedPass InC(const mlir_message::Request& request, const Run& run);
  BlamedPass InVariables(const mlir_message::Request& request, const Run& run);
  BlamedPass InStages(const mlir_message::Request& request, const Run& run);
  BlamedPass InConversion(const std::string& rewrite, const std::string& evidence);

  std::shared_ptr<MlirClient> client_;
  mlir_message::Request request_;
  const TestVector& vector_;
  const JudgeAnswer& judge_;
};

}  // namespace assay
