// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "graph.h"

namespace assay {

// Groups of float operators that networks consist of and backends fuse: "softmax", "GELU by ERF".

// Returns the names of all idioms, each once.
std::vector<std::string_view> AllFloatIdioms();

// Finds the idioms of a graph by their structure, whoever made the graph. Returns them by the
// operator that gives their result.
std::map<const Operator*, std::vector<std::string_view>> FloatIdiomsOf(const Graph& graph);

}  // namespace assay
