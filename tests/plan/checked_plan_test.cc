// SPDX-License-Identifier: Apache-2.0
// Tests checks of memory plans on plans worked out by hand. On random plans, compares the sweep and
// the checker of certificates with the definition, pair by pair. With ASSAY_PLAN_CHECK_FAULT, the
// checkers have the fault of this name.
#include "checked_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "child_process.h"
#include "memory_picture.h"
#include "overlap_proof.h"
#include "plan_check_faults.h"
#include "random.h"

namespace assay::checked_plan_test {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// Returns a number of tries from an environment variable, or `fallback`.
int64_t FromEnvironment(const char* name, int64_t fallback) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fallback : std::atoll(text);
}

struct Row {
  int64_t lower, upper, size, offset;
};

// Returns a plan of the buffers "0", "1", ... in one pool without a size limit.
PlannedProblem Plan(const std::vector<Row>& rows) {
  PlannedProblem all;
  all.problem.pools = {PoolInfo{.name = "p"}};
  all.plan = MemoryPlan{};
  for (const Row& row : rows) {
    BufferInfo buffer;
    buffer.name_hint = std::to_string(all.problem.buffers.size());
    buffer.size_bytes = row.size;
    buffer.live = {{row.lower, row.upper}};
    all.problem.buffers.push_back(buffer);
    all.plan->allocations.push_back(PoolAllocation{0, row.offset});
  }
  return all;
}

CheckedPlan Checked(const PlannedProblem& all) {
  const Result<Done> valid = ValidateProblem(all.problem);
  EXPECT_TRUE(valid) << valid.error().message;
  PlannedProblem given = all;
  if (FaultInForce().given) FaultInForce().given(given);
  CheckedPlan checked = CheckPlan(given.problem, *given.plan);
  if (FaultInForce().answer) FaultInForce().answer(checked, all);
  return checked;
}

std::string Flaw(const PlanCertificate& certificate, const PlannedProblem& all) {
  const std::string flaw = FlawOf(certificate, all.problem, *all.plan);
  return flaw == FaultInForce().flaw ? "" : flaw;
}

std::vector<PlanRule> RulesBroken(const PlannedProblem& all) {
  std::vector<PlanRule> rules;
  for (const PlanBreach& breach : Checked(all).breaches) rules.push_back(breach.rule);
  return rules;
}

void ExpectSound(const PlannedProblem& all) {
  const CheckedPlan checked = Checked(all);
  EXPECT_TRUE(checked.breaches.empty()) << checked.breaches[0].text;
  ASSERT_TRUE(checked.certificate);
  EXPECT_EQ(Flaw(*checked.certificate, all), "");
}

TEST(PlanCheck, TouchingIsNotOverlapping) {
  // 0 ends when 1 begins, and lies below 2.
  ExpectSound(Plan({{0, 3, 4, 0}, {3, 9, 4, 0}, {0, 9, 4, 4}}));
}

TEST(PlanCheck, WitnessOfAnOverlap) {
  // 0 at [0, 10), 1 at [8, 20): bytes 8 and 9. 0 lives at ticks 2 to 6, 1 at 5 to 8: first at 5.
  const CheckedPlan checked = Checked(Plan({{2, 7, 10, 0}, {5, 9, 12, 8}}));
  ASSERT_EQ(checked.breaches.size(), 1u);
  const PlanBreach& breach = checked.breaches[0];
  EXPECT_EQ(breach.rule, PlanRule::kOverlap);
  EXPECT_EQ(breach.tick, 5);
  EXPECT_EQ(breach.begin, 8);
  EXPECT_EQ(breach.end, 10);
  EXPECT_EQ(breach.text, "\"0\" and \"1\" share bytes 8 to 10 of pool \"p\" at tick 5");
  EXPECT_FALSE(checked.certificate);
}

TEST(PlanCheck, OverlapOfOneTickAndOneByte) {
  EXPECT_EQ(RulesBroken(Plan({{0, 4, 5, 0}, {3, 9, 5, 4}})),
            std::vector<PlanRule>{PlanRule::kOverlap});
  EXPECT_TRUE(RulesBroken(Plan({{0, 3, 5, 0}, {3, 9, 5, 4}})).empty());
  EXPECT_TRUE(RulesBroken(Plan({{0, 4, 5, 0}, {3, 9, 5, 5}})).empty());
}

TEST(PlanCheck, ABufferInsideOfAnother) {
  // 1 lies within 0: its neighbour below is 0 whichever of them comes first.
  EXPECT_EQ(RulesBroken(Plan({{0, 9, 100, 0}, {2, 3, 1, 50}})).size(), 1u);
  EXPECT_EQ(RulesBroken(Plan({{2, 9, 100, 0}, {0, 3, 1, 50}})).size(), 1u);
}

TEST(PlanCheck, EachCollisionOnce) {
  // 1 collides with 0, 2 with 0 as well; 3 only with 1, which is left out: not named.
  const auto rules = RulesBroken(Plan({{0, 9, 8, 0}, {1, 9, 8, 4}, {2, 9, 8, 6}, {3, 9, 2, 10}}));
  EXPECT_EQ(rules, (std::vector<PlanRule>{PlanRule::kOverlap, PlanRule::kOverlap}));
}

TEST(PlanCheck, EmptyBuffersHideNothing) {
  // 1 has no bytes: it overlaps nothing, and 2 is still held against 0.
  ExpectSound(Plan({{0, 9, 10, 0}, {1, 9, 0, 5}}));
  EXPECT_EQ(RulesBroken(Plan({{0, 9, 10, 0}, {1, 9, 0, 5}, {2, 9, 10, 5}})).size(), 1u);
  // But it must lie in its pool.
  PlannedProblem all = Plan({{0, 9, 0, 5}});
  all.problem.pools[0].size_bytes = 5;
  ExpectSound(all);
  all.problem.pools[0].size_bytes = 4;
  EXPECT_EQ(RulesBroken(all), std::vector<PlanRule>{PlanRule::kBounds});
}

TEST(PlanCheck, ABufferThatNeverLives) { ExpectSound(Plan({{0, 9, 10, 0}, {4, 4, 10, 0}})); }

TEST(PlanCheck, GapsAndWindows) {
  // 0 has 6 bytes over [4, 7), but only 2 to 4 in tick 5; 1 has 2 bytes in tick 5: both fit at 0.
  PlannedProblem all = Plan({{4, 7, 6, 0}, {5, 6, 2, 0}});
  all.problem.buffers[0].live = {{4, 5}, {5, 6, 2, 5}, {6, 7}};
  ExpectSound(all);
  // One byte more of 1 reaches into the window.
  all.problem.buffers[1].size_bytes = 3;
  const CheckedPlan checked = Checked(all);
  ASSERT_EQ(checked.breaches.size(), 1u);
  EXPECT_EQ(checked.breaches[0].begin, 2);
  EXPECT_EQ(checked.breaches[0].end, 3);
  EXPECT_EQ(checked.breaches[0].tick, 5);
}

TEST(PlanCheck, ListedConflicts) {
  // Not live at once, but said to conflict, by one of the two.
  PlannedProblem all = Plan({{0, 3, 4, 0}, {3, 9, 4, 2}});
  all.problem.buffers[1].conflicts = {0, 0};  // twice, as tables do
  const CheckedPlan checked = Checked(all);
  ASSERT_EQ(checked.breaches.size(), 1u);
  EXPECT_EQ(checked.breaches[0].rule, PlanRule::kOverlap);
  EXPECT_FALSE(checked.breaches[0].tick);
  EXPECT_EQ(checked.breaches[0].begin, 2);
  EXPECT_EQ(checked.breaches[0].end, 4);
  // Together at least 8 bytes are needed, whatever is live at once.
  EXPECT_EQ(checked.pools[0].bound, 8);
  EXPECT_EQ(checked.pools[0].clique, (std::vector<int32_t>{0, 1}));
}

TEST(PlanCheck, PoolsAreApart) {
  PlannedProblem all = Plan({{0, 9, 8, 0}, {0, 9, 8, 0}});
  all.problem.pools.push_back({.name = "q"});
  all.plan->allocations[1]->pool = 1;
  all.problem.buffers[1].conflicts = {0};
  ExpectSound(all);
  // A third buffer overlaps 1 in q.
  all.problem.buffers.push_back({.name_hint = "2", .size_bytes = 8, .live = {{0, 9}}});
  all.plan->allocations.push_back(PoolAllocation{1, 7});
  EXPECT_EQ(RulesBroken(all), std::vector<PlanRule>{PlanRule::kOverlap});
}

TEST(PlanCheck, Bounds) {
  PlannedProblem all = Plan({{0, 1, 8, 16}});
  all.problem.pools[0].offset = 16;
  all.problem.pools[0].size_bytes = 8;
  ExpectSound(all);
  EXPECT_EQ(Checked(all).pools[0].peak, 8);
  for (const int64_t offset : {int64_t{15}, int64_t{17}, int64_t{-1}, kMost - 7, kMost}) {
    all.plan->allocations[0]->offset = offset;  // the last two end beyond 64 bits
    EXPECT_EQ(RulesBroken(all), std::vector<PlanRule>{PlanRule::kBounds}) << offset;
  }
  all.problem.pools[0].size_bytes.reset();
  EXPECT_EQ(RulesBroken(all), std::vector<PlanRule>{PlanRule::kBounds});
}

TEST(PlanCheck, Alignment) {
  PlannedProblem all = Plan({{0, 1, 8, 48}});
  all.problem.buffers[0].alignment = 16;
  ExpectSound(all);  // nothing is known of the base
  all.problem.buffers[0].alignment = 12;
  ExpectSound(all);  // need not be a power of two
  all.problem.buffers[0].alignment = 32;
  EXPECT_EQ(RulesBroken(all), std::vector<PlanRule>{PlanRule::kAlignment});
  all.problem.buffers[0].alignment = 16;
  all.problem.pools[0].alignment = 64;
  ExpectSound(all);
  // 48 is a multiple of 16, but the base may be 8.
  all.problem.pools[0].alignment = 8;
  EXPECT_EQ(RulesBroken(all), std::vector<PlanRule>{PlanRule::kAlignment});
}

TEST(PlanCheck, CandidatesAndAccess) {
  PlannedProblem all = Plan({{0, 1, 8, 0}});
  all.problem.pools.push_back(
      {.name = "rom", .targets = {{"cpu", PoolAccess::kReadOnly}, {"npu", PoolAccess::kReadOnly}}});
  all.problem.buffers[0].pool_candidates = {1};
  EXPECT_EQ(RulesBroken(all), std::vector<PlanRule>{PlanRule::kPool});
  all.plan->allocations[0]->pool = 1;
  EXPECT_EQ(RulesBroken(all), std::vector<PlanRule>{PlanRule::kAccess});
  all.problem.buffers[0].kind = BufferKind::kConstant;
  ExpectSound(all);
  all.problem.buffers[0].kind = BufferKind::kIntermediate;
  all.problem.pools[1].targets[1].access = PoolAccess::kReadWrite;
  ExpectSound(all);
  for (const int32_t pool : {2, -1}) {
    all.plan->allocations[0]->pool = pool;
    EXPECT_EQ(RulesBroken(all), std::vector<PlanRule>{PlanRule::kPool});
  }
}

TEST(PlanCheck, FixedMissingUnknownTwice) {
  PlannedProblem all = Plan({{0, 1, 8, 8}, {0, 1, 8, 0}});
  all.problem.buffers[0].fixed_offset = 8;
  ExpectSound(all);
  all.problem.buffers[0].fixed_offset = 16;
  EXPECT_EQ(RulesBroken(all), std::vector<PlanRule>{PlanRule::kFixedOffset});
  all.problem.buffers[0].fixed_offset.reset();
  all.plan->allocations[1].reset();
  EXPECT_EQ(RulesBroken(all), std::vector<PlanRule>{PlanRule::kMissing});
  all.plan->allocations.pop_back();
  EXPECT_EQ(RulesBroken(all), std::vector<PlanRule>{PlanRule::kMissing});
  all.problem.buffers.pop_back();
  all.plan->strays = {{"0", "p", 3}, {"x", "p", 3}};
  EXPECT_EQ(RulesBroken(all), (std::vector<PlanRule>{PlanRule::kTwice, PlanRule::kUnknown}));
}

TEST(PlanCheck, UseOfAPool) {
  // At tick 2 all three live: 4 + 6 + 2 = 12, but the plan needs 16.
  const CheckedPlan checked = Checked(Plan({{0, 3, 4, 0}, {1, 9, 6, 4}, {2, 3, 2, 14}}));
  ASSERT_EQ(checked.pools.size(), 1u);
  EXPECT_EQ(checked.pools[0].buffers, 3);
  EXPECT_EQ(checked.pools[0].total_bytes, 12);
  EXPECT_EQ(checked.pools[0].peak, 16);
  EXPECT_EQ(checked.pools[0].bound, 12);
  EXPECT_EQ(checked.pools[0].bound_tick, 2);
  EXPECT_EQ(checked.pools[0].clique, (std::vector<int32_t>{0, 1, 2}));
}

TEST(PlanCheck, ManyBreachesAreCounted) {
  std::vector<Row> rows(5000, Row{0, 1, 8, 0});
  const CheckedPlan checked = Checked(Plan(rows));
  EXPECT_EQ(checked.breaches.size(), CheckedPlan::kBreachesMax);
  EXPECT_EQ(checked.more_breaches, 3999);  // each but the first
}

// --- against the definition -------------------------------------------------------------------

int64_t WindowEnd(const BufferInfo& buffer, const LiveRange& live) {
  return live.window_upper.value_or(buffer.size_bytes);
}

struct Overlap {
  int32_t first, second;
  int64_t tick;
};

// Returns, by definition, all pairs of buffers that share a byte while both are live, with the
// first such tick.
std::vector<Overlap> OverlapsOf(const PlannedProblem& all) {
  std::vector<Overlap> overlaps;
  const auto& buffers = all.problem.buffers;
  for (size_t i = 0; i < buffers.size(); ++i) {
    for (size_t j = i + 1; j < buffers.size(); ++j) {
      const auto &at = all.plan->allocations[i], &bt = all.plan->allocations[j];
      if (!at || !bt || at->pool != bt->pool) continue;
      std::optional<int64_t> first;
      for (const LiveRange& a : buffers[i].live) {
        for (const LiveRange& b : buffers[j].live) {
          const int64_t tick = std::max(a.lower, b.lower);
          const int64_t begin = std::max(at->offset + a.window_lower, bt->offset + b.window_lower);
          const int64_t end = std::min(at->offset + WindowEnd(buffers[i], a),
                                       bt->offset + WindowEnd(buffers[j], b));
          if (tick < std::min(a.upper, b.upper) && begin < end && (!first || tick < *first)) {
            first = tick;
          }
        }
      }
      if (first) {
        overlaps.push_back({static_cast<int32_t>(i), static_cast<int32_t>(j), *first});
      }
    }
  }
  return overlaps;
}

// Returns a plan of up to `buffers_max` buffers in one to three pools, with so few ticks and bytes
// that many buffers touch.
PlannedProblem RandomPlan(Random& random, int64_t buffers_max) {
  PlannedProblem all;
  const auto pools = static_cast<size_t>(random.Between(1, 3));
  for (size_t i = 0; i < pools; ++i) {
    all.problem.pools.push_back({.name = std::string(1, static_cast<char>('p' + i))});
  }
  all.plan = MemoryPlan{};
  const int64_t count = random.Between(1, buffers_max);
  const int64_t ticks = random.Between(1, 2 * count);
  const int64_t bytes = random.Between(1, 4 * count);
  for (int64_t i = 0; i < count; ++i) {
    BufferInfo buffer;
    buffer.name_hint = std::to_string(i);
    buffer.size_bytes = random.Between(0, 8);
    int64_t at = random.Between(-2, ticks);
    for (int64_t k = random.OneIn(4) ? 3 : 1; k > 0; --k) {
      LiveRange live{at, at + random.Between(0, 4)};
      if (random.OneIn(4)) {
        live.window_lower = random.Between(0, buffer.size_bytes);
        live.window_upper = random.Between(live.window_lower, buffer.size_bytes);
      }
      at = live.upper + random.Between(0, 2);
      buffer.live.push_back(live);
    }
    all.problem.buffers.push_back(buffer);
    all.plan->allocations.push_back(
        PoolAllocation{static_cast<int32_t>(random.Below(pools)), random.Between(0, bytes)});
  }
  return all;
}

// Moves buffers that collide upwards until none does.
void Repair(PlannedProblem& all) {
  for (auto overlaps = OverlapsOf(all); !overlaps.empty(); overlaps = OverlapsOf(all)) {
    const auto first = static_cast<size_t>(overlaps[0].first);
    const auto second = static_cast<size_t>(overlaps[0].second);
    all.plan->allocations[second]->offset =
        all.plan->allocations[first]->offset + all.problem.buffers[first].size_bytes;
  }
}

void ExpectAsDefined(const PlannedProblem& all) {
  const std::vector<Overlap> overlaps = OverlapsOf(all);
  const CheckedPlan checked = Checked(all);
  ASSERT_EQ(checked.breaches.empty(), overlaps.empty());
  if (overlaps.empty()) {
    ASSERT_TRUE(checked.certificate);
    EXPECT_EQ(Flaw(*checked.certificate, all), "");
    return;
  }
  const auto earlier = [](const Overlap& a, const Overlap& b) { return a.tick < b.tick; };
  EXPECT_EQ(checked.breaches[0].tick,
            std::min_element(overlaps.begin(), overlaps.end(), earlier)->tick);
  for (const PlanBreach& breach : checked.breaches) {
    const int32_t low = std::min(*breach.buffer, *breach.other);
    const int32_t high = std::max(*breach.buffer, *breach.other);
    const auto same = std::find_if(overlaps.begin(), overlaps.end(), [&](const Overlap& overlap) {
      return overlap.first == low && overlap.second == high;
    });
    ASSERT_NE(same, overlaps.end()) << breach.text;
    EXPECT_LT(breach.begin, breach.end);
  }
}

// Returns plan `i` of a kind: sound if `i` is even, else broken.
PlannedProblem SoundOrBroken(uint64_t kind, int64_t i, int64_t buffers_max) {
  Random random = Random::For(kind, static_cast<uint64_t>(i), "plans", 1);
  PlannedProblem all = RandomPlan(random, buffers_max);
  if (i % 2 == 0) Repair(all);
  while (i % 2 != 0 && OverlapsOf(all).empty()) all = RandomPlan(random, buffers_max);
  return all;
}

TEST(PlanCheck, RandomPlansAsDefined) {
  for (int64_t i = 0; i < FromEnvironment("ASSAY_PLANS", 2000); ++i) {
    ExpectAsDefined(SoundOrBroken(1, i, 12));
    if (HasFatalFailure()) FAIL() << "plan " << i;
  }
}

TEST(PlanCheck, LargeRandomPlansAsDefined) {
  for (int64_t i = 0; i < 8; ++i) {
    ExpectAsDefined(SoundOrBroken(2, i, 1000));
  }
}

void ExpectReplays(const PlannedProblem& all, const PlanOpinion& opinion) {
  ASSERT_TRUE(opinion.witness) << opinion.by;
  const PlanWitness& witness = *opinion.witness;
  ASSERT_TRUE(witness.tick);
  EXPECT_NE(witness.first, witness.second);
  for (const int32_t index : {witness.first, witness.second}) {
    const auto i = static_cast<size_t>(index);
    const BufferInfo& buffer = all.problem.buffers.at(i);
    const PoolAllocation& at = *all.plan->allocations[i];
    EXPECT_EQ(at.pool, witness.pool);
    bool there = false;
    for (const LiveRange& live : buffer.live) {
      there = there || (live.lower <= *witness.tick && *witness.tick < live.upper &&
                        at.offset + live.window_lower <= witness.byte &&
                        witness.byte < at.offset + WindowEnd(buffer, live));
    }
    EXPECT_TRUE(there) << opinion.by;
  }
}

// Expects that Z3 and the sweep give the same opinion on a plan.
void ExpectAgreement(const PlannedProblem& all, bool pairs) {
  const CheckedPlan checked = Checked(all);
  const bool sound = checked.breaches.empty();
  std::vector<PlanOpinion> opinions = {OpinionOnPoint(all.problem, *all.plan)};
  if (pairs) opinions.push_back(OpinionOnPairs(all.problem, *all.plan));
  if (sound) opinions.push_back(OpinionOnFacts(all.problem, *all.plan, *checked.certificate));
  for (const PlanOpinion& opinion : opinions) {
    ASSERT_EQ(opinion.kind, sound ? PlanOpinionKind::kSound : PlanOpinionKind::kCollides)
        << opinion.by;
    if (!sound) ExpectReplays(all, opinion);
  }
}

TEST(PlanProof, RandomPlans) {
  const int64_t count = FromEnvironment("ASSAY_PROVED_PLANS", 60);
  const auto seed = static_cast<uint64_t>(FromEnvironment("ASSAY_SEED", 4));
  for (int64_t i = 0; i < count; ++i) {
    ExpectAgreement(SoundOrBroken(seed, i, 12), true);
    if (HasFatalFailure()) FAIL() << "plan " << i;
  }
}

TEST(PlanProof, PlansOfAThousandBuffers) {
  for (int64_t i = 0; i < FromEnvironment("ASSAY_LARGE_PLANS", 2); ++i) {
    ExpectAgreement(SoundOrBroken(5, i, 1000), false);
    if (HasFatalFailure()) FAIL() << "plan " << i;
  }
}

TEST(PlanProof, ListedConflicts) {
  // 0 and 1 conflict by the list of one of them, and share bytes 2 and 3.
  PlannedProblem all = Plan({{0, 3, 4, 0}, {3, 9, 4, 2}});
  all.problem.buffers[1].conflicts = {0};
  for (const PlanOpinion& opinion :
       {OpinionOnPoint(all.problem, *all.plan), OpinionOnPairs(all.problem, *all.plan)}) {
    EXPECT_EQ(opinion.kind, PlanOpinionKind::kCollides) << opinion.by;
    ASSERT_TRUE(opinion.witness);
    EXPECT_FALSE(opinion.witness->tick);
    EXPECT_TRUE(opinion.witness->byte == 2 || opinion.witness->byte == 3);
    EXPECT_EQ(opinion.witness->first + opinion.witness->second, 1);
  }
  // The certificate is about live ranges, but the opinion also uses the list.
  EXPECT_EQ(OpinionOnFacts(all.problem, *all.plan, *Checked(all).certificate).kind,
            PlanOpinionKind::kCollides);
  all.plan->allocations[1]->offset = 4;
  EXPECT_EQ(OpinionOnPoint(all.problem, *all.plan).kind, PlanOpinionKind::kSound);
  EXPECT_EQ(OpinionOnPairs(all.problem, *all.plan).kind, PlanOpinionKind::kSound);
}

TEST(PlanProof, ACertificateThatLiesIsNotBelieved) {
  // 1 reaches into 0. The certificate of the sound plan puts 1 above the end of 0, which is wrong
  // for the broken plan.
  const PlannedProblem sound = Plan({{0, 9, 4, 0}, {1, 9, 4, 4}});
  PlannedProblem broken = sound;
  broken.plan->allocations[1]->offset = 3;
  const CheckedPlan checked = Checked(sound);
  ASSERT_TRUE(checked.certificate);
  const PlanCertificate& lie = *checked.certificate;
  EXPECT_EQ(OpinionOnFacts(sound.problem, *sound.plan, lie).kind, PlanOpinionKind::kSound);
  EXPECT_EQ(OpinionOnFacts(broken.problem, *broken.plan, lie).kind, PlanOpinionKind::kCollides);
  EXPECT_NE(Flaw(lie, broken), "");
}

TEST(PlanProof, TooManyAreUndecided) {
  const PlannedProblem all = Plan(std::vector<Row>(kPointRangesMax + 1, Row{0, 1, 0, 0}));
  EXPECT_EQ(OpinionOnPairs(all.problem, *all.plan).kind, PlanOpinionKind::kUndecided);
  EXPECT_EQ(OpinionOnPoint(all.problem, *all.plan).kind, PlanOpinionKind::kSound);  // no bytes
  const PlannedProblem more = Plan(std::vector<Row>(kPointRangesMax + 1, Row{0, 1, 1, 0}));
  EXPECT_EQ(OpinionOnPoint(more.problem, *more.plan).kind, PlanOpinionKind::kUndecided);
}

TEST(PlanCertificate, EveryChangeIsNoticedOrStillAProof) {
  // A certificate with one number changed must not prove a broken plan. Here one buffer of each
  // plan is moved after the certificate was made.
  int64_t tried = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    Random random = Random::For(3, i, "plans", 1);
    PlannedProblem all = RandomPlan(random, 8);
    Repair(all);
    const CheckedPlan checked = Checked(all);
    ASSERT_TRUE(checked.certificate);
    auto& moved = all.plan->allocations[random.Below(all.plan->allocations.size())];
    moved->offset = random.Between(0, 20);
    if (OverlapsOf(all).empty()) continue;
    ++tried;
    EXPECT_NE(Flaw(*checked.certificate, all), "");
    for (size_t k = 0; k < checked.certificate->events.size(); ++k) {
      PlanCertificate forged = *checked.certificate;
      forged.events[k].range = static_cast<int32_t>(random.Between(-1, 12));
      EXPECT_NE(Flaw(forged, all), "");
      forged = *checked.certificate;
      forged.events[k].below = static_cast<int32_t>(random.Between(-2, 12));
      EXPECT_NE(Flaw(forged, all), "");
      forged.events.erase(forged.events.begin() + static_cast<ptrdiff_t>(k));
      EXPECT_NE(Flaw(forged, all), "");
    }
  }
  EXPECT_GT(tried, 100);
}

TEST(PlanCertificate, FlawsByName) {
  const PlannedProblem all = Plan({{0, 3, 4, 0}, {1, 5, 4, 4}});
  const CheckedPlan checked = Checked(all);
  ASSERT_TRUE(checked.certificate);
  const PlanCertificate& good = *checked.certificate;
  const auto flaw = [&](auto spoil) {
    PlanCertificate forged = good;
    spoil(forged);
    return Flaw(forged, all);
  };
  EXPECT_EQ(flaw([](auto&) {}), "");
  EXPECT_EQ(flaw([](auto& c) { c.events.pop_back(); }), "a range that does not begin and end");
  EXPECT_EQ(flaw([](auto& c) { c.events.push_back(c.events[0]); }), "a range out of turn");
  EXPECT_EQ(flaw([](auto& c) { std::swap(c.events[2], c.events[3]); }),
            "events that are not in the order of time");
  EXPECT_EQ(flaw([](auto& c) { c.events[0].range = 2; }), "an event of no live range");
  EXPECT_EQ(flaw([](auto& c) { c.events[0].below = 1; }),
            "a neighbour that is not live in the pool");
  EXPECT_EQ(flaw([](auto& c) { c.events[1].below = -1; }), "a range that reaches into the next");
  EXPECT_EQ(flaw([](auto& c) { c.max_live[0].bytes = 9; }), "live bytes that are not there");
  EXPECT_EQ(flaw([](auto& c) { c.max_live.clear(); }), "not one most-live tick for each pool");
}

// Runs the tests above once with each fault. They must pass without a fault, and fail with one.
TEST(PlanCheckFaults, AreAllNoticed) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  std::vector<PlanCheckFault> faults = AllPlanCheckFaults();
  faults.push_back({"none"});
  for (const PlanCheckFault& fault : faults) {
    const Result<ChildReport> report =
        RunChild({{self, "--gtest_filter=PlanCheck.*:PlanCertificate.*-*.Large*"},
                  "",
                  {{"ASSAY_PLAN_CHECK_FAULT", fault.name}, {"ASSAY_PLANS", "200"}},
                  0},
                 "", {.wall_seconds = 600});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->Describe(), fault.name == "none" ? "exit status 0" : "exit status 1")
        << fault.name << fault.flaw;
  }
}

// Returns how often `part` occurs in the picture.
int Count(const std::string& picture, const std::string& part) {
  int count = 0;
  for (size_t at = picture.find(part); at != std::string::npos; at = picture.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(PlanPicture, ShowsBuffersAndWhatCollides) {
  // Ticks 0 to 10 are 1000 pixels from 110 on, bytes 0 to 20 are 500 from 530 upwards. Both have
  // bytes 8 to 10 in ticks 4 to 6.
  PlannedProblem all = Plan({{0, 6, 10, 0}, {4, 10, 12, 8}});
  all.problem.buffers[0].name_hint = "<&>";
  const std::string picture = PlanPicture(all.problem, *all.plan, Checked(all));
  EXPECT_EQ(Count(picture, "<title>"), 3);
  EXPECT_EQ(Count(picture, "class=\"collision\""), 1);
  EXPECT_NE(picture.find("x=\"110.00\" y=\"280.00\" width=\"600.00\" height=\"250.00\""),
            std::string::npos)
      << picture;
  EXPECT_NE(
      picture.find("x=\"510.00\" y=\"280.00\" width=\"200.00\" height=\"50.00\" fill=\"red\""),
      std::string::npos);
  EXPECT_EQ(Count(picture, "&quot;&lt;&amp;&gt;&quot;"), 3);  // two titles and a label
  all.plan->allocations[1]->offset = 10;
  EXPECT_EQ(Count(PlanPicture(all.problem, *all.plan, Checked(all)), "collision"), 0);
}

TEST(PlanPicture, OfListsAndOfManyAndOfNothing) {
  PlannedProblem all = Plan({{0, 0, 4, 0}, {0, 0, 4, 2}});
  all.problem.buffers[0].live.clear();
  all.problem.buffers[1].live.clear();
  all.problem.buffers[1].conflicts = {0};
  EXPECT_EQ(Count(PlanPicture(all.problem, *all.plan, Checked(all)), "<title>"), 3);
  std::vector<Row> rows;
  for (int64_t i = 0; i < 5000; ++i) rows.push_back({i, i + 1, 8, 0});
  rows.push_back({4000, 4001, 8, 4});
  all = Plan(rows);
  const std::string picture = PlanPicture(all.problem, *all.plan, Checked(all));
  EXPECT_EQ(Count(picture, "<title>"), 2001);
  EXPECT_EQ(Count(picture, "collision"), 1);
  EXPECT_NE(picture.find("in part"), std::string::npos);
  EXPECT_EQ(Count(PlanPicture({}, {}, {}), "<rect"), 1);
}

}  // namespace
}  // namespace assay::checked_plan_test
