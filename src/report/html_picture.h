// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "wrong_elements.h"

namespace assay {

// Returns a picture of wrong elements. Few elements are shown in three grids: expected, got and the
// difference. Many are shown in one grid of signs, with a histogram of the differences. Each cell
// has its values in its title.
std::string WrongElementsToHtml(const WrongElements& wrong);

}  // namespace assay
