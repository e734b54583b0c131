// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "folding.h"
#include "folding_fault.h"

namespace assay {

// The functions of FoldChange. AllFoldFaults() says which fault each of them makes.

void ShiftArguments(UnfoldedGraph& input);
void TakeRuntimeForCompileTime(UnfoldedGraph& input);
void DropSizePolicy(UnfoldedGraph& input);
void TakeCustomForPure(UnfoldedGraph& input);
void DropTimesZero(UnfoldedGraph& input);
void DropMinusItself(UnfoldedGraph& input);
void ReadInitialValues(UnfoldedGraph& input);
void HoistAll(UnfoldedGraph& input);

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
