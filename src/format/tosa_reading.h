#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph.h"
#include "quoted.h"
#include "read_budget.h"
#include "result.h"
#include "verified_bytes.h"

namespace assay {

// Reading one `.tosa` file: where we are, what went wrong, what it may cost. Functions that give
// false have set the error; whoever calls them passes the false on.
class TosaReading {
 public:
  TosaReading(std::span<const uint8_t> file, std::string_view name, std::vector<std::string>* notes,
              int64_t memory_max)
      : file_(file), name_(name), notes_(notes), budget_(file.size(), memory_max) {}

  std::span<const uint8_t> file() const { return file_; }
  const Error& error() const { return error_; }

  // What is being read, for messages: a block (or null), and its last operator if `in_operator`.
  void SetPlace(const Block* block, bool in_operator) {
    block_ = block;
    in_operator_ = in_operator;
  }

  bool Fail(const std::string& what) { return SetError(Error::Kind::kBadInput, what); }
  bool Unsupported(const std::string& what) { return SetError(Error::Kind::kUnsupported, what); }
  void Note(const std::string& note) {
    if (notes_ == nullptr || !budget_.Charge(note.size() + name_.size() + sizeof(note))) return;
    notes_->push_back(std::string(name_) + ": " + Place() + note);
  }

  // Accounts for memory that the graph takes.
  bool Charge(size_t bytes) {
    return budget_.Charge(bytes) ||
           Fail("the graph takes more than " + std::to_string(budget_.bytes_max()) +
                " bytes of memory, the limit for this file");
  }

  // `fields` is how many the schema has.
  template <class Table>
  bool KnownFields(const Table& table, size_t fields, const char* what) {
    const auto unknown = UnknownField(reinterpret_cast<const flatbuffers::Table&>(table), fields);
    return !unknown || Unsupported(std::string(what) + " table has field " +
                                   std::to_string(*unknown) + ", which TOSA 1.0 does not have");
  }

 private:
  // `block "main", operator 3 (ADD): `, as far as reading has come.
  std::string Place() const {
    if (block_ == nullptr) return "";
    std::string place = "block " + Quoted(block_->name);
    if (in_operator_ && !block_->operators.empty()) {
      place += ", operator " + std::to_string(block_->operators.size() - 1) + " (" +
               std::string(OperatorName(block_->operators.back().op)) + ")";
    }
    return place + ": ";
  }

  bool SetError(Error::Kind kind, const std::string& what) {
    error_ = {kind, std::string(name_) + ": " + Place() + what};
    return false;
  }

  const std::span<const uint8_t> file_;
  const std::string_view name_;
  std::vector<std::string>* const notes_;
  ReadBudget budget_;
  Error error_;
  const Block* block_ = nullptr;
  bool in_operator_ = false;
};

}  // namespace assay
