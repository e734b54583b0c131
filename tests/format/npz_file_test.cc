// SPDX-License-Identifier: Apache-2.0
// Tests the reader of NumPy's `.npz` files, also on damaged and hostile ones, and the writer.
#include "npz_file.h"

#include <gtest/gtest.h>

#include <charconv>

#include "damaged_files.h"
#include "npy_file.h"
#include "zip_archive.h"

namespace assay::npz_file_test {
namespace {

// numpy.savez_compressed(file, x=numpy.array([[1, 2], [3, 4]], 'i4')), numpy 1.24.
constexpr std::string_view kCompressed =
    "504b0304140000000800000021007bc8617c520000009000000005001400782e6e7079010010009000000000000000"
    "52"
    "000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9369a2aea3a09e965f54529498179f5f9492"
    "0a"
    "12774bcc294e058a17672416a402f91a463a0a469a3a0ab50a64032e46060606262066066216200600504b01021403"
    "14"
    "0000000800000021007bc8617c5200000090000000050000000000000000000000800100000000782e6e7079504b05"
    "06"
    "000000000100010033000000890000000000";

std::vector<uint8_t> FromHex(std::string_view text) {
  std::vector<uint8_t> bytes(text.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, bytes[i], 16);
  }
  return bytes;
}

std::vector<uint8_t> Npy(std::vector<int64_t> elements) {
  const Shape shape = {static_cast<int32_t>(elements.size())};
  return WriteNpy(Tensor::FromIntegers(DType::kInt32, shape, elements));
}

// Reads all entries of a file. Returns the first Error.
Result<Done> ReadAll(const std::vector<uint8_t>& bytes) {
  const Result<std::vector<NpzEntry>> entries = ReadNpzDirectory(bytes, "f.npz");
  if (!entries) return entries.error();
  for (const NpzEntry& entry : *entries) {
    const Result<std::vector<uint8_t>> content = ReadNpzEntry(bytes, "f.npz", entry);
    if (!content) return content.error();
    EXPECT_EQ(content->size(), entry.size);
  }
  return Done{};
}

void ExpectRefused(const std::vector<uint8_t>& bytes, Error::Kind kind, std::string_view words) {
  const Result<Done> read = ReadAll(bytes);
  ASSERT_FALSE(read) << words;
  EXPECT_TRUE(IsOneLine(read.error().message, "f.npz")) << read.error().message;
  EXPECT_NE(read.error().message.find(words), std::string::npos) << read.error().message;
  EXPECT_EQ(read.error().kind, kind) << read.error().message;
}

TEST(Npz, ReadsAFileOfNumPy) {
  const std::vector<uint8_t> bytes = FromHex(kCompressed);
  const Result<std::vector<NpzEntry>> entries = ReadNpzDirectory(bytes, "f.npz");
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(entries->front().name, "x");
  const auto content = ReadNpzEntry(bytes, "f.npz", entries->front());
  ASSERT_TRUE(content) << content.error().message;
  const Result<Tensor> tensor = ReadNpyTensor(*content, "x");
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(*tensor, Tensor::FromIntegers(DType::kInt32, {2, 2}, std::vector<int64_t>{1, 2, 3, 4}));
}

TEST(Npz, ReadsStoredAndDeflatedEntries) {
  const std::vector<uint8_t> large = Npy(std::vector<int64_t>(40'000, 7));
  const std::vector<uint8_t> bytes = ZipArchive()
                                         .Add({"a.npy", Npy({1})})
                                         .Add({"b/c.npy", large, true})
                                         .Add({"d", {}, true})
                                         .Bytes();
  const Result<std::vector<NpzEntry>> entries = ReadNpzDirectory(bytes, "f.npz");
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[1].name, "b/c");
  EXPECT_EQ(*ReadNpzEntry(bytes, "f.npz", (*entries)[0]), Npy({1}));
  EXPECT_EQ(*ReadNpzEntry(bytes, "f.npz", (*entries)[1]), large);
  EXPECT_TRUE(ReadNpzEntry(bytes, "f.npz", (*entries)[2])->empty());
}

TEST(Npz, WritesWhatItReads) {
  const std::vector<NpzArray> arrays = {{"step-0-input-0", Npy({1, 2})}, {"empty", Npy({})}};
  const std::vector<uint8_t> bytes = WriteNpz(arrays);
  const Result<std::vector<NpzEntry>> entries = ReadNpzDirectory(bytes, "f.npz");
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 2u);
  for (size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_EQ((*entries)[i].name, arrays[i].name);
    EXPECT_EQ(*ReadNpzEntry(bytes, "f.npz", (*entries)[i]), arrays[i].file);
  }
  EXPECT_EQ(ReadNpzDirectory(WriteNpz({}), "f.npz")->size(), 0u);
}

// 1 MB of an archive may hold 1 GB of zeros, which are not unpacked if nobody wants them.
TEST(Npz, UnpacksNoMoreThanTheHeadOfAnArrayThatIsNotWanted) {
  const Tensor large =
      Tensor::FromIntegers(DType::kInt32, {1 << 20}, std::vector<int64_t>(1 << 20, 0));
  for (const bool deflated : {false, true}) {
    std::vector<uint8_t> file = WriteNpy(large);
    const size_t size = file.size();
    const std::vector<uint8_t> bytes = ZipArchive().Add({"x.npy", file, deflated}).Bytes();
    const auto entries = ReadNpzDirectory(bytes, "f.npz");
    ASSERT_TRUE(entries) << entries.error().message;
    size_t seen = 0;
    const auto check = [&](std::span<const uint8_t> start, size_t told) -> Result<Done> {
      seen = start.size();
      EXPECT_EQ(told, size);
      const Result<NpyArray> head = ReadNpyHead(start, told, "x");
      EXPECT_TRUE(head && head->elements == large.elements());
      return head ? CheckNpySamples(*head, "x", {DType::kInt32, {3}}) : head.error();
    };
    const auto refused = ReadNpzEntry(bytes, "f.npz", entries->front(), check);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "x: has 1048576 elements, not those of i32[3]");
    EXPECT_EQ(seen, deflated ? kNpyHeadBytesMax : size);
    const auto wanted = ReadNpzEntry(bytes, "f.npz", entries->front(),
                                     [](auto, size_t) -> Result<Done> { return Done{}; });
    ASSERT_TRUE(wanted) << wanted.error().message;
    EXPECT_EQ(*wanted, file);
  }
}

// The fields of the archive, from PKWARE's APPNOTE.TXT. The reader above need not read all of them.
TEST(Npz, WritesTheFieldsOfAZipArchive) {
  const std::vector<uint8_t> bytes = WriteNpz(std::vector<NpzArray>{{"x", {'a', 'b'}}});
  const std::vector<uint8_t> common = FromHex(
      "1400"
      "0000"
      "0000"
      "0000"
      "2100"  // version, flags, stored, time, date
      "6d48839e"
      "02000000"
      "02000000"  // CRC-32 of "ab", both sizes
      "0500"
      "0000");  // lengths of the name and of the extra field
  std::vector<uint8_t> expected = FromHex("504b0304");
  const auto append = [&expected](const std::vector<uint8_t>& more) {
    expected.insert(expected.end(), more.begin(), more.end());
  };
  append(common);
  append({'x', '.', 'n', 'p', 'y', 'a', 'b'});
  append(
      FromHex("504b0102"
              "1400"));
  append(common);
  // Comment, disk, attributes, and the offset of the entry.
  append(
      FromHex("0000"
              "0000"
              "0000"
              "00000000"
              "00000000"));
  append({'x', '.', 'n', 'p', 'y'});
  // Disks, entries, and the size and the offset of the directory.
  append(
      FromHex("504b0506"
              "0000"
              "0000"
              "0100"
              "0100"
              "33000000"
              "25000000"
              "0000"));
  EXPECT_EQ(bytes, expected);
}

TEST(Npz, RefusesWhatItDoesNotRead) {
  using Kind = Error::Kind;
  const std::vector<uint8_t> npy = Npy({1, 2});
  ExpectRefused({}, Kind::kBadInput, "not a .npz file");
  ExpectRefused(npy, Kind::kBadInput, "not a .npz file");
  ExpectRefused(ZipArchive().Add({"a", npy}).Add({"a.npy", npy}).Bytes(), Kind::kBadInput,
                "entry \"a\" is there twice");
  ZipEntry entry = {"a", npy};
  entry.method = 12;
  ExpectRefused(ZipArchive().Add(entry).Bytes(), Kind::kUnsupported, "packed with method 12");
  entry = {"a", npy};
  entry.flags = 1;
  ExpectRefused(ZipArchive().Add(entry).Bytes(), Kind::kUnsupported, "is encrypted");
  entry = {"a", npy};
  entry.checksum = 1;
  ExpectRefused(ZipArchive().Add(entry).Bytes(), Kind::kBadInput, "wrong checksum");
  entry = {"a", npy};
  entry.claimed_size = 5;
  ExpectRefused(ZipArchive().Add(entry).Bytes(), Kind::kBadInput, "has two sizes");
  entry.claimed_size = 0xffffffff;
  ExpectRefused(ZipArchive().Add(entry).Bytes(), Kind::kUnsupported, "larger than 4 GiB");
}

// Sizes of headers are claims. An entry that holds less or more than it claims is damaged.
TEST(Npz, TrustsNoSize) {
  ZipEntry entry = {"a", Npy({1, 2}), true};
  for (const uint32_t size : {1u, 135u, 137u, 2'000'000'000u}) {
    entry.claimed_size = size;
    ExpectRefused(ZipArchive().Add(entry).Bytes(), Error::Kind::kBadInput, "cannot be inflated");
  }
  ZipEntry other = entry;
  other.name = "b";
  ExpectRefused(ZipArchive().Add(entry).Add(other).Bytes(), Error::Kind::kResource,
                "more than 2147483648 bytes");
}

TEST(Npz, SurvivesDamage) {
  std::vector<std::vector<uint8_t>> files = {FromHex(kCompressed)};
  files.push_back(ZipArchive().Add({"a", Npy({1})}).Add({"b", Npy({2}), true}).Bytes());
  for (const std::vector<uint8_t>& file : files) {
    ForEachMutant(file, [](const std::vector<uint8_t>& mutant) {
      const Result<Done> read = ReadAll(mutant);
      if (!read) {
        ASSERT_TRUE(IsOneLine(read.error().message, "f.npz")) << read.error().message;
      }
    });
  }
}

TEST(Npy, ReadsSamplesAlongALeadingAxis) {
  const TensorType type = {DType::kInt32, {2}};
  const auto file = [](Shape shape, std::vector<int64_t> elements) {
    return WriteNpy(Tensor::FromIntegers(DType::kInt32, shape, elements));
  };
  const auto samples = ReadNpySamples(file({3, 2}, {1, 2, 3, 4, 5, 6}), "f", type);
  ASSERT_TRUE(samples) << samples.error().message;
  ASSERT_EQ(samples->size(), 3u);
  EXPECT_EQ((*samples)[2], Tensor::FromIntegers(DType::kInt32, {2}, std::vector<int64_t>{5, 6}));
  EXPECT_EQ(ReadNpySamples(file({2}, {1, 2}), "f", type)->size(), 1u);
  EXPECT_EQ(ReadNpySamples(file({1, 2}, {1, 2}), "f", type)->size(), 1u);
  // Other dimensions of as many elements are one sample, as they always were.
  EXPECT_EQ(ReadNpySamples(file({2, 1}, {1, 2}), "f", type)->size(), 1u);
  EXPECT_FALSE(ReadNpySamples(file({2, 3}, {1, 2, 3, 4, 5, 6}), "f", type));
  EXPECT_EQ(ReadNpySamples(file({2}, {8, 9}), "f", {DType::kInt32, {}})->size(), 2u);
  std::vector<uint8_t> none = file({3, 2}, {1, 2, 3, 4, 5, 6});
  none.resize(128);
  none[std::string(none.begin(), none.end()).find("(3") + 1] = '0';
  const auto refused = ReadNpySamples(none, "f", type);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "f: holds no sample of i32[2]");
}

// Elements that are stored as in a tensor are not copied. Others, and damaged files, are read as
// ever.
TEST(Npy, SharesTheBytesOfAFile) {
  const auto read = [](const std::vector<uint8_t>& content, const TensorType& type, bool shares) {
    const SharedBytes file = SharedBytesOf(content);
    const auto samples = ReadNpySamples(file, "f", type);
    const auto copies = ReadNpySamples(content, "f", type);
    if (!samples || !copies) {
      ASSERT_TRUE(!samples && !copies);
      EXPECT_EQ(samples.error().message, copies.error().message);
      return;
    }
    EXPECT_EQ(*samples, *copies);
    for (const Tensor& sample : *samples) {
      const uint8_t* const first = sample.bytes().data();
      const uint8_t* const begin = file.bytes.data();
      EXPECT_EQ(first >= begin && first < begin + file.bytes.size(), shares);
    }
  };
  const std::vector<int64_t> six = {1, 2, 3, 4, 5, 6};
  const std::vector<uint8_t> file = WriteNpy(Tensor::FromIntegers(DType::kInt32, {3, 2}, six));
  read(file, {DType::kInt32, {2}}, true);
  read(file, {DType::kInt32, {3, 2}}, true);
  read(file, {DType::kInt32, {6}}, true);
  read(file, {DType::kInt8, {3, 2}}, false);
  read(file, {DType::kInt32, {7}}, false);
  read({file.begin(), file.end() - 4}, {DType::kInt32, {2}}, false);
  std::vector<uint8_t> other_order = file;
  const size_t place = std::string(file.begin(), file.end()).find("False");
  std::copy_n("True ", 5, other_order.begin() + static_cast<std::ptrdiff_t>(place));
  read(other_order, {DType::kInt32, {2}}, false);
}

TEST(Npy, RefusesPickledObjects) {
  std::vector<uint8_t> file = Npy({1, 2});
  const size_t descr = std::string(file.begin(), file.end()).find("<i4");
  file[descr] = '|', file[descr + 1] = 'O', file[descr + 2] = '8';
  const Result<NpyArray> read = ReadNpy(file, "f.npy");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "f.npy: holds pickled Python objects, which are never read");
}

}  // namespace
}  // namespace assay::npz_file_test
