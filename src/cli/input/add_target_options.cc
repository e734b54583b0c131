// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "command_line.h"
#include "target_options.h"

namespace assay {

void AddTargetShortcuts(CommandLine& line, TargetOptions& options) {
  line.Add(
          "--op", options.operators,
          "operators of the target, separated by commas: CONV2D,ADD; constants always belong to it")
      .TakeAll()
      .SplitAtCommas()
      .ShowValueAs("OP[,OP]");
  line.Add("--type", options.types,
           "types of the target, separated by commas: i8,fp32. The type of an operator is that of "
           "its first input")
      .TakeAll()
      .SplitAtCommas()
      .ShowValueAs("TYPE[,TYPE]");
  line.Add("--max-rank", options.rank_max, "greatest rank of a tensor in the target")
      .Between(1, 32);
  line.Add("--max-elements", options.elements_max,
           "greatest number of elements of a tensor in the target")
      .Between(1, std::numeric_limits<int64_t>::max());
}

void AddTargetOptions(CommandLine& line, TargetOptions& options) {
  line.Add("--target", options.file,
           "file that describes a target (src/target/README.md). Vectors and layers outside "
           "of it, or outside of the target that the options below make, are left out");
  AddTargetShortcuts(line, options);
}

}  // namespace assay
