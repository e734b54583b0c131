// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace assay {

// Compares a text with a file of the tree. If ASSAY_BLESS is set (scripts/bless), writes the file
// instead.
inline void ExpectFile(const std::string& name, const std::string& text) {
  const std::string path = std::string(ASSAY_SOURCE_DIR) + "/" + name;
  if (std::getenv("ASSAY_BLESS") != nullptr) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    ASSERT_TRUE(file.flush()) << path;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  std::stringstream golden;
  golden << file.rdbuf();
  // Both texts would fill the screen, so only the first line that differs is shown.
  std::istringstream expected(golden.str()), got(text);
  std::string expected_line, line;
  int number = 1;
  for (; std::getline(expected, expected_line) && std::getline(got, line); ++number) {
    if (expected_line != line) break;
  }
  EXPECT_TRUE(golden.str() == text) << path << ":" << number << ": differs\n- " << expected_line
                                    << "\n+ " << line << "\nif it is meant to, run scripts/bless";
}

// Does so with tests/report/golden/NAME.
inline void ExpectGolden(const std::string& name, const std::string& text) {
  ExpectFile("tests/report/golden/" + name, text);
}

}  // namespace assay
