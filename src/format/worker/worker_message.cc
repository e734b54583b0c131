// SPDX-License-Identifier: Apache-2.0
#include "worker_message.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "operator_table.h"
#include "quoted.h"
#include "verified_bytes.h"
#include "wire_reading.h"
#include "wire_tensor.h"
#include "worker_message_generated.h"

namespace assay {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using TensorList = flatbuffers::Vector<Offset<wire::Tensor>>;
using StateList = flatbuffers::Vector<Offset<wire::NamedTensor>>;

// ---- Writing: Put() makes the table of a body.

class Writer {
 public:
  Result<std::string> Write(const WorkerMessage& message) {
    const auto type = static_cast<wire::Body>(message.body.index());
    const auto body =
        std::visit([this](const auto& content) { return Put(content); }, message.body);
    const auto log = Text(message.log);
    wire::FinishWorkerMessageBuffer(
        builder_, wire::CreateWorkerMessage(builder_, message.number, type, body, log));
    return std::string(reinterpret_cast<const char*>(builder_.GetBufferPointer()),
                       builder_.GetSize());
  }

 private:
  Offset<void> Put(const std::monostate&) { return {}; }
  Offset<void> Put(const worker::Hello& hello) {
    return wire::CreateHello(builder_, hello.version).Union();
  }
  Offset<void> Put(const worker::LoadGraph& load) {
    const auto tosa = PutBytes(builder_, load.tosa);
    return wire::CreateLoadGraph(builder_, load.graph, tosa, builder_.CreateString(load.level))
        .Union();
  }
  Offset<void> Put(const worker::OpenContext& open) {
    return wire::CreateOpenContext(builder_, open.context).Union();
  }
  Offset<void> Put(const worker::Invoke& invoke) {
    const auto inputs = Tensors(invoke.inputs);
    const auto state = State(invoke.state);
    return wire::CreateInvoke(builder_, invoke.context, invoke.graph, inputs, state,
                              Texts(invoke.taps))
        .Union();
  }
  Offset<void> Put(const worker::ResetContext& reset) {
    return wire::CreateResetContext(builder_, reset.context).Union();
  }
  Offset<void> Put(const worker::CloseContext& close) {
    return wire::CreateCloseContext(builder_, close.context).Union();
  }
  Offset<void> Put(const worker::UnloadGraph& unload) {
    return wire::CreateUnloadGraph(builder_, unload.graph).Union();
  }
  Offset<void> Put(const worker::Ready& ready) {
    std::vector<Offset<wire::OperatorSupport>> operators;
    for (const worker::OperatorSupport& support : ready.operators) {
      std::vector<tosa::DType> types;
      for (const DType type : support.types) types.push_back(static_cast<tosa::DType>(type));
      operators.push_back(
          wire::CreateOperatorSupport(builder_, static_cast<tosa::Op>(support.op), List(types)));
    }
    std::vector<Offset<wire::Capability>> capabilities;
    for (const worker::Capability& one : ready.capabilities) capabilities.push_back(Row(one));
    const auto name = builder_.CreateString(ready.name);
    const auto release = builder_.CreateString(ready.release);
    const auto operator_list = builder_.CreateVector(operators);
    const auto capability_list = List(capabilities);
    const worker::Limits& limits = ready.limits;
    const auto limit_table =
        wire::CreateLimits(builder_, limits.rank, limits.dimension, limits.elements,
                           limits.constant_bytes, limits.graphs);
    const auto declarations = Texts(ready.declarations);
    const auto environment = Texts(ready.environment);
    return wire::CreateReady(builder_, ready.version, name, release, operator_list,
                             ready.contexts_max, ready.refuses, ready.variable_tensors,
                             ready.takes_state, capability_list, limit_table, declarations,
                             environment, ready.taps, ready.taps_are_read)
        .Union();
  }
  Offset<wire::Capability> Row(const worker::Capability& capability) {
    const auto types = [this](const std::vector<DType>& from) {
      std::vector<tosa::DType> to;
      for (const DType type : from) to.push_back(static_cast<tosa::DType>(type));
      return List(to);
    };
    std::vector<Offset<wire::AttributeRange>> attributes;
    for (const worker::AttributeRange& range : capability.attributes) {
      const auto name = builder_.CreateString(std::string(AttributeName(range.attribute)));
      const auto values = List(range.values);
      attributes.push_back(
          wire::CreateAttributeRange(builder_, name, range.min, range.max, values));
    }
    const auto inputs = types(capability.inputs);
    const auto outputs = types(capability.outputs);
    return wire::CreateCapability(builder_, static_cast<tosa::Op>(capability.op), inputs, outputs,
                                  List(attributes));
  }
  Offset<void> Put(const worker::Done&) { return wire::CreateDone(builder_).Union(); }
  Offset<void> Put(const worker::Answer& answer) {
    const auto outputs = Tensors(answer.outputs);
    const auto state = State(answer.state);
    const auto taps = answer.taps.empty() ? Offset<StateList>() : State(answer.taps);
    return wire::CreateAnswer(builder_, outputs, state, taps).Union();
  }
  Offset<void> Put(const worker::Refused& refused) {
    const auto reason = builder_.CreateString(refused.reason);
    const auto op = Text(refused.op);
    const auto pass = Text(refused.pass);
    return wire::CreateRefused(builder_, reason, op, pass).Union();
  }
  Offset<void> Put(const worker::Unsupported& unsupported) {
    const auto reason = builder_.CreateString(unsupported.reason);
    return wire::CreateUnsupported(builder_, reason, Text(unsupported.op)).Union();
  }
  Offset<void> Put(const worker::Failed& failed) {
    const auto reason = builder_.CreateString(failed.reason);
    const auto op = Text(failed.op);
    return wire::CreateFailed(builder_, reason, failed.wrote_outside, op, Text(failed.pass))
        .Union();
  }
  Offset<void> Put(const worker::Rejected& rejected) {
    const auto reason = builder_.CreateString(rejected.reason);
    const auto op = Text(rejected.op);
    const auto kind =
        rejected.unsupported ? wire::RejectionKind::UNSUPPORTED : wire::RejectionKind::FINDING;
    const auto pass = Text(rejected.pass);
    return wire::CreateRejected(builder_, reason, kind, op, pass).Union();
  }

  // Return a null offset for nothing: readers take an absent field for empty.
  Offset<flatbuffers::String> Text(const std::string& text) {
    return text.empty() ? Offset<flatbuffers::String>() : builder_.CreateString(text);
  }
  template <class T>
  Offset<flatbuffers::Vector<T>> List(const std::vector<T>& list) {
    return list.empty() ? Offset<flatbuffers::Vector<T>>() : builder_.CreateVector(list);
  }
  Offset<flatbuffers::Vector<Offset<flatbuffers::String>>> Texts(
      const std::vector<std::string>& texts) {
    std::vector<Offset<flatbuffers::String>> list;
    for (const std::string& text : texts) list.push_back(builder_.CreateString(text));
    return List(list);
  }

  Offset<TensorList> Tensors(const std::vector<Tensor>& tensors) {
    std::vector<Offset<wire::Tensor>> list;
    for (const Tensor& tensor : tensors) list.push_back(PutTensor(builder_, tensor));
    return builder_.CreateVector(list);
  }

  Offset<StateList> State(const worker::State& state) {
    std::vector<Offset<wire::NamedTensor>> list;
    for (const auto& [name, tensor] : state) {
      const auto wire_name = builder_.CreateString(name);
      list.push_back(wire::CreateNamedTensor(builder_, wire_name, PutTensor(builder_, tensor)));
    }
    return builder_.CreateVector(list);
  }

  FlatBufferBuilder builder_{1024};
};

// Returns an upper bound of a message's size. Content other than tensors and the graph is far below
// kRest.
int64_t RoomFor(const worker::Body& body) {
  constexpr int64_t kRest = int64_t{1} << 20;
  int64_t bytes = kRest;
  const auto add = [&bytes](const auto& tensors, const worker::State& state) {
    for (const Tensor& tensor : tensors) bytes += std::ssize(tensor.bytes()) + 256;
    for (const auto& [name, tensor] : state) {
      bytes += std::ssize(name) + std::ssize(tensor.bytes()) + 256;
    }
  };
  if (const auto* load = std::get_if<worker::LoadGraph>(&body)) bytes += std::ssize(load->tosa);
  if (const auto* invoke = std::get_if<worker::Invoke>(&body)) add(invoke->inputs, invoke->state);
  if (const auto* answer = std::get_if<worker::Answer>(&body)) {
    add(answer->outputs, answer->state);
    add(std::vector<Tensor>(), answer->taps);
  }
  return bytes;
}

// ---- Reading: Get() reads a table. Functions that return false have set the error.

// No field is unknown, because the version has been agreed on.
constexpr WireWords kMessageWords = {"", "", ""};

class Reader : private WireReading {
 public:
  explicit Reader(ReadBudget& budget) : WireReading(kMessageWords, budget) {}

  Result<WorkerMessage> Read(const wire::WorkerMessage& from) {
    WorkerMessage message;
    message.number = from.number();
    if (!Get(from, message.body) || !ReadText(from.log(), message.log)) return error();
    return message;
  }

 private:
  bool Get(const wire::WorkerMessage& from, worker::Body& body) {
    if (from.body() == nullptr) return Fail("a message without a body");
    switch (from.body_type()) {
      case wire::Body::NONE:
        break;
      case wire::Body::Hello:
        body = worker::Hello{from.body_as_Hello()->version()};
        return true;
      case wire::Body::LoadGraph:
        return Get(*from.body_as_LoadGraph(), body.emplace<worker::LoadGraph>());
      case wire::Body::OpenContext:
        body = worker::OpenContext{from.body_as_OpenContext()->context()};
        return true;
      case wire::Body::Invoke:
        return Get(*from.body_as_Invoke(), body.emplace<worker::Invoke>());
      case wire::Body::ResetContext:
        body = worker::ResetContext{from.body_as_ResetContext()->context()};
        return true;
      case wire::Body::CloseContext:
        body = worker::CloseContext{from.body_as_CloseContext()->context()};
        return true;
      case wire::Body::UnloadGraph:
        body = worker::UnloadGraph{from.body_as_UnloadGraph()->graph()};
        return true;
      case wire::Body::Ready:
        return Get(*from.body_as_Ready(), body.emplace<worker::Ready>());
      case wire::Body::Done:
        body = worker::Done{};
        return true;
      case wire::Body::Answer:
        return Get(*from.body_as_Answer(), body.emplace<worker::Answer>());
      case wire::Body::Refused: {
        auto& refused = body.emplace<worker::Refused>();
        return GetFailure(*from.body_as_Refused(), refused) &&
               ReadText(from.body_as_Refused()->pass(), refused.pass);
      }
      case wire::Body::Unsupported:
        return GetFailure(*from.body_as_Unsupported(), body.emplace<worker::Unsupported>());
      case wire::Body::Failed: {
        auto& failed = body.emplace<worker::Failed>();
        failed.wrote_outside = from.body_as_Failed()->wrote_outside();
        return GetFailure(*from.body_as_Failed(), failed) &&
               ReadText(from.body_as_Failed()->pass(), failed.pass);
      }
      case wire::Body::Rejected: {
        auto& rejected = body.emplace<worker::Rejected>();
        rejected.unsupported = from.body_as_Rejected()->kind() != wire::RejectionKind::FINDING;
        return GetFailure(*from.body_as_Rejected(), rejected) &&
               ReadText(from.body_as_Rejected()->pass(), rejected.pass);
      }
    }
    return Fail("a message of kind " + std::to_string(static_cast<int>(from.body_type())) +
                ", which version " + std::to_string(kWorkerProtocol) + " does not have");
  }

  template <class From, class To>
  bool GetFailure(const From& from, To& to) {
    return ReadText(from.reason(), to.reason) && ReadText(from.op(), to.op);
  }

  bool Get(const wire::LoadGraph& from, worker::LoadGraph& load) {
    const std::span<const uint8_t> tosa = View(from.tosa());
    load = {from.graph(), {tosa.begin(), tosa.end()}, std::string(View(from.level()))};
    return true;
  }

  bool Get(const wire::Invoke& from, worker::Invoke& invoke) {
    invoke.context = from.context();
    invoke.graph = from.graph();
    return GetTensors(from.inputs(), "input", invoke.inputs) &&
           GetState(from.state(), "variable ", invoke.state) && ReadTexts(from.taps(), invoke.taps);
  }

  bool Get(const wire::Answer& from, worker::Answer& answer) {
    return GetTensors(from.outputs(), "output", answer.outputs) &&
           GetState(from.state(), "variable ", answer.state) &&
           GetState(from.taps(), "tap ", answer.taps);
  }

  // For an unknown version, only the version is read.
  bool Get(const wire::Ready& from, worker::Ready& ready) {
    ready.version = from.version();
    if (ready.version == 0 || ready.version > kWorkerProtocol) return true;
    ready.name = View(from.name());
    ready.release = View(from.release());
    ready.contexts_max = from.contexts_max();
    ready.refuses = from.refuses();
    ready.variable_tensors = from.variable_tensors();
    ready.takes_state = from.takes_state();
    for (const wire::OperatorSupport* support : ElementsOf(from.operators())) {
      worker::OperatorSupport& to = ready.operators.emplace_back();
      if (!GetOperator(support->op(), to.op) || !GetTypes(support->types(), to.types)) return false;
      if (std::ranges::find(to.types, DType::kUnknown) != to.types.end()) {
        return Fail("declares a type: type 0 is not known");
      }
    }
    return ready.version < 2 || GetVersion2(from, ready);
  }

  bool GetVersion2(const wire::Ready& from, worker::Ready& ready) {
    for (const wire::Capability* capability : ElementsOf(from.capabilities())) {
      if (!Get(*capability, ready.capabilities.emplace_back())) return false;
    }
    if (const wire::Limits* limits = from.limits()) {
      ready.limits = {limits->rank(), limits->dimension(), limits->elements(),
                      limits->constant_bytes(), limits->graphs()};
    }
    ready.taps = from.taps();
    ready.taps_are_read = from.taps_are_read();
    return ReadTexts(from.declarations(), ready.declarations) &&
           ReadTexts(from.environment(), ready.environment);
  }

  bool GetOperator(tosa::Op from, Op& to) {
    const auto op = static_cast<uint32_t>(from);
    if (op == 0 || op > static_cast<uint32_t>(kOperatorCount)) {
      return Fail("declares operator " + std::to_string(op) + ", which TOSA 1.0 does not have");
    }
    to = static_cast<Op>(op);
    return true;
  }

  bool GetTypes(const flatbuffers::Vector<tosa::DType>* from, std::vector<DType>& to) {
    if (!Charge(SizeOf(from) * sizeof(DType))) return false;
    for (const auto type : ElementsOf(from)) {
      const auto number = static_cast<tosa::DType>(type);
      const Result<DType> known =
          number == tosa::DType::UNKNOWN ? DType::kUnknown : GetType(number);
      if (!known) return Fail("declares a type: " + known.error().message);
      to.push_back(*known);
    }
    return true;
  }

  bool Get(const wire::Capability& from, worker::Capability& capability) {
    if (!Charge(sizeof(worker::Capability)) || !GetOperator(from.op(), capability.op)) return false;
    if (!GetTypes(from.inputs(), capability.inputs)) return false;
    if (!GetTypes(from.outputs(), capability.outputs)) return false;
    for (const wire::AttributeRange* range : ElementsOf(from.attributes())) {
      const std::string name(View(range->name()));
      const std::optional<AttributeId> attribute = AttributeByName(name);
      if (!attribute || FindAttribute(capability.op, *attribute) == nullptr) {
        return Fail("declares attribute " + Quoted(name) + " of " +
                    std::string(OperatorName(capability.op)) + ", which TOSA 1.0 does not have");
      }
      if (!Charge(sizeof(worker::AttributeRange))) return false;
      worker::AttributeRange& to = capability.attributes.emplace_back();
      to.attribute = *attribute;
      to.min = range->min();
      to.max = range->max();
      if (!ReadNumbers(range->values(), to.values)) return false;
    }
    return true;
  }

  bool GetTensors(const TensorList* from, const std::string& what, std::vector<Tensor>& to) {
    for (const wire::Tensor* tensor : ElementsOf(from)) {
      const std::string where = what + " " + std::to_string(to.size());
      if (!GetOne(tensor, where, to.emplace_back())) return false;
    }
    return true;
  }

  bool GetState(const StateList* from, const std::string& what, worker::State& to) {
    for (const wire::NamedTensor* entry : ElementsOf(from)) {
      const std::string where = what + Quoted(View(entry->name()));
      const auto [at, is_new] = to.try_emplace(std::string(View(entry->name())));
      if (!is_new) return Fail(where + " is there twice");
      if (!GetOne(entry->tensor(), where, at->second)) return false;
    }
    return true;
  }

  bool GetOne(const wire::Tensor* from, const std::string& where, Tensor& to) {
    const size_t bytes = from == nullptr ? 0 : View(from->data()).size();
    if (!budget_.Charge(sizeof(Tensor) + bytes)) {
      return Fail("more than " + std::to_string(budget_.bytes_max()) + " bytes of tensors");
    }
    Result<Tensor> tensor = GetTensor(from);
    if (!tensor) return Fail(where + ": " + tensor.error().message);
    to = std::move(*tensor);
    return true;
  }
};

}  // namespace

std::string_view WorkerBodyName(const worker::Body& body) {
  return wire::EnumNameBody(static_cast<wire::Body>(body.index()));
}

Result<std::string> EncodeWorkerMessage(const WorkerMessage& message) {
  if (RoomFor(message.body) > kWorkerMessageBytesMax) {
    return Unsupported("more than the " + std::to_string(kWorkerMessageBytesMax) +
                       " bytes of a message");
  }
  return Writer().Write(message);
}

Result<Done> CheckWorkerMessageLength(size_t length) {
  if (length <= kWorkerMessageBytesMax && length >= kWorkerHeadBytes) return Done{};
  return BadInput("a message of " + std::to_string(length) + " bytes, which there cannot be");
}

Result<Done> CheckWorkerMessageHead(std::string_view head) {
  if (head.substr(4, 4) == wire::WorkerMessageIdentifier()) return Done{};
  return BadInput("no message, since it has " + Quoted(head.substr(4, 4)) + " in place of " +
                  wire::WorkerMessageIdentifier());
}

Result<WorkerMessage> DecodeWorkerMessage(std::string_view bytes) {
  const AlignedBytes aligned({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  flatbuffers::Verifier verifier(aligned.bytes().data(), bytes.size(),
                                 VerifierOptions(bytes.size(), {}));
  if (!wire::VerifyWorkerMessageBuffer(verifier)) return BadInput("a damaged message");
  ReadBudget budget(bytes.size(), ReadLimits().memory_max);
  return Reader(budget).Read(*wire::GetWorkerMessage(aligned.bytes().data()));
}

}  // namespace assay
