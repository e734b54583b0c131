// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "assay.h"
#include "result.h"

namespace assay::api {

// The boundary of the library: errors become statuses, and no exception passes.

// Thrown where another program of the toolkit would end: an invariant of Assay is broken. (It is no
// std::exception, so that no handler between takes it for a lack of memory.)
struct Defect {
  std::string what;
};

// The default floating-point mode, from the constructor to the destructor. A program may run with
// another rounding, or with subnormals flushed to zero.
class DefaultFloats {
 public:
  DefaultFloats() noexcept {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloats() { std::fesetenv(&before_); }
  DefaultFloats(const DefaultFloats&) = delete;
  DefaultFloats& operator=(const DefaultFloats&) = delete;

 private:
  std::fenv_t before_;
};

// The floating-point mode of the caller, if it is made before DefaultFloats.
class CallersFloats {
 public:
  CallersFloats() noexcept { std::fegetenv(&mode_); }
  // Calls a function of the caller in that mode.
  template <class Function>
  auto Call(const Function& function) const {
    std::fesetenv(&mode_);
    const auto value = function();
    std::fesetenv(FE_DFL_ENV);
    return value;
  }

 private:
  std::fenv_t mode_;
};

// Writes a message, cut off if it is too long; `error` may be null.
void SetError(assay_error* error, std::string_view text) noexcept;

assay_status StatusOf(const Error& error) noexcept;

// Returns the Error of an argument that cannot be used.
inline Error BadArgument(std::string message) { return {Error::Kind::kUsage, std::move(message)}; }
inline Error NullPointer(const char* argument) {
  return BadArgument(std::string(argument) + ": is a null pointer");
}
// Returns the Error "step 3: the vector has 2".
Error BeyondList(const char* what, size_t index, const char* owner, size_t count);

// Calls body(), which returns a Result<assay_status>, in the default floating-point mode. Returns
// its status, with the message in `error`.
template <class Body>
assay_status Guarded(assay_error* error, Body&& body) noexcept {
  const DefaultFloats floats;
  SetError(error, "");
  try {
    const Result<assay_status> status = body();
    if (status) return *status;
    SetError(error, status.error().message);
    return StatusOf(status.error());
  } catch (const Defect& defect) {
    SetError(error, defect.what);
  } catch (const std::bad_alloc&) {
    SetError(error, "out of memory");
    return ASSAY_LIMIT;
  } catch (const std::exception& exception) {
    SetError(error, exception.what());
  } catch (...) {
    SetError(error, "a function of the caller has thrown an exception");
  }
  return ASSAY_DEFECT;
}

// Does the same for a body that returns the Result of a new handle, which is called `name` in
// messages. A null handle is ASSAY_NOTHING.
template <class Handle, class Body>
assay_status Making(const char* name, Handle** made, assay_error* error, Body&& body) noexcept {
  return Guarded(error, [&]() -> Result<assay_status> {
    if (made == nullptr) return NullPointer(name);
    *made = nullptr;
    Result<std::unique_ptr<Handle>> result = body();
    if (!result) return result.error();
    *made = result->release();
    return *made == nullptr ? ASSAY_NOTHING : ASSAY_OK;
  });
}

// Does the same for a body that returns the Result of a value.
template <class Value, class Body>
assay_status Giving(const char* name, Value* given, assay_error* error, Body&& body) noexcept {
  return Guarded(error, [&]() -> Result<assay_status> {
    if (given == nullptr) return NullPointer(name);
    *given = Value();
    Result<Value> result = body();
    if (!result) return result.error();
    *given = *result;
    return ASSAY_OK;
  });
}

}  // namespace assay::api
