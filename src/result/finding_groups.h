// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report.h"

namespace assay {

// Findings that likely have one cause. What counts is what happened, not the operators and types
// that it happened to:
// - Refusals, crashes and time-outs of one compiler pass, or with one message, are a group. Names
// of
//   operators, element types and numbers in the message do not count.
// - Wrong results are a group if one operator gives them alone (FindingCause::alone), in whatever
//   type and inside whatever graph. Wrong NaNs and infinities are apart, unless numbers of that
//   operator are wrong as well.
// - What goes wrong in a graph with control flow, of which no operator is known to be wrong alone,
//   belongs to the first of its operators that is wrong elsewhere.
// - Wrong results of several operators are one group if one canary gives them all: a fault in
//   something that the operators share, such as broadcasting or zero points.
// - Subnormal numbers that become zero are a group, unless each of the operators that do so gives
//   other wrong numbers as well.
// - Wrong results that need constants are apart from those that do not: they come from folding.
// - Invalid graphs that were accepted are a group if the backend refuses nothing. If not, each rule
//   is one. If only a nested block breaks the rule, the group is that of the control flow around
//   it, should its results be wrong as well: the block may never have been run.
// - Findings on vectors that are wrong only after other vectors are a group if those have the same
//   operators.
// - Wrong results of graphs whose operators are all right alone, and that have variables, are a
//   group.
struct FindingGroup {
  // Readable, and the same in every run that finds this cause: "sub-wrong-number-1a2b3c4d".
  std::string name;
  std::string title;  // "SUB: wrong number"
  // Positions. Those that are not known come first, of these the one with the smallest graph.
  std::vector<size_t> findings;
};

// The place of a finding in the groups: the name of its group, and LikelyWrong().
struct GroupPlace {
  std::string group;
  std::vector<OperatorUse> operators = {};
};

// Returns the operators that are likely wrong: the one that is wrong alone, or that the finding
// blames, or those of its smallest graph, without types. Returns none if none is known.
std::vector<OperatorUse> LikelyWrong(const ReportedFinding& reported);

// Returns the places of findings in their groups, by position.
std::vector<GroupPlace> PlacesInGroups(const std::vector<ReportedFinding>& findings);

// Groups findings. Groups are in the order of their first finding, those on implied errors last.
std::vector<FindingGroup> GroupByCause(const std::vector<ReportedFinding>& findings);

// Returns the number of vectors that show a finding of the group.
int64_t SeenBy(const FindingGroup& group, const std::vector<ReportedFinding>& findings);

// Tells whether a file of known failures names every finding of the group.
bool IsKnown(const FindingGroup& group, const std::vector<ReportedFinding>& findings);

}  // namespace assay
