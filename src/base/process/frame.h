// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

// A frame is the length of a message in 4 bytes, little-endian, and the message after it. Workers,
// `assay-mlir-helper` and the workers of a pool send and receive frames.
inline constexpr size_t kFrameHeadBytes = 4;
inline constexpr size_t kFrameBytesMax = UINT32_MAX;  // of the message

// Returns the length that the first kFrameHeadBytes bytes of a frame give.
size_t FrameLength(std::string_view head);

// Returns the frame of a message, which has at most kFrameBytesMax bytes.
std::string FrameOf(std::string_view message);

// Read and write one frame, and wait without a limit. Return false if the other end is closed.
// WriteFrame() also returns false if the message has more than kFrameBytesMax bytes.
bool ReadFrame(int descriptor, std::string& message);
bool WriteFrame(int descriptor, std::string_view message);

}  // namespace assay
