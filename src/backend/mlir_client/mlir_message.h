// What `assay` and `assay-mlir-helper` say to each other, over the helper's standard input and
// output: one frame per message, a frame being an 8-byte little-endian length and that many bytes.
// Both sides include this header; it needs nothing but the C++17 library.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace assay::mlir_message {

// One module to run. The module holds a function @main over ranked tensors of static shape.
struct Request {
  std::string module;         // MLIR text, or bytecode
  std::string name;           // of the module's file, for the places of a normalized module
  bool normalize = false;     // true: only write the module as `assay` reads it; nothing runs
  std::string rewrite;        // pass pipeline applied first, `builtin.module(...)`; empty: none
  std::string lowering;       // pass pipeline to the LLVM dialect; empty: the helper's own
  bool execute = true;        // false: only rewrite
  bool alone = false;         // true: run in a process that has run no other request
  uint32_t optimization = 0;  // of the JIT compiler, 0-3
  uint32_t wall_ms = 20000;   // the case is killed after that long
  uint32_t cpu_seconds = 20;  // of processor time; the same
  uint32_t memory_mib = 4096;
  // Per invocation the arguments of @main: little-endian, row-major, one element in as many bytes
  // as MLIR stores it in (i1 and i4 1, i48 8).
  std::vector<std::vector<std::string>> calls;
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

// What became of it. Whatever the stage, `calls` holds what had been done by then.
struct Reply {
  Stage stage = Stage::kOk;
  std::string detail;     // diagnostics, or the signal and the last line the compiler printed
  std::string phase;      // "parse", "rewrite", "lowering", "jit" or "run": the last one entered
  std::string pass;       // the last pass entered, by its command line name
  std::string pattern;    // the rewrite pattern at work at the end, a C++ class name; empty: none
  std::string operation;  // the operation it was tried on, or the pass ran on
  std::string stack;      // of a crash: the innermost functions with a name, mangled, one per line
  // Distinct lines, in order: `pass: pattern` of each pattern of `rewrite` that changed the module,
  // `pass` of each pass that changed it by no pattern.
  std::string applied;
  std::string rewritten;  // after `rewrite` or normalized, MLIR generic form
  // The places of the operations of a normalized module, in the order of its text: "FILE:LINE", or
  // empty.
  std::vector<std::string> places;
  std::vector<std::vector<std::string>> calls;  // results of @main, per invocation
};

inline void PutNumber(std::string& out, uint64_t number) {
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>((number >> (8 * i)) & 0xffu));
}

inline void PutText(std::string& out, const std::string& text) {
  PutNumber(out, text.size());
  out += text;
}

inline void PutTexts(std::string& out, const std::vector<std::string>& texts) {
  PutNumber(out, texts.size());
  for (const std::string& text : texts) PutText(out, text);
}

inline void PutCalls(std::string& out, const std::vector<std::vector<std::string>>& calls) {
  PutNumber(out, calls.size());
  for (const auto& call : calls) PutTexts(out, call);
}

// Reads what the Put functions wrote; once anything does not fit, `good` is false for ever.
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

  std::string Text() {
    const uint64_t length = Number();
    if (!good || bytes.size() - position < length) {
      good = false;
      return {};
    }
    std::string text = bytes.substr(position, length);
    position += length;
    return text;
  }

  std::vector<std::string> Texts() {
    std::vector<std::string> texts;
    for (uint64_t i = Number(); good && i > 0; --i) texts.push_back(Text());
    return texts;
  }

  std::vector<std::vector<std::string>> Calls() {
    std::vector<std::vector<std::string>> calls;
    for (uint64_t i = Number(); good && i > 0; --i) calls.push_back(Texts());
    return calls;
  }
};

inline std::string Encode(const Request& request) {
  std::string out;
  PutText(out, request.module);
  PutText(out, request.name);
  PutNumber(out, request.normalize ? 1 : 0);
  PutText(out, request.rewrite);
  PutText(out, request.lowering);
  PutNumber(out, request.execute ? 1 : 0);
  PutNumber(out, request.alone ? 1 : 0);
  PutNumber(out, request.optimization);
  PutNumber(out, request.wall_ms);
  PutNumber(out, request.cpu_seconds);
  PutNumber(out, request.memory_mib);
  PutCalls(out, request.calls);
  return out;
}

inline bool Decode(const std::string& bytes, Request& request) {
  Cursor in{bytes};
  request.module = in.Text();
  request.name = in.Text();
  request.normalize = in.Number() != 0;
  request.rewrite = in.Text();
  request.lowering = in.Text();
  request.execute = in.Number() != 0;
  request.alone = in.Number() != 0;
  request.optimization = static_cast<uint32_t>(in.Number());
  request.wall_ms = static_cast<uint32_t>(in.Number());
  request.cpu_seconds = static_cast<uint32_t>(in.Number());
  request.memory_mib = static_cast<uint32_t>(in.Number());
  request.calls = in.Calls();
  return in.good && in.position == bytes.size();
}

inline std::string Encode(const Reply& reply) {
  std::string out;
  PutNumber(out, static_cast<uint64_t>(reply.stage));
  for (const std::string* text :
       {&reply.detail, &reply.phase, &reply.pass, &reply.pattern, &reply.operation, &reply.stack,
        &reply.applied, &reply.rewritten}) {
    PutText(out, *text);
  }
  PutTexts(out, reply.places);
  PutCalls(out, reply.calls);
  return out;
}

inline bool Decode(const std::string& bytes, Reply& reply) {
  Cursor in{bytes};
  const uint64_t stage = in.Number();
  if (stage > static_cast<uint64_t>(Stage::kTimedOut)) return false;
  reply.stage = static_cast<Stage>(stage);
  for (std::string* text : {&reply.detail, &reply.phase, &reply.pass, &reply.pattern,
                            &reply.operation, &reply.stack, &reply.applied, &reply.rewritten}) {
    *text = in.Text();
  }
  reply.places = in.Texts();
  reply.calls = in.Calls();
  return in.good && in.position == bytes.size();
}

}  // namespace assay::mlir_message
