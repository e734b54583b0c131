// SPDX-License-Identifier: Apache-2.0
// The module assay.native: the toolkit's functions for Python. The package's own modules
// (src/python/assay) give them their names, their types and their documentation.
#include <pybind11/pybind11.h>

#include "graph_functions.h"
#include "parallel.h"
#include "python_error.h"
#include "vector_functions.h"
#include "version.h"

PYBIND11_MODULE(native, module) {
  module.doc() = "The native library of the package assay, which its other modules use.";
  module.attr("version") = assay::kToolkitVersion;
  assay::python::DefineErrors(module);
  assay::python::DefineGraphFunctions(module);
  assay::python::DefineVectorFunctions(module);
  module.def(
      "set_threads", [](int threads) { assay::SetThreads(threads < 1 ? 1 : threads); },
      pybind11::arg("threads"),
      "Sets the number of threads that one execution may use. No result depends on it.");
}
