// SPDX-License-Identifier: Apache-2.0
#include "python_error.h"

#include <stdexcept>
#include <string>

namespace assay::python {
namespace {

namespace py = pybind11;

// pybind11 turns each of them into the Python exception that is registered for it.
struct AssayException : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct BadInputException : AssayException {
  using AssayException::AssayException;
};
struct LimitReachedException : AssayException {
  using AssayException::AssayException;
};

}  // namespace

void DefineErrors(py::module_& module) {
  auto& base = py::register_exception<AssayException>(module, "AssayError", PyExc_Exception);
  base.doc() = "The base of all exceptions of the native library. The text is one line.";
  const py::object bad_input_bases = py::make_tuple(base, py::handle(PyExc_ValueError));
  py::register_exception<BadInputException>(module, "BadInput", bad_input_bases).doc() =
      "Raised for an argument or a file that cannot be used. The text names the culprit.";
  py::register_exception<LimitReachedException>(module, "LimitReached", base).doc() =
      "Raised if a limit of Assay or of the machine was reached, or if something is not installed.";
}

void Raise(const Error& error) {
  switch (error.kind) {
    case Error::Kind::kUsage:
    case Error::Kind::kBadInput:
    case Error::Kind::kBadAnswer:
      throw BadInputException(error.message);
    case Error::Kind::kUnsupported:
    case Error::Kind::kResource:
    case Error::Kind::kNoAnswer:
      break;
  }
  throw LimitReachedException(error.message);
}

}  // namespace assay::python
