// SPDX-License-Identifier: Apache-2.0
// Tests mapped files: their bytes, and what happens when a file changes under its readers.
#include "mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

#include "files.h"

namespace assay::mapped_file_test {
namespace {

class MappedFile : public testing::Test {
 protected:
  // Writes a file of this size, and returns its bytes as they are mapped.
  SharedBytes Map(int64_t size) {
    std::vector<uint8_t> content(static_cast<size_t>(size));
    for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<uint8_t>(i % 251);
    EXPECT_TRUE(WriteFileAtomically(path_, content));
    return *MapFile(path_);
  }

  const Result<TemporaryDirectory> folder_ = TemporaryDirectory::Make();
  const std::string path_ = JoinPath(folder_->path(), "weights.tosa");
};

constexpr int64_t kLarge = 2 * kMappedBytesMin;

// Writes other bytes into the file itself, which WriteFileAtomically() does not do.
void Overwrite(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "r+");
  ASSERT_NE(file, nullptr);
  std::fputs("other", file);
  std::fclose(file);
}

TEST_F(MappedFile, HasTheBytesOfTheFile) {
  for (const int64_t size : {int64_t{0}, int64_t{100}, kMappedBytesMin - 1, kLarge + 1}) {
    const SharedBytes shared = Map(size);
    const std::vector<uint8_t> bytes(shared.bytes.begin(), shared.bytes.end());
    EXPECT_EQ(bytes, *ReadFile(path_));
  }
}

// A reader that only looks what a file is takes the bytes of a pipe with it, and the next reader
// waits for ever.
TEST_F(MappedFile, OpensAPipeOnce) {
  const std::string pipe = JoinPath(folder_->path(), "pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int end = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(write(end, "12345", 5), 5);
  const int events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(inotify_add_watch(events, pipe.c_str(), IN_OPEN | IN_CLOSE_NOWRITE), 0);
  std::thread writer([end] {
    for (int left = 1; left > 0; usleep(1000)) ioctl(end, FIONREAD, &left);
    close(end);
  });
  const Result<SharedBytes> shared = MapFile(pipe);
  writer.join();
  ASSERT_TRUE(shared) << shared.error().message;
  EXPECT_EQ(std::ssize(shared->bytes), 5);
  inotify_event seen[4];  // that it was opened and closed, once each
  EXPECT_EQ(read(events, seen, sizeof seen), static_cast<ssize_t>(2 * sizeof seen[0]));
  close(events);
}

TEST_F(MappedFile, IsRefusedLikeAnyOther) {
  EXPECT_EQ(MapFile(path_).error().message, ReadFile(path_).error().message);
  EXPECT_EQ(MapRegularFile(path_).error().message, ReadRegularFile(path_).error().message);
  Map(kLarge);
  const Result<SharedBytes> large = MapRegularFile(path_, kLarge - 1);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().message, path_ + ": is larger than 2097151 bytes");
}

using MappedFileDeathTest = MappedFile;

TEST_F(MappedFileDeathTest, EndsTheProcessInOneLineIfItIsCut) {
  const auto read_behind_the_end = [this] {
    const SharedBytes shared = Map(kLarge);
    if (truncate(path_.c_str(), 0) != 0) std::exit(9);
    const volatile uint8_t byte = shared.bytes[kLarge - 1];
    std::exit(byte == 0 ? 7 : 8);
  };
  EXPECT_EXIT(read_behind_the_end(), testing::ExitedWithCode(2),
              "^assay: [^\n]*/weights.tosa: the file was cut while it was read; run the command "
              "again\n$");
  EXPECT_EXIT((EndOfChangedFile(113), read_behind_the_end()), testing::ExitedWithCode(113), "");
}

// Threads that find the cut at the same moment print one line together.
TEST_F(MappedFileDeathTest, EndsTheProcessInOneLineIfManyThreadsRead) {
  const auto read_in_threads = [this] {
    const SharedBytes shared = Map(kLarge);
    if (truncate(path_.c_str(), 0) != 0) std::exit(9);
    std::barrier all_at_once(8);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        all_at_once.arrive_and_wait();
        const volatile uint8_t byte = shared.bytes[kLarge - 1];
        std::exit(byte == 0 ? 7 : 8);
      });
    }
  };
  for (int i = 0; i < 20; ++i) {
    EXPECT_EXIT(read_in_threads(), testing::ExitedWithCode(2),
                "^assay: [^\n]*/weights.tosa: the file was cut while it was read; run the command "
                "again\n$");
  }
}

// A fault elsewhere ends the process as it would without mapped files.
TEST_F(MappedFileDeathTest, LeavesOtherFaultsAlone) {
  const auto raise_it = [this] {
    const SharedBytes shared = Map(kLarge);
    raise(SIGBUS);
    raise(SIGBUS);
    std::exit(7);
  };
  EXPECT_EXIT(raise_it(), testing::KilledBySignal(SIGBUS), "");
}

TEST_F(MappedFileDeathTest, IsKnownToHaveChanged) {
  const auto exit_with_change = [this](bool changes, bool keeps) {
    std::optional<SharedBytes> shared = Map(kLarge);
    if (changes) {
      usleep(20'000);  // longer than the unit of the time of the last change
      Overwrite(path_);
    }
    if (!keeps) shared.reset();
    const std::optional<Error> changed = ChangedFile();
    if (!changed) std::exit(3);
    std::exit(changed->message == path_ +
                                      ": the file was changed while it was used; run the "
                                      "command again"
                  ? 4
                  : 5);
  };
  for (const bool keeps : {false, true}) {
    EXPECT_EXIT(exit_with_change(false, keeps), testing::ExitedWithCode(3), "");
    EXPECT_EXIT(exit_with_change(true, keeps), testing::ExitedWithCode(4), "");
  }
}

// A file that takes the place of a mapped one does not change what is mapped.
TEST_F(MappedFile, KeepsItsContentIfItIsReplaced) {
  const SharedBytes shared = Map(kLarge);
  EXPECT_TRUE(WriteFileAtomically(path_, std::string_view("other")));
  EXPECT_EQ(shared.bytes[kLarge - 1], (kLarge - 1) % 251);
  EXPECT_FALSE(ChangedFile());
}

TEST_F(MappedFile, CanBeMappedManyTimes) {
  std::vector<SharedBytes> all;
  for (int i = 0; i < 300; ++i) all.push_back(Map(kMappedBytesMin));
  for (const SharedBytes& shared : all) EXPECT_EQ(std::ssize(shared.bytes), kMappedBytesMin);
}

}  // namespace
}  // namespace assay::mapped_file_test
