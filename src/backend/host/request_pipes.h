// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <mutex>
#include <string>
#include <utility>

#include "frame.h"
#include "worker_message.h"

namespace assay {

// The standard streams of a program that speaks the worker protocol for code of others. That code
// reads nothing, and what it prints goes to standard error.
struct RequestPipes {
  RequestPipes() : requests(dup(STDIN_FILENO)), replies(dup(STDOUT_FILENO)) {
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    for (const int descriptor : {requests, replies}) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  // Reads a request. Returns false at the end of the requests, or if one is malformed.
  bool Receive(WorkerMessage& message) const {
    std::string bytes;
    if (!ReadFrame(requests, bytes)) return false;
    Result<WorkerMessage> decoded = DecodeWorkerMessage(bytes);
    if (decoded) message = std::move(*decoded);
    return static_cast<bool>(decoded);
  }
  void Send(uint32_t number, worker::Body body, std::string log = {}) {
    const std::lock_guard lock(sending);
    Result<std::string> bytes = EncodeWorkerMessage({number, std::move(body), std::move(log)});
    if (!bytes) bytes = EncodeWorkerMessage({number, worker::Unsupported{bytes.error().message}});
    if (!WriteFrame(replies, *bytes)) _exit(1);  // nobody listens
  }

  const int requests, replies;
  std::mutex sending;
};

}  // namespace assay
