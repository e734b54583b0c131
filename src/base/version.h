// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace assay {

// The version of Assay, as in CMakeLists.txt. It is written into every vector and report.
inline constexpr std::string_view kToolkitVersion = "0.1.0";

}  // namespace assay
