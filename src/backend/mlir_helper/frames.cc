#include "frames.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "mlir_message.h"

namespace assay {
namespace {

constexpr uint64_t kFrameBytesMax = uint64_t{1} << 32;

bool WriteAll(int fd, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = write(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

bool ReadExactly(int fd, std::string& bytes, size_t wanted) {
  bytes.clear();
  char block[1 << 16];
  while (bytes.size() < wanted) {
    const ssize_t count = read(fd, block, std::min(sizeof block, wanted - bytes.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.append(block, static_cast<size_t>(count));
  }
  return true;
}

}  // namespace

bool ReadFrame(int fd, std::string& payload) {
  std::string head;
  if (!ReadExactly(fd, head, 8)) return false;
  const uint64_t length = mlir_message::Cursor{head}.Number();
  return length <= kFrameBytesMax && ReadExactly(fd, payload, length);
}

bool WriteFrame(int fd, const std::string& payload) {
  std::string frame;
  mlir_message::PutNumber(frame, payload.size());
  return WriteAll(fd, frame) && WriteAll(fd, payload);
}

}  // namespace assay
