// SPDX-License-Identifier: Apache-2.0
#include "result_journal.h"

#include <utility>

#include "check.h"

namespace assay {

Result<ResultJournal> ResultJournal::Open(const std::string& folder, const RunIdentity& run,
                                          bool resume) {
  Result<RunJournal> journal = RunJournal::Open(folder, run, resume);
  if (!journal) return journal.error();
  ResultJournal opened;
  opened.journal_ = std::move(*journal);
  return opened;
}

Result<ResultJournal> ResultJournal::OpenTemporary(const RunIdentity& run) {
  Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  if (!folder) return folder.error();
  Result<ResultJournal> opened = Open(folder->path(), run, false);
  if (opened) opened->folder_ = std::move(*folder);
  return opened;
}

Result<Done> ResultJournal::Add(int64_t index, std::string reply, bool runs_again) {
  if (!journal_ || Has(index)) return Done{};
  if (!runs_again) return journal_->Add(index, reply);
  run_again_[index] = std::move(reply);
  return Done{};
}

Result<Done> ResultJournal::Clear() {
  run_again_.clear();
  return journal_ ? journal_->Clear() : Result<Done>(Done{});
}

Result<Done> ResultJournal::EachResult(const ReplySink& sink) const {
  Check(is_open(), "results of many cases are in a journal");
  ReplyReader reader(journal_->Ranges());
  Result<bool> more = reader.Next();
  auto again = run_again_.begin();
  while (more && (*more || again != run_again_.end())) {
    const bool in_memory = again != run_again_.end() && (!*more || again->first < reader.index());
    const std::string_view reply = in_memory ? std::string_view(again->second) : reader.reply();
    if (!IsLeftOut(reply)) {
      const Result<Done> taken = sink(in_memory ? again->first : reader.index(), reply);
      if (!taken) return taken;
    }
    if (in_memory) {
      ++again;
    } else {
      more = reader.Next();
    }
  }
  return more ? Result<Done>(Done{}) : more.error();
}

}  // namespace assay
