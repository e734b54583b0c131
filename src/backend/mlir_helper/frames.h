#pragma once

#include <string>

namespace assay {

// Read and write one frame, whose format message.h defines. Return false after the other end has
// closed, or on a frame of more than 4 GiB.
bool ReadFrame(int fd, std::string& payload);
bool WriteFrame(int fd, const std::string& payload);

}  // namespace assay
