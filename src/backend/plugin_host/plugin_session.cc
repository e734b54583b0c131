// SPDX-License-Identifier: Apache-2.0
#include "plugin_session.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "loaded_plugin.h"
#include "quoted.h"
#include "tosa_file.h"

namespace assay {
namespace {

worker::Body BodyOf(const Error& error) {
  if (error.kind == Error::Kind::kUnsupported) return worker::Unsupported{error.message};
  return worker::Failed{error.message};
}

template <class Map>
auto* Find(Map& map, uint32_t number) {
  const auto found = map.find(number);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

class PluginSession::Host {
 public:
  Host(PluginLoader load, std::string variant)
      : load_(std::move(load)), variant_(std::move(variant)) {}

  worker::Body Answer(const worker::Body& request) {
    return std::visit([this](const auto& content) { return Do(content); }, request);
  }
  std::string TakeLog() { return std::exchange(log_, {}); }
  const std::vector<const GuardedMemory*>& watched() const { return watched_; }

 private:
  using Memory = std::unique_ptr<GuardedMemory>;
  struct LoadedGraph {
    assay_backend_graph* handle = nullptr;
    Graph graph;
  };

  worker::Body Do(const worker::Hello&) {
    const Result<const assay_backend_v1*> plugin = load_();
    if (!plugin) return BodyOf(plugin.error());
    Result<worker::Ready> ready = ReadyOf(**plugin);
    if (!ready) return BodyOf(ready.error());
    plugin_ = *plugin;
    newer_ = Version2Of(**plugin);
    if (variant_.empty()) return std::move(*ready);
    if (newer_ == nullptr || newer_->choose_variant == nullptr) {
      return worker::Unsupported{"has no variants"};
    }
    return Call([&](char* reason) { return newer_->choose_variant(variant_.c_str(), reason); },
                [&]() -> worker::Body { return std::move(*ready); });
  }

  worker::Body Do(const worker::LoadGraph& load) {
    Result<Graph> graph = ReadTosa(load.tosa, "graph", nullptr);
    if (!graph) return worker::Unsupported{graph.error().message};
    const GuardedMemory* tosa = Guard("the .tosa bytes", load.tosa);
    LoadedGraph loaded{nullptr, std::move(*graph)};
    worker::Body body = Call([&](char* reason) {
      return plugin_->load_graph(tosa->data(), tosa->size(), load.level.c_str(), &loaded.handle,
                                 reason);
    });
    if (std::holds_alternative<worker::Done>(body)) graphs_[load.graph] = std::move(loaded);
    return body;
  }

  worker::Body Do(const worker::UnloadGraph& unload) {
    LoadedGraph* graph = Find(graphs_, unload.graph);
    if (graph == nullptr) return Unknown();
    plugin_->unload_graph(graph->handle);
    graphs_.erase(unload.graph);
    return worker::Done{};
  }

  worker::Body Do(const worker::OpenContext& open) {
    assay_backend_context* context = nullptr;
    worker::Body body = Call([&](char* reason) { return plugin_->open_context(&context, reason); });
    if (std::holds_alternative<worker::Done>(body)) contexts_[open.context] = context;
    return body;
  }

  worker::Body Do(const worker::ResetContext& reset) {
    assay_backend_context** context = Find(contexts_, reset.context);
    if (context == nullptr) return Unknown();
    plugin_->reset_context(*context);
    return worker::Done{};
  }

  worker::Body Do(const worker::CloseContext& close) {
    assay_backend_context** context = Find(contexts_, close.context);
    if (context == nullptr) return Unknown();
    plugin_->close_context(*context);
    contexts_.erase(close.context);
    return worker::Done{};
  }

  worker::Body Do(const worker::Invoke& invoke) {
    assay_backend_context** context = Find(contexts_, invoke.context);
    LoadedGraph* loaded = Find(graphs_, invoke.graph);
    if (context == nullptr || loaded == nullptr) return Unknown();
    const Block& main = *loaded->graph.Main();
    std::vector<assay_backend_input> inputs;
    for (size_t i = 0; i < invoke.inputs.size(); ++i) {
      const Tensor& tensor = invoke.inputs[i];
      const GuardedMemory* memory = Guard(NameOf("input", i, main, main.inputs), tensor.bytes());
      inputs.push_back({memory->data(), memory->size(), static_cast<uint32_t>(tensor.type()),
                        static_cast<uint32_t>(tensor.shape().rank()), tensor.shape().begin()});
    }
    std::vector<assay_backend_output> outputs, taps;
    for (size_t i = 0; i < main.outputs.size(); ++i) {
      if (!Make(NameOf("output", i, main, main.outputs), main.TypeOf(main.outputs[i]), outputs)) {
        return TooLarge("an output", main.TypeOf(main.outputs[i]));
      }
    }
    if (invoke.taps.empty() || newer_ == nullptr || newer_->invoke_with_taps == nullptr) {
      return Call(
          [&](char* reason) {
            return plugin_->invoke(*context, loaded->handle, inputs.data(), inputs.size(),
                                   outputs.data(), outputs.size(), reason);
          },
          [&]() -> worker::Body { return AnswerOf(main, outputs); });
    }
    std::vector<const char*> names;
    for (const std::string& name : invoke.taps) {
      const std::optional<TensorIndex> tensor = main.FindTensor(name);
      if (!tensor) return Forget(worker::Failed{"no tensor " + Quoted(name) + " to tap"});
      if (!Make("tap " + Quoted(name), main.TypeOf(*tensor), taps)) {
        return TooLarge("a tap", main.TypeOf(*tensor));
      }
      names.push_back(name.c_str());
    }
    std::vector<uint8_t> given(taps.size(), 0);
    return Call(
        [&](char* reason) {
          return newer_->invoke_with_taps(*context, loaded->handle, inputs.data(), inputs.size(),
                                          outputs.data(), outputs.size(), names.data(), taps.data(),
                                          given.data(), taps.size(), reason);
        },
        [&]() -> worker::Body {
          worker::Answer answer = AnswerOf(main, outputs);
          for (size_t i = 0; i < taps.size(); ++i) {
            if (given[i] == 0) continue;
            answer.taps[invoke.taps[i]] =
                TensorOf(main.TypeOf(*main.FindTensor(invoke.taps[i])), taps[i]);
          }
          return answer;
        });
  }

  // All other messages are not requests.
  template <class Other>
  worker::Body Do(const Other&) {
    return worker::Failed{"no request"};
  }

  static worker::Body Unknown() { return worker::Failed{"no such graph or context"}; }

  worker::Answer AnswerOf(const Block& main, const std::vector<assay_backend_output>& outputs) {
    worker::Answer answer;
    for (size_t i = 0; i < outputs.size(); ++i) {
      answer.outputs.push_back(TensorOf(main.TypeOf(main.outputs[i]), outputs[i]));
    }
    return answer;
  }

  static Tensor TensorOf(const TensorType& type, const assay_backend_output& output) {
    const auto* data = static_cast<const uint8_t*>(output.data);
    return Tensor::FromBytes(type.type, type.shape, {data, data + output.size});
  }

  // Adds memory for a tensor that the plugin fills. Returns false if the tensor is too large.
  bool Make(std::string name, const TensorType& type, std::vector<assay_backend_output>& to) {
    const int64_t elements = type.shape.Elements();
    if (elements < 1 || elements > kWorkerMessageBytesMax / ElementBytes(type.type)) return false;
    const auto size = static_cast<size_t>(elements * ElementBytes(type.type));
    const GuardedMemory* memory = Guard(std::move(name), size);
    to.push_back({memory->data(), memory->size(), static_cast<uint32_t>(type.type),
                  static_cast<uint32_t>(type.shape.rank()), type.shape.begin()});
    return true;
  }

  worker::Body TooLarge(const std::string& what, const TensorType& type) {
    return Forget(worker::Unsupported{what + " of " + type.ToString()});
  }

  static std::string NameOf(const char* what, size_t index, const Block& main,
                            const std::vector<TensorIndex>& tensors) {
    std::string name = what + (" " + std::to_string(index));
    if (index < tensors.size()) {
      name += " " + Quoted(main.tensors[static_cast<size_t>(tensors[index])].name);
    }
    return name;
  }

  // Returns guarded memory that stays until the call is over.
  template <class Content>
  const GuardedMemory* Guard(std::string name, const Content& content) {
    memory_.push_back(std::make_unique<GuardedMemory>(std::move(name), content));
    watched_.push_back(memory_.back().get());
    return memory_.back().get();
  }

  worker::Body Forget(worker::Body body) {
    watched_.clear();
    memory_.clear();
    return body;
  }

  // Calls a function of the plugin. Returns `answer()` if its status is OK, else the reply for the
  // status.
  template <class Function>
  worker::Body Call(
      const Function& function,
      const std::function<worker::Body()>& answer = [] { return worker::Done{}; }) {
    const GuardedMemory* reason = Guard("the reason", size_t{ASSAY_BACKEND_REASON_SIZE});
    auto* text = reinterpret_cast<char*>(reason->data());
    memset(text, 0, reason->size());
    const assay_backend_status status = function(text);
    for (const Memory& memory : memory_) {
      if (!memory->FrontIsIntact()) {
        return Forget(worker::Failed{"wrote before " + memory->name(), true});
      }
    }
    const std::string why(text, strnlen(text, reason->size()));
    const auto [op, pass] = Explain();
    switch (status) {
      case ASSAY_BACKEND_OK:
        return Forget(answer());
      case ASSAY_BACKEND_REFUSED:
        return Forget(worker::Refused{why, op, pass});
      case ASSAY_BACKEND_UNSUPPORTED:
        return Forget(worker::Unsupported{why, op});
      case ASSAY_BACKEND_FAILED:
        return Forget(worker::Failed{why, false, op, pass});
      case ASSAY_BACKEND_REJECTED:
        if (newer_ == nullptr) break;
        return Forget(worker::Rejected{why, false, op, pass});
    }
    return Forget(worker::Failed{"gives status " + std::to_string(int{status})});
  }

  // Asks the plugin for details of the last call, and keeps the log. Returns the operator and the
  // pass.
  std::pair<std::string, std::string> Explain() {
    if (newer_ == nullptr || newer_->explain == nullptr) return {};
    const GuardedMemory* memory = Guard("the details", sizeof(assay_backend_details));
    auto* details = reinterpret_cast<assay_backend_details*>(memory->data());
    memset(memory->data(), 0, memory->size());
    newer_->explain(details);
    const auto text = [](const auto& field) {
      return std::string(field, strnlen(field, sizeof(field)));
    };
    log_ += text(details->log);
    return {text(details->op), text(details->pass)};
  }

  const PluginLoader load_;
  const std::string variant_;
  const assay_backend_v1* plugin_ = nullptr;
  const assay_backend_v2* newer_ = nullptr;  // the same, if it is of version 2
  std::string log_;
  std::map<uint32_t, LoadedGraph> graphs_;
  std::map<uint32_t, assay_backend_context*> contexts_;
  std::vector<Memory> memory_;
  std::vector<const GuardedMemory*> watched_;
};

PluginSession::PluginSession(PluginLoader load, std::string variant)
    : host_(std::make_unique<Host>(std::move(load), std::move(variant))) {}
PluginSession::~PluginSession() = default;

worker::Body PluginSession::Answer(const worker::Body& request) { return host_->Answer(request); }
std::string PluginSession::TakeLog() { return host_->TakeLog(); }
const std::vector<const GuardedMemory*>& PluginSession::watched() const { return host_->watched(); }

}  // namespace assay
