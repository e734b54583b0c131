// SPDX-License-Identifier: Apache-2.0
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

// The content of a TOSA graph's file, and its reading and writing, with the vocabulary of the TOSA
// serialization library. Everything is verified before it is read. These are refused:
// - kUnsupported: versions other than 1.0.x and 1.1 (drafts too), and operators, types, enumerators
//   and fields that TOSA 1.0 does not have, by name;
// - kBadInput: damaged files, JSON that does not follow the schema, data outside the file, content
//   that takes too much memory for its file.
//
// An Error is one line that starts with the name of the file. After an Error of Load...() the
// handler keeps its previous content.
//
// A tensor's data behind the FlatBuffer in the file (`offset`, `size`) is read like any other and
// written inside; JSON has no place behind. Absent and empty content are the same. The field
// software_version of TOSA 1.1 is ignored. Nothing else is lost.
class TosaSerializationHandler {
 public:
  using Region = TosaSerializationRegion;
  using Names = std::vector<std::string>;

  explicit TosaSerializationHandler(const ReadLimits& limits = {}) : limits_(limits) {}

  // Loads the schema by which JSON is read and written from now on, in place of the built-in one.
  // It must be a schema of TOSA graphs, and trusted, because schemas are not read defensively.
  Result<Done> LoadFileSchema(const std::string& filename);

  // Read and write JSON as `flatc --json --strict-json` writes it with the same schema. Error
  // kBadInput if a name is not UTF-8.
  Result<Done> LoadFileJson(const std::string& filename);
  Result<Done> SaveFileJson(const std::string& filename) const;
  // Do the same from and to memory; `name` is for messages.
  Result<Done> LoadJson(std::string_view text, std::string_view name);
  Result<std::string> SaveJson(std::string_view name = "graph") const;

  Result<Done> LoadFileTosaFlatbuffer(const std::string& filename);
  Result<Done> SaveFileTosaFlatbuffer(const std::string& filename) const;
  // Does the same from memory.
  Result<Done> LoadTosaFlatbuffer(std::span<const uint8_t> bytes, std::string_view name);
  // Does the same. Large data of tensors share the bytes of the owner.
  Result<Done> LoadTosaFlatbuffer(std::shared_ptr<const uint8_t[]> owner,
                                  std::span<const uint8_t> bytes, std::string_view name);
  // Writes to memory. The same content gives the same bytes. Error kResource if they would be 2 GiB
  // or more, which a FlatBuffer cannot be.
  Result<std::vector<uint8_t>> SaveTosaFlatbuffer(std::string_view name = "graph") const;

  // Returns the version of the graph: that of the file, 1.0.0 at first.
  const SpecVersion& GetVersion() const { return version_; }
  void SetVersion(const SpecVersion& version) { version_ = version; }
  const std::vector<Region>& GetRegions() const { return regions_; }
  std::vector<Region>& GetRegions() { return regions_; }
  // Returns the first region, whatever its name; null if there is none.
  const Region* GetMainRegion() const;
  Region* GetMainRegion();
  const Region* GetRegionByName(std::string_view name) const;
  Region* GetRegionByName(std::string_view name);
  // Returns the block `main` of the main region; null if there is none. No other block runs by
  // itself.
  const TosaSerializationBasicBlock* GetMainBlock() const;
  // Return the names of the graph's inputs and outputs. Inputs are those of the main block without
  // constants.
  Names GetInputs() const;
  Names GetOutputs() const;

  // Returns true if two handlers have the same content.
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
