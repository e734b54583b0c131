#pragma once

#include <string_view>

#include "graph.h"
#include "verdict.h"

namespace assay {

// The operator that a finding names, with its CharacteristicType.
struct Suspect {
  Op op = Op::kUnknown;
  DType type = DType::kUnknown;
};

// The producer of output number `output` of the main block. An output that nothing produces (an
// input handed through) has no operator, only a type.
Suspect ProducerOf(const Graph& graph, size_t output);

// Makes a finding about output number `output` name it and its producer.
void Blame(Finding& finding, const Graph& graph, size_t output);

// The operator that sets the variable: VARIABLE_WRITE, else VARIABLE, else (older form) IDENTITY.
Suspect WriterOf(const Graph& graph, std::string_view variable);

// Who is meant when a backend refuses or crashes: the operator of the graph that its words name
// ("'tosa.conv2d' op ...", "CONV2D"), else the only one of the main block that is no constant, else
// none.
Suspect NamedIn(const Graph& graph, std::string_view words);

// The operator that a rule belongs to (`CONV2D/ERROR_IF/3`), none for a rule of the graph.
Suspect SubjectOf(const Graph& graph, std::string_view rule);

}  // namespace assay
