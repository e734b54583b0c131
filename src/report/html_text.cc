// SPDX-License-Identifier: Apache-2.0
#include "html_text.h"

#include "clean_text.h"
#include "quoted.h"

namespace assay {

std::string Escaped(std::string_view text) { return XmlEscaped(CleanText(text)); }

std::string Tagged(const std::string& tag, const std::string& attributes, std::string_view text) {
  return "<" + tag + (attributes.empty() ? "" : " " + attributes) + ">" + Escaped(text) + "</" +
         tag + ">";
}

}  // namespace assay
