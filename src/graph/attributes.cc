// SPDX-License-Identifier: Apache-2.0
#include "attributes.h"

#include <algorithm>

#include "check.h"

namespace assay {
namespace {

template <class T>
const T& Get(const Attributes& attributes, AttributeId id) {
  const AttributeValue* value = attributes.Find(id);
  Check(value != nullptr, "the operator has this attribute");
  const T* typed = std::get_if<T>(value);
  Check(typed != nullptr, "the attribute has the type of its row");
  return *typed;
}

}  // namespace

Attributes::Attributes(const Attributes& other) = default;
Attributes& Attributes::operator=(const Attributes& other) = default;
Attributes::Attributes(Attributes&& other) noexcept = default;
Attributes& Attributes::operator=(Attributes&& other) noexcept = default;
Attributes::~Attributes() = default;

Attributes::Attributes(std::initializer_list<Entry> entries) {
  entries_.reserve(entries.size());
  for (const Entry& entry : entries) Set(entry.first, entry.second);
}

void Attributes::Set(AttributeId id, AttributeValue value) {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), id,
                                   [](const Entry& e, AttributeId key) { return e.first < key; });
  if (at != entries_.end() && at->first == id) {
    at->second = std::move(value);
  } else {
    const auto position = at - entries_.begin();
    // CONST, the most frequent operator, has one attribute. The other operators mostly have
    // several.
    if (entries_.empty()) entries_.reserve(id == AttributeId::kValues ? 1 : 4);
    entries_.emplace(entries_.begin() + position, id, std::move(value));
  }
}

DType Attributes::named_type() const {
  for (const AttributeId id : {AttributeId::kAccType, AttributeId::kType}) {
    if (Has(id)) return type(id);
  }
  return DType::kUnknown;
}

void Attributes::Remove(AttributeId id) {
  std::erase_if(entries_, [id](const Entry& entry) { return entry.first == id; });
}

const AttributeValue* Attributes::Find(AttributeId id) const {
  for (const Entry& entry : entries_) {
    if (entry.first == id) return &entry.second;
  }
  return nullptr;
}

bool Attributes::Flag(AttributeId id) const { return Get<bool>(*this, id); }
int32_t Attributes::Int(AttributeId id) const { return Get<int32_t>(*this, id); }
const std::vector<int32_t>& Attributes::Ints(AttributeId id) const {
  return Get<std::vector<int32_t>>(*this, id);
}
const std::string& Attributes::Text(AttributeId id) const { return Get<std::string>(*this, id); }
const Tensor& Attributes::Value(AttributeId id) const { return Get<Tensor>(*this, id); }

}  // namespace assay
