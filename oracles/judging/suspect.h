// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "test_vector.h"
#include "verdict.h"

namespace assay {

// The operator that a finding names, with its CharacteristicType.
struct Suspect {
  Op op = Op::kUnknown;
  DType type = DType::kUnknown;
};

// Returns the producer of output number `output` of the main block. An output that nothing produces
// (an input handed through) has no operator, only a type.
Suspect ProducerOf(const Graph& graph, size_t output);

// Makes a finding about output number `output` name it and its producer.
void Blame(Finding& finding, const Graph& graph, size_t output);

// Makes a finding on an output that VARIABLE_READ produces name what may be at fault, if a
// VARIABLE_WRITE has run before it: in an earlier step of the context, or before it in the step. If
// `got` is what the variable held at the beginning or after an earlier step, that write was lost.
// Otherwise the finding names both operators.
void BlameVariable(const TestVector& vector, size_t step, size_t output, const Tensor& got,
                   Finding& finding);

// Returns the operator that sets the variable: VARIABLE_WRITE, else VARIABLE, else IDENTITY (in the
// older form).
Suspect WriterOf(const Graph& graph, std::string_view variable);

// Returns the operator that a backend means when it refuses or crashes. It is the first one of the
// graph that `words` name ("'tosa.conv2d' op ...", "CONV2D of fp8e4m3"). If they name none, it is
// the only operator of the main block that is no constant. Returns none without such evidence,
// because any operator may be at fault. A name that is also an English word ("add", "const") counts
// only as "tosa.add" or "ADD". If the graph holds the operator in several types, prefers one that
// the words name.
Suspect NamedIn(const Graph& graph, std::string_view words);

// Returns the operator that a rule belongs to (`CONV2D/ERROR_IF/3`); none for a rule of the graph.
Suspect SubjectOf(const Graph& graph, std::string_view rule);

}  // namespace assay
