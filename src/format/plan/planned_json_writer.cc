// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "formats.h"
#include "json_text.h"
#include "planned_json.h"
#include "quoted.h"

namespace assay {
namespace {

// Writes text with a line for every row, because an array may have a million buffers.
class Writer {
 public:
  explicit Writer(const PlannedProblem& planned) : planned_(planned) {}

  Result<std::string> Write() {
    text_ = "{\n \"format\": \"" + std::string(formats::kPlan.name) +
            "\",\n \"version\": " + std::to_string(formats::kPlan.version) + ",\n \"pools\": [";
    Rows(planned_.problem.pools, [&](const PoolInfo& pool) { WritePool(pool); });
    text_ += "],\n \"buffers\": [";
    Rows(planned_.problem.buffers, [&](const BufferInfo& row) { WriteBuffer(row); });
    text_ += "]";
    if (planned_.plan) {
      text_ += ",\n \"plan\": [";
      WritePlan(*planned_.plan);
      text_ += "]";
    }
    text_ += "\n}\n";
    if (!wrong_.empty()) return BadInput(wrong_);
    return std::move(text_);
  }

 private:
  // Writes a line for each row.
  template <class List, class Function>
  void Rows(const List& rows, Function write) {
    std::string_view separator = "\n  ";
    for (const auto& row : rows) {
      text_ += separator;
      write(row);
      separator = ",\n  ";
    }
    if (!rows.empty()) text_ += "\n ";
  }

  template <class List, class Function>
  void WriteList(std::string_view key, const List& list, Function write) {
    if (list.empty()) return;
    text_.append(", \"").append(key).append("\": [");
    for (const auto& element : list) {
      write(element);
      text_ += ", ";
    }
    text_.resize(text_.size() - 2);
    text_ += "]";
  }

  void Number(int64_t number) { text_ += std::to_string(number); }
  void Field(std::string_view key, int64_t number) {
    text_.append(", \"").append(key).append("\": ");
    Number(number);
  }

  void Name(const std::string& name) {
    const std::string text = JsonText(Json(name));
    // If the text differs from the name, bytes that are not UTF-8 were replaced.
    const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return c >= 0; });
    if (!ascii && wrong_.empty() && JsonFrom(text) != name) {
      wrong_ = Quoted(name) + ": a name that is not UTF-8, as JSON asks";
    }
    text_ += text;
  }

  void WritePool(const PoolInfo& pool) {
    text_ += "{\"name\": ";
    Name(pool.name);
    if (pool.size_bytes) Field("size_bytes", *pool.size_bytes);
    if (pool.alignment != 0) Field("alignment", pool.alignment);
    if (pool.offset != 0) Field("offset", pool.offset);
    if (!pool.targets.empty()) {
      text_ += ", \"targets\": {";
      for (const TargetAccess& target : pool.targets) {
        Name(target.target);
        text_.append(": \"").append(NameOf(target.access)).append("\", ");
      }
      text_.resize(text_.size() - 2);
      text_ += "}";
    }
    text_ += "}";
  }

  void WriteBuffer(const BufferInfo& buffer) {
    text_ += "{\"name\": ";
    Name(buffer.name_hint);
    Field("size_bytes", buffer.size_bytes);
    if (buffer.alignment != 1) Field("alignment", buffer.alignment);
    if (buffer.kind != BufferKind::kIntermediate) {
      text_.append(", \"kind\": \"").append(NameOf(buffer.kind)).append("\"");
    }
    WriteList("live", buffer.live, [&](const LiveRange& range) { WriteRange(range); });
    const MemoryProblem& problem = planned_.problem;
    WriteList("conflicts", buffer.conflicts,
              [&](int32_t index) { Name(problem.buffers[static_cast<size_t>(index)].name_hint); });
    WriteList("pool_candidates", buffer.pool_candidates,
              [&](int32_t index) { Name(problem.pools[static_cast<size_t>(index)].name); });
    if (buffer.fixed_offset) Field("fixed_offset", *buffer.fixed_offset);
    text_ += "}";
  }

  void WriteRange(const LiveRange& range) {
    text_ += "[";
    Number(range.lower);
    text_ += ", ";
    Number(range.upper);
    if (range.window_upper) {
      text_ += ", ";
      Number(range.window_lower);
      text_ += ", ";
      Number(*range.window_upper);
    }
    text_ += "]";
  }

  void WritePlan(const MemoryPlan& plan) {
    const auto& [buffers, pools] = planned_.problem;
    std::vector<StrayAllocation> rows;
    for (size_t i = 0; i < plan.allocations.size(); ++i) {
      if (!plan.allocations[i]) continue;
      const auto& [pool, offset] = *plan.allocations[i];
      rows.push_back({buffers[i].name_hint, pools[static_cast<size_t>(pool)].name, offset});
    }
    rows.insert(rows.end(), plan.strays.begin(), plan.strays.end());
    Rows(rows, [&](const StrayAllocation& row) {
      text_ += "{\"buffer\": ";
      Name(row.buffer);
      text_ += ", \"pool\": ";
      Name(row.pool);
      Field("offset", row.offset);
      text_ += "}";
    });
  }

  const PlannedProblem& planned_;
  std::string text_;
  std::string wrong_;  // the first name that cannot be written
};

}  // namespace

Result<std::string> PlanJson(const PlannedProblem& planned) { return Writer(planned).Write(); }

}  // namespace assay
