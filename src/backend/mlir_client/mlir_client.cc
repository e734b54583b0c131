// SPDX-License-Identifier: Apache-2.0
#include "mlir_client.h"

#include <cxxabi.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "name_search.h"
#include "program_output.h"

namespace assay {
namespace {

using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;

constexpr int kGraceSeconds = 20;  // beyond the request's own limit: start, transfer, load

std::string HelperPath(MlirDialect dialect) {
  const bool is_19 = dialect == MlirDialect::kLlvm19;
  const char* named = getenv(is_19 ? "ASSAY_MLIR_HELPER_19" : "ASSAY_MLIR_HELPER");
  if (named == nullptr) {
    return ProgramBesideThis(is_19 ? "assay-mlir-helper-19" : "assay-mlir-helper");
  }
  return strchr(named, '/') == nullptr ? std::string("./") + named : named;
}

struct Rewrite {
  std::string_view name;
  std::string_view passes;  // of a module
  bool is_in_llvm_19 = true;
};
constexpr Rewrite kRewrites[] = {
    {"canonicalize", "func.func(canonicalize)"},
    {"fold", "func.func(tosa-layerwise-constant-fold)"},
    {"canonicalize-fold", "func.func(canonicalize,tosa-layerwise-constant-fold,canonicalize)"},
    {"reduce-transposes", "func.func(tosa-reduce-transposes)", false},
    {"decompose", "func.func(tosa-optional-decompositions)"},
    {"broadcast", "func.func(tosa-make-broadcastable)"},
    {"infer-shapes", "func.func(tosa-infer-shapes)"},
    // These are all profiles and extensions of 1.0 for which the dialect has a name.
    {"validate",
     "tosa-attach-target{specification_version=1.0 level=8k profiles=pro_int,pro_fp "
     "extensions=int16,int4,bf16,fp8e4m3,fp8e5m2,fft,variable,controlflow,doubleround,"
     "inexactround,dynamic},tosa-validate{strict-op-spec-alignment=true}",
     false},
    {"all",
     "func.func(tosa-optional-decompositions,canonicalize,tosa-infer-shapes,"
     "tosa-make-broadcastable,tosa-layerwise-constant-fold{aggressive-reduce-constant=true},"
     "tosa-reduce-transposes,canonicalize)",
     false},
};

// Returns the innermost function of the TOSA dialect on the stack of a crash, without its
// parameters: "mlir::tosa::SliceOp::fold". Returns "" if there is none.
std::string TosaFunctionOf(const std::string& stack) {
  std::istringstream lines(stack);
  for (std::string symbol; std::getline(lines, symbol);) {
    if (symbol.find("4tosa") == std::string::npos) continue;
    char* demangled = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr);
    if (demangled == nullptr) continue;
    std::string name = demangled;
    free(demangled);
    return name.substr(0, name.find('('));
  }
  return "";
}

}  // namespace

Result<std::unique_ptr<MlirClient>> MlirClient::Open(MlirDialect dialect) {
  std::string path = HelperPath(dialect);
  if (access(path.c_str(), X_OK) != 0) {
    return Unsupported(
        dialect == MlirDialect::kLlvm19
            ? "mlir@19: not installed: scripts/install.sh --with mlir@19, then build "
              "Assay again"
            : "mlir: not installed: install libmlir-22-dev, mlir-22-tools and "
              "llvm-22-dev, then build Assay again; or the package assay-mlir");
  }
  return std::unique_ptr<MlirClient>(new MlirClient(std::move(path), dialect));
}

std::string_view LlvmOf(MlirDialect dialect) {
  return dialect == MlirDialect::kLlvm19 ? "LLVM 19" : "LLVM 22";
}

Result<Reply> MlirClient::Ask(const Request& request) {
  if (!helper_) {
    // LD_BIND_NOW: the helper binds the symbols of LLVM once, so that its children need not.
    Result<Child> started = Child::Start({{path_}, "", {{"LD_BIND_NOW", "1"}}, 0});
    if (!started) return Error{Error::Kind::kResource, started.error().message};
    helper_ = std::move(*started);
  }
  helper_->SetLimits(request.wall_ms / 1000.0 + kGraceSeconds, 0);
  Reply reply;
  if (helper_->WriteFrame(Encode(request))) {
    const Result<std::string> frame = helper_->ReadFrame();
    if (frame && Decode(*frame, reply)) return reply;
  }
  reply = Reply{};
  reply.stage = helper_->timed_out() ? Stage::kTimedOut : Stage::kCrashed;
  reply.detail = helper_->timed_out() ? "the helper does not answer" : "the helper itself died";
  const std::string words = LastWordsOf(helper_->errors());
  if (!words.empty()) reply.detail += ": " + words;
  helper_.reset();  // the next request starts another
  return reply;
}

Request NewMlirRequest(const BackendOptions& options) {
  Request request;
  request.wall_ms = static_cast<uint32_t>(std::ceil(options.wall_seconds * 1000));
  request.cpu_seconds = static_cast<uint32_t>(std::ceil(options.cpu_seconds));
  return request;
}

Outcome FailedMlirOutcome(const Reply& reply) {
  Outcome outcome;
  outcome.kind = reply.stage == Stage::kCrashed    ? OutcomeKind::kCrashed
                 : reply.stage == Stage::kTimedOut ? OutcomeKind::kTimedOut
                                                   : OutcomeKind::kError;
  outcome.rewrites = MlirRewritesOf(reply);
  outcome.message = reply.detail;
  if (reply.pass.empty()) outcome.message.insert(0, reply.phase + ": ");
  for (char& c : outcome.message) c = c == '\n' || c == '\r' ? ' ' : c;
  outcome.pass = reply.pass;
  // A pattern is not the reason of a refusal, because the pass tried many patterns without success.
  if (outcome.kind == OutcomeKind::kError) return outcome;
  const std::string function = reply.pattern.empty() ? TosaFunctionOf(reply.stack) : reply.pattern;
  if (!function.empty()) outcome.pass += ", " + function;
  if (!reply.pattern.empty()) outcome.pass += " on " + reply.operation;
  return outcome;
}

std::string MlirRewritesOf(const Reply& reply) {
  std::string rewrites = reply.applied;
  if (!rewrites.empty()) rewrites.pop_back();
  for (size_t at = 0; (at = rewrites.find('\n', at)) != std::string::npos;) {
    rewrites.replace(at, 1, "; ");
  }
  return rewrites;
}

Result<std::string> MlirRewritePipeline(std::string_view name, MlirDialect dialect) {
  if (name.starts_with("builtin.module(")) return std::string(name);
  const Result<size_t> found = FindName("rewrite", name, NamesOfRows(kRewrites, &Rewrite::name));
  if (!found) return Error{found.error().kind, "mlir: " + found.error().message};
  if (dialect == MlirDialect::kLlvm19 && !kRewrites[*found].is_in_llvm_19) {
    return UsageError("mlir@19: LLVM 19 has no passes for the rewrite '" + std::string(name) + "'");
  }
  return "builtin.module(" + std::string(kRewrites[*found].passes) + ")";
}

std::string_view MlirRewriteHelp() {
  return "canonicalize, fold, canonicalize-fold, reduce-transposes, decompose, broadcast, "
         "infer-shapes, validate, all, or a pipeline builtin.module(...)";
}

}  // namespace assay
