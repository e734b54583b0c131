// SPDX-License-Identifier: Apache-2.0
// Tests that the committed schemas are those of the tables by which reports are written.
#include "golden.h"
#include "json_lines.h"
#include "model_report.h"
#include "run_comparison.h"

namespace assay {
namespace {

TEST(JsonSchemas, OfReportsIsThatOfTheirRecords) {
  ExpectFile("src/report/report.schema.json", ReportSchema());
}

TEST(JsonSchemas, OfModelsIsThatOfTheirRecords) {
  ExpectFile("src/model/model.schema.json", ModelSchema());
}

TEST(JsonSchemas, OfComparisonsIsThatOfTheirRecords) {
  ExpectFile("src/report/comparison.schema.json", ComparisonSchema());
}

}  // namespace
}  // namespace assay
