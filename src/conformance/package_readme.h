// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "conformance_package.h"
#include "coverage_table.h"

namespace assay {

// Returns README.md of a package: its files, how to use them with and without Assay, what its
// vectors reach of the specification and what they do not.
std::string PackageReadme(const ConformancePackage& package,
                          std::span<const CoverageGroup> coverage, bool arm);

}  // namespace assay
