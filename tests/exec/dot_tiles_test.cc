// SPDX-License-Identifier: Apache-2.0
// Computes tiles of dot products with all instructions of this machine. The sums must be the same.
#include "dot_tiles.h"

#include <gtest/gtest.h>

#include <vector>

#include "random.h"

namespace assay::dot_tiles_test {
namespace {

std::vector<DotInstructions> AllInstructions() {
  std::vector<DotInstructions> all;
  for (auto i = DotInstructions::kBaseline; i <= BestDotInstructions();
       i = static_cast<DotInstructions>(static_cast<int>(i) + 1)) {
    all.push_back(i);
  }
  return all;
}

constexpr int64_t kSize = 37;

// Sums floats, whose products are exact, or numbers of more bits, whose products are not.
void SumRealsInOneOrder(bool exact) {
  Random random(1);
  for (const DotInstructions instructions : AllInstructions()) {
    for (int64_t lanes = kRealLaneUnit; lanes <= RealLanes(instructions); lanes += kRealLaneUnit) {
      for (size_t rows = 1; rows <= 13; ++rows) {
        std::vector<double> elements(rows * kSize);
        std::vector<double> panel(static_cast<size_t>(kSize * lanes));
        // Products of floats of different sizes, so that the order matters.
        for (auto* numbers : {&elements, &panel}) {
          for (double& x : *numbers) {
            x = static_cast<double>(random.Between(-1000, 1000)) * (random.OneIn(2) ? 1e20f : 1);
            x = exact ? static_cast<float>(x) : x / 3;
          }
        }
        // Two runs of each row, with a gap between them.
        std::vector<std::array<ProductRun, 2>> runs(rows);
        std::vector<const ProductRun*> runs_of(rows);
        for (size_t r = 0; r < rows; ++r) {
          const auto row = static_cast<int64_t>(r) * kSize;
          runs[r] = {ProductRun{row, 0, 20}, ProductRun{row + 21, 22, 15}};
          runs_of[r] = runs[r].data();
        }
        std::vector<double> sums(rows * static_cast<size_t>(lanes));
        SumReals(instructions,
                 {elements.data(), runs_of.data(), 2, panel.data(), lanes, sums.data(), exact},
                 rows);
        for (size_t r = 0; r < rows; ++r) {
          for (int64_t lane = 0; lane < lanes; ++lane) {
            double sum = 0;
            for (const ProductRun& run : runs[r]) {
              for (int64_t i = 0; i < run.count; ++i) {
                sum += elements[static_cast<size_t>(run.row + i)] *
                       panel[static_cast<size_t>((run.column + i) * lanes + lane)];
              }
            }
            ASSERT_EQ(sums[r * static_cast<size_t>(lanes) + static_cast<size_t>(lane)], sum)
                << static_cast<int>(instructions) << " " << lanes << " " << rows;
          }
        }
      }
    }
  }
}

TEST(DotTiles, SumExactProductsInOneOrder) { SumRealsInOneOrder(true); }

TEST(DotTiles, SumRoundedProductsInOneOrder) { SumRealsInOneOrder(false); }

TEST(DotTiles, SumIntegers) {
  Random random(2);
  constexpr int64_t kPairs = 19;
  for (const DotInstructions instructions : AllInstructions()) {
    for (int64_t lanes = kIntegerLaneUnit; lanes <= IntegerLanes(instructions);
         lanes += kIntegerLaneUnit) {
      for (size_t rows = 1; rows <= 13; ++rows) {
        std::vector<int16_t> elements(rows * 2 * kPairs);
        std::vector<int16_t> panel(static_cast<size_t>(kPairs * lanes * 2));
        for (auto* numbers : {&elements, &panel}) {
          for (int16_t& x : *numbers) x = static_cast<int16_t>(random.Between(-255, 255));
        }
        std::vector<int32_t> sums(rows * static_cast<size_t>(lanes));
        SumIntegers(instructions,
                    {elements.data(), 2 * kPairs, kPairs, panel.data(), lanes, sums.data()}, rows);
        for (size_t r = 0; r < rows; ++r) {
          for (int64_t lane = 0; lane < lanes; ++lane) {
            int32_t sum = 0;
            for (int64_t i = 0; i < 2 * kPairs; ++i) {
              sum += elements[r * 2 * kPairs + static_cast<size_t>(i)] *
                     panel[static_cast<size_t>((i / 2 * lanes + lane) * 2 + i % 2)];
            }
            ASSERT_EQ(sums[r * static_cast<size_t>(lanes) + static_cast<size_t>(lane)], sum)
                << static_cast<int>(instructions) << " " << lanes << " " << rows;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay::dot_tiles_test
