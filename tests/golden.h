#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace assay {

// Compares with tests/golden/NAME; with ASSAY_BLESS set (scripts/bless) writes that file instead.
inline void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = std::string(ASSAY_SOURCE_DIR) + "/tests/golden/" + name;
  if (std::getenv("ASSAY_BLESS") != nullptr) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    ASSERT_TRUE(file.flush()) << path;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(golden.str(), text) << path << " differs; if it is meant to, run scripts/bless";
}

}  // namespace assay
