// SPDX-License-Identifier: Apache-2.0
// Tests that commands on large files notice when somebody else changes the file.
#include "block_builder.h"
#include "mapped_file.h"
#include "npy_file.h"
#include "run_assay.h"
#include "tosa_file.h"

namespace assay::cli_mapped_test {
namespace {

// A graph whose constant takes more than kMappedBytesMin, and a pipe for its input. `assay run` has
// mapped the graph, and not yet read the constant, when it waits for the pipe.
class MappedModel : public Cli {
 protected:
  MappedModel() {
    const int32_t rows = 1024, columns = 1024;
    BlockBuilder b;
    const TensorIndex x = b.Input("fp32[1024,1]");
    const std::string text = "fp32[" + std::to_string(rows) + "," + std::to_string(columns) + "]";
    const TensorIndex weight = b.Constant(text + "{1.5}");
    b.Outputs({b.Add(Op::kAdd, {weight, x}, text)});
    const std::vector<uint8_t> bytes = WriteTosa(GraphOf({b.block}));
    EXPECT_GT(std::ssize(bytes), kMappedBytesMin);
    EXPECT_TRUE(WriteFileAtomically(Path("m.tosa"), bytes));
    const std::vector<double> ones(static_cast<size_t>(rows), 1);
    EXPECT_TRUE(WriteFileAtomically(Path("x.npy"),
                                    WriteNpy(Tensor::FromFloats(DType::kFp32, {rows, 1}, ones))));
  }

  // Runs the graph. Does `change` while `assay run` waits for its input, after it has mapped the
  // graph.
  Ran RunWith(const std::string& change) {
    return RunShell(
        "mkfifo pipe; $ASSAY run m.tosa --input t0=pipe & assay=$!; timeout 60 sh -c 'exec 3> "
        "pipe; " +
        change + "; cat x.npy >&3'; wait $assay");
  }
};

TEST_F(MappedModel, RunsIfNothingChanges) {
  const Ran ran = RunWith("true");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_NE(ran.output.find("{2.5,2.5,"), std::string::npos) << ran.output;
}

TEST_F(MappedModel, IsNamedIfItIsCut) {
  const Ran ran = RunWith("truncate -s 5000 m.tosa");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.errors,
            "assay: m.tosa: the file was cut while it was read; run the command again\n");
}

TEST_F(MappedModel, IsNamedIfItIsChanged) {
  const Ran ran = RunWith("printf x | dd of=m.tosa bs=1 seek=2000000 conv=notrunc 2> log");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.errors,
            "assay: m.tosa: the file was changed while it was used; run the command again\n");
}

TEST_F(MappedModel, MayBeReplaced) {
  const Ran ran = RunWith("cp m.tosa other; mv other m.tosa");
  EXPECT_EQ(ran.status, 0) << ran.errors;
}

}  // namespace
}  // namespace assay::cli_mapped_test
