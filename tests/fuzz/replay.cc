// SPDX-License-Identifier: Apache-2.0
// Passes every file of the given folders to a fuzz target, in order. This is a test that needs no
// fuzzer.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "files.h"
#include "fuzz_target.h"

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      if (entry.is_regular_file()) paths.push_back(entry.path().string());
    }
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) {
      const assay::Result<std::vector<uint8_t>> bytes = assay::ReadFile(path);
      if (!bytes) {
        std::fprintf(stderr, "%s\n", bytes.error().message.c_str());
        return EXIT_FAILURE;
      }
      std::fprintf(stderr, "%s\n", path.c_str());  // the last line names what ends the program
      LLVMFuzzerTestOneInput(bytes->data(), bytes->size());
      ++files;
    }
  }
  std::fprintf(stderr, "%d files\n", files);
  return files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
