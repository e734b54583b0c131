// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend.h"
#include "campaign.h"
#include "command_line.h"
#include "known_options.h"
#include "model_source.h"
#include "past_options.h"
#include "target_options.h"

namespace assay {

// Declares the options of the rooms below the command line.

// Declares `--match`.
void AddMatchOption(CommandLine& line, std::string& text);
// Declares --function NAME, the function of an MLIR file that has several.
void AddFunctionOption(CommandLine& line, std::string& function);
// Declares `--shape`.
void AddShapeOption(CommandLine& line, std::vector<std::string>& shapes);
void AddDrawMissingOption(CommandLine& line, bool& draw_missing);
// Declares `--function`, `--shape`, `--input`, `--samples`, `--seed`, `--weights` and `--level`.
void AddModelOptions(CommandLine& line, ModelOptions& options);
// Declares `--known` and `--today`.
void AddKnownOptions(CommandLine& line, KnownOptions& options);
// Declares `--update-known` as well.
void AddKnownOptionsWithUpdate(CommandLine& line, KnownOptions& options);
// Declares `--since` and `--history`.
void AddPastOptions(CommandLine& line, PastOptions& options);
// Declares `--record` and `--next`, which set BackendOptions.
void AddRecordedOptions(CommandLine& line, BackendOptions& options);
// Declares the options that determine generated cases.
void AddCampaignOptions(CommandLine& line, CampaignOptions& options);
// Declares `--target`, `--op`, `--type`, `--max-rank` and `--max-elements`.
void AddTargetOptions(CommandLine& line, TargetOptions& options);
// Declares the shortcuts alone.
void AddTargetShortcuts(CommandLine& line, TargetOptions& options);

}  // namespace assay
