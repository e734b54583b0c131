// SPDX-License-Identifier: Apache-2.0
// Tests files that the user names: what is written, and what is refused. Devices are made in the
// folder of the test, so that a mistake cannot replace those of the machine.
#include "output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "files.h"
#include "mapped_file.h"

namespace assay::output_file_test {
namespace {

namespace fs = std::filesystem;

template <class T>
std::string ErrorOf(const Result<T>& result) {
  return result ? "no error" : result.error().message;
}

class OutputFiles : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_->path() + "/" + name; }
  void Link(const std::string& target, const std::string& name) {
    fs::create_symlink(target, Path(name));
  }
  void Put(const std::string& name, std::string_view text) {
    ASSERT_TRUE(WriteFileAtomically(Path(name), text));
  }
  std::string Text(const std::string& name) {
    const Result<std::string> text = ReadTextFile(Path(name));
    return text ? *text : text.error().message;
  }
  void Write(const std::string& name, std::string_view text) {
    const Result<Done> written = WriteOutput(Path(name), text);
    EXPECT_TRUE(written) << written.error().message;
  }
  void ExpectRefused(const std::string& name, const std::string& words) {
    const Result<OutputFile> output = OutputFile::At(Path(name));
    ASSERT_FALSE(output) << name;
    EXPECT_EQ(output.error().message, Path(name) + ": " + words);
    EXPECT_EQ(output.error().kind, Error::Kind::kBadInput);
  }
  // Makes a character device. Returns false without the right to do so.
  bool MakeDevice(const std::string& name, unsigned number) {
    return mknod(Path(name).c_str(), S_IFCHR | 0666, makedev(1, number)) == 0;
  }
  bool IsDevice(const std::string& name) { return fs::is_character_file(Path(name)); }

  const Result<TemporaryDirectory> folder_ = TemporaryDirectory::Make();
};

TEST_F(OutputFiles, FollowLinksAndReplaceTheFileBehindThem) {
  fs::create_directories(Path("there"));
  Put("there/shared", "old");
  Link("there/shared", "link");
  Link(Path("link"), "chain");
  Link("there/new", "dangling");
  for (const char* name : {"there/shared", "link", "chain"}) {
    Write(name, name);
    EXPECT_EQ(Text("there/shared"), name);
  }
  Write("dangling", "new");
  EXPECT_EQ(Text("there/new"), "new");
  for (const char* name : {"link", "chain", "dangling"}) EXPECT_TRUE(fs::is_symlink(Path(name)));
  EXPECT_EQ(ListFilesBelow(folder_->path())->size(), 5u);  // and no temporary file
}

TEST_F(OutputFiles, RefuseWhatCannotBeAFile) {
  Link("b", "a");
  Link("a", "b");
  Link("none/file", "far");
  fs::create_directories(Path("folder"));
  ExpectRefused("a", "is a loop of symbolic links; choose another file");
  ExpectRefused("folder", "cannot write: Is a directory");
  ExpectRefused("none/file", "cannot write: No such file or directory");
  ExpectRefused("far", "cannot write: No such file or directory");
  const bool bound = mknod(Path("socket").c_str(), S_IFSOCK | 0666, 0) == 0;
  ASSERT_TRUE(bound);
  ExpectRefused("socket", "is no regular file; choose another file");
}

TEST_F(OutputFiles, AreWrittenToADeviceThatStays) {
  if (!MakeDevice("null", 3)) GTEST_SKIP() << "this user may not make devices";
  ASSERT_TRUE(MakeDevice("full", 7));
  Link("full", "link");
  Write("null", "lost");
  for (const char* name : {"full", "link"}) {
    const Result<Done> written = WriteOutput(Path(name), std::string_view("x"));
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().message, Path(name) + ": cannot write: No space left on device");
    EXPECT_EQ(written.error().kind, Error::Kind::kResource);
  }
  EXPECT_TRUE(IsDevice("null"));
  EXPECT_TRUE(IsDevice("full"));
}

TEST_F(OutputFiles, AreWrittenToAPipeThatIsRead) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = Text("pipe"); });
  Write("pipe", std::string(100'000, 'x'));
  reader.join();
  EXPECT_EQ(got, std::string(100'000, 'x'));
  ExpectRefused("pipe", "is a pipe that no process reads; start its reader first");
  EXPECT_TRUE(fs::is_fifo(Path("pipe")));
}

// A file that standard output goes to has what was printed, and the result behind it.
TEST_F(OutputFiles, ShareTheOffsetOfADescriptor) {
  const Descriptor file(open(Path("log").c_str(), O_WRONLY | O_CREAT, 0666));
  ASSERT_GE(file, 0);
  const std::string own = "/proc/self/fd/" + std::to_string(file);
  Link(own, "link");
  Link("/dev/fd/" + std::to_string(file), "short");
  ASSERT_TRUE(WriteAll(file, "a", 1));
  ASSERT_TRUE(WriteOutput(own, std::string_view("b")));
  Write("link", "c");
  Write("short", "d");
  ASSERT_TRUE(WriteAll(file, "e", 1));
  EXPECT_EQ(Text("log"), "abcde");
  const Result<OutputFile> closed = OutputFile::At("/proc/self/fd/987654");
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().message, "/proc/self/fd/987654: cannot write: Bad file descriptor");
  EXPECT_FALSE(OutputFile::InPlace(own));
}

TEST_F(OutputFiles, CannotBeReadAsAnInput) {
  Put("input", std::string(kMappedBytesMin + 1, 'x'));
  fs::create_hard_link(Path("input"), Path("hard"));
  Link("input", "soft");
  for (const char* name : {"input", "hard", "soft"}) {
    const Result<OutputFile> output = OutputFile::At(Path(name));
    ASSERT_TRUE(output);
    const std::string refusal =
        Path(name) + ": is an input of this command; choose another file for the output";
    EXPECT_EQ(ErrorOf(ReadFile(Path("input"))), refusal);
    EXPECT_EQ(ErrorOf(ReadRegularFile(Path("input"))), refusal);
    EXPECT_EQ(ErrorOf(MapFile(Path("soft"))), refusal);
    const std::optional<Error> refused = RefuseOutputIn("python3 " + Path("hard") + " -x");
    EXPECT_EQ(refused ? refused->message : "", refusal);
    const Result<Done> written = output->Write(std::string_view("over"));
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().kind, Error::Kind::kUsage);
  }
  const Descriptor file(open(Path("input").c_str(), O_WRONLY | O_APPEND));
  const Result<OutputFile> same = OutputFile::At("/proc/self/fd/" + std::to_string(file));
  ASSERT_TRUE(same);
  EXPECT_FALSE(ReadFile(Path("input")));
  EXPECT_FALSE(same->Write(std::string_view("over")));
  EXPECT_EQ(fs::file_size(Path("input")), static_cast<size_t>(kMappedBytesMin + 1));
}

TEST_F(OutputFiles, InPlaceAreReadAndReplaced) {
  Put("history", "a");
  Link("history", "link");
  for (const char* name : {"link", "new"}) {
    const Result<OutputFile> output = OutputFile::InPlace(Path(name));
    ASSERT_TRUE(output);
    EXPECT_TRUE(!FileExists(Path(name)) || Text(name) == "a");
    ASSERT_TRUE(output->Write(std::string_view("b")));
    EXPECT_EQ(Text(name), "b");
  }
  EXPECT_EQ(Text("history"), "b");
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  const Result<OutputFile> pipe = OutputFile::InPlace(Path("pipe"));
  ASSERT_FALSE(pipe);
  EXPECT_EQ(pipe.error().message, Path("pipe") + ": is no regular file; choose another file");
}

TEST_F(OutputFiles, OfAssayItselfAreReadWithoutLinksAndWithoutWaiting) {
  Put("own", "text");
  EXPECT_EQ(*ReadOwnTextFile(Path("own")), "text");
  Link("own", "link");
  Link("none", "dangling");
  fs::create_directories(Path("folder"));
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  Link("pipe", "to-pipe");
  for (const char* name : {"link", "dangling", "to-pipe"}) {
    EXPECT_EQ(ErrorOf(ReadOwnTextFile(Path(name))),
              Path(name) + ": is a symbolic link; put the file itself there, or remove the link");
  }
  std::vector<std::string> others = {"folder", "pipe"};
  if (MakeDevice("zero", 5)) others.push_back("zero");
  for (const std::string& name : others) {
    EXPECT_EQ(ErrorOf(ReadOwnFile(Path(name))), Path(name) + ": is no regular file; remove it");
    EXPECT_FALSE(OpenOwnFile(Path(name), O_RDWR | O_CREAT));
  }
  EXPECT_FALSE(OpenOwnFile(Path("dangling"), O_RDWR | O_CREAT));
  EXPECT_FALSE(FileExists(Path("none")));
  EXPECT_EQ(ErrorOf(ReadOwnFile(Path("none"))),
            Path("none") + ": cannot open: No such file or directory");
}

TEST_F(OutputFiles, OnceReadTextTakesAPipeOnceAndHasAnEnd) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  std::thread writer([&] { EXPECT_TRUE(WriteOutput(Path("pipe"), std::string_view("text"))); });
  const OnceReadText text, copy = text;
  EXPECT_EQ(**text.Of(Path("pipe")), "text");
  EXPECT_EQ(**copy.Of(Path("pipe")), "text");
  writer.join();
  const Result<const std::string*> endless = OnceReadText().Of("/dev/zero");
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().message, "/dev/zero: is larger than 67108864 bytes");
  const Result<std::vector<uint8_t>> read = ReadFile("/dev/zero");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "/dev/zero: is larger than 268435456 bytes");
}

}  // namespace
}  // namespace assay::output_file_test
