// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "descriptor.h"
#include "result.h"

namespace assay {

// A file that the user names for a result, as in `--out FILE`. Symbolic links are followed, also to
// a file that does not exist yet. A regular file is replaced as WriteFileAtomically() does it,
// beside the end of the links. A character device and a pipe are opened at once and written to.
// /dev/stdout and its like are the descriptor itself, so that its offset is shared.
//
// Make one before the inputs are read. As long as it exists, the functions of files.h and
// mapped_file.h refuse to read its regular file: no command writes over its input.
class OutputFile {
 public:
  // Checks the path, so that an error comes before the work. Error kBadInput for a loop of links, a
  // folder, a block device, a socket, a folder that is missing or not writable, and a pipe that no
  // process reads within kReaderSeconds.
  static Result<OutputFile> At(const std::string& path);
  static constexpr int kReaderSeconds = 5;

  // Does the same for an option that need not be given: "" gives nothing.
  static Result<std::optional<OutputFile>> IfNamed(const std::string& path);

  // Makes one for a file that the command reads as well, and replaces at its end. Error kBadInput
  // for anything but a regular file, or a path where nothing is yet.
  static Result<OutputFile> InPlace(const std::string& path);

  // Writes the whole content. Error kUsage if the file has been read nevertheless.
  Result<Done> Write(std::string_view text) const;
  Result<Done> Write(std::span<const uint8_t> bytes) const;

  const std::string& path() const { return path_; }  // as given
  // The regular file at the end of the links; "" for a device or pipe.
  std::string target() const { return stream_ < 0 ? target_ : ""; }

 private:
  struct Place;
  struct Named;
  OutputFile(const std::string& path, const Place& place);
  static Result<Place> PlaceOf(const std::string& path);
  friend std::optional<Error> RefuseOutput(const struct stat& input);

  std::string path_, target_;
  Descriptor stream_;             // of a device or pipe
  std::shared_ptr<Named> named_;  // of a regular file that no input may be
};

// Returns an Error kUsage if a file that is about to be read is that of an OutputFile::At().
std::optional<Error> RefuseOutput(const struct stat& input);
// Does the same for the files among the words of a command that is about to be run.
std::optional<Error> RefuseOutputIn(std::string_view command);

// Writes a file that the user names, and that no input of the command can be.
Result<Done> WriteOutput(const std::string& path, std::string_view text);
Result<Done> WriteOutput(const std::string& path, std::span<const uint8_t> bytes);

}  // namespace assay
