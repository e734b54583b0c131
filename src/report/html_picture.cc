// SPDX-License-Identifier: Apache-2.0
#include "html_picture.h"

#include <algorithm>

#include "html_text.h"

namespace assay {
namespace {

// The largest numbers of columns and elements for which every value is written out.
constexpr int64_t kColumnsWritten = 8;
constexpr int64_t kElementsWritten = 64;
// A histogram says nothing about fewer elements.
constexpr int64_t kHistogramMin = 17;

std::string UnitsText(const WrongElement& element) {
  if (!element.units) return "no number";
  return (*element.units > 0 ? "+" : "") + std::to_string(*element.units);
}

std::string_view ClassName(const WrongElement& element) {
  if (element.state == WrongElement::State::kUndecided) return "open";
  return element.state == WrongElement::State::kRight ? "right" : "off";
}

// Returns one sign for the difference, readable without colours.
std::string_view Sign(const WrongElement& element) {
  if (element.state == WrongElement::State::kUndecided) return "?";
  if (element.state == WrongElement::State::kRight) return "·";
  if (!element.units) return "✗";
  return *element.units > 0 ? "+" : "−";
}

// Returns a grid with text_of(element) in its cells.
template <class TextOf>
std::string Grid(const WrongElements& wrong, const std::string& caption, TextOf text_of) {
  std::string text = "<table class=\"grid\">" + Tagged("caption", "", caption) + "\n<tr>";
  for (size_t i = 0; i < wrong.elements.size(); ++i) {
    const WrongElement& element = wrong.elements[i];
    const auto at = static_cast<int64_t>(i);
    if (at > 0 && at % wrong.width == 0) text += "</tr>\n<tr>";
    const std::string title = "row " + std::to_string(wrong.row + at / wrong.width) + ", column " +
                              std::to_string(wrong.column + at % wrong.width) + ": expected " +
                              element.expected + ", got " + element.got + ", " + UnitsText(element);
    text += Tagged(
        "td", "class=\"" + std::string(ClassName(element)) + "\" title=\"" + Escaped(title) + "\"",
        text_of(element));
  }
  return text + "</tr>\n</table>\n";
}

std::string BinText(size_t bin) {
  if (bin == 0) return "no number";
  if (bin == 1) return "0";
  return "1" + std::string(bin - 2, '0') + " to " + std::string(bin - 1, '9');
}

std::string Histogram(const WrongElements& wrong) {
  if (wrong.rows * wrong.columns < kHistogramMin) return "";
  const int64_t largest = std::max<int64_t>(std::ranges::max(wrong.histogram), 1);
  std::string text =
      "<table class=\"histogram\"><caption>elements by the size of the difference</caption>\n";
  for (size_t bin = 0; bin < wrong.histogram.size(); ++bin) {
    const int64_t count = wrong.histogram[bin];
    if (count == 0) continue;
    text += "<tr>" + Tagged("th", "", BinText(bin)) + "<td>" + std::to_string(count) +
            "</td><td><span style=\"width:" + std::to_string(1 + count * 199 / largest) +
            "px\"></span></td></tr>\n";
  }
  return text + "</table>\n";
}

}  // namespace

std::string WrongElementsToHtml(const WrongElements& wrong) {
  const auto count = std::ssize(wrong.elements);
  const bool whole = count == wrong.rows * wrong.columns;
  std::string text = "<div class=\"picture\">\n<p class=\"soft\">elements of " +
                     Escaped(wrong.tensor) +
                     ", a row for each step along all axes but the last; differences in units of "
                     "the last place, or in ones of integers" +
                     (whole ? "" : "; only the part around the first wrong element") +
                     "</p>\n<div class=\"grids\">\n";
  if (count <= kElementsWritten && wrong.width <= kColumnsWritten) {
    text += Grid(wrong, "expected", [](const WrongElement& x) { return x.expected; });
    text += Grid(wrong, "got", [](const WrongElement& x) { return x.got; });
    text += Grid(wrong, "difference", [](const WrongElement& x) {
      const bool right = x.state == WrongElement::State::kRight && x.units == 0;
      return right ? "·" : UnitsText(x) + (x.state == WrongElement::State::kUndecided ? " ?" : "");
    });
  } else {
    text += Grid(wrong, "+ too large, − too small, ✗ wrong, ? undecided, · right",
                 [](const WrongElement& x) { return Sign(x); });
  }
  return text + Histogram(wrong) + "</div>\n</div>\n";
}

}  // namespace assay
