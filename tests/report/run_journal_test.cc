// SPDX-License-Identifier: Apache-2.0
// Tests the file of a run that is not finished.
#include "run_journal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "files.h"
#include "result_journal.h"

namespace assay::run_journal_test {
namespace {

class Journal : public testing::Test {
 protected:
  Result<RunJournal> Open(bool resume = true) const {
    return RunJournal::Open(folder_->path(), run_, resume);
  }
  // Expects the error of opening the file.
  void ExpectRefused(bool resume, const std::string& words) const {
    const Result<RunJournal> refused = Open(resume);
    ASSERT_FALSE(refused) << words;
    EXPECT_NE(refused.error().message.find(words), std::string::npos) << refused.error().message;
  }
  std::string path() const { return JoinPath(folder_->path(), RunJournal::kFileName); }
  // Opens a file and records three replies.
  void Begin() const {
    Result<RunJournal> journal = Open();
    ASSERT_TRUE(journal);
    for (const int64_t index : {0, 2, 1}) {
      ASSERT_TRUE(journal->Add(index, "{\"reply\":" + std::to_string(index) + "}"));
    }
  }

  RunIdentity run_ = {"assay verify s", "reference", "1234"};

 private:
  Result<TemporaryDirectory> folder_ = TemporaryDirectory::Make();
};

TEST_F(Journal, KeepsReplies) {
  Begin();
  Result<RunJournal> journal = Open();
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->recorded(), 3);
  EXPECT_TRUE(journal->Has(2));
  EXPECT_FALSE(journal->Has(3));
  EXPECT_EQ(*journal->Read(2), "{\"reply\":2}");
  EXPECT_EQ(*journal->Read(0), "{\"reply\":0}");
  ASSERT_TRUE(journal->Add(2, "again"));
  ASSERT_TRUE(journal->Add(3, "\"x\""));
  EXPECT_EQ(*Open()->Read(3), "\"x\"");
  EXPECT_EQ(*Open()->Read(2), "{\"reply\":2}");
  ASSERT_TRUE(journal->Clear());
  EXPECT_FALSE(journal->Has(2));
  EXPECT_EQ(Open()->recorded(), 0);
  ASSERT_TRUE(journal->Remove());
  EXPECT_FALSE(FileExists(path()));
}

// A run that was resumed has several parts with ascending indices.
TEST_F(Journal, GivesTheRepliesOfAllPartsInOrder) {
  constexpr int64_t kCount = 2000;
  const auto reply = [](int64_t index) { return "\"reply " + std::to_string(index) + "\""; };
  for (const int64_t rest : {int64_t{0}, int64_t{2}, int64_t{1}}) {
    Result<RunJournal> journal = Open();
    ASSERT_TRUE(journal);
    for (int64_t index = rest; index < kCount; index += 3) {
      ASSERT_TRUE(journal->Add(index, reply(index)));
    }
    EXPECT_FALSE(journal->Has(rest));  // only what was there when it was opened
  }
  const Result<RunJournal> journal = Open();
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->recorded(), kCount);
  EXPECT_EQ(journal->Ranges().size(), 3u);
  ReplyReader reader(journal->Ranges());
  for (int64_t index = 0; index < kCount; ++index) {
    EXPECT_TRUE(journal->Has(index));
    EXPECT_EQ(*journal->Read(index), reply(index));
    const Result<bool> more = reader.Next();
    ASSERT_TRUE(more && *more) << index;
    EXPECT_EQ(reader.index(), index);
    EXPECT_EQ(reader.reply(), reply(index));
  }
  EXPECT_FALSE(journal->Has(kCount));
  const Result<bool> more = reader.Next();
  EXPECT_TRUE(more && !*more);
}

TEST_F(Journal, ReaderTakesTheLastOfSeveralRepliesAndNamesDamage) {
  const std::string first = JoinPath(FolderOf(path()), "a"),
                    second = JoinPath(FolderOf(path()), "b");
  const std::string text = ReplyLine(1, "\"old\"") + ReplyLine(4, "\"four\"");
  ASSERT_TRUE(WriteFileAtomically(first, text));
  ASSERT_TRUE(WriteFileAtomically(second, ReplyLine(1, "\"new\"")));
  const auto end = static_cast<off_t>(text.size());
  const std::vector<ReplyRange> ranges = {
      {first, 0, end}, {second, 0, static_cast<off_t>(ReplyLine(1, "\"new\"").size())}};
  ReplyReader reader(ranges);
  ASSERT_TRUE(*reader.Next());
  EXPECT_EQ(reader.reply(), "\"new\"");
  ASSERT_TRUE(*reader.Next());
  EXPECT_EQ(reader.index(), 4);
  EXPECT_FALSE(*reader.Next());
  std::string damaged = text;
  damaged[damaged.find("four")] = 'F';
  ASSERT_TRUE(WriteFileAtomically(first, damaged));
  ReplyReader other(ranges);
  ASSERT_TRUE(*other.Next());
  const Result<bool> next = other.Next();
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().message, first + ": is damaged or was edited");
}

// A vector whose worker was killed from outside is among the results of this run, and runs again in
// the next one.
TEST_F(Journal, OfResultsGivesWhatWasJudgedInOrderAndRunsLostVectorsAgain) {
  const std::string folder = FolderOf(path());
  const RunIdentity run = {"verify s", "reference", "hash"};
  {
    Result<ResultJournal> journal = ResultJournal::Open(folder, run, false);
    ASSERT_TRUE(journal);
    for (int64_t index = 0; index < 6; ++index) {
      const std::string reply = index == 1 ? kNotChosen : index == 4 ? kOutside : "\"judged\"";
      ASSERT_TRUE(journal->Add(index, reply, index == 2 || index == 5));
    }
    std::vector<int64_t> judged;
    ASSERT_TRUE(journal->EachResult([&](int64_t index, std::string_view reply) -> Result<Done> {
      EXPECT_EQ(reply, "\"judged\"");
      judged.push_back(index);
      return Done{};
    }));
    EXPECT_EQ(judged, (std::vector<int64_t>{0, 2, 3, 5}));
  }
  Result<ResultJournal> next = ResultJournal::Open(folder, run, true);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->recorded(), 4);
  EXPECT_TRUE(next->Has(1));
  EXPECT_FALSE(next->Has(2));
  ASSERT_TRUE(next->Remove());
  EXPECT_FALSE(FileExists(path()));
  ResultJournal closed;
  EXPECT_TRUE(closed.Add(0, "\"judged\"", false));
  EXPECT_FALSE(closed.is_open());
}

// A kill may leave any part of the file.
TEST_F(Journal, EveryPartOfAFileIsAFile) {
  Begin();
  const std::string whole = *ReadTextFile(path());
  for (size_t bytes = 0; bytes <= whole.size(); ++bytes) {
    ASSERT_TRUE(WriteFileAtomically(path(), std::string_view(whole).substr(0, bytes)));
    const int64_t lines =
        std::count(whole.begin(), whole.begin() + static_cast<int64_t>(bytes), '\n');
    Result<RunJournal> journal = Open();
    ASSERT_TRUE(journal) << bytes;
    EXPECT_EQ(journal->recorded(), std::max<int64_t>(lines - 1, 0)) << bytes;
    ASSERT_TRUE(journal->Add(7, "7"));
    EXPECT_EQ(*Open()->Read(7), "7") << bytes;
  }
}

TEST_F(Journal, BelongsToOneRun) {
  Begin();
  ExpectRefused(false, "holds an unfinished run; --resume goes on with it, or remove ");
  const RunIdentity run = run_;
  run_.command += " --shard 0/2";
  ExpectRefused(true, "holds another run: assay verify s; give that command");
  run_ = run;
  run_.backend = "mlir";
  ExpectRefused(true, "holds a run on another backend: reference");
  run_ = run;
  run_.inputs = "5678";
  ExpectRefused(true, "holds a run on other vectors");
  run_ = run;
  std::string text = *ReadTextFile(path());
  const size_t at = text.find("\"version\":1");
  ASSERT_NE(at, std::string::npos);
  text[at + 10] = '2';
  ASSERT_TRUE(WriteFileAtomically(path(), text));
  ExpectRefused(true, "holds a run of another version of Assay");
}

TEST_F(Journal, NoticesEveryChangedByte) {
  Begin();
  const std::string whole = *ReadTextFile(path());
  for (size_t at = whole.find('\n') + 1; at + 1 < whole.size(); ++at) {
    std::string text = whole;
    text[at] = text[at] == 'x' ? 'y' : 'x';
    ASSERT_TRUE(WriteFileAtomically(path(), text));
    ExpectRefused(true, "is damaged or was edited; remove the file to start again");
  }
}

// Nobody has to remove a file that holds nothing.
// A file that has no end of a line is read no further than a line may go.
TEST_F(Journal, WithAnEndlessLineIsDamaged) {
  Begin();
  constexpr off_t kEnd = off_t{8} << 30;  // zeros that take no space
  ASSERT_EQ(truncate(path().c_str(), kEnd), 0);
  ExpectRefused(true, ":5: is damaged");
  ASSERT_EQ(truncate(path().c_str(), 0), 0);
  ASSERT_EQ(truncate(path().c_str(), kEnd), 0);
  ExpectRefused(true, ":1: is damaged");
}

TEST_F(Journal, WithoutRepliesIsNone) {
  ASSERT_TRUE(Open());
  run_.command += " --shard 0/2";
  EXPECT_TRUE(Open(false));
}

}  // namespace
}  // namespace assay::run_journal_test
