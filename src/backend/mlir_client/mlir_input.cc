// SPDX-License-Identifier: Apache-2.0
#include "mlir_input.h"

#include <utility>

#include "mlir_client.h"
#include "mlir_reader.h"

namespace assay {
namespace {

using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;

constexpr std::string_view kBytecode = "ML\xefR";  // the first bytes of MLIR's bytecode
constexpr std::string_view kHowToInstall =
    " needs assay-mlir-helper, which is not installed: build Assay with libmlir-22-dev and "
    "llvm-22-dev, or convert the file with `mlir-opt --mlir-print-op-generic`";

// The pretty form of the dialect changes with each version of MLIR; the generic form rarely does.
constexpr std::string_view kOtherVersions =
    "; this is MLIR 22: write text of another version in generic form, with its own `mlir-opt "
    "--mlir-print-op-generic`; operators have to be those of TOSA 1.0";

// Returns a request whose limits grow with the size of the text.
Request RequestFor(std::string text, const std::string& path,
                   std::optional<uint64_t> seed_of_missing) {
  Request request;
  const auto mebibytes = static_cast<uint32_t>(text.size() >> 20);
  request.module = std::move(text);
  request.name = path;
  request.normalize = true;
  request.draw_missing = seed_of_missing.has_value();
  request.seed = seed_of_missing.value_or(0);
  request.execute = false;
  request.cpu_seconds = 20 + 2 * mebibytes;
  request.wall_ms = 4 * 1000 * request.cpu_seconds;
  request.memory_mib = 4096 + 64 * mebibytes;
  return request;
}

// Rewords MLIR's message about an unknown dialect, because MLIR adds advice for its own developers.
std::string InOurWords(std::string detail) {
  constexpr std::string_view kBefore = "Dialect `", kAfter = "' not found";
  const size_t at = detail.find(kBefore);
  const size_t end = detail.find(kAfter, at);
  if (at == std::string::npos || end == std::string::npos) return detail;
  const size_t name = at + kBefore.size();
  return detail.substr(0, at) + UnknownMlirDialect(detail.substr(name, end - name));
}

Error Refusal(const Reply& reply, const std::string& path) {
  if (reply.stage == Stage::kCrashed || reply.stage == Stage::kTimedOut) {
    const std::string how = reply.stage == Stage::kCrashed ? "crashed" : "gave up";
    return Unsupported(path + ": assay-mlir-helper " + how +
                       " while it read the file: " + reply.detail);
  }
  if (reply.detail.empty()) {
    return BadInput(path + ": MLIR cannot read it, and gives no reason" +
                    std::string(kOtherVersions));
  }
  const std::string detail = InOurWords(reply.detail);
  const bool is_syntax =
      detail.find("expected") != detail.npos || detail.find("tosa.") != detail.npos;
  return BadInput(detail + (is_syntax ? std::string(kOtherVersions) : ""));
}

// Puts `path` in front of the places that name another file, from which the file at `path` was
// made.
void NameFile(const std::string& path, std::vector<std::string>& places) {
  for (std::string& place : places) {
    if (!place.empty() && !place.starts_with(path + ":")) place = path + ": " + place;
  }
}

// Adds to an error that `// -----`, which separates inputs of mlir-opt, separates nothing here.
Error WithParts(Error error, bool has_parts) {
  if (has_parts) {
    error.message += "; the file has several parts, separated by `// -----`: make a file of each";
  }
  return error;
}

Result<MlirFile> LoadBytes(SharedBytes bytes, const std::string& path, std::string_view function,
                           std::vector<std::string>* notes,
                           std::optional<uint64_t> seed_of_missing) {
  const std::string_view text = MlirFile::TextOf(bytes);
  std::string why = path + ": MLIR bytecode";
  if (!text.starts_with(kBytecode)) {
    const MlirSource source = {.function = function, .lines = true, .names = true, .notes = notes};
    Result<Graph> graph = ReadMlir(text, path, {}, source);
    if (graph) return MlirFile{std::move(bytes), {}, std::move(*graph)};
    if (graph.error().kind != Error::Kind::kUnsupported) return graph.error();
    why = graph.error().message + "; any other form";
  }
  if (!text.starts_with(kBytecode)) {
    const Result<Done> known = CheckMlirProperties(text, path);
    if (!known) return known.error();
  }
  const Result<std::unique_ptr<MlirClient>> client = MlirClient::Open();
  if (!client) return Unsupported(why + std::string(kHowToInstall));
  Result<Reply> reply = (*client)->Ask(RequestFor(std::string(text), path, seed_of_missing));
  if (!reply) return reply.error();
  if (reply->stage != Stage::kOk) return Refusal(*reply, path);
  NameFile(path, reply->places);
  const auto owner = std::make_shared<const std::string>(std::move(reply->rewritten));
  const auto* const first = reinterpret_cast<const uint8_t*>(owner->data());
  const SharedBytes written = std::exchange(bytes, {{owner, first}, {first, owner->size()}});
  const MlirSource source = {.function = function,
                             .places = reply->places,
                             .lines = true,
                             .names = true,
                             .written = MlirFile::TextOf(written),
                             .notes = notes};
  Result<Graph> graph = ReadMlir(*owner, path, {}, source);
  if (!graph && graph.error().kind == Error::Kind::kUnsupported) {
    return BadInput(graph.error().message);  // MLIR cannot write it in a more generic form
  }
  if (!graph) return graph.error();
  return MlirFile{std::move(bytes), std::move(reply->places), std::move(*graph)};
}

}  // namespace

Result<MlirFile> LoadMlir(const std::string& path, std::string_view function,
                          std::vector<std::string>* notes,
                          std::optional<uint64_t> seed_of_missing) {
  Result<SharedBytes> bytes = MapFile(path);
  if (!bytes) return bytes.error();
  const bool has_parts = MlirFile::TextOf(*bytes).find("\n// -----") != std::string_view::npos;
  Result<MlirFile> file = LoadBytes(std::move(*bytes), path, function, notes, seed_of_missing);
  if (!file) return WithParts(file.error(), has_parts);
  return file;
}

}  // namespace assay
