#pragma once

#include <string>

namespace assay {

// A frame is what message.h says. All return false once the other end is gone.
bool ReadFrame(int fd, std::string& payload);
bool WriteFrame(int fd, const std::string& payload);

}  // namespace assay
