// SPDX-License-Identifier: Apache-2.0
// The messages between `assay` and `assay-mlir-helper`, over the helper's standard input and
// output: one frame (frame.h) per message. Both sides include this header, which needs only the
// standard library.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace assay::mlir_message {

// Each tensor of Request::shared starts at a multiple of this many bytes, a page.
inline constexpr uint64_t kSharedAlignment = 4096;

// One module to run. The module holds a function @main over ranked tensors of static shape.
struct Request {
  std::string module;         // MLIR text, or bytecode
  std::string name;           // the name of the module's file, for `places`
  bool normalize = false;     // true: only write the module as `assay` reads it; nothing runs
  bool draw_missing = false;  // true: constants without data get elements that are drawn
  uint64_t seed = 0;          // of these
  std::string rewrite;        // pass pipeline applied first, `builtin.module(...)`; empty: none
  bool custom_form = false;   // true: `rewritten` is in the form that people read
  std::string lowering;       // pass pipeline to the LLVM dialect; empty: the helper's own
  std::string c_compiler;     // C compiler, to run the module through EmitC; empty: JIT
  bool execute = true;        // false: only rewrite
  bool alone = false;         // true: run in a process that has run no other request
  uint32_t optimization = 0;  // of the compiler, 0-3
  uint32_t wall_ms = 20000;   // the case is killed after that long
  uint32_t cpu_seconds = 20;  // of processor time; the same
  uint32_t memory_mib = 4096;
  // The arguments of @main for each invocation: little-endian, row-major. An element has the size
  // in which MLIR stores it: 1 byte for i1 and i4, 8 bytes for i48.
  std::vector<std::vector<std::string>> calls;
  // A file with the last arguments of @main, which are the same for each invocation. Empty: none.
  std::string shared;

  // Returns the fields of a request, in the order in which they are sent.
  static auto Fields(auto& request) {
    return std::tie(request.module, request.name, request.normalize, request.draw_missing,
                    request.seed, request.rewrite, request.custom_form, request.lowering,
                    request.c_compiler, request.execute, request.alone, request.optimization,
                    request.wall_ms, request.cpu_seconds, request.memory_mib, request.calls,
                    request.shared);
  }
};

enum class Stage : uint32_t {
  kOk = 0,
  kParse = 1,     // the module was refused by the parser or the verifier
  kRewrite = 2,   // refused by a pass of `rewrite`
  kLowering = 3,  // refused by a pass of `lowering`
  kJit = 4,       // the LLVM dialect could not be translated or compiled
  kData = 5,      // our own mistake: inputs do not fit @main
  kCrashed = 6,   // died of a signal
  kTimedOut = 7,  // exceeded `wall_ms` or `cpu_seconds`
};

// The result of a request. At any stage, `calls` holds the calls that were completed.
struct Reply {
  Stage stage = Stage::kOk;
  std::string detail;     // diagnostics, or the signal and the last line the compiler printed
  std::string phase;      // the last one: parse, rewrite, lowering, emitc, jit, `c_compiler`, run
  std::string pass;       // the last pass entered, by its command line name
  std::string pattern;    // the rewrite pattern at work at the end, a C++ class name; empty: none
  std::string operation;  // the operation it was tried on, or the pass ran on
  std::string stack;      // of a crash: the innermost functions with a name, mangled, one per line
  // Distinct lines, in order: `pass: pattern` for each pattern of `rewrite` that changed the
  // module, and `pass` for each pass that changed the module without a pattern.
  std::string applied;
  std::string rewritten;  // after `rewrite` or normalized, MLIR generic form
  // The places of the operations of a normalized module, in the order of its text: "FILE:LINE", or
  // empty.
  std::vector<std::string> places;
  std::vector<std::vector<std::string>> calls;  // results of @main, per invocation

  static auto Fields(auto& reply) {
    return std::tie(reply.stage, reply.detail, reply.phase, reply.pass, reply.pattern,
                    reply.operation, reply.stack, reply.applied, reply.rewritten, reply.places,
                    reply.calls);
  }
};

// Appends a number as 8 bytes, little-endian. A text or a list is its length followed by its
// content.
inline void PutNumber(std::string& out, uint64_t number) {
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>((number >> (8 * i)) & 0xffu));
}

inline void Put(std::string& out, const std::string& text) {
  PutNumber(out, text.size());
  out += text;
}

template <class Number>
void Put(std::string& out, const Number& number) {
  PutNumber(out, static_cast<uint64_t>(number));
}

template <class Element>
void Put(std::string& out, const std::vector<Element>& list) {
  PutNumber(out, list.size());
  for (const Element& element : list) Put(out, element);
}

// Reads what the Put functions wrote. After the first error `good` stays false.
struct Cursor {
  const std::string& bytes;
  size_t position = 0;
  bool good = true;

  uint64_t Number() {
    if (!good || bytes.size() - position < 8) {
      good = false;
      return 0;
    }
    uint64_t number = 0;
    for (size_t i = 0; i < 8; ++i) {
      number |= uint64_t{static_cast<unsigned char>(bytes[position + i])} << (8 * i);
    }
    position += 8;
    return number;
  }

  void Get(std::string& text) {
    const uint64_t length = Number();
    good = good && bytes.size() - position >= length;
    if (!good) return;
    text = bytes.substr(position, length);
    position += length;
  }

  template <class Numeral>
  void Get(Numeral& number) {
    number = static_cast<Numeral>(Number());
  }

  void Get(Stage& stage) {
    const uint64_t number = Number();
    good = good && number <= static_cast<uint64_t>(Stage::kTimedOut);
    if (good) stage = static_cast<Stage>(number);
  }

  template <class Element>
  void Get(std::vector<Element>& list) {
    for (uint64_t left = Number(); good && left > 0; --left) Get(list.emplace_back());
  }
};

template <class Message>
std::string Encode(const Message& message) {
  std::string out;
  std::apply([&out](const auto&... fields) { (Put(out, fields), ...); }, Message::Fields(message));
  return out;
}

// Reads into a new message. Returns false if the bytes are not such a message.
template <class Message>
bool Decode(const std::string& bytes, Message& message) {
  Cursor in{bytes};
  std::apply([&in](auto&... fields) { (in.Get(fields), ...); }, Message::Fields(message));
  return in.good && in.position == bytes.size();
}

}  // namespace assay::mlir_message
