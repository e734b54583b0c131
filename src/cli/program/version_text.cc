// SPDX-License-Identifier: Apache-2.0
#include "version_text.h"

#include "commit.h"
#include "formats.h"
#include "version.h"

namespace assay {
namespace {

// Returns the compiler and what is special about the build.
std::string BuildText() {
#if defined(__clang__)
  std::string text = "built with clang " __clang_version__;
#else
  std::string text = "built with g++ " __VERSION__;
#endif
#if !defined(__OPTIMIZE__)
  text += ", not optimized";
#endif
  return text;
}

std::string FormatsText() {
  std::string text = "formats:";
  for (const Format& format : formats::kAll) {
    text += "\n  " + std::string(format.name) + " " + std::to_string(format.version);
    if (format.oldest < format.version) text += ", reads from " + std::to_string(format.oldest);
  }
  return text;
}

}  // namespace

std::string VersionText() {
  return "assay " + std::string(kToolkitVersion) + " (TOSA 1.0)\ncommit " + kCommit + "\n" +
         BuildText() + "\nspecification: TOSA " + std::string(kSpecification) + "\n" +
         FormatsText();
}

}  // namespace assay
