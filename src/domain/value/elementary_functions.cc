// SPDX-License-Identifier: Apache-2.0
#include "elementary_functions.h"

#include "accuracy.h"
#include "check.h"
#include "elementary.h"
#include "enum_names.h"

namespace assay {
namespace {

constexpr ElementaryFunction kFunctions[] = {
    {Op::kReciprocal, Course::kFalling, "1 / $", [](double x) { return 1.0 / x; }, RecipError},
    {Op::kRsqrt, Course::kFalling, "1 / sqrt($)", Rsqrt, RsqrtError},
    {Op::kExp, Course::kRising, "exp($)", Exp, ExpError},
    {Op::kLog, Course::kRising, "log($)", Log, LogError},
    {Op::kSin, Course::kGentle, "sin($)", Sin, SinError},
    {Op::kCos, Course::kGentle, "cos($)", Cos, CosError},
    {Op::kTanh, Course::kRising, "tanh($)", Tanh, TanhError},
    {Op::kErf, Course::kRising, "erf($)", Erf, ErfError},
    {Op::kSigmoid, Course::kRising, "1 / (1 + exp(-$))", Sigmoid, SigmoidError},
};

}  // namespace

const ElementaryFunction& ElementaryFunctionOf(Op op) {
  const auto* const function = FindRow(kFunctions, &ElementaryFunction::op, op);
  Check(function != nullptr, "an elementary function");
  return *function;
}

}  // namespace assay
