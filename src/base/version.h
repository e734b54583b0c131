#pragma once

#include <string_view>

namespace assay {

// The toolkit's own version, as in CMakeLists.txt; it is written into every vector and report.
inline constexpr std::string_view kToolkitVersion = "0.1.0";

}  // namespace assay
