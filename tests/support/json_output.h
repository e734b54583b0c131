// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "json_text.h"

namespace assay {

inline std::ostream& operator<<(std::ostream& out, const Json& json) {
  return out << JsonText(json);
}

}  // namespace assay
