// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blamed_pass.h"
#include "declaration_names.h"
#include "outcome.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

struct BackendOptions {
  double cpu_seconds = 10;   // per vector
  double wall_seconds = 60;  // per vector; generous: the machine may be loaded
  std::string scratch;       // a folder for files; "" makes one under TMPDIR
  // "NAME=VALUE": variables for the programs that the backend starts, beside those of this process.
  std::vector<std::string> environment = {};
  // The names of declarations that hold beside those that the backend makes itself (`--declare`).
  std::vector<std::string> declarations = {};
  // A folder that keeps what the backend answers (recording_backend.h); "" keeps nothing.
  std::string record = {};
  // A folder that gets the vectors for which `recorded:` has no answer yet; "" gets none.
  std::string next = {};
};

// The number of bytes of standard error that are kept for one vector.
inline constexpr size_t kErrorBytesMax = 1 << 14;

// The inner tensors that a run is asked for (taps): for each graph of a vector, indices of tensors
// of its block `main`, ascending. They are results of operators, and not outputs, shapes, constants
// or tensors with `variable=true`.
using TapRequest = std::vector<std::vector<TensorIndex>>;

// The outcomes of a run that was asked for taps.
struct TappedRun {
  std::vector<Outcome> outcomes;  // as Backend::Run() returns them
  // By step, the values of the tensors of its graph. Some may be missing, because the tensor does
  // not exist in the backend. Types and shapes are as the backend gives them, right or wrong.
  std::vector<std::map<TensorIndex, Tensor>> taps;
};

// The outcomes of a vector's steps, as they are judged by somebody who looks for the cause of a
// failure: right, wrong in the way of that failure, or neither.
enum class Answer : uint8_t { kRight, kWrong, kOther };
using JudgeAnswer = std::function<Answer(const std::vector<Outcome>& outcomes)>;

// A way to execute vectors. One object is used from one thread.
class Backend {
 public:
  virtual ~Backend() = default;

  // Returns why the backend does not support the vector, in a few words ("RESIZE", "fp8", "needs
  // state"). Returns "" if it declares to support it. Unsupported vectors are counted, never
  // judged. The default supports every vector.
  virtual std::string WhyUnsupported(const TestVector&) const { return {}; }

  // Does the same, and also keeps to what Declared() says that the backend cannot do.
  std::string WhyNotTaken(const TestVector& vector) const {
    const std::string_view why = WhyBeyond(declared_, vector);
    return why.empty() ? WhyUnsupported(vector) : std::string(why);
  }

  // Runs all steps in order, in fresh contexts. Returns one outcome per step. After a step that
  // crashed or timed out, the other steps are kUnsupported with the message "not run". An Error
  // means that the backend itself could not be reached.
  virtual Result<std::vector<Outcome>> Run(const TestVector& vector) = 0;

  // Makes the next Run() take place in a process that has run no other vector. The default does
  // nothing; it suits backends whose vectors do not share a process.
  virtual void RunNextAlone() {}

  // Returns the number of the process that ran the last vector. It has run all vectors since the
  // number changed. Returns 0 if vectors share no process, or if that is not known.
  virtual int64_t Process() const { return 0; }

  // Does the same as Run(), in contexts that have run the vector once and were reset since. Returns
  // nothing for backends that have no reset.
  virtual std::optional<Result<std::vector<Outcome>>> RunAfterReset(const TestVector&) {
    return std::nullopt;
  }

  // Tells whether the backend can return values of inner tensors of the graphs of a vector that it
  // supports.
  virtual bool OffersTaps(const TestVector&) const { return false; }

  // Does the same as Run(), and returns the taps that it is asked for as well. Only if
  // OffersTaps().
  virtual Result<TappedRun> RunWithTaps(const TestVector&, const TapRequest&) {
    return Unsupported("offers no taps");
  }

  // Looks for the compiler pass that makes the result of a vector wrong, by cutting the compiler's
  // pipeline. The vector is wrong on this backend. Returns no pass if the backend knows no passes,
  // or if none can be told.
  virtual BlamedPass BlamePass(const TestVector&, const JudgeAnswer&) { return {}; }

  // Returns what the processes of the backend wrote to their standard error during the last Run(),
  // the last kErrorBytesMax bytes of it; "" for backends without such processes.
  virtual std::string Errors() { return {}; }

  // Returns an Error kResource if the machine keeps the backend from running any vector, because
  // files cannot be written where they have to be. This Error ends the run and is not the backend's
  // fault.
  virtual std::optional<Error> MachineFailure() const { return std::nullopt; }

  // Returns true if the backend checks memory plans. The plan records of vectors are for such
  // backends.
  virtual bool ChecksPlans() const { return false; }

  // Returns what the backend declares: what its program or library says, and what Declare() has
  // added.
  BackendDeclarations Declared() const { return declared_; }
  void Declare(const BackendDeclarations& declarations) {
    declared_ = Union(declared_, declarations);
  }

  // Returns the name and version for the report: "mlir (LLVM 22.1.8)".
  virtual std::string Describe() const = 0;

 private:
  BackendDeclarations declared_;
};

// A valid graph that a backend may refuse without a finding, because its authors say that they do
// not support it. Such a vector counts as unsupported.
struct Exemption {
  Op op;
  std::string_view types;      // of the operator's first input, "fp8e4m3 fp8e5m2"; "" for all
  std::string_view attribute;  // "rounding_mode=INEXACT_ROUND"; "" for any
  std::string_view source;     // the file that states it
  std::string_view words;      // the statement in that file
};

}  // namespace assay
