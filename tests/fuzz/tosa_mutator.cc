// SPDX-License-Identifier: Apache-2.0
// Mutates `.tosa` files for libFuzzer. Three in four mutations change the content: a file is
// loaded, changed in a few places and saved. So it passes the verifier, and the change is one of
// meaning. The others are libFuzzer's own mutations of bytes.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "random.h"
#include "tosa_serialization_handler.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace assay::fuzz {
namespace {

using Block = TosaSerializationBasicBlock;
using Names = std::vector<std::string>;

class Mutation {
 public:
  Mutation(Random& random, TosaSerializationHandler& handler)
      : random_(random), regions_(handler.GetRegions()) {}

  // Changes one thing of one block.
  void Apply() {
    Block* block = AnyBlock();
    if (block == nullptr) {
      regions_.emplace_back("main").AddBlock(Block("main"));
      return;
    }
    switch (random_.Below(16)) {
      case 0:
        return ChangeList(block->GetOperators());
      case 1:
        return ChangeList(block->GetTensors());
      case 2:
        return ChangeList(block->GetShapes());
      case 3:
        return ChangeNames(*block, random_.OneIn(2) ? block->GetInputs() : block->GetOutputs());
      case 4:
        return ChangeRegions(*block);
      case 5:
      case 6:
      case 7:
        return ChangeShape(*block);
      case 8:
      case 9:
      case 10:
      case 11:
        return ChangeTensor(*block);
      default:
        return ChangeOperator(*block);
    }
  }

 private:
  Block* AnyBlock() {
    if (regions_.empty()) return nullptr;
    std::vector<Block>& blocks = AnyOf(regions_).GetBlocks();
    return blocks.empty() ? nullptr : &AnyOf(blocks);
  }

  template <class T>
  T& AnyOf(std::vector<T>& list) {
    return list[random_.Below(list.size())];
  }

  // Returns a small number, which often fits, or a number at the border of a range.
  int32_t AnyNumber() {
    constexpr int32_t kBorders[] = {-1, INT32_MIN, INT32_MAX, 1 << 16, 8192, 255, 64, -7};
    return random_.OneIn(6) ? random_.Pick(kBorders) : static_cast<int32_t>(random_.Below(6));
  }

  std::string AnyName(Block& block) {
    const size_t tensors = block.GetTensors().size(), shapes = block.GetShapes().size();
    if (tensors + shapes == 0 || random_.OneIn(40)) return "nobody";
    const size_t at = random_.Below(tensors + shapes);
    return at < tensors ? block.GetTensors()[at].GetName()
                        : block.GetShapes()[at - tensors].GetName();
  }

  std::vector<uint8_t> AnyBytes() {
    std::vector<uint8_t> bytes(random_.Below(17));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(AnyNumber());
    return bytes;
  }

  // Removes, repeats or exchanges elements.
  template <class T>
  void ChangeList(std::vector<T>& list) {
    if (list.empty()) return;
    const auto at = list.begin() + static_cast<int64_t>(random_.Below(list.size()));
    switch (random_.Below(3)) {
      case 0:
        list.erase(at);
        break;
      case 1:
        list.insert(at, T(AnyOf(list)));
        break;
      default:
        std::swap(*at, AnyOf(list));
    }
  }

  void ChangeNames(Block& block, Names& names) {
    if (names.empty() || random_.OneIn(3)) {
      names.push_back(AnyName(block));
    } else if (random_.OneIn(2)) {
      AnyOf(names) = AnyName(block);
    } else {
      ChangeList(names);
    }
  }

  void ChangeRegions(Block& block) {
    switch (random_.Below(4)) {
      case 0:
        return ChangeList(regions_);
      case 1:
        return ChangeList(AnyOf(regions_).GetBlocks());
      case 2:
        regions_.emplace_back("region").AddBlock(Block(block));
        return;
      default: {
        Block copy(random_.OneIn(2) ? "body" : "main");
        copy.GetOperators() = block.GetOperators();
        copy.GetTensors() = block.GetTensors();
        copy.GetShapes() = block.GetShapes();
        copy.GetInputs() = block.GetInputs();
        copy.GetOutputs() = block.GetOutputs();
        regions_.front().AddBlock(std::move(copy));
      }
    }
  }

  void ChangeShape(Block& block) {
    if (block.GetShapes().empty()) return ChangeTensor(block);
    TosaSerializationShape& shape = AnyOf(block.GetShapes());
    std::vector<uint8_t> data = shape.GetData();
    const size_t values = data.size() / 8;
    if (values > 0 && !random_.OneIn(4)) {
      const int64_t value = AnyNumber();
      std::memcpy(&data[8 * random_.Below(values)], &value, sizeof(value));
      return shape.SetData(std::move(data));
    }
    const uint32_t rank = static_cast<uint32_t>(random_.Below(7));
    data.resize(8 * static_cast<size_t>(rank) - (rank > 0 && random_.OneIn(8) ? 3 : 0), 1);
    shape = TosaSerializationShape(shape.GetName(), rank, std::move(data));
  }

  void ChangeTensor(Block& block) {
    if (block.GetTensors().empty()) {
      block.GetTensors().emplace_back("t", std::vector<int32_t>{2}, DType::kInt8);
      return;
    }
    TosaSerializationTensor& tensor = AnyOf(block.GetTensors());
    std::vector<int32_t> shape = tensor.GetShape();
    std::vector<uint8_t> data(tensor.GetData().begin(), tensor.GetData().end());
    switch (random_.Below(8)) {
      case 0:
        return tensor.SetDtype(static_cast<DType>(1 + random_.Below(12)));
      case 1:
        if (shape.empty()) shape.push_back(1);
        AnyOf(shape) = AnyNumber();
        return tensor.SetShape(std::move(shape));
      case 2:
        if (shape.empty() || random_.OneIn(2)) {
          shape.push_back(1);
        } else {
          shape.pop_back();
        }
        return tensor.SetShape(std::move(shape));
      case 3:
        return tensor.SetData(random_.OneIn(2) ? AnyBytes() : std::vector<uint8_t>());
      case 4:
        return tensor.SetVariable(random_.OneIn(2), random_.OneIn(2) ? "state" : "");
      case 5:
        if (random_.OneIn(4)) return tensor.SetIsUnranked(!tensor.GetIsUnranked());
        return tensor.SetName(AnyName(block));
      default:
        if (data.empty()) return tensor.SetData(AnyBytes());
        AnyOf(data) = random_.OneIn(2) ? static_cast<uint8_t>(random_.Next())
                                       : static_cast<uint8_t>(AnyNumber());
        return tensor.SetData(std::move(data));
    }
  }

  void ChangeOperator(Block& block) {
    if (block.GetOperators().empty()) {
      block.GetOperators().push_back(AnyOperator(block));
      return;
    }
    TosaSerializationOperator& op = AnyOf(block.GetOperators());
    Names inputs = op.GetInputTensorNames(), outputs = op.GetOutputTensorNames();
    switch (random_.Below(6)) {
      case 0:
        ChangeNames(block, inputs);
        break;
      case 1:
        ChangeNames(block, outputs);
        break;
      case 2:  // a neighbour in the list of operators often takes the same operands
        op = TosaSerializationOperator(Neighbour(op.GetOp()), inputs, outputs);
        return ChangeAttributes(block, op.GetAttribute());
      case 3:
        block.GetOperators().push_back(AnyOperator(block));
        return;
      default:
        return ChangeAttributes(block, op.GetAttribute());
    }
    op = TosaSerializationOperator(op.GetOp(), op.GetAttribute(), std::move(inputs),
                                   std::move(outputs), op.GetLocation());
  }

  TosaSerializationOperator AnyOperator(Block& block) {
    TosaSerializationOperator op(static_cast<Op>(1 + random_.Below(kOperatorCount)),
                                 {AnyName(block), AnyName(block)}, {AnyName(block)});
    ChangeAttributes(block, op.GetAttribute());
    return op;
  }

  Op Neighbour(Op op) {
    const int64_t near = static_cast<int64_t>(op) + random_.Between(-3, 3);
    return static_cast<Op>(std::clamp<int64_t>(near, 1, kOperatorCount));
  }

  void ChangeAttributes(Block& block, TosaSerializationAttribute& attributes) {
    const auto fields = attributes.GetFields();
    for (const auto& [field, value] : fields) {
      if (random_.OneIn(2)) continue;
      TosaSerializationAttribute::Value changed = value;
      std::visit([&](auto& content) { Change(block, content); }, changed);
      attributes.Set(field, std::move(changed));
    }
  }

  void Change(Block&, bool& flag) { flag = !flag; }
  void Change(Block&, int32_t& number) { number = AnyNumber(); }
  void Change(Block&, uint32_t& number) { number = static_cast<uint32_t>(random_.Below(9)); }
  void Change(Block&, std::vector<uint8_t>& bytes) { bytes = AnyBytes(); }
  void Change(Block&, std::string& text) {
    Block* named = AnyBlock();
    text = named == nullptr ? "main" : named->GetName();
  }
  void Change(Block&, std::vector<int32_t>& numbers) {
    if (numbers.empty() || random_.OneIn(4)) numbers.resize(random_.Below(7), 1);
    if (!numbers.empty()) AnyOf(numbers) = AnyNumber();
  }

  Random& random_;
  std::vector<TosaSerializationRegion>& regions_;
};

// Returns the file after a few changes of its content; empty if the content cannot be loaded.
std::vector<uint8_t> MutateContent(std::span<const uint8_t> bytes, Random& random) {
  TosaSerializationHandler handler;
  if (!handler.LoadTosaFlatbuffer(bytes, "") && !random.OneIn(4)) return {};
  for (uint64_t changes = 1 + random.Below(4); changes > 0; --changes) {
    Mutation(random, handler).Apply();
  }
  Result<std::vector<uint8_t>> saved = handler.SaveTosaFlatbuffer();
  return saved ? std::move(*saved) : std::vector<uint8_t>();
}

}  // namespace
}  // namespace assay::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  assay::Random random(seed);
  if (!random.OneIn(4)) {
    const std::vector<uint8_t> bytes = assay::fuzz::MutateContent({data, size}, random);
    if (!bytes.empty() && bytes.size() <= max_size) {
      std::copy(bytes.begin(), bytes.end(), data);
      return bytes.size();
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
