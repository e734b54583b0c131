// SPDX-License-Identifier: Apache-2.0
// Tests packs of vectors: names, bytes, the end of a stream, and every kind of damage.
#include "vector_pack.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "files.h"
#include "pack_sink.h"
#include "pack_stream.h"

namespace assay::vector_pack_test {
namespace {

std::vector<uint8_t> Bytes(std::string_view text) { return {text.begin(), text.end()}; }

std::vector<uint8_t> TwoVectors(uint64_t index = 0) {
  VectorPackWriter writer;
  writer.Add(CaseFile("graph", index), Bytes("first"));
  writer.Add(CaseFile("operator", index), Bytes("the second one"));
  return writer.Finish();
}

// Returns the error of the first step that fails: parsing, or reading one of the vectors.
std::string ErrorOf(std::vector<uint8_t> bytes) {
  const Result<VectorPack> pack = VectorPack::Parse(SharedBytesOf(std::move(bytes)), "x.tvecs");
  if (!pack) return pack.error().message;
  for (int64_t i = 0; i < pack->size(); ++i) {
    const Result<SharedBytes> vector = pack->BytesOf(i);
    if (!vector) return vector.error().message;
  }
  return "";
}

// Returns the first line of a pack with these numbers: vectors, position of the index, bytes.
std::vector<uint8_t> HeadOf(const std::string& numbers) {
  std::string head = "assay-pack 1 " + numbers + " " + std::string(64, '0');
  head.resize(255, ' ');
  return Bytes(head + "\n");
}

class VectorPackFile : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return JoinPath(folder_->path(), name); }

  // Returns the vectors of a stream that is in a file, or the error.
  Result<std::vector<std::string>> Stream(const std::vector<uint8_t>& bytes) const {
    EXPECT_TRUE(WriteFileAtomically(Path("stream"), bytes));
    const int descriptor = open(Path("stream").c_str(), O_RDONLY);
    std::vector<std::string> names;
    PackStream stream(descriptor, "standard input", [] { return false; });
    while (true) {
      const Result<std::optional<VectorPack>> pack = stream.Next();
      if (!pack || !*pack) {
        close(descriptor);
        if (!pack) return pack.error();
        return names;
      }
      for (int64_t i = 0; i < (*pack)->size(); ++i) {
        names.push_back(JoinPath(stream.folder(), (*pack)->NameOf(i)));
      }
    }
  }

 private:
  Result<TemporaryDirectory> folder_ = TemporaryDirectory::Make();
};

TEST(VectorPack, GivesVectorsByNumberAndByName) {
  const Result<VectorPack> pack = VectorPack::Parse(SharedBytesOf(TwoVectors()), "x.tvecs");
  ASSERT_TRUE(pack) << pack.error().message;
  EXPECT_EQ(pack->size(), 2);
  EXPECT_EQ(pack->NameOf(1), "operator/operator-000000.tvec");
  ASSERT_EQ(pack->Find("operator/operator-000000.tvec"), 1);
  EXPECT_EQ(pack->Find("operator/operator-000001.tvec"), std::nullopt);
  const Result<SharedBytes> second = pack->BytesOf(1);
  ASSERT_TRUE(second);
  EXPECT_EQ(std::string(second->bytes.begin(), second->bytes.end()), "the second one");
}

TEST(VectorPack, BeginsAnewAfterFinish) {
  VectorPackWriter writer;
  writer.Add("a", Bytes("first"));
  const std::vector<uint8_t> first = writer.Finish();
  EXPECT_EQ(writer.count(), 0);
  writer.Add("a", Bytes("first"));
  EXPECT_EQ(writer.Finish(), first);
}

TEST(VectorPack, NamesDamage) {
  const std::vector<uint8_t> whole = TwoVectors();
  ASSERT_EQ(ErrorOf(whole), "");
  for (size_t i = 0; i < whole.size(); ++i) {
    std::vector<uint8_t> damaged = whole;
    damaged[i] ^= 0x10;
    const std::string error = ErrorOf(damaged);
    // Padding between vectors is not read.
    const bool is_padding = whole[i] == 0;
    EXPECT_TRUE(is_padding || error.starts_with("x.tvecs: is ")) << i << ": " << error;
  }
  for (size_t size = 0; size < whole.size(); ++size) {
    std::vector<uint8_t> cut = whole;
    cut.resize(size);
    EXPECT_TRUE(ErrorOf(cut).starts_with("x.tvecs: is ")) << size;
  }
  EXPECT_NE(ErrorOf(Bytes("{}")).find("is no pack of vectors"), std::string::npos);
}

TEST(VectorPack, RefusesNumbersThatCannotBe) {
  EXPECT_EQ(ErrorOf(HeadOf("0 256 256")), "x.tvecs: is damaged: the SHA-256 of its index differs");
  for (const char* numbers :
       {"0 255 256", "0 257 256", "1 256 256", "-1 256 256", "0 -1 256", "0 256 -1", "0 256",
        "0 256 99999999999999999999", "9223372036854775807 256 256"}) {
    EXPECT_EQ(ErrorOf(HeadOf(numbers)), "x.tvecs: is no pack of vectors") << numbers;
  }
}

TEST_F(VectorPackFile, LargePackOfAStreamIsRefused) {
  const auto result = Stream(HeadOf("1 256 4294967297"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Error::Kind::kResource);
  EXPECT_EQ(result.error().message, "standard input: has a pack of more than 4 GiB");
}

TEST_F(VectorPackFile, StreamEndsWithAnEmptyPack) {
  const std::vector<uint8_t> pack = TwoVectors(1), end = VectorPackWriter().Finish();
  std::vector<uint8_t> stream = TwoVectors();
  stream.insert(stream.end(), pack.begin(), pack.end());
  const size_t packs = stream.size();
  stream.insert(stream.end(), end.begin(), end.end());
  const auto names = Stream(stream);
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_EQ(names->size(), 4u);
  // Wherever a stream is cut, the reader notices it.
  for (size_t size = 0; size < stream.size(); size += size + 7 < packs ? 7 : 1) {
    std::vector<uint8_t> cut = stream;
    cut.resize(size);
    const auto result = Stream(cut);
    ASSERT_FALSE(result) << size;
    EXPECT_TRUE(result.error().message.starts_with("standard input: ends ")) << size;
    EXPECT_EQ(result.error().kind, Error::Kind::kBadInput);
  }
  EXPECT_FALSE(Stream(Bytes(std::string(1000, 'x'))));
  // A second one follows.
  std::vector<uint8_t> both = stream;
  both.insert(both.end(), stream.begin(), stream.end());
  const auto all = Stream(both);
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 8u);
  EXPECT_EQ((*all)[3], "operator/operator-000001.tvec");
  EXPECT_EQ((*all)[7], "stream-2/operator/operator-000001.tvec");
  both.resize(both.size() - 1);
  EXPECT_EQ(Stream(both).error().message,
            "standard input, stream 2: ends inside a pack of vectors");
}

TEST_F(VectorPackFile, StreamHasEachVectorOnce) {
  std::vector<uint8_t> stream = TwoVectors(999999);
  const auto add = [&stream](const std::vector<uint8_t>& pack) {
    stream.insert(stream.end(), pack.begin(), pack.end());
  };
  add(TwoVectors(1000000));
  add(VectorPackWriter().Finish());
  EXPECT_TRUE(Stream(stream));
  stream = TwoVectors(7);
  add(TwoVectors(7));
  add(VectorPackWriter().Finish());
  EXPECT_EQ(Stream(stream).error().message,
            "standard input: has the vector \"graph/graph-000007.tvec\" behind "
            "\"graph/graph-000007.tvec\"; a stream has each vector once, in the order of `assay "
            "gen`");
}

TEST_F(VectorPackFile, SinkBoundsPacks) {
  PackSink sink(Path(""));
  for (int64_t i = 0; i <= kPackVectors; ++i) {
    ASSERT_TRUE(sink.Add(CaseFile("graph", static_cast<uint64_t>(i)), Bytes("bytes")));
  }
  ASSERT_TRUE(sink.Finish());
  ASSERT_EQ(sink.packs().size(), 2u);
  EXPECT_EQ(sink.packs()[0].file, "pack-000000.tvecs");
  EXPECT_EQ(sink.packs()[0].vectors, kPackVectors);
  EXPECT_EQ(sink.packs()[1].vectors, 1);
  EXPECT_EQ(VectorPack::Open(Path("pack-000000.tvecs"))->size(), kPackVectors);
  const Result<VectorPack> second = VectorPack::Open(Path("pack-000001.tvecs"));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->NameOf(0), CaseFile("graph", static_cast<uint64_t>(kPackVectors)));
}

}  // namespace
}  // namespace assay::vector_pack_test
