// SPDX-License-Identifier: Apache-2.0
#include "c_compiler.h"

#include "llvm/Config/llvm-config.h"
#include "mlir/IR/BuiltinOps.h"

#if LLVM_VERSION_MAJOR >= 22
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "child_process.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Target/Cpp/CppEmitter.h"
#endif

namespace assay {

using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;

#if LLVM_VERSION_MAJOR >= 22
namespace {

// EmitC writes the names of these headers, but does not include most of them.
constexpr const char* kIncludes =
    "#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
    "#include <stdlib.h>\n#include <string.h>\n";

// Returns a function that the helper can call. Each argument points to a pointer to a descriptor,
// which has the address of the data second.
std::string Entry(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<mlir::emitc::FuncOp>(kCMain);
  const unsigned arguments = main ? main.getNumArguments() : 0;
  std::string call;
  for (unsigned i = 0; i < arguments; ++i) {
    call += (i == 0 ? "" : ", ") + ("(*(void***)a[" + std::to_string(i) + "])[1]");
  }
  return "void assay_run(void** a) { " + std::string(kCMain) + "(" + call + "); }\n";
}

// The arrays of a function lie on the stack. Linux leaves room for this much.
constexpr rlim_t kStackBytes = rlim_t{100} << 20;

// A folder that is removed with the object, or by the parent of a killed process.
class Folder {
 public:
  explicit Folder(FlightRecorder& recorder) : recorder_(recorder) {
    std::error_code none;
    const auto parent = std::filesystem::temp_directory_path(none);
    std::string name = (none ? "/tmp" : parent.string()) + "/assay-c-XXXXXX";
    if (name.size() >= sizeof recorder.folder || mkdtemp(name.data()) == nullptr) return;
    path_ = std::move(name);
    FlightRecorder::Note(recorder_.folder, path_);
  }
  ~Folder() {
    if (path_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    FlightRecorder::Note(recorder_.folder, "");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }  // "": no folder could be made

 private:
  FlightRecorder& recorder_;
  std::string path_;
};

// Returns the first error in the output of a compiler, without the place in the text.
std::string FirstError(const std::string& errors) {
  size_t start = errors.find("error: ");
  start = start == std::string::npos ? 0 : start + 7;
  return errors.substr(start, errors.find('\n', start) - start);
}

// Compiles a text to the library `name` in the folder. Returns false if the compiler does not; then
// `problem` has why.
bool CompileText(const std::string& text, const Request& request, const std::string& folder,
                 const std::string& name, std::string& problem) {
  // A contracted multiplication and addition would round once, which is not what EmitC wrote.
  const ChildCommand command = {
      {request.c_compiler, "-std=gnu2x", "-O" + std::to_string(request.optimization), "-w",
       "-ffp-contract=off", "-fPIC", "-shared", "-x", "c", "-", "-o", folder + "/" + name, "-lm"},
      "",
      {{"TMPDIR", folder}, {"LC_ALL", "C"}, {"LD_BIND_NOW", ""}},
      0};
  ChildLimits limits;
  limits.wall_seconds = request.wall_ms / 1000.0;
  const Result<ChildReport> report = RunChild(command, text, limits);
  if (!report) {
    problem = report.error().message;
    return false;
  }
  if (report->end == ChildReport::End::kExited && report->status == 0) return true;
  problem = report->errors.empty() ? report->Describe() : FirstError(report->errors);
  return false;
}

// Returns a type that the text has and the compiler has not: gcc 12 has no __bf16. Returns "" if
// there is none.
std::string MissingType(const std::string& text, const Request& request,
                        const std::string& folder) {
  for (const std::string type : {"_Float16", "__bf16"}) {
    std::string ignored;
    if (text.find(type) != std::string::npos &&
        !CompileText(type + " Sum(" + type + " a, " + type + " b) { return a + b; }\n", request,
                     folder, "type.so", ignored)) {
      return type;
    }
  }
  return "";
}

void RaiseStackLimit() {
  rlimit limit;
  getrlimit(RLIMIT_STACK, &limit);
  limit.rlim_cur = std::min(std::max(limit.rlim_cur, kStackBytes), limit.rlim_max);
  setrlimit(RLIMIT_STACK, &limit);
}

}  // namespace

bool HasCState(mlir::ModuleOp module) {
  for (auto global : module.getOps<mlir::emitc::GlobalOp>()) {
    if (!global.getConstSpecifier()) return true;
  }
  return false;
}

bool CompileC(mlir::ModuleOp module, const Request& request, FlightRecorder& recorder,
              void (*&function)(void**), Reply& reply) {
  reply.stage = Stage::kLowering;
  std::string text = kIncludes;
  llvm::raw_string_ostream stream(text);
  if (mlir::failed(mlir::emitc::translateToCpp(module, stream))) return false;
  text += Entry(module);
  const Folder folder(recorder);
  if (folder.path().empty()) {
    reply.stage = Stage::kData;
    reply.detail = "no folder for the C of the module";
    return false;
  }
  FlightRecorder::Note(recorder.phase, request.c_compiler);
  std::string problem;
  if (!CompileText(text, request, folder.path(), "module.so", problem)) {
    const std::string type = MissingType(text, request, folder.path());
    if (!type.empty()) {
      FlightRecorder::Note(recorder.phase, "emitc");
      reply.detail = request.c_compiler + " has no " + type;
      return false;
    }
    reply.stage = Stage::kJit;
    reply.detail = problem;
    return false;
  }
  reply.stage = Stage::kJit;
  void* const library = dlopen((folder.path() + "/module.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const run = library == nullptr ? nullptr : dlsym(library, "assay_run");
  if (run == nullptr) {
    reply.detail = dlerror();  // begins with the path
    const size_t at = reply.detail.find(folder.path() + "/");
    if (at != std::string::npos) reply.detail.erase(at, folder.path().size() + 1);
    return false;
  }
  RaiseStackLimit();
  function = reinterpret_cast<void (*)(void**)>(run);
  return true;
}
#else
bool HasCState(mlir::ModuleOp) { return false; }

bool CompileC(mlir::ModuleOp, const Request&, FlightRecorder&, void (*&)(void**), Reply& reply) {
  reply.detail = "LLVM 19 is not asked for C";
  return false;
}
#endif

}  // namespace assay
