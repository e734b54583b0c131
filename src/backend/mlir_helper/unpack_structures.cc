// SPDX-License-Identifier: Apache-2.0
#include "unpack_structures.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

namespace assay {
namespace {

constexpr unsigned kIndexBits = 64;

// Tells whether the instruction reads a structure or computes with indices. Elements of i64 do not
// exist in TOSA. Those of i48 are computed in 64 bits, and an identity such as `x * 1 = x` changes
// none of their results.
bool IsOfDescriptors(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::ExtractValueInst>(instruction)) return true;
  return llvm::isa<llvm::BinaryOperator>(instruction) &&
         instruction.getType()->isIntegerTy(kIndexBits);
}

void UnpackStructures(llvm::Function& function, const llvm::DataLayout& layout) {
  llvm::SmallVector<llvm::WeakTrackingVH> replaced;
  const llvm::SimplifyQuery query(layout);
  const llvm::ReversePostOrderTraversal<llvm::Function*> blocks(&function);
  for (llvm::BasicBlock* block : blocks) {
    for (llvm::Instruction& instruction : *block) {
      if (!IsOfDescriptors(instruction)) continue;
      llvm::Value* const simpler = llvm::simplifyInstruction(&instruction, query);
      if (simpler == nullptr) continue;
      instruction.replaceAllUsesWith(simpler);
      replaced.emplace_back(&instruction);
    }
  }
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
}

}  // namespace

void UnpackStructures(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) UnpackStructures(function, module.getDataLayout());
  }
}

}  // namespace assay
