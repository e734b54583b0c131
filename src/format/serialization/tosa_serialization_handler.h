#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "read_limits.h"
#include "result.h"
#include "tosa_serialization_graph.h"

namespace assay {

struct TosaSchema;

// A TOSA graph as its file has it, and that file's reading and writing, with the vocabulary of the
// TOSA serialization library. Everything is verified before it is read. What is refused:
// - kUnsupported: versions other than 1.0.x and 1.1 (drafts too), and operators, types, enumerators
//   and fields that TOSA 1.0 does not have, by name;
// - kBadInput: damaged files, JSON that is not of the schema, data outside the file, content that
//   takes too much memory for its file.
// An Error is one line that starts with the name of the file. After an Error of Load...() the
// handler holds what it held before.
//
// A tensor's data that stands behind the FlatBuffer in the file (`offset`, `size`) is read like any
// other and written inside; JSON has no place behind. What is absent and what is empty are the
// same. The field software_version of TOSA 1.1 is passed over. Nothing else is lost.
class TosaSerializationHandler {
 public:
  using Region = TosaSerializationRegion;
  using Names = std::vector<std::string>;

  explicit TosaSerializationHandler(const ReadLimits& limits = {}) : limits_(limits) {}

  // The schema that JSON is read and written by from now on; without it, the built-in one. It has
  // to be one of TOSA graphs, and to be trusted: schemas are not read defensively.
  Result<Done> LoadFileSchema(const std::string& filename);

  // JSON as `flatc --json --strict-json` writes it by the same schema. Error kBadInput if a name is
  // not UTF-8.
  Result<Done> LoadFileJson(const std::string& filename);
  Result<Done> SaveFileJson(const std::string& filename) const;
  // The same from and to memory; `name` is for messages.
  Result<Done> LoadJson(std::string_view text, std::string_view name);
  Result<std::string> SaveJson(std::string_view name = "graph") const;

  Result<Done> LoadFileTosaFlatbuffer(const std::string& filename);
  Result<Done> SaveFileTosaFlatbuffer(const std::string& filename) const;
  // The same from and to memory.
  Result<Done> LoadTosaFlatbuffer(std::span<const uint8_t> bytes, std::string_view name);
  // The same content gives the same bytes. Error kResource if they would be 2 GiB or more, which a
  // FlatBuffer cannot be.
  Result<std::vector<uint8_t>> SaveTosaFlatbuffer(std::string_view name = "graph") const;

  // The version of the graph: that of the file, 1.0.0 at first.
  const SpecVersion& GetVersion() const { return version_; }
  void SetVersion(const SpecVersion& version) { version_ = version; }
  const std::vector<Region>& GetRegions() const { return regions_; }
  std::vector<Region>& GetRegions() { return regions_; }
  // The first region, whatever its name; null if there is none.
  const Region* GetMainRegion() const;
  Region* GetMainRegion();
  const Region* GetRegionByName(std::string_view name) const;
  Region* GetRegionByName(std::string_view name);
  // The block `main` of the main region; null if there is none. No other block runs by itself.
  const TosaSerializationBasicBlock* GetMainBlock() const;
  // The names of the graph's inputs, which are the main block's without constants, and outputs.
  Names GetInputs() const;
  Names GetOutputs() const;

  // Whether two handlers hold the same content.
  friend bool operator==(const TosaSerializationHandler& a, const TosaSerializationHandler& b) {
    return a.version_ == b.version_ && a.regions_ == b.regions_;
  }

 private:
  const TosaSchema& Schema() const;

  ReadLimits limits_;
  std::shared_ptr<const TosaSchema> schema_;  // null: the built-in one
  SpecVersion version_;
  std::vector<Region> regions_;
};

}  // namespace assay
