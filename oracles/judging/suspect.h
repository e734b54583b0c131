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

// Returns the operator that a backend means when it refuses or crashes: the first one of the graph
// that its words name ("'tosa.conv2d' op ...", "CONV2D of fp8e4m3"), else the only one of the main
// block that is no constant. Without such evidence there is none: any operator may be at fault. A
// word that is also one of English ("add", "const") names none unless it is written "tosa.add" or
// "ADD". Of the types in which the graph holds the operator, one that the words name is preferred.
Suspect NamedIn(const Graph& graph, std::string_view words);

// The operator that a rule belongs to (`CONV2D/ERROR_IF/3`), none for a rule of the graph.
Suspect SubjectOf(const Graph& graph, std::string_view rule);

}  // namespace assay
