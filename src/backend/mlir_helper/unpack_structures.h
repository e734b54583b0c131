// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class Module;
}

namespace assay {

// Makes every function use the parts of the structures that it builds, in place of the structures,
// and folds the addresses that this makes constant. The lowering describes each tensor by such a
// structure, and LLVM's fast instruction selection does not take them. Nothing else is changed: no
// operation on elements, no load and no store.
void UnpackStructures(llvm::Module& module);

}  // namespace assay
