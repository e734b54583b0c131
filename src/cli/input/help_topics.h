// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace assay {

// A page of `assay help` that is about no command: a list that several commands share.
struct HelpTopic {
  std::string_view name;
  std::string (*text)();
};
std::span<const HelpTopic> AllHelpTopics();

}  // namespace assay
