#include "quoted.h"

namespace assay {

std::string Quoted(std::string_view name) {
  constexpr size_t kLengthMax = 80;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "\"";
  for (char c : name.substr(0, kLengthMax)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e || c == '"' || c == '\\') {
      text += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      text += c;
    }
  }
  if (name.size() > kLengthMax) text += "...";
  return text + '"';
}

}  // namespace assay
