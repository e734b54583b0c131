// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "formats.h"
#include "operator.h"
#include "result.h"
#include "tensor.h"

namespace assay {

// Messages between `assay` and a worker, which are sent in frames (frame.h). The fields are those
// of worker_message.fbs, which describes them.

// The highest version that this build speaks. Every lower version is spoken as well.
inline constexpr uint32_t kWorkerProtocol = formats::kWorker.version;
inline constexpr int64_t kWorkerMessageBytesMax = INT32_MAX;
// The number of bytes that are enough to tell whether they start a message.
inline constexpr size_t kWorkerHeadBytes = 8;

namespace worker {

using State = std::map<std::string, Tensor>;  // by name

struct Hello {
  uint32_t version = kWorkerProtocol;
};
struct LoadGraph {
  uint32_t graph = 0;
  std::vector<uint8_t> tosa;
  std::string level;
};
struct OpenContext {
  uint32_t context = 0;
};
struct Invoke {
  uint32_t context = 0;
  uint32_t graph = 0;
  std::vector<Tensor> inputs;
  State state;
  std::vector<std::string> taps = {};
};
struct ResetContext {
  uint32_t context = 0;
};
struct CloseContext {
  uint32_t context = 0;
};
struct UnloadGraph {
  uint32_t graph = 0;
};

struct OperatorSupport {
  Op op = Op::kUnknown;
  std::vector<DType> types;  // CharacteristicType(); empty: all
};
struct AttributeRange {
  AttributeId attribute{};
  int64_t min = INT64_MIN, max = INT64_MAX;
  std::vector<int64_t> values = {};
};
struct Capability {
  Op op = Op::kUnknown;
  std::vector<DType> inputs = {}, outputs = {};  // kUnknown: any type
  std::vector<AttributeRange> attributes = {};
};
// 0: no limit.
struct Limits {
  uint32_t rank = 0;
  uint64_t dimension = 0, elements = 0, constant_bytes = 0;
  uint32_t graphs = 0;
};
// The fields from `capabilities` on are of version 2.
struct Ready {
  uint32_t version = kWorkerProtocol;
  std::string name, release;
  std::vector<OperatorSupport> operators;
  uint32_t contexts_max = 1;
  bool refuses = false, variable_tensors = false, takes_state = false;
  std::vector<Capability> capabilities = {};
  Limits limits = {};
  std::vector<std::string> declarations = {}, environment = {};
  bool taps = false, taps_are_read = false;
};
struct Done {};
struct Answer {
  std::vector<Tensor> outputs;
  State state;
  std::map<std::string, Tensor> taps = {};
};
struct Refused {
  std::string reason;
  std::string op = {}, pass = {};
};
struct Unsupported {
  std::string reason;
  std::string op = {};
};
struct Failed {
  std::string reason;
  bool wrote_outside = false;
  std::string op = {}, pass = {};
};
struct Rejected {
  std::string reason;
  bool unsupported = false;  // otherwise a finding
  std::string op = {}, pass = {};
};

// The bodies, in the order of the union in the schema.
using Body =
    std::variant<std::monostate, Hello, LoadGraph, OpenContext, Invoke, ResetContext, CloseContext,
                 UnloadGraph, Ready, Done, Answer, Refused, Unsupported, Failed, Rejected>;

}  // namespace worker

struct WorkerMessage {
  uint32_t number = 0;
  worker::Body body;
  std::string log = {};
};

// Returns the name of a body: "Invoke", "Answer".
std::string_view WorkerBodyName(const worker::Body& body);

// Returns the message as bytes. Error kUnsupported if it is longer than allowed.
Result<std::string> EncodeWorkerMessage(const WorkerMessage& message);

// Returns an Error, without a culprit, if no message can have `length` bytes.
Result<Done> CheckWorkerMessageLength(size_t length);
// Checks that `head`, which has kWorkerHeadBytes bytes, is the start of a message. The Error shows
// the bytes.
Result<Done> CheckWorkerMessageHead(std::string_view head);

// Decodes the message in `bytes`, which may be anything. An Error, without a culprit, says what is
// wrong.
Result<WorkerMessage> DecodeWorkerMessage(std::string_view bytes);

}  // namespace assay
