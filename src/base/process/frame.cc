// SPDX-License-Identifier: Apache-2.0
#include "frame.h"

#include "descriptor.h"

namespace assay {

size_t FrameLength(std::string_view head) {
  size_t length = 0;
  for (size_t i = kFrameHeadBytes; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(head[i]);
  }
  return length;
}

std::string FrameOf(std::string_view message) {
  std::string frame;
  frame.reserve(kFrameHeadBytes + message.size());
  for (size_t i = 0; i < kFrameHeadBytes; ++i) {
    frame.push_back(static_cast<char>(message.size() >> (8 * i) & 0xff));
  }
  return frame.append(message);
}

bool ReadFrame(int descriptor, std::string& message) {
  std::string head(kFrameHeadBytes, '\0');
  if (!ReadAll(descriptor, head.data(), head.size())) return false;
  message.resize(FrameLength(head));
  return ReadAll(descriptor, message.data(), message.size());
}

bool WriteFrame(int descriptor, std::string_view message) {
  if (message.size() > kFrameBytesMax) return false;
  const std::string frame = FrameOf(message);
  return WriteAll(descriptor, frame.data(), frame.size());
}

}  // namespace assay
