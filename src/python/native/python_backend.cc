// SPDX-License-Identifier: Apache-2.0
#include "python_backend.h"

#include <pybind11/stl.h>

#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.h"
#include "tosa_file.h"
#include "worker_client.h"

namespace assay::python {
namespace {

namespace py = pybind11;

py::tuple TypedArray(const Tensor& tensor) {
  return py::make_tuple(static_cast<int>(tensor.type()), ToArray(tensor));
}

// Returns the tensor of a pair of element type and array. The elements are copied, because the
// backend may use its memory again.
Tensor TensorOf(py::handle pair, const std::string& what) {
  const auto [type, array] = pair.cast<std::pair<uint32_t, py::object>>();
  return ToTensor(array, static_cast<DType>(type), what, Elements::kCopied);
}

std::map<std::string, Tensor> TensorsOf(py::handle dict, const std::string& what) {
  std::map<std::string, Tensor> tensors;
  for (const auto& [name, pair] : py::reinterpret_borrow<py::dict>(dict)) {
    const std::string text = py::str(name);
    tensors.emplace(text, TensorOf(pair, what + " " + text));
  }
  return tensors;
}

// Returns the reply of Connection.ask(), a tuple that begins with its kind.
worker::Body ReplyOf(const py::tuple& reply) {
  const std::string kind = py::str(reply[0]);
  if (kind == "done") return worker::Done{};
  if (kind == "answer") {
    worker::Answer answer;
    int index = 0;
    for (const py::handle pair : reply[1]) {
      answer.outputs.push_back(TensorOf(pair, "output " + std::to_string(index++)));
    }
    answer.state = TensorsOf(reply[2], "variable");
    answer.taps = TensorsOf(reply[3], "tap");
    return answer;
  }
  const std::string reason = py::str(reply[1]), op = py::str(reply[2]), pass = py::str(reply[3]);
  if (kind == "refused") return worker::Refused{reason, op, pass};
  if (kind == "unsupported") return worker::Unsupported{reason, op};
  if (kind == "rejected") return worker::Rejected{reason, reply[4].cast<bool>(), op, pass};
  return worker::Failed{reason, false, op, pass};
}

// A connection to Python code in this process.
class PythonConnection : public WorkerConnection {
 public:
  // The lock of the interpreter is held.
  explicit PythonConnection(py::object connection) : connection_(std::move(connection)) {}
  ~PythonConnection() override {
    const py::gil_scoped_acquire lock;
    connection_ = py::object();
  }

  void SetLimits(const BackendOptions&) override { log_.clear(); }

  Result<worker::Body> Ask(worker::Body request) override {
    const py::gil_scoped_acquire lock;
    // Exceptions of a backend are replies. An exception that comes here is for the caller of
    // verify(): KeyboardInterrupt.
    if (std::holds_alternative<worker::Hello>(request)) return Greet(request);
    const py::tuple reply = std::visit([this](auto& body) { return Call(body); }, request);
    const std::string log = py::str(connection_.attr("log")());
    if (!log.empty()) log_ += log + "\n";
    try {
      return ReplyOf(reply);
    } catch (const std::runtime_error& error) {  // an array that is no tensor
      return worker::Body(worker::Failed{error.what()});
    }
  }

  std::string Errors() override { return log_; }

 private:
  // Asks for the description, which is encoded as for a worker process.
  Result<worker::Body> Greet(const worker::Body& request) {
    const Result<std::string> bytes = EncodeWorkerMessage({1, request});
    if (!bytes) return bytes.error();
    const std::string reply = connection_.attr("greet")(py::bytes(*bytes)).cast<std::string>();
    Result<WorkerMessage> message = DecodeWorkerMessage(reply);
    if (!message) return message.error();
    return std::move(message->body);
  }

  template <class... Arguments>
  py::tuple AskPython(const char* name, Arguments&&... arguments) {
    return connection_.attr("ask")(name, std::forward<Arguments>(arguments)...);
  }

  py::tuple Call(const worker::LoadGraph& request) {
    const py::bytes tosa(reinterpret_cast<const char*>(request.tosa.data()), request.tosa.size());
    return AskPython("load_graph", request.graph, tosa, request.level);
  }
  py::tuple Call(const worker::OpenContext& request) {
    return AskPython("open_context", request.context);
  }
  py::tuple Call(const worker::ResetContext& request) {
    return AskPython("reset_context", request.context);
  }
  py::tuple Call(const worker::CloseContext& request) {
    return AskPython("close_context", request.context);
  }
  py::tuple Call(const worker::UnloadGraph& request) {
    return AskPython("unload_graph", request.graph);
  }
  py::tuple Call(const worker::Invoke& request) {
    py::list inputs;
    for (const Tensor& input : request.inputs) inputs.append(TypedArray(input));
    py::dict state;
    for (const auto& [name, value] : request.state) state[py::str(name)] = TypedArray(value);
    return AskPython("invoke", request.context, request.graph, inputs, state,
                     py::cast(request.taps));
  }
  template <class Other>
  py::tuple Call(const Other&) {
    return py::make_tuple("failed", "a request that no worker gets", "", "");
  }

  py::object connection_;
  std::string log_;
};

}  // namespace

Result<std::unique_ptr<Backend>> OpenPythonBackend(py::object connection, std::string title,
                                                   const BackendOptions& options) {
  // Copies of the function object live where the lock is not held.
  auto* kept = new py::object(std::move(connection));
  const std::shared_ptr<py::object> shared(kept, [](py::object* object) {
    const py::gil_scoped_acquire lock;
    delete object;
  });
  const Connect connect = [shared]() -> Result<std::unique_ptr<WorkerConnection>> {
    const py::gil_scoped_acquire lock;
    return std::unique_ptr<WorkerConnection>(
        std::make_unique<PythonConnection>(shared->attr("again")()));
  };
  return WorkerBackend::Open(connect, std::move(title), options);
}

}  // namespace assay::python
