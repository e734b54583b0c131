// SPDX-License-Identifier: Apache-2.0
#include "html_text.h"

#include "clean_text.h"

namespace assay {

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (char c : CleanText(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string Tagged(const std::string& tag, const std::string& attributes, std::string_view text) {
  return "<" + tag + (attributes.empty() ? "" : " " + attributes) + ">" + Escaped(text) + "</" +
         tag + ">";
}

}  // namespace assay
