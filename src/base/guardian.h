// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

namespace assay {

// A process that cleans up if this process is ended by a signal: it kills process groups and
// removes folders. It is started by the first request to it, and ends after this process has ended.
// A forked process gets a guardian of its own.

// Starts the guardian if there is none. Returns false if that fails; then nothing is cleaned up.
bool StartGuardian();

// Adds a process group to what the guardian cleans up. May be called between fork() and exec() of
// the group's first process if its parent has a guardian. So the guardian always knows of the
// group.
void GuardGroup(pid_t group);
// Removes the process group again. Call it before waiting for the group's first process, because
// its number may be reused after that.
void ForgetGroup(pid_t group);

// Do the same for a folder. The guardian removes it with its content.
void GuardFolder(const std::string& path);
void ForgetFolder(const std::string& path);

}  // namespace assay
