// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graph.h"
#include "mapped_file.h"
#include "quoted.h"
#include "tosa_wire_reading.h"

namespace assay {

// The state of reading one `.tosa` file as a Graph, with notes on ignored content.
class TosaReading final : public TosaWireReading {
 public:
  // Large constants share the bytes of the file, if it has an owner.
  TosaReading(const SharedBytes& file, std::string_view name, std::vector<std::string>* notes,
              ReadBudget& budget)
      : TosaWireReading(file.bytes, name, budget), owner_(file.owner), notes_(notes) {}

  const std::shared_ptr<const uint8_t[]>& owner() const { return owner_; }

  // Sets the place for messages: a block (or null), and its last operator if `in_operator`.
  void SetPlace(const Block* block, bool in_operator) {
    block_ = block;
    in_operator_ = in_operator;
  }

  void Note(const std::string& note) {
    if (notes_ == nullptr || !budget_.Charge(note.size() + prefix_.size() + sizeof(note))) return;
    notes_->push_back(Place() + note);
  }

 private:
  // Returns the current place: `net.tosa: block "main", operator 3 (ADD): `.
  std::string Place() const override {
    if (block_ == nullptr) return prefix_;
    std::string place = prefix_ + "block " + Quoted(block_->name);
    if (in_operator_ && !block_->operators.empty()) {
      place += ", operator " + std::to_string(block_->operators.size() - 1) + " (" +
               std::string(OperatorName(block_->operators.back().op)) + ")";
    }
    return place + ": ";
  }

  const std::shared_ptr<const uint8_t[]> owner_;
  std::vector<std::string>* const notes_;
  const Block* block_ = nullptr;
  bool in_operator_ = false;
};

}  // namespace assay
