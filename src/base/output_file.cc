// SPDX-License-Identifier: Apache-2.0
#include "output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "files.h"
#include "parse_number.h"

namespace assay {

// The place of an output, behind all links.
struct OutputFile::Place {
  std::string path;
  std::optional<int> descriptor;  // that the path names
  bool exists = false;
  struct stat status = {};
};

// A regular file that will be replaced.
struct OutputFile::Named {
  std::string path;  // as given
  dev_t device = 0;
  ino_t number = 0;
  std::atomic<bool> was_read = false;

  // All that exist, and some that no longer do.
  struct List {
    std::mutex mutex;
    std::vector<std::weak_ptr<Named>> files;
  };
  static List& All() {
    static auto* const all = new List;  // files may be read while static objects are destroyed
    return *all;
  }
  Error IsInput() const {
    return UsageError(path + ": is an input of this command; choose another file for the output");
  }
};

namespace {

constexpr int kLinksMax = 40;  // that follow each other, as in Linux

std::string RealPath(const std::string& path) {
  char* const real = realpath(path.c_str(), nullptr);
  const std::string text = real == nullptr ? "" : real;
  std::free(real);
  return text;
}

std::string FolderAt(const std::string& path) {
  const std::string folder = FolderOf(path);
  return folder.empty() ? "." : folder;
}

// Returns the descriptor of this process that a path like /proc/self/fd/1 names.
std::optional<int> DescriptorAt(const std::string& path) {
  int descriptor = 0;
  if (!ParseNumber(FileNameOf(path), descriptor)) return std::nullopt;
  const std::string folder = RealPath(FolderAt(path));
  const bool is_own = !folder.empty() && (folder == RealPath("/proc/self/fd") ||
                                          folder == RealPath("/proc/thread-self/fd"));
  return is_own ? std::optional(descriptor) : std::nullopt;
}

// Opens a pipe for writing when it has a reader.
Descriptor OpenPipe(const std::string& path) {
  constexpr std::chrono::milliseconds kWait(10);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(OutputFile::kReaderSeconds);
  for (;;) {
    Descriptor pipe(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
    if (pipe >= 0) fcntl(pipe, F_SETFL, O_WRONLY);
    if (pipe >= 0 || errno != ENXIO || std::chrono::steady_clock::now() > end) return pipe;
    std::this_thread::sleep_for(kWait);
  }
}

}  // namespace

Result<OutputFile::Place> OutputFile::PlaceOf(const std::string& path) {
  Place place;
  place.path = path;
  for (int links = 0; links <= kLinksMax; ++links) {
    place.descriptor = DescriptorAt(place.path);
    const auto look = place.descriptor ? stat : lstat;
    place.exists = look(place.path.c_str(), &place.status) == 0;
    if (!place.exists && errno != ENOENT) return SystemError(path, "write", errno);
    if (!place.exists || !S_ISLNK(place.status.st_mode)) return place;
    std::string next(4096, '\0');
    const ssize_t size = readlink(place.path.c_str(), next.data(), next.size());
    if (size < 0) return SystemError(path, "write", errno);
    next.resize(static_cast<size_t>(size));
    place.path = JoinPath(FolderOf(place.path), next);
  }
  return BadInput(path + ": is a loop of symbolic links; choose another file");
}

OutputFile::OutputFile(const std::string& path, const Place& place)
    : path_(path), target_(place.path) {}

Result<OutputFile> OutputFile::At(const std::string& path) {
  const Result<Place> place = PlaceOf(path);
  if (!place) return place.error();
  OutputFile output(path, *place);
  const mode_t mode = place->exists ? place->status.st_mode : mode_t{S_IFREG};
  if (place->descriptor) {
    output.stream_ = Descriptor(fcntl(*place->descriptor, F_DUPFD_CLOEXEC, 0));
    if (output.stream_ < 0) return SystemError(path, "write", errno);
  } else if (S_ISCHR(mode)) {
    output.stream_ = Descriptor(open(output.target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (output.stream_ < 0) return SystemError(path, "write", errno);
  } else if (S_ISFIFO(mode)) {
    output.stream_ = OpenPipe(output.target_);
    if (output.stream_ < 0 && errno == ENXIO) {
      return BadInput(path + ": is a pipe that no process reads; start its reader first");
    }
    if (output.stream_ < 0) return SystemError(path, "write", errno);
  } else {
    const Result<OutputFile> fits = InPlace(path);
    if (!fits) return fits.error();
  }
  if (!place->exists || !S_ISREG(mode)) return output;
  Named::List& all = Named::All();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.files, [](const std::weak_ptr<Named>& one) { return one.expired(); });
  output.named_ =
      std::shared_ptr<Named>(new Named{path, place->status.st_dev, place->status.st_ino});
  all.files.push_back(output.named_);
  return output;
}

Result<std::optional<OutputFile>> OutputFile::IfNamed(const std::string& path) {
  if (path.empty()) return std::optional<OutputFile>();
  Result<OutputFile> output = At(path);
  if (!output) return output.error();
  return std::optional(std::move(*output));
}

Result<OutputFile> OutputFile::InPlace(const std::string& path) {
  const Result<Place> place = PlaceOf(path);
  if (!place) return place.error();
  if (place->exists && S_ISDIR(place->status.st_mode)) return SystemError(path, "write", EISDIR);
  if (place->descriptor || (place->exists && !S_ISREG(place->status.st_mode))) {
    return BadInput(path + ": is no regular file; choose another file");
  }
  OutputFile output(path, *place);
  struct stat folder;
  const std::string name = FolderAt(output.target_);
  if (stat(name.c_str(), &folder) != 0) return SystemError(path, "write", errno);
  if (!S_ISDIR(folder.st_mode)) return SystemError(path, "write", ENOTDIR);
  if (access(name.c_str(), W_OK | X_OK) != 0) return SystemError(path, "write", errno);
  return output;
}

Result<Done> OutputFile::Write(std::string_view text) const {
  if (named_ && named_->was_read) return named_->IsInput();
  if (stream_ < 0) return WriteFileAtomically(target_, text);
  std::fflush(stdout);  // it may be the same file
  if (!WriteAll(stream_, text.data(), text.size())) return SystemError(path_, "write", errno);
  return Done{};
}

Result<Done> OutputFile::Write(std::span<const uint8_t> bytes) const {
  return Write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::optional<Error> RefuseOutput(const struct stat& input) {
  OutputFile::Named::List& all = OutputFile::Named::All();
  const std::lock_guard lock(all.mutex);
  for (const std::weak_ptr<OutputFile::Named>& one : all.files) {
    const std::shared_ptr<OutputFile::Named> file = one.lock();
    if (!file || file->device != input.st_dev || file->number != input.st_ino) continue;
    file->was_read = true;
    return file->IsInput();
  }
  return std::nullopt;
}

std::optional<Error> RefuseOutputIn(std::string_view command) {
  std::istringstream words{std::string(command)};
  for (std::string word; words >> word;) {
    struct stat status;
    if (stat(word.c_str(), &status) != 0) continue;
    if (std::optional<Error> refused = RefuseOutput(status)) return refused;
  }
  return std::nullopt;
}

Result<Done> WriteOutput(const std::string& path, std::string_view text) {
  const Result<OutputFile> output = OutputFile::At(path);
  return output ? output->Write(text) : output.error();
}

Result<Done> WriteOutput(const std::string& path, std::span<const uint8_t> bytes) {
  const Result<OutputFile> output = OutputFile::At(path);
  return output ? output->Write(bytes) : output.error();
}

}  // namespace assay
