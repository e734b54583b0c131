// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "folding.h"
#include "folding_fault.h"

namespace assay {

// The functions of FoldChange. AllFoldFaults() says which fault each of them makes.

void ShiftArguments(FoldInput& input);
void TakeRuntimeForCompileTime(FoldInput& input);
void DropSizePolicy(FoldInput& input);
void TakeCustomForPure(FoldInput& input);
void DropTimesZero(FoldInput& input);
void DropMinusItself(FoldInput& input);
void ReadInitialValues(FoldInput& input);
void HoistAll(FoldInput& input);

void DropConstants(Folding& folding);
void ExchangeResults(Folding& folding);
void ShareByType(Folding& folding);
void ForgetCachedOutputs(Folding& folding);
void LoseAttributes(Folding& folding);
void ChangeResultTypes(Folding& folding);
void VaryOrder(Folding& folding);
void CountElements(Folding& folding);
void CountNoSubBytes(Folding& folding);

}  // namespace assay
