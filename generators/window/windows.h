// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "test_vector.h"

namespace assay {

// The limits of a search for windows.
struct WindowLimits {
  int operators_max = 4;  // of one window, at least 1
  // The connected sets of operators that are looked at from one operator; small sets come first.
  int64_t sets_max = 256;
};

// The position of an operator in a vector.
struct OperatorPlace {
  int32_t graph = 0;
  int32_t block = 0;  // position in Graph::Blocks()
  int32_t op = 0;     // position in Block::operators
  friend auto operator<=>(const OperatorPlace&, const OperatorPlace&) = default;
};

// A connected, convex part of a graph as a vector of one graph and one step.
struct Window {
  // Complete except for the expectation and what is computed from it: see ExpectWindow(). The
  // inputs are the values that the reference executor has there, with their types and shapes.
  TestVector vector;
  std::string operators;  // "CONV2D, CLAMP", in the order of execution
  int size = 0;           // the number of operators; constants do not count
  bool fused = false;     // AreFusedInPractice()
  int32_t step = 0;       // the first step of the whole vector that runs the window's graph
  // The operators of the window, and of all other windows that have the same identity.
  std::vector<OperatorPlace> stands_for;
  // Two windows are the same if their operators, types, attributes, shapes, connections and
  // compile-time constants are.
  std::string identity;
};

struct WindowList {
  std::vector<Window> windows;  // distinct, in the order of FusedFirst()
  int64_t found = 0;            // repetitions included
  int64_t cut_short = 0;        // operators at which WindowLimits::sets_max was reached
};

// Returns the windows of the operators of a vector that the reference executor runs to their end,
// in all blocks. Control flow, operators on variables, and operators that compute shapes are in no
// window. The list depends on the arguments only.
WindowList FindWindows(const TestVector& vector, const WindowLimits& limits = {});

// Sorts windows: those that are fused in practice come first, and small ones before large ones.
void FusedFirst(std::vector<Window>& windows);

// Fills in the expectation of a window, and its requirements and tags. Returns false, and why in
// `reason`, if the window must not be emitted: Expect() refuses it, it is not valid, or no sound
// rule reaches any element of its outputs.
bool ExpectWindow(Window& window, std::string* reason = nullptr);

// Returns true if an expectation decides every element.
bool IsFullyDecided(const Expectation& expectation);

// Returns the error above which an element of a float tensor says little: a sixteenth of the
// tensor's largest expected magnitude.
double VagueError(const Expectation& expectation);

// Returns true if an expectation leaves an element undecided or says little about it.
bool IsVague(const Expectation& expectation);

// Returns true if the expectation of a vector decides every element of its outputs.
bool IsFullyDecided(const TestVector& vector);

// Returns the operators of all blocks of the vector, except constants.
std::vector<OperatorPlace> WorkingPlaces(const TestVector& vector);

}  // namespace assay
