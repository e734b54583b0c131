// SPDX-License-Identifier: Apache-2.0
#include "run_timing.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>

#include "clean_text.h"
#include "files.h"
#include "formats.h"
#include "json_record.h"
#include "parse_number.h"
#include "types.h"
#include "version.h"

namespace assay {

template <>
struct JsonRecord<Machine> {
  static void Fields(auto& v, auto& machine) {
    v.Always("processor", machine.processor);
    v.Always("cores", machine.cores);
    v.Always("memory_bytes", machine.memory_bytes);
    v.Always("system", machine.system);
  }
};

template <>
struct JsonRecord<CaseTime> {
  static void Fields(auto& v, auto& time) {
    v.Always("case", time.vector);
    v.Always("seconds", time.seconds);
  }
};

template <>
struct JsonRecord<RunTiming> {
  static void Fields(auto& v, auto& timing) {
    v.Always("backend", timing.backend);
    v.Always("start", timing.start);
    v.Always("seconds", timing.seconds);
    v.Always("processes", timing.processes);
    v.Always("machine", timing.machine);
    v.Always("cases", timing.cases);
    v.Always("case_seconds", timing.case_seconds);
    v.Always("longest", timing.longest);
  }
};

namespace {

constexpr double kSaveSeconds = 10;

std::string NowText() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// Returns seconds with as many digits as a file needs.
double Milliseconds(double seconds) { return std::round(seconds * 1000) / 1000; }

// Returns "1 h 2 min", "3 min 12 s", "4.1 s".
std::string Duration(double seconds) {
  const auto whole = static_cast<int64_t>(seconds);
  if (whole >= 3600) {
    return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
  }
  if (whole >= 60) {
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  }
  const auto tenths = static_cast<int64_t>(seconds * 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

}  // namespace

Machine ThisMachine() {
  Machine machine;
  std::ifstream processors("/proc/cpuinfo");
  for (std::string line; machine.processor.empty() && std::getline(processors, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      machine.processor = OneLine(line.substr(colon + 2));
    }
  }
  cpu_set_t usable;
  CPU_ZERO(&usable);
  machine.cores = sched_getaffinity(0, sizeof usable, &usable) == 0
                      ? CPU_COUNT(&usable)
                      : std::max<int64_t>(sysconf(_SC_NPROCESSORS_ONLN), 1);
  machine.memory_bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * int64_t{sysconf(_SC_PAGESIZE)};
  utsname system{};
  if (uname(&system) == 0) {
    machine.system =
        OneLine(std::string(system.sysname) + " " + system.release + " " + system.machine);
  }
  return machine;
}

std::string TimingToJson(const RunTiming& timing) {
  const SpecVersion spec;
  Json json = {{"format", formats::kTiming.name},
               {"version", formats::kTiming.version},
               {"assay", kToolkitVersion},
               {"spec", {spec.major, spec.minor, spec.patch}}};
  RunTiming rounded = timing;
  rounded.seconds = Milliseconds(timing.seconds);
  rounded.case_seconds = Milliseconds(timing.case_seconds);
  for (CaseTime& time : rounded.longest) time.seconds = Milliseconds(time.seconds);
  json.update(RecordToJson(rounded));
  return JsonText(json, 1) + "\n";
}

Result<RunTiming> TimingFromJson(std::string_view text) {
  try {
    const Json json = JsonFrom(text);
    if (json.at("format") != formats::kTiming.name ||
        json.at("version") != formats::kTiming.version) {
      return BadInput("is no timing of version 1");
    }
    return RecordFromJson<RunTiming>(json);
  } catch (const JsonError& error) {
    return BadInput("is no timing: " + OneLine(error.what()));
  }
}

std::string TimingLine(const RunTiming& timing) {
  std::string text = Duration(timing.seconds) + " for " + std::to_string(timing.cases) +
                     (timing.cases == 1 ? " vector" : " vectors") + ", started " + timing.start;
  if (timing.processes > 1) {
    text += ", in " + std::to_string(timing.processes) + " processes one after the other";
  }
  const Machine& machine = timing.machine;
  text += "; " + std::to_string(machine.cores) + (machine.cores == 1 ? " core" : " cores");
  if (!machine.processor.empty()) text += " of " + machine.processor;
  return text + ", " + std::to_string(machine.memory_bytes >> 20) + " MiB, " + machine.system;
}

RunClock::RunClock(std::string backend) : started_(Clock::now()) {
  before_.start = NowText();
  before_.machine = ThisMachine();
  before_.backend = std::move(backend);
}

void RunClock::GoOn(const std::string& folder) {
  const Result<std::string> text = ReadOwnTextFile(JoinPath(folder, kTimingFile));
  Result<RunTiming> there = text ? TimingFromJson(*text) : Result<RunTiming>(text.error());
  if (!there) return;
  before_.start = std::move(there->start);
  before_.seconds = there->seconds;
  before_.processes = there->processes + 1;
  before_.cases = there->cases;
  before_.case_seconds = there->case_seconds;
  for (CaseTime& time : there->longest) longest_.emplace(time.seconds, std::move(time.vector));
}

void RunClock::Add(std::string_view vector, double seconds) {
  ++before_.cases;
  before_.case_seconds += seconds;
  if (longest_.size() >= kLongestMax) {
    if (seconds <= longest_.begin()->first) return;
    longest_.erase(longest_.begin());
  }
  longest_.emplace(seconds, vector);
}

RunTiming RunClock::Timing() const {
  RunTiming timing = before_;
  timing.seconds += std::chrono::duration<double>(Clock::now() - started_).count();
  for (auto time = longest_.rbegin(); time != longest_.rend(); ++time) {
    timing.longest.push_back({time->second, time->first});
  }
  return timing;
}

void RunClock::Save(const std::string& folder) {
  if (folder.empty()) return;
  const Clock::time_point now = Clock::now();
  if (std::chrono::duration<double>(now - saved_).count() < kSaveSeconds) return;
  saved_ = now;
  (void)WriteFileAtomically(JoinPath(folder, kTimingFile), TimingToJson(Timing()));
}

std::string WithSeconds(std::string reply, std::chrono::steady_clock::time_point started) {
  const auto taken = std::chrono::steady_clock::now() - started;
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(taken).count();
  return std::move(reply) + "\n" + std::to_string(micros);
}

std::optional<double> TakeSeconds(std::string& reply) {
  const size_t end = reply.rfind('\n');
  if (end == std::string::npos) return std::nullopt;
  int64_t micros = 0;
  if (!ParseNumber(std::string_view(reply).substr(end + 1), micros)) return std::nullopt;
  reply.resize(end);
  return static_cast<double>(micros) / 1e6;
}

}  // namespace assay
