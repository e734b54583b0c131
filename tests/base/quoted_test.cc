// SPDX-License-Identifier: Apache-2.0
#include "quoted.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "random.h"
#include "sha256.h"

namespace assay::quoted_test {
namespace {

TEST(Quoted, ShellWordsAreTakenApartAsTheyWerePutTogether) {
  EXPECT_EQ(ShellWords("assay  verify 'a b'"),
            (std::vector<std::string>{"assay", "verify", "a b"}));
  EXPECT_EQ(ShellWords("'' 'it'\\''s'"), (std::vector<std::string>{"", "it's"}));
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::string> words(random.Below(5));
    std::string line;
    for (std::string& word : words) {
      for (uint64_t left = random.Below(6); left > 0; --left) word += "a'\\ \"$"[random.Below(6)];
      line += (line.empty() ? "" : " ") + ShellWord(word);
    }
    EXPECT_EQ(ShellWords(line), words) << line;
  }
}

TEST(Sha256, OfPartsIsThatOfTheWhole) {
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256Sum sum;
  sum.Add("a");
  EXPECT_EQ(sum.Digits(), Sha256("a"));
  sum.Add("bc");
  EXPECT_EQ(sum.Digits(), Sha256("abc"));
}

}  // namespace
}  // namespace assay::quoted_test
