// SPDX-License-Identifier: Apache-2.0
#include "make_calls.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "descriptor.h"

namespace assay {
namespace {

using mlir_message::Stage;

// Returns memory that ends at a page without access rights. So an access past the end is a crash
// with a function name, not a wrong number elsewhere. It is never freed, because the process is
// short.
char* GuardedBytes(size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t body = (bytes + page - 1) / page * page;
  void* memory = mmap(nullptr, body + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  char* start = static_cast<char*>(memory) + page;
  if (body != 0 && mprotect(start, body, PROT_READ | PROT_WRITE) != 0) return nullptr;
  return start + (body - bytes);
}

// A tensor in the form that the compiled function takes: {base, data, offset, sizes, strides}.
struct Buffer {
  size_t bytes = 0;
  char* data = nullptr;
  std::vector<int64_t> descriptor;
};

// The file with the last arguments of @main. Each call gets the bytes of the file anew, because
// bufferization may let the function overwrite them.
class SharedFile {
 public:
  bool Open(const std::string& path) {
    descriptor_ = Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return descriptor_ >= 0;
  }

  // Maps the next `bytes` bytes of the file: at `at`, or anywhere if that is null. Returns null if
  // the file has no such bytes.
  char* MapNext(size_t bytes, char* at) {
    struct stat status;
    const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (fstat(descriptor_, &status) != 0 ||
        offset_ + rounded > static_cast<size_t>(status.st_size)) {
      return nullptr;
    }
    void* memory =
        mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | (at == nullptr ? 0 : MAP_FIXED),
             descriptor_, static_cast<off_t>(offset_));
    if (memory == MAP_FAILED) return nullptr;
    offset_ += rounded;
    return static_cast<char*>(memory);
  }
  void Rewind() { offset_ = 0; }

 private:
  static constexpr auto kAlignment = static_cast<size_t>(mlir_message::kSharedAlignment);
  Descriptor descriptor_;
  size_t offset_ = 0;
};

// Sets the size and the descriptor of a tensor.
void Describe(const StoredTensor& tensor, Buffer& buffer) {
  int64_t stride = 1;
  std::vector<int64_t> strides(tensor.shape.size());
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= tensor.shape[i];
  }
  buffer.bytes = static_cast<size_t>(stride * tensor.element_bytes);
  buffer.descriptor = {0, 0, 0};
  buffer.descriptor.insert(buffer.descriptor.end(), tensor.shape.begin(), tensor.shape.end());
  buffer.descriptor.insert(buffer.descriptor.end(), strides.begin(), strides.end());
}

// Returns false if the buffer has no memory.
bool Place(char* data, Buffer& buffer) {
  buffer.data = data;
  const auto address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(data));
  buffer.descriptor[0] = buffer.descriptor[1] = address;
  return data != nullptr;
}

constexpr int kUnwritten = 0xab;  // the content of result bytes that the function never stores to

}  // namespace

void MakeCalls(const CompiledModule& module, const mlir_message::Request& request,
               const TakeResults& take, mlir_message::Reply& reply) {
  const FunctionSignature& signature = module.signature;
  std::vector<StoredTensor> tensors = signature.arguments;
  tensors.insert(tensors.end(), signature.results.begin(), signature.results.end());
  std::vector<Buffer> buffers(tensors.size());
  std::vector<void*> descriptors(tensors.size());
  std::vector<void*> arguments(tensors.size());
  const size_t inputs = signature.arguments.size();
  // The arguments before this one come with the calls.
  const size_t first_shared =
      request.shared.empty() || request.calls.empty() ? inputs : request.calls[0].size();
  SharedFile shared;
  if (first_shared < inputs && !shared.Open(request.shared)) {
    reply.detail = "cannot open the arguments of @main";
    return;
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    Describe(tensors[i], buffers[i]);
    const bool is_shared = i >= first_shared && i < inputs;
    char* const data =
        is_shared ? shared.MapNext(buffers[i].bytes, nullptr) : GuardedBytes(buffers[i].bytes);
    if (!Place(data, buffers[i])) {
      reply.detail = "no memory for the tensors of @main";
      return;
    }
    descriptors[i] = buffers[i].descriptor.data();
    arguments[i] = &descriptors[i];
  }
  for (const auto& call : request.calls) {
    if (call.size() != first_shared) {
      reply.detail = "@main takes " + std::to_string(first_shared) + " tensors, a call brings " +
                     std::to_string(call.size());
      return;
    }
    shared.Rewind();
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (i >= first_shared && i < inputs) {
        if (shared.MapNext(buffers[i].bytes, buffers[i].data) != nullptr) continue;
        reply.detail = "the arguments of @main have gone";
        return;
      }
      if (i >= inputs) {
        memset(buffers[i].data, kUnwritten, buffers[i].bytes);
        continue;
      }
      if (call[i].size() != buffers[i].bytes) {
        reply.detail = "argument " + std::to_string(i) + " has " + std::to_string(call[i].size()) +
                       " bytes, expected " + std::to_string(buffers[i].bytes);
        return;
      }
      // The arguments are copied before every call, because bufferization may let the function
      // overwrite them.
      memcpy(buffers[i].data, call[i].data(), call[i].size());
    }
    module.function(arguments.data());
    std::vector<std::string> results;
    for (size_t i = inputs; i < tensors.size(); ++i) {
      results.emplace_back(buffers[i].data, buffers[i].bytes);
    }
    take(std::move(results));
  }
  reply.stage = Stage::kOk;
}

}  // namespace assay
