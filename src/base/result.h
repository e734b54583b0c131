// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "check.h"

namespace assay {

// The reason why an operation failed, in one line that names the culprit: `FILE: offset 12: what is
// wrong`.
struct Error {
  enum class Kind {
    kUsage,        // the command line; exit status 2
    kBadInput,     // a file or its content; exit status 2
    kUnsupported,  // understood, but this build or machine cannot; exit status 3
    kResource,     // disk full, no memory, no process; exit status 3
    kNoAnswer,     // a result that is computed elsewhere is not there yet; exit status 3
    kBadAnswer,    // a result that was computed elsewhere cannot be read; exit status 2
  };
  Kind kind = Kind::kBadInput;
  std::string message;
  // The rule that a graph breaks, if it cannot be read because it breaks one:
  // `graph/ERROR_IF/unique-names`. The message names it as well.
  std::string rule{};
};

// A value, or the Error that explains why there is none. The compiler warns if one is dropped.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}
  Result(Error error) : content_(std::move(error)) {}

  explicit operator bool() const { return content_.index() == 0; }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& value() {
    Check(content_.index() == 0, "value of a failed Result");
    return *std::get_if<0>(&content_);
  }
  const T& value() const {
    Check(content_.index() == 0, "value of a failed Result");
    return *std::get_if<0>(&content_);
  }
  const Error& error() const {
    Check(content_.index() == 1, "error of a successful Result");
    return *std::get_if<1>(&content_);
  }

 private:
  std::variant<T, Error> content_;
};

// The value of a Result that reports only success.
struct Done {};

inline Error BadInput(std::string message) { return {Error::Kind::kBadInput, std::move(message)}; }

inline Error UsageError(std::string message) { return {Error::Kind::kUsage, std::move(message)}; }

inline Error Unsupported(std::string message) {
  return {Error::Kind::kUnsupported, std::move(message)};
}

inline Error ResourceError(std::string message) {
  return {Error::Kind::kResource, std::move(message)};
}

// Returns the error of a file whose graph breaks `rule`: `MESSAGE (RULE)`.
inline Error BrokenRule(std::string message, std::string rule) {
  message += " (" + rule + ")";
  return {Error::Kind::kBadInput, std::move(message), std::move(rule)};
}

}  // namespace assay
