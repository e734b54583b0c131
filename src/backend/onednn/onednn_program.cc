// SPDX-License-Identifier: Apache-2.0
#include "onednn_program.h"

#include <algorithm>

namespace assay {
namespace {

using dnnl::memory;
using Dims = memory::dims;
using Desc = memory::desc;

constexpr auto kInference = dnnl::prop_kind::forward_inference;

// Returns the strides of row-major elements.
Dims RowMajor(const Dims& shape) {
  Dims strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

Desc DescOf(const RuntimeValue& value) {
  const Dims shape = value.shape.empty() ? Dims{1} : value.shape;
  return Desc(shape, OnednnType(value.type), RowMajor(shape));
}

// Returns `memory` with the dimensions in another order: `order[i]` is the old place of the new
// dimension i.
memory Permuted(const memory& from, const std::vector<int>& order) {
  const Desc desc = from.get_desc();
  const Dims shape = desc.dims(), strides(desc.data.format_desc.blocking.strides,
                                          desc.data.format_desc.blocking.strides + shape.size());
  Dims new_shape, new_strides;
  for (const int i : order) {
    new_shape.push_back(shape[static_cast<size_t>(i)]);
    new_strides.push_back(strides[static_cast<size_t>(i)]);
  }
  return memory(Desc(new_shape, desc.data_type(), new_strides), from.get_engine(),
                from.get_data_handle());
}

// Returns NHWC as NCHW, and NDHWC as NCDHW. Of weights, OHWI is OIHW.
memory ChannelsFirst(const memory& from) {
  const int rank = static_cast<int>(from.get_desc().dims().size());
  std::vector<int> order = {0, rank - 1};
  for (int i = 1; i < rank - 1; ++i) order.push_back(i);
  return Permuted(from, order);
}

Desc AnyFormat(const Desc& desc) {
  return Desc(desc.dims(), desc.data_type(), memory::format_tag::any);
}

// The numbers that TOSA gives for the front and the end of each dimension by turns.
void SplitPadding(const std::vector<int64_t>& pad, Dims& front, Dims& end) {
  for (size_t i = 0; i < pad.size(); i += 2) {
    front.push_back(pad[i]);
    end.push_back(pad[i + 1]);
  }
}

// Makes what oneDNN may not have an implementation for.
template <class Make>
void Create(const RuntimeNode& node, const Make& make) {
  try {
    make();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_unimplemented) No(node, "oneDNN has no implementation");
    if (error.status == dnnl_invalid_arguments) No(node, "invalid arguments, says oneDNN");
    throw;
  }
}

}  // namespace

OnednnProgram::OnednnProgram(const RuntimeGraph& graph, bool fuse)
    : graph_(graph), fuse_(fuse), inputs_(graph.inputs), outputs_(graph.outputs) {
  for (const RuntimeValue& value : graph.values) {
    if (OnednnType(value.type) == memory::data_type::undef) {
      memory_.emplace_back();
      continue;
    }
    memory_.emplace_back(DescOf(value), engine_);
    std::copy(value.constant.begin(), value.constant.end(),
              static_cast<uint8_t*>(memory_.back().get_data_handle()));
  }
  // A chain runs where its last operator is: then all other operands are there.
  std::vector<std::optional<Chain>> chains(graph.nodes.size());
  std::vector<bool> taken(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (taken[i]) continue;
    Chain chain = ChainFrom(i, taken);
    for (const size_t node : chain.nodes) taken[node] = true;
    const size_t last = chain.nodes.back();
    chains[last] = std::move(chain);
  }
  for (const auto& chain : chains) {
    if (chain) Add(*chain);
  }
}

// Returns the operator that a post-operator of `node` could compute.
std::optional<size_t> OnednnProgram::NextOf(size_t node) const {
  const size_t result = graph_.nodes[node].outputs[0];
  const RuntimeValue& value = graph_.values[result];
  if (value.readers.size() != 1 || value.is_output || value.type == ASSAY_BACKEND_I32) {
    return std::nullopt;
  }
  const RuntimeNode& reader = graph_.nodes[value.readers[0]];
  const bool commutes = reader.op == "ADD" || reader.op == "MUL";
  const bool binary = BinaryAlgorithm(reader.op) && graph_.Out(reader).type == value.type &&
                      graph_.Out(reader).shape == value.shape &&
                      (reader.inputs[0] == result || commutes);
  const bool eltwise = !EltwisesOf(graph_, reader).empty();
  return binary || eltwise ? std::optional(value.readers[0]) : std::nullopt;
}

OnednnProgram::Chain OnednnProgram::ChainFrom(size_t node, const std::vector<bool>& taken) const {
  Chain chain{{node}, graph_.nodes[node].outputs.empty() ? 0 : graph_.nodes[node].outputs[0]};
  const std::string& op = graph_.nodes[node].op;
  if (!fuse_ || (!IsDotProduct(op) && !BinaryAlgorithm(op))) return chain;
  constexpr size_t kChainMax = 5;
  while (chain.nodes.size() < kChainMax) {
    const std::optional<size_t> next = NextOf(chain.nodes.back());
    if (!next || taken[*next]) break;
    chain.nodes.push_back(*next);
    chain.result = graph_.nodes[*next].outputs[0];
  }
  return chain;
}

void OnednnProgram::Add(const Chain& chain) {
  const RuntimeNode& node = graph_.nodes[chain.nodes[0]];
  const size_t before = steps_.size();
  try {
    if (node.op == "MATMUL") return AddMatmul(node, chain);
    if (node.op == "TRANSPOSE_CONV2D") return AddTransposeConvolution(node, chain);
    if (IsDotProduct(node.op)) return AddConvolution(node, chain);
    if (BinaryAlgorithm(node.op)) return AddBinary(node, chain);
    if (!EltwisesOf(graph_, node).empty()) return AddEltwise(node);
    if (node.op.ends_with("POOL2D")) return AddPooling(node);
    if (node.op.starts_with("REDUCE")) return AddReduction(node);
    if (node.op == "PAD") return AddPad(node);
    AddMovement(node);
  } catch (const Unsupported&) {
    if (chain.nodes.size() == 1) throw;
    steps_.resize(before);
    // A chain that cannot be fused runs operator by operator.
    for (const size_t one : chain.nodes) Add({{one}, graph_.nodes[one].outputs[0]});
  }
}

OnednnProgram::PostOperators OnednnProgram::PostOperatorsOf(
    const Chain& chain, const std::function<Memory(size_t)>& view) {
  PostOperators post;
  for (size_t i = 1; i < chain.nodes.size(); ++i) {
    const RuntimeNode& node = graph_.nodes[chain.nodes[i]];
    const std::vector<Eltwise> eltwises = EltwisesOf(graph_, node);
    for (const Eltwise& eltwise : eltwises) {
      post.list.append_eltwise(1, eltwise.algorithm, eltwise.alpha, eltwise.beta);
    }
    if (!eltwises.empty()) continue;
    const size_t before = graph_.nodes[chain.nodes[i - 1]].outputs[0];
    const memory operand = view(node.inputs[node.inputs[0] == before ? 1 : 0]);
    const int place = post.list.len();
    post.list.append_binary(*BinaryAlgorithm(node.op), operand.get_desc());
    post.operands[DNNL_ARG_ATTR_MULTIPLE_POST_OP(place) | DNNL_ARG_SRC_1] = operand;
  }
  return post;
}

// The zero points of a dot product of integers. oneDNN converts such a sum to fp32 before it adds
// the bias, so all of them must be integers of fp32.
dnnl::primitive_attr OnednnProgram::AttributesOf(const RuntimeNode& node,
                                                 const PostOperators& post) {
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(post.list);
  if (graph_.In(node, 0).type != ASSAY_BACKEND_I8) return attributes;
  const bool matmul = node.op == "MATMUL";
  const int input_zp = graph_.Constant<int8_t>(node, matmul ? 2 : 3)[0];
  const int weight_zp = graph_.Constant<int8_t>(node, matmul ? 3 : 4)[0];
  double largest = 0;
  if (matmul) {
    largest = 255.0 * 255 * static_cast<double>(graph_.In(node, 0).shape[2]);
  } else {
    if (weight_zp != 0) No(node, "a weight_zp that is not 0");
    const RuntimeValue& weight = graph_.In(node, 1);
    largest = 255.0 * 128 * static_cast<double>(weight.Elements());  // of all channels, and more
    for (const int32_t one : graph_.Constant<int32_t>(node, 2)) {
      largest = std::max(largest, largest + std::abs(static_cast<double>(one)));
    }
  }
  if (largest > 0x1p24) No(node, "a sum that may exceed 2^24, which oneDNN keeps as fp32");
  if (input_zp != 0) attributes.set_zero_points(DNNL_ARG_SRC, 0, {input_zp});
  if (weight_zp != 0) attributes.set_zero_points(DNNL_ARG_WEIGHTS, 0, {weight_zp});
  return attributes;
}

memory OnednnProgram::Bias(const RuntimeNode& node, int64_t channels) {
  const memory given = memory_[node.inputs[2]];
  if (given.get_desc().dims()[0] == channels) return given;
  const memory repeated(Desc({channels}, given.get_desc().data_type(), memory::format_tag::a),
                        engine_);
  const size_t bytes = given.get_desc().get_size();
  steps_.emplace_back([=] {
    auto* to = static_cast<uint8_t*>(repeated.get_data_handle());
    for (int64_t i = 0; i < channels; ++i, to += bytes) {
      std::memcpy(to, given.get_data_handle(), bytes);
    }
  });
  return repeated;
}

void OnednnProgram::AddReorder(const Memory& from, const Memory& to) {
  const dnnl::reorder reorder(from, to);
  steps_.emplace_back([=, this, source = from, target = to]() mutable {
    dnnl::reorder(reorder).execute(stream_, source, target);
  });
}

void OnednnProgram::AddPrimitive(const dnnl::primitive& primitive, Arguments arguments,
                                 const std::unordered_map<int, Desc>& wanted) {
  std::optional<memory> result;
  for (const auto& [argument, desc] : wanted) {
    memory& given = arguments.at(argument);
    if (given.get_desc() == desc) continue;
    const memory other(desc, engine_);
    if (argument == DNNL_ARG_DST) {
      result = given;
    } else {
      AddReorder(given, other);
    }
    given = other;
  }
  steps_.emplace_back([=, this] { primitive.execute(stream_, arguments); });
  if (result) AddReorder(arguments.at(DNNL_ARG_DST), *result);
}

void OnednnProgram::AddConvolution(const RuntimeNode& node, const Chain& chain) {
  const memory source = ChannelsFirst(memory_[node.inputs[0]]);
  const memory result = ChannelsFirst(memory_[chain.result]);
  memory weights = memory_[node.inputs[1]];
  if (node.op == "DEPTHWISE_CONV2D") {  // [KH,KW,C,M] as [C,M,1,KH,KW]
    const Dims shape = weights.get_desc().dims();
    const Desc desc({shape[2], shape[3], 1, shape[0], shape[1]}, weights.get_desc().data_type(),
                    {shape[3], 1, 1, shape[1] * shape[2] * shape[3], shape[2] * shape[3]});
    weights = memory(desc, engine_, weights.get_data_handle());
  } else {
    weights = ChannelsFirst(weights);
  }
  Dims front, end, dilations = node.Numbers("dilation");
  SplitPadding(node.Numbers("pad"), front, end);
  for (int64_t& dilation : dilations) --dilation;
  const PostOperators post =
      PostOperatorsOf(chain, [this](size_t value) { return ChannelsFirst(memory_[value]); });
  const dnnl::primitive_attr attributes = AttributesOf(node, post);
  const memory bias = Bias(node, result.get_desc().dims()[1]);
  Create(node, [&] {
    const dnnl::convolution_forward::desc desc(
        kInference, dnnl::algorithm::convolution_auto, AnyFormat(source.get_desc()),
        AnyFormat(weights.get_desc()), bias.get_desc(), AnyFormat(result.get_desc()),
        node.Numbers("stride"), dilations, front, end);
    const dnnl::convolution_forward::primitive_desc made(desc, attributes, engine_);
    Arguments arguments = post.operands;
    arguments.insert({{DNNL_ARG_SRC, source},
                      {DNNL_ARG_WEIGHTS, weights},
                      {DNNL_ARG_BIAS, bias},
                      {DNNL_ARG_DST, result}});
    AddPrimitive(dnnl::convolution_forward(made), arguments,
                 {{DNNL_ARG_SRC, made.src_desc()},
                  {DNNL_ARG_WEIGHTS, made.weights_desc()},
                  {DNNL_ARG_DST, made.dst_desc()}});
  });
}

void OnednnProgram::AddTransposeConvolution(const RuntimeNode& node, const Chain& chain) {
  const memory source = ChannelsFirst(memory_[node.inputs[0]]);
  const memory result = ChannelsFirst(memory_[chain.result]);
  const memory weights = ChannelsFirst(memory_[node.inputs[1]]);
  Dims front, end;
  SplitPadding(node.Numbers("out_pad"), front, end);
  for (Dims* pads : {&front, &end}) {  // TOSA says what is added, oneDNN what is cut off
    for (int64_t& pad : *pads) pad = -pad;
  }
  const PostOperators post =
      PostOperatorsOf(chain, [this](size_t value) { return ChannelsFirst(memory_[value]); });
  const dnnl::primitive_attr attributes = AttributesOf(node, post);
  const memory bias = Bias(node, result.get_desc().dims()[1]);
  Create(node, [&] {
    const dnnl::deconvolution_forward::desc desc(
        kInference, dnnl::algorithm::deconvolution_direct, AnyFormat(source.get_desc()),
        AnyFormat(weights.get_desc()), bias.get_desc(), AnyFormat(result.get_desc()),
        node.Numbers("stride"), front, end);
    const dnnl::deconvolution_forward::primitive_desc made(desc, attributes, engine_);
    Arguments arguments = post.operands;
    arguments.insert({{DNNL_ARG_SRC, source},
                      {DNNL_ARG_WEIGHTS, weights},
                      {DNNL_ARG_BIAS, bias},
                      {DNNL_ARG_DST, result}});
    AddPrimitive(dnnl::deconvolution_forward(made), arguments,
                 {{DNNL_ARG_SRC, made.src_desc()},
                  {DNNL_ARG_WEIGHTS, made.weights_desc()},
                  {DNNL_ARG_DST, made.dst_desc()}});
  });
}

void OnednnProgram::AddMatmul(const RuntimeNode& node, const Chain& chain) {
  const memory a = memory_[node.inputs[0]], b = memory_[node.inputs[1]];
  const memory result = memory_[chain.result];
  const PostOperators post =
      PostOperatorsOf(chain, [this](size_t value) { return memory_[value]; });
  const dnnl::primitive_attr attributes = AttributesOf(node, post);
  Create(node, [&] {
    const dnnl::matmul::desc desc(AnyFormat(a.get_desc()), AnyFormat(b.get_desc()),
                                  AnyFormat(result.get_desc()));
    const dnnl::matmul::primitive_desc made(desc, attributes, engine_);
    Arguments arguments = post.operands;
    arguments.insert({{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, result}});
    AddPrimitive(dnnl::matmul(made), arguments,
                 {{DNNL_ARG_SRC, made.src_desc()},
                  {DNNL_ARG_WEIGHTS, made.weights_desc()},
                  {DNNL_ARG_DST, made.dst_desc()}});
  });
}

void OnednnProgram::AddBinary(const RuntimeNode& node, const Chain& chain) {
  memory a = memory_[node.inputs[0]], b = memory_[node.inputs[1]];
  const memory result = memory_[chain.result];
  const bool commutes = node.op == "ADD" || node.op == "MUL" || node.op == "EQUAL";
  if (a.get_desc().dims() != result.get_desc().dims()) {  // only the second may be repeated
    if (!commutes || b.get_desc().dims() != result.get_desc().dims()) {
      No(node, "a first operand that is repeated");
    }
    std::swap(a, b);
  }
  const PostOperators post =
      PostOperatorsOf(chain, [this](size_t value) { return memory_[value]; });
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(post.list);
  Create(node, [&] {
    const dnnl::binary::desc desc(*BinaryAlgorithm(node.op), a.get_desc(), b.get_desc(),
                                  result.get_desc());
    const dnnl::binary::primitive_desc made(desc, attributes, engine_);
    Arguments arguments = post.operands;
    arguments.insert({{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, result}});
    AddPrimitive(dnnl::binary(made), arguments, {});
  });
}

void OnednnProgram::AddEltwise(const RuntimeNode& node) {
  memory from = memory_[node.inputs[0]];
  const memory to = memory_[node.outputs[0]];
  for (const Eltwise& eltwise : EltwisesOf(graph_, node)) {
    Create(node, [&] {
      const dnnl::eltwise_forward::desc desc(kInference, eltwise.algorithm, from.get_desc(),
                                             eltwise.alpha, eltwise.beta);
      const dnnl::eltwise_forward::primitive_desc made(desc, engine_);
      AddPrimitive(dnnl::eltwise_forward(made), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}}, {});
    });
    from = to;  // in place
  }
}

void OnednnProgram::AddPooling(const RuntimeNode& node) {
  const memory from = ChannelsFirst(memory_[node.inputs[0]]);
  const memory to = ChannelsFirst(memory_[node.outputs[0]]);
  Dims front, end;
  SplitPadding(node.Numbers("pad"), front, end);
  const Dims kernel = node.Numbers("kernel");
  const auto algorithm = node.op == "MAX_POOL2D" ? dnnl::algorithm::pooling_max
                                                 : dnnl::algorithm::pooling_avg_exclude_padding;
  Create(node, [&] {
    const dnnl::pooling_forward::desc desc(kInference, algorithm, from.get_desc(), to.get_desc(),
                                           node.Numbers("stride"), kernel, front, end);
    const dnnl::pooling_forward::primitive_desc made(desc, engine_);
    AddPrimitive(dnnl::pooling_forward(made), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}}, {});
  });
}

void OnednnProgram::AddReduction(const RuntimeNode& node) {
  const memory from = memory_[node.inputs[0]], to = memory_[node.outputs[0]];
  const auto algorithm = node.op == "REDUCE_SUM"   ? dnnl::algorithm::reduction_sum
                         : node.op == "REDUCE_MAX" ? dnnl::algorithm::reduction_max
                         : node.op == "REDUCE_MIN" ? dnnl::algorithm::reduction_min
                                                   : dnnl::algorithm::reduction_mul;
  if (from.get_desc().dims() == to.get_desc().dims()) {  // oneDNN wants something to reduce
    AddReorder(from, to);
    return;
  }
  Create(node, [&] {
    const dnnl::reduction::desc desc(algorithm, from.get_desc(), to.get_desc(), 0, 0);
    const dnnl::reduction::primitive_desc made(desc, engine_);
    AddPrimitive(dnnl::reduction(made), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}}, {});
  });
}

void OnednnProgram::AddPad(const RuntimeNode& node) {
  const memory from = memory_[node.inputs[0]], fill = memory_[node.inputs[2]];
  const memory to = memory_[node.outputs[0]];
  const std::vector<int64_t> padding = graph_.Constant<int64_t>(node, 1);
  Dims front, end;
  SplitPadding(padding, front, end);
  const size_t elements = graph_.Out(node).Elements(), bytes = fill.get_desc().get_size();
  steps_.emplace_back([=] {
    auto* element = static_cast<uint8_t*>(to.get_data_handle());
    for (size_t i = 0; i < elements; ++i, element += bytes) {
      std::memcpy(element, fill.get_data_handle(), bytes);
    }
  });
  if (front.empty()) front = {0};  // rank 0
  Create(node, [&] {
    AddReorder(from, memory(to.get_desc().submemory_desc(from.get_desc().dims(), front), engine_,
                            to.get_data_handle()));
  });
}

void OnednnProgram::AddMovement(const RuntimeNode& node) {
  const memory from = memory_[node.inputs[0]], to = memory_[node.outputs[0]];
  Create(node, [&] {
    if (node.op == "TRANSPOSE") {
      const std::vector<int64_t> order = node.Numbers("perms");
      AddReorder(order.empty() ? from : Permuted(from, {order.begin(), order.end()}), to);
    } else if (node.op == "SLICE") {
      const std::vector<int64_t> start = graph_.Constant<int64_t>(node, 1);
      AddReorder(memory(from.get_desc().submemory_desc(to.get_desc().dims(), start), engine_,
                        from.get_data_handle()),
                 to);
    } else if (node.op == "CONCAT") {
      std::vector<Desc> parts;
      Arguments arguments = {{DNNL_ARG_DST, to}};
      for (const size_t input : node.inputs) {
        arguments[DNNL_ARG_MULTIPLE_SRC + static_cast<int>(parts.size())] = memory_[input];
        parts.push_back(memory_[input].get_desc());
      }
      const dnnl::concat::primitive_desc made(to.get_desc(), static_cast<int>(node.Number("axis")),
                                              parts, engine_);
      AddPrimitive(dnnl::concat(made), arguments, {});
    } else {  // IDENTITY, RESHAPE and CAST: the same elements in the same order
      AddReorder(memory(Desc(to.get_desc().dims(), from.get_desc().data_type(),
                             RowMajor(to.get_desc().dims())),
                        engine_, from.get_data_handle()),
                 to);
    }
  });
}

void OnednnProgram::Run(const std::vector<const void*>& inputs, const std::vector<void*>& outputs) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const memory& to = memory_[inputs_[i]];
    std::memcpy(to.get_data_handle(), inputs[i], to.get_desc().get_size());
  }
  for (const std::function<void()>& step : steps_) step();
  stream_.wait();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const memory& from = memory_[outputs_[i]];
    std::memcpy(outputs[i], from.get_data_handle(), from.get_desc().get_size());
  }
}

}  // namespace assay
