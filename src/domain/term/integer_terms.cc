// SPDX-License-Identifier: Apache-2.0
// The laws of integers: polynomials modulo 2^64, and conclusions from the ranges of terms.
#include <algorithm>
#include <numeric>
#include <utility>

#include "term_arena.h"

namespace assay {
namespace {

__extension__ using Wide = __int128;

// These limits keep normal forms small. A larger expression becomes a term of its own.
constexpr size_t kOperandsMax = 64;
constexpr size_t kFactorsMax = 8;
constexpr size_t kProductsMax = 16;

int64_t Wrap(uint64_t x) { return static_cast<int64_t>(x); }
int64_t WrapAdd(int64_t a, int64_t b) {
  return Wrap(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t WrapMultiply(int64_t a, int64_t b) {
  return Wrap(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

bool FitsWord(Wide x) { return x >= kIntegerLeast && x <= kIntegerMost; }

// Returns the low bits of x, sign-extended.
int64_t Signed(int bits, int64_t x) {
  return Wrap(static_cast<uint64_t>(x) << (64 - bits)) >> (64 - bits);
}

int64_t CeilDivide(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }  // b > 0

}  // namespace

// constant + the sum of coefficient * monomial. The monomials ascend after TermOf().
struct TermArena::Polynomial {
  int64_t constant = 0;
  std::vector<std::pair<TermId, int64_t>> terms;

  void Add(TermId monomial, int64_t coefficient) { terms.emplace_back(monomial, coefficient); }
  void Add(const Polynomial& other, int64_t factor) {
    constant = WrapAdd(constant, WrapMultiply(other.constant, factor));
    for (const auto& [monomial, coefficient] : other.terms) {
      Add(monomial, WrapMultiply(coefficient, factor));
    }
  }
  // Merges equal monomials and removes those with a coefficient of zero.
  void Tidy() {
    std::ranges::sort(terms, {}, &std::pair<TermId, int64_t>::first);
    size_t kept = 0;
    for (size_t i = 0; i < terms.size(); ++i) {
      if (kept > 0 && terms[kept - 1].first == terms[i].first) {
        terms[kept - 1].second = WrapAdd(terms[kept - 1].second, terms[i].second);
        if (terms[kept - 1].second == 0) --kept;
      } else if (terms[i].second != 0) {
        terms[kept++] = terms[i];
      }
    }
    terms.resize(kept);
  }
  // Returns the greatest common divisor of all coefficients; none of them is kIntegerLeast.
  int64_t Divisor() const {
    int64_t divisor = 0;
    for (const auto& [monomial, coefficient] : terms) divisor = std::gcd(divisor, coefficient);
    return divisor;
  }
  // Returns true if the constant and all coefficients can be negated.
  bool HasOpposite() const {
    return constant > kIntegerLeast + 1 && std::ranges::all_of(terms, [](const auto& term) {
             return term.second != kIntegerLeast;
           });
  }
};

TermArena::Polynomial TermArena::PolynomialOf(TermId x) const {
  Polynomial polynomial;
  if (IsConstant(x)) {
    polynomial.constant = Number(x);
  } else if (IsKind(x, TermKind::kSum)) {
    const auto numbers = Numbers(x);
    const auto operands = Operands(x);
    polynomial.constant = numbers[0];
    polynomial.terms.reserve(operands.size());
    for (size_t i = 0; i < operands.size(); ++i) polynomial.Add(operands[i], numbers[i + 1]);
  } else {
    polynomial.Add(x, 1);
  }
  return polynomial;
}

// Returns the range of the polynomial as a number, not modulo 2^64. Returns nothing if it may not
// fit into a word.
std::optional<TermArena::Range> TermArena::ExactRange(const Polynomial& polynomial) const {
  Wide low = polynomial.constant, high = polynomial.constant;
  for (const auto& [monomial, coefficient] : polynomial.terms) {
    const Wide a = Wide{nodes_[monomial].low} * coefficient;
    const Wide b = Wide{nodes_[monomial].high} * coefficient;
    low += std::min(a, b);
    high += std::max(a, b);
    if (!FitsWord(low) || !FitsWord(high)) return std::nullopt;
  }
  return Range{static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

TermId TermArena::TermOf(Polynomial& polynomial) {
  polynomial.Tidy();
  if (polynomial.terms.empty()) return Integer(polynomial.constant);
  if (polynomial.constant == 0 && polynomial.terms.size() == 1 && polynomial.terms[0].second == 1) {
    return polynomial.terms[0].first;
  }
  std::vector<TermId> operands;
  std::vector<int64_t> numbers = {polynomial.constant};
  for (const auto& [monomial, coefficient] : polynomial.terms) {
    operands.push_back(monomial);
    numbers.push_back(coefficient);
  }
  const size_t known = size();
  const TermId sum = Make(TermKind::kSum, operands, numbers);
  if (size() == known || IsConstant(sum)) return sum;
  if (const auto range = ExactRange(polynomial)) {
    nodes_[sum].low = range->low;
    nodes_[sum].high = range->high;
    if (range->low == range->high) return Integer(range->low);
  }
  return sum;
}

TermId TermArena::AddScaled(TermId a, TermId b, int64_t factor) {
  if (IsInteger(b, 0)) return a;
  Polynomial sum = PolynomialOf(a);
  sum.Add(PolynomialOf(b), factor);
  return TermOf(sum);
}

TermId TermArena::Sum(std::span<const TermId> terms) {
  Polynomial sum;
  for (const TermId term : terms) sum.Add(PolynomialOf(term), 1);
  return TermOf(sum);
}

// Returns the product of two monomials, with the factors of both.
TermId TermArena::MonomialProduct(TermId a, TermId b) {
  std::vector<TermId> factors;
  for (const TermId x : {a, b}) {
    if (IsKind(x, TermKind::kProduct) && Operands(x).size() < kFactorsMax) {
      const auto inner = Operands(x);
      factors.insert(factors.end(), inner.begin(), inner.end());
    } else {
      factors.push_back(x);
    }
  }
  std::ranges::sort(factors);
  return Make(TermKind::kProduct, factors, {});
}

TermArena::Polynomial TermArena::Product(const Polynomial& a, const Polynomial& b) {
  Polynomial product;
  product.constant = WrapMultiply(a.constant, b.constant);
  for (const auto& [x, k] : a.terms) product.Add(x, WrapMultiply(k, b.constant));
  for (const auto& [y, k] : b.terms) product.Add(y, WrapMultiply(k, a.constant));
  for (const auto& [x, k] : a.terms) {
    for (const auto& [y, l] : b.terms)
      product.Add(PolynomialOf(MonomialProduct(x, y)), WrapMultiply(k, l));
  }
  return product;
}

TermId TermArena::Multiply(TermId a, TermId b) {
  if (IsInteger(a, 1)) return b;
  if (IsInteger(b, 1)) return a;
  const Polynomial p = PolynomialOf(a), q = PolynomialOf(b);
  if (p.terms.size() > 1 && q.terms.size() > 1 && p.terms.size() * q.terms.size() > kProductsMax) {
    return MonomialProduct(a, b);
  }
  Polynomial product = Product(p, q);
  return TermOf(product);
}

// Returns a polynomial that equals x modulo 2^bits. Truncations to at least `bits` bits, in sums
// and in products, do not change that value.
TermArena::Polynomial TermArena::ResidueOf(int bits, TermId x) {
  const auto falls_away = [&](TermId y) {
    return (IsKind(y, TermKind::kTruncate) || IsKind(y, TermKind::kZeroExtend)) &&
           Number(y) >= bits;
  };
  Polynomial residue;
  const Polynomial polynomial = PolynomialOf(x);
  residue.constant = polynomial.constant;
  for (const auto& [monomial, coefficient] : polynomial.terms) {
    if (falls_away(monomial)) {
      residue.Add(ResidueOf(bits, Operands(monomial)[0]), coefficient);
    } else if (IsKind(monomial, TermKind::kProduct) &&
               std::ranges::any_of(Operands(monomial), falls_away)) {
      const std::vector<TermId> factors(Operands(monomial).begin(), Operands(monomial).end());
      TermId product = Integer(1);
      for (const TermId factor : factors) {
        product = Multiply(product, falls_away(factor) ? Operands(factor)[0] : factor);
      }
      residue.Add(ResidueOf(bits, product), coefficient);
    } else {
      residue.Add(monomial, coefficient);
    }
  }
  residue.Tidy();
  residue.constant = Signed(bits, residue.constant);
  for (auto& [monomial, coefficient] : residue.terms) coefficient = Signed(bits, coefficient);
  return residue;
}

TermId TermArena::Residue(int bits, TermId x) {
  Polynomial residue = ResidueOf(bits, x);
  return TermOf(residue);
}

TermId TermArena::Truncate(int bits, TermId x) {
  if (bits >= 64) return x;
  const int64_t high = (int64_t{1} << (bits - 1)) - 1;
  if (Fits(x, -high - 1, high)) return x;
  const TermId residue = Residue(bits, x);
  if (Fits(residue, -high - 1, high)) return residue;
  return Make(TermKind::kTruncate, {residue}, {bits});
}

TermId TermArena::ZeroExtend(int bits, TermId x) {
  if (Fits(x, 0, (int64_t{1} << bits) - 1)) return x;
  const TermId residue = Residue(bits, x);
  if (Fits(residue, 0, (int64_t{1} << bits) - 1)) return residue;
  return Make(TermKind::kZeroExtend, {residue}, {bits});
}

// clip(clip(x, a, b), c, d) = clip(x, clip(a, c, d), clip(b, c, d)) for a <= b and c <= d. A bound
// that x cannot pass is dropped.
TermId TermArena::Clip(TermId x, int64_t low, int64_t high) {
  if (IsKind(x, TermKind::kClip)) {
    const int64_t inner_low = Number(x, 0), inner_high = Number(x, 1);
    return Clip(Operands(x)[0], std::clamp(inner_low, low, high),
                std::clamp(inner_high, low, high));
  }
  if (nodes_[x].high <= low) return Integer(low);
  if (nodes_[x].low >= high) return Integer(high);
  if (low <= nodes_[x].low) low = kIntegerLeast;
  if (high >= nodes_[x].high) high = kIntegerMost;
  if (low == kIntegerLeast && high == kIntegerMost) return x;
  return Make(TermKind::kClip, {x}, {low, high});
}

std::vector<TermId> TermArena::Flattened(TermKind kind, TermId a, TermId b) const {
  std::vector<TermId> all;
  for (const TermId x : {a, b}) {
    if (IsKind(x, kind) && Operands(x).size() < kOperandsMax) {
      all.insert(all.end(), Operands(x).begin(), Operands(x).end());
    } else {
      all.push_back(x);
    }
  }
  return all;
}

// AND, OR and XOR commute and associate; x & x = x | x = x, x ^ x = 0.
TermId TermArena::Bitwise(TermKind kind, TermId a, TermId b) {
  std::vector<TermId> operands = Flattened(kind, a, b);
  int64_t constant = kind == TermKind::kAnd ? -1 : 0;
  std::erase_if(operands, [&](TermId x) {
    if (!IsConstant(x)) return false;
    const int64_t number = Number(x);
    constant = kind == TermKind::kAnd  ? constant & number
               : kind == TermKind::kOr ? constant | number
                                       : constant ^ number;
    return true;
  });
  std::ranges::sort(operands);
  if (kind == TermKind::kXor) {
    std::vector<TermId> odd;
    for (const TermId x : operands) {
      if (!odd.empty() && odd.back() == x) {
        odd.pop_back();
      } else {
        odd.push_back(x);
      }
    }
    operands = std::move(odd);
  } else {
    operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  }
  return WithConstant(kind, std::move(operands), constant);
}

TermId TermArena::WithConstant(TermKind kind, std::vector<TermId> operands, int64_t constant) {
  const auto rest = [&] { return operands.size() == 1 ? operands[0] : Make(kind, operands, {}); };
  if (operands.empty()) return Integer(constant);
  const bool bools = std::ranges::all_of(operands, [&](TermId x) { return Fits(x, 0, 1); });
  switch (kind) {
    case TermKind::kAnd:
      if (bools) constant = (constant & 1) != 0 ? -1 : 0;
      if (constant == 0) return Integer(0);
      if (constant == -1) return rest();
      // A mask of low bits is a zero extension.
      if (constant > 0 && constant < kIntegerMost && (constant & (constant + 1)) == 0) {
        return ZeroExtend(static_cast<int>(std::bit_width(static_cast<uint64_t>(constant))),
                          rest());
      }
      break;
    case TermKind::kOr:
      if (bools && constant == 1) return Integer(1);
      if (constant == -1) return Integer(-1);
      if (constant == 0) return rest();
      break;
    default:
      if (constant == 0) return rest();
      if (constant == -1) return Subtract(Integer(-1), rest());  // ~x = -1 - x
      if (bools && constant == 1) return Complement(rest());
      break;
  }
  operands.push_back(Integer(constant));
  std::ranges::sort(operands);
  return Make(kind, operands, {});
}

// x << k = x * 2^k, modulo 2^64.
TermId TermArena::ShiftLeft(TermId x, TermId by) {
  if (!IsConstant(by)) return Make(TermKind::kShiftLeft, {x, by});
  return Multiply(x, Integer(Wrap(uint64_t{1} << (Number(by) & 63))));
}

TermId TermArena::ShiftRight(TermId x, TermId by) {
  if (!IsConstant(by)) return Make(TermKind::kShiftRight, {x, by});
  const int64_t k = Number(by) & 63;
  if (k == 0) return x;
  if (IsKind(x, TermKind::kShiftRight) && IsConstant(Operands(x)[1])) {
    return ShiftRight(Operands(x)[0],
                      Integer(std::min<int64_t>(k + (Number(Operands(x)[1]) & 63), 63)));
  }
  // Terms that 2^k divides are moved out of the shift, if no part of the sum overflows a word.
  if (k >= 63) return Make(TermKind::kShiftRight, {x, Integer(k)});
  const int64_t unit = int64_t{1} << k;
  const Polynomial sum = PolynomialOf(x);
  Polynomial whole, rest;
  whole.constant = sum.constant >> k;
  rest.constant = sum.constant - whole.constant * unit;
  for (const auto& [monomial, coefficient] : sum.terms) {
    if (coefficient % unit == 0) {
      whole.Add(monomial, coefficient / unit);
    } else {
      rest.Add(monomial, coefficient);
    }
  }
  const bool nothing = whole.terms.empty() && whole.constant == 0;
  if (nothing || !ExactRange(sum) || !ExactRange(whole) || !ExactRange(rest)) {
    return Make(TermKind::kShiftRight, {x, Integer(k)});
  }
  const TermId multiple = TermOf(whole);
  if (rest.terms.empty()) return multiple;
  return Add(multiple, Make(TermKind::kShiftRight, {TermOf(rest), Integer(k)}));
}

TermArena::Range TermArena::RangeOfShift(TermId term) const {
  const TermNode& x = nodes_[Operands(term)[0]];
  const TermId by = Operands(term)[1];
  if (!IsConstant(by)) return {std::min<int64_t>(x.low, 0), std::max<int64_t>(x.high, -1)};
  const int64_t k = Number(by) & 63;
  return {x.low >> k, x.high >> k};
}

TermArena::Range TermArena::RangeOfProduct(TermId term) const {
  Wide low = 1, high = 1;
  for (const TermId factor : Operands(term)) {
    const Wide ends[] = {low * nodes_[factor].low, low * nodes_[factor].high,
                         high * nodes_[factor].low, high * nodes_[factor].high};
    low = *std::ranges::min_element(ends);
    high = *std::ranges::max_element(ends);
    if (!FitsWord(low) || !FitsWord(high)) return {kIntegerLeast, kIntegerMost};
  }
  const auto operands = Operands(term);
  if (operands.size() == 2 && operands[0] == operands[1]) low = std::max<Wide>(low, 0);
  return {static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

TermId TermArena::Divide(TermId a, TermId b) {
  if (IsInteger(b, 1)) return a;
  if (IsInteger(b, -1)) return Subtract(Integer(0), a);
  return Make(TermKind::kDivide, {a, b});
}

TermId TermArena::CountLeadingZeros(int bits, TermId x) {
  return Make(TermKind::kCountLeadingZeros, {Residue(bits, x)}, {bits});
}

TermId TermArena::Maximum(TermId a, TermId b) {
  if (IsConstant(a)) std::swap(a, b);
  if (nodes_[a].low >= nodes_[b].high) return a;
  if (nodes_[b].low >= nodes_[a].high) return b;
  return IsConstant(b) ? Clip(a, Number(b), kIntegerMost) : Extreme(TermKind::kMaximum, a, b);
}

TermId TermArena::Minimum(TermId a, TermId b) {
  if (IsConstant(a)) std::swap(a, b);
  if (nodes_[a].high <= nodes_[b].low) return a;
  if (nodes_[b].high <= nodes_[a].low) return b;
  return IsConstant(b) ? Clip(a, kIntegerLeast, Number(b)) : Extreme(TermKind::kMinimum, a, b);
}

TermId TermArena::Extreme(TermKind kind, TermId a, TermId b) {
  std::vector<TermId> operands = Flattened(kind, a, b);
  std::ranges::sort(operands);
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  return operands.size() == 1 ? operands[0] : Make(kind, operands, {});
}

// Writes a = b as P = c if no difference overflows a word. P has no constant and begins with a
// positive coefficient.
TermId TermArena::Equal(TermId a, TermId b) {
  if (a == b) return Integer(1);
  if (nodes_[a].high < nodes_[b].low || nodes_[b].high < nodes_[a].low) return Integer(0);
  if (a > b) std::swap(a, b);
  Polynomial p = PolynomialOf(a), q = PolynomialOf(b);
  const bool exact = ExactRange(p) && ExactRange(q);
  p.Add(q, -1);
  p.Tidy();
  if (!exact || !ExactRange(p) || !p.HasOpposite()) return Make(TermKind::kEqual, {a, b});
  if (p.terms.empty()) return Integer(p.constant == 0 ? 1 : 0);
  int64_t divisor = p.Divisor();
  if (p.terms[0].second < 0) divisor = -divisor;
  if (p.constant % divisor != 0) return Integer(0);
  const int64_t constant = -p.constant / divisor;
  p.constant = 0;
  for (auto& [monomial, coefficient] : p.terms) coefficient /= divisor;
  const TermId x = TermOf(p);
  if (constant < nodes_[x].low || constant > nodes_[x].high) return Integer(0);
  if (Fits(x, 0, 1)) return constant == 1 ? x : Complement(x);
  return Make(TermKind::kEqual, {x, Integer(constant)});
}

// Writes a > b, which is P + c > 0, as -c < P, that is not P < 1 - c. If P begins with a negative
// coefficient, it is c > -P.
TermId TermArena::Greater(TermId a, TermId b) {
  if (a == b || nodes_[a].high <= nodes_[b].low) return Integer(0);
  if (nodes_[a].low > nodes_[b].high) return Integer(1);
  Polynomial p = PolynomialOf(a);
  const Polynomial q = PolynomialOf(b);
  const bool exact = ExactRange(p) && ExactRange(q);
  p.Add(q, -1);
  p.Tidy();
  if (!exact || !ExactRange(p) || !p.HasOpposite()) return Make(TermKind::kGreater, {a, b});
  const int64_t constant = std::exchange(p.constant, 0);
  if (p.terms.empty()) return Integer(constant > 0 ? 1 : 0);
  if (p.terms[0].second > 0) return Complement(LessThan(p, 1 - constant));
  for (auto& [monomial, coefficient] : p.terms) coefficient = -coefficient;
  return LessThan(p, constant);
}

// Returns P < bound, divided by the common divisor of the coefficients. P has no constant and
// begins with a positive coefficient.
TermId TermArena::LessThan(Polynomial& p, int64_t bound) {
  const int64_t divisor = p.Divisor();
  for (auto& [monomial, coefficient] : p.terms) coefficient /= divisor;
  bound = CeilDivide(bound, divisor);
  const TermId x = TermOf(p);
  if (nodes_[x].high < bound) return Integer(1);
  if (nodes_[x].low >= bound) return Integer(0);
  if (Fits(x, 0, 1)) return Complement(x);  // of 0 and 1 only 0 may be less
  return Make(TermKind::kGreater, {Integer(bound), x});
}

TermId TermArena::Within(TermId x, int64_t low, int64_t high) {
  return And(GreaterEqual(x, Integer(low)), GreaterEqual(Integer(high), x));
}

// Zeros do not change a sum. If the sum of all positive terms and the sum of all negative terms
// stay within the range, every sum of some of the terms does as well.
TermId TermArena::SumsWithin(int64_t low, int64_t high, std::span<const TermId> terms) {
  std::vector<TermId> operands;
  Wide least = 0, most = 0;
  for (const TermId x : terms) {
    if (IsInteger(x, 0)) continue;
    operands.push_back(x);
    least += std::min<int64_t>(nodes_[x].low, 0);
    most += std::max<int64_t>(nodes_[x].high, 0);
  }
  if (least >= low && most <= high) return Integer(1);
  return Make(TermKind::kSumsWithin, operands, std::initializer_list<int64_t>{low, high});
}

TermId TermArena::Select(TermId condition, TermId a, TermId b) {
  if (a == b) return a;
  if (nodes_[condition].low > 0 || nodes_[condition].high < 0) return a;
  if (IsFalse(condition)) return b;
  if (IsKind(condition, TermKind::kSum) && Fits(condition, 0, 1) &&
      Operands(condition).size() == 1 && Number(condition, 0) == 1 && Number(condition, 1) == -1) {
    return Select(Operands(condition)[0], b, a);  // because the condition is 1 - c
  }
  if (IsKind(a, TermKind::kSelect) && Operands(a)[0] == condition) a = Operands(a)[1];
  if (IsKind(b, TermKind::kSelect) && Operands(b)[0] == condition) b = Operands(b)[2];
  if (Fits(condition, 0, 1)) {
    if (IsInteger(a, 1) && IsInteger(b, 0)) return condition;
    if (IsInteger(a, 0) && IsInteger(b, 1)) return Complement(condition);
  }
  if (a == b) return a;
  return Make(TermKind::kSelect, {condition, a, b});
}

TermArena::Range TermArena::RangeOfSelect(TermId term) const {
  const auto operands = Operands(term);
  const Range all = Union(operands.subspan(1));
  // x < 0 ? -x : x is at least 0.
  const TermId condition = operands[0], a = operands[1], b = operands[2];
  const bool negates = IsKind(a, TermKind::kSum) && Operands(a).size() == 1 &&
                       Operands(a)[0] == b && Number(a, 0) == 0 && Number(a, 1) == -1;
  if (negates && IsKind(condition, TermKind::kGreater) && IsInteger(Operands(condition)[0], 0) &&
      Operands(condition)[1] == b && nodes_[b].low != kIntegerLeast) {
    return {0, std::max(-nodes_[b].low, nodes_[b].high)};
  }
  return all;
}

TermId TermArena::Lookup(TermId index, std::span<const TermId> table) {
  if (IsConstant(index)) {
    const auto i = static_cast<uint64_t>(Number(index));
    if (i < table.size()) return table[i];
    return Constant(!table.empty() && nodes_[table[0]].is_float, Scalar());
  }
  const bool inside = Fits(index, 0, std::ssize(table) - 1);
  if (inside && std::ranges::all_of(table, [&](TermId x) { return x == table[0]; })) {
    return table[0];
  }
  std::vector<TermId> operands = {index};
  operands.insert(operands.end(), table.begin(), table.end());
  return Make(TermKind::kLookup, operands, {});
}

TermId TermArena::ArgMax(NanMode mode, std::span<const TermId> elements) {
  if (elements.size() == 1) return Integer(0);
  const bool is_float = nodes_[elements[0]].is_float;
  const bool may_be_nan =
      std::ranges::any_of(elements, [&](TermId x) { return MayBe(x, kClassNan); });
  const NanMode normal = is_float && may_be_nan ? mode : NanMode::kPropagate;
  return Make(TermKind::kArgMax, elements,
              std::initializer_list<int64_t>{static_cast<int64_t>(normal), is_float ? 1 : 0});
}

void TermArena::Assume(TermId x, int64_t low, int64_t high) {
  TermNode& node = nodes_[x];
  if (node.is_float || low > node.high || high < node.low) return;
  node.low = std::max(node.low, low);
  node.high = std::min(node.high, high);
  const auto operands = Operands(x);
  switch (node.kind) {
    case TermKind::kSum: {
      // If c + k * y lies within the range, as a number, y lies between the quotients.
      const Polynomial sum = PolynomialOf(x);
      if (operands.size() != 1 || !ExactRange(sum)) return;
      const int64_t k = Number(x, 1);
      if (k != 1 && k != -1) return;
      const Wide from = Wide{node.low} - sum.constant, to = Wide{node.high} - sum.constant;
      const Wide least = k == 1 ? from : -to, most = k == 1 ? to : -from;
      return Assume(operands[0], static_cast<int64_t>(std::max<Wide>(least, kIntegerLeast)),
                    static_cast<int64_t>(std::min<Wide>(most, kIntegerMost)));
    }
    case TermKind::kGreater:
      if (!IsConstant(operands[0])) return;
      if (IsTrue(x)) return Assume(operands[1], kIntegerLeast, Number(operands[0]) - 1);
      if (IsFalse(x)) return Assume(operands[1], Number(operands[0]), kIntegerMost);
      return;
    case TermKind::kEqual:
      if (IsTrue(x) && IsConstant(operands[1])) {
        return Assume(operands[0], Number(operands[1]), Number(operands[1]));
      }
      return;
    case TermKind::kAnd:
      if (!IsTrue(x)) return;
      for (const TermId operand : std::vector<TermId>(operands.begin(), operands.end())) {
        if (Fits(operand, 0, 1)) Assume(operand, 1, 1);
      }
      return;
    case TermKind::kIsNan:
      if (IsFalse(x)) nodes_[operands[0]].classes &= static_cast<FloatClasses>(~kClassNan);
      return;
    default:
      return;
  }
}

}  // namespace assay
