// SPDX-License-Identifier: Apache-2.0
#include "work_share.h"

#include <algorithm>
#include <vector>

#include "ensemble_run.h"

namespace assay {

int64_t WorkOf(const TestVector& vector) {
  // To start a vector on a backend takes as long as some operators. So do many multiplications.
  constexpr int64_t kStart = 4, kMultiplications = 1 << 18, kMost = 1 << 20;
  return kStart + vector.OperatorCount() +
         std::min(MultiplyAccumulates(vector) / kMultiplications, kMost);
}

WorkShare::WorkShare(const Campaign& campaign, Shard shard, WorkByKind& work)
    : shard_(shard), work_(work) {
  work_.kinds.resize(campaign.kinds.size());
}

void WorkShare::Choose(int64_t round) {
  if (round == work_.round) return;
  work_.round = round;
  work_.cases.clear();
  const auto kinds = std::ssize(work_.kinds);
  std::vector<int64_t> spent, places;
  std::vector<size_t> present;  // a shard may lack a kind
  for (size_t kind = 0; kind < work_.kinds.size(); ++kind) {
    int64_t place = work_.kinds[kind].next;
    for (int64_t tries = 1; KindAt(place) != kind && tries < kinds; ++tries) ++place;
    if (KindAt(place) == kind) present.push_back(kind);
    places.push_back(place);
    spent.push_back(work_.kinds[kind].work);
  }
  while (std::ssize(work_.cases) < kRoundCases) {
    const size_t least =
        *std::ranges::min_element(present, {}, [&spent](size_t kind) { return spent[kind]; });
    WorkByKind::Kind& kind = work_.kinds[least];
    int64_t& place = places[least];
    work_.cases.push_back(place);
    kind.next = ++place;
    while (KindAt(place) != least) ++place;
    spent[least] += kind.cases > 0 ? std::max<int64_t>(kind.work / kind.cases, 1) : 1;
  }
}

void WorkShare::Add(int64_t index, int64_t work) {
  WorkByKind::Kind& kind = work_.kinds[KindAt(CaseAt(index))];
  ++kind.cases;
  kind.work += work;
}

}  // namespace assay
