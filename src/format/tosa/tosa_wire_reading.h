#pragma once

#include <optional>
#include <span>
#include <string>

#include "attributes.h"
#include "read_budget.h"
#include "result.h"
#include "tosa_generated.h"
#include "verified_bytes.h"

namespace assay {

// Reading one verified `.tosa` file, as what it says or as what it means: what went wrong, what it
// may cost, and what this version of the schema does not know. Functions that give false have set
// the error; whoever calls them passes the false on.
class WireReading {
 public:
  WireReading(std::span<const uint8_t> file, int64_t memory_max)
      : file_(file), budget_(file.size(), memory_max) {}
  WireReading(const WireReading&) = delete;
  WireReading& operator=(const WireReading&) = delete;

  const Error& error() const { return error_; }

  bool Fail(const std::string& what) { return SetError(Error::Kind::kBadInput, what); }
  bool Unsupported(const std::string& what) { return SetError(Error::Kind::kUnsupported, what); }

  // Accounts for memory that the content takes.
  bool Charge(size_t bytes) {
    return budget_.Charge(bytes) ||
           Fail("the content takes more than " + std::to_string(budget_.bytes_max()) +
                " bytes of memory, the limit for this file");
  }

  // `fields` is how many the schema has.
  template <class Table>
  bool KnownFields(const Table& table, size_t fields, const char* what) {
    const auto unknown = UnknownField(reinterpret_cast<const flatbuffers::Table&>(table), fields);
    return !unknown || Unsupported(std::string(what) + " table has field " +
                                   std::to_string(*unknown) + ", which TOSA 1.0 does not have");
  }
  bool KnownEnumerator(AttributeId field, uint32_t value);
  // The version of the graph, if it is one that we read.
  bool ReadVersion(const tosa::TosaGraph& wire, SpecVersion& version);
  // The data of a tensor, in the FlatBuffer or behind it in the file; nothing if they would lie
  // beyond its end, which OutsideText() says.
  std::optional<std::span<const uint8_t>> FindData(const tosa::TosaTensor& wire) const;
  static std::string OutsideText(const tosa::TosaTensor& wire);

 protected:
  ~WireReading() = default;
  bool Account(size_t bytes) { return budget_.Charge(bytes); }

 private:
  // What messages start with: the name of the file, and where in it we are.
  virtual std::string Place() const = 0;

  bool SetError(Error::Kind kind, const std::string& what) {
    error_ = {kind, Place() + what};
    return false;
  }

  const std::span<const uint8_t> file_;
  ReadBudget budget_;
  Error error_;
};

}  // namespace assay
