// SPDX-License-Identifier: Apache-2.0
#include "case_loop.h"

#include <chrono>
#include <memory>
#include <utility>

#include "backend_kind.h"
#include "json_lines.h"
#include "worker_pool.h"

namespace assay {

Result<int64_t> CaseLoop::Judge(int64_t first, int64_t last, const Steps& steps) {
  WorkPlan work;
  work.first = first;
  work.last = last;
  work.jobs = plan_.jobs;
  work.start = [&]() -> Result<Work> {
    Result<std::unique_ptr<Backend>> opened = OpenBackend(plan_.backend, plan_.options);
    if (!opened) return opened.error();
    std::shared_ptr<Backend> backend = std::move(*opened);
    const auto judge = std::make_shared<CaseJudge>(*backend, plan_.load, plan_.path, plan_.repeats);
    return Work([&, backend, judge](int64_t index) -> Result<std::string> {
      if (journal_.Has(index)) return journal_.Read(index);
      const auto started = std::chrono::steady_clock::now();
      std::string reply = steps.judge(*judge, index);
      if (const auto failure = backend->MachineFailure()) return *failure;
      return IsLeftOut(reply) ? reply : WithSeconds(std::move(reply), started);
    });
  };
  work.merge = [&](int64_t index, std::string reply, const Loss& loss) {
    return Take(index, std::move(reply), loss, steps);
  };
  work.stop = steps.stop;
  return RunWork(work);
}

Result<Done> CaseLoop::Take(int64_t index, std::string reply, const Loss& loss,
                            const Steps& steps) {
  if (const auto seconds = TakeSeconds(reply)) times_.clock.Add(plan_.path(index), *seconds);
  if (!times_.folder.empty()) times_.clock.Save(times_.folder);
  std::optional<CaseResult> result;
  if (!IsLeftOut(reply)) {
    Result<CaseResult> read = CaseFromJson(reply);
    result = read ? std::move(*read) : LostCase(plan_.path(index), loss);
    if (reply.empty()) reply = CaseToJson(*result, true);
  }
  if (journal_.Has(index)) progress_.Skip(index + 1);
  const Result<Done> recorded = journal_.Add(index, reply, loss && !loss.by_itself);
  if (!recorded) return recorded;
  const Result<Done> answered =
      result && !has_answered_ ? first_answers_.Add(*result) : Result<Done>(Done{});
  progress_.Show(index + 1, steps.take(index, reply, std::move(result)));
  return answered;
}

}  // namespace assay
