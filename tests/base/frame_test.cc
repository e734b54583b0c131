// SPDX-License-Identifier: Apache-2.0
#include "frame.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "descriptor.h"
#include "gtest/gtest.h"

namespace assay::frame_test {
namespace {

TEST(Frame, IsALengthAndTheMessage) {
  EXPECT_EQ(FrameOf("ab"), std::string("\x02\0\0\0ab", 6));
  EXPECT_EQ(FrameOf(std::string(0x123456, 'x')).substr(0, 5), std::string("\x56\x34\x12\0x", 5));
  EXPECT_EQ(FrameLength(std::string_view("\0\x01\0\0", 4)), 256u);
  EXPECT_EQ(FrameLength("\xff\xff\xff\xff"), kFrameBytesMax);
}

// Returns the messages that are read from a pipe with these bytes and one more frame.
std::vector<std::string> MessagesIn(std::string_view bytes) {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  EXPECT_TRUE(WriteAll(ends[1], bytes.data(), bytes.size()));
  EXPECT_TRUE(WriteFrame(ends[1], "last"));
  close(ends[1]);
  std::vector<std::string> messages;
  for (std::string message; ReadFrame(ends[0], message);) messages.push_back(message);
  close(ends[0]);
  return messages;
}

TEST(Frame, ComesBackAsItWas) {
  const std::string bytes("\0\x01\xff", 3);
  EXPECT_EQ(MessagesIn(FrameOf("") + FrameOf(bytes)),
            (std::vector<std::string>{"", bytes, "last"}));
}

TEST(Frame, ThatIsCutOffIsNoMessage) {
  EXPECT_EQ(MessagesIn("\x09"), std::vector<std::string>());
  EXPECT_EQ(MessagesIn(FrameOf("ab") + std::string("\xff\0\0\0", 4)),
            std::vector<std::string>{"ab"});
}

}  // namespace
}  // namespace assay::frame_test
