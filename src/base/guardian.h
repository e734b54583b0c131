#pragma once

#include <sys/types.h>

#include <string>

namespace assay {

// A process beside this one that cleans up if this one ends without doing so, by any signal: it
// kills process groups and removes folders. It is started when it is first told something, and ends
// when this process has ended. A process that is forked off has a guardian of its own.

// Starts the guardian if there is none. False if that cannot be done: then nothing is cleaned up.
bool StartGuardian();

// Tells the guardian of a process group. Callable between fork() and exec() of the group's first
// process, whose parent has a guardian, so that there is no moment in which nobody knows of it.
void GuardGroup(pid_t group);
// Takes that back. Call it before the first process of the group is waited for: its number may be
// another's afterwards.
void ForgetGroup(pid_t group);

// The same for a folder, which the guardian removes with all that is in it.
void GuardFolder(const std::string& path);
void ForgetFolder(const std::string& path);

}  // namespace assay
