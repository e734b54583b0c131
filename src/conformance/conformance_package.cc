// SPDX-License-Identifier: Apache-2.0
#include "conformance_package.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "arm_directory.h"
#include "clean_text.h"
#include "coverage_report.h"
#include "files.h"
#include "formats.h"
#include "joined.h"
#include "json_fields.h"
#include "json_text.h"
#include "output_folder.h"
#include "package_readme.h"
#include "readings.h"
#include "sha256.h"
#include "suite.h"
#include "tvec_file.h"

namespace assay {
namespace {

constexpr char kPackageFile[] = "package.json";
constexpr char kListsFile[] = "must-pass.json";
constexpr char kManifestFile[] = "manifest.sha256";
constexpr char kListsTextFile[] = "must-pass.txt";
constexpr char kCoverageTextFile[] = "coverage.txt";
constexpr char kCoverageFile[] = "coverage.json";
constexpr char kReadingsFile[] = "READINGS.md";
constexpr char kReadmeFile[] = "README.md";

// Returns true for the name of a file or folder of a package.
bool IsOfPackage(std::string_view name) {
  constexpr std::string_view kNames[] = {
      kPackageVectors, kPackageArm,       kPackageFile,  kListsFile,    kManifestFile,
      kListsTextFile,  kCoverageTextFile, kCoverageFile, kReadingsFile, kReadmeFile};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

// Returns true for a path in the folder of Arm test directories that WriteArmDirectories() writes.
bool IsOfArm(std::string_view file) {
  return file == kArmLeftOut || file.ends_with(".npy") || file.ends_with("/test.tosa") ||
         file.ends_with("/desc.json");
}

// Returns the temporary files of a package in its folder. Those of vectors are no part of it.
Result<std::vector<std::string>> TemporaryFiles(const std::string& folder) {
  Result<std::vector<std::string>> files = ListFilesBelow(folder);
  if (!files) return files;
  std::erase_if(*files, [](const std::string& file) {
    const std::string_view name = FinalNameOf(file);
    const std::string arm = JoinPath(kPackageArm, "");
    return !(name.starts_with(arm) ? IsOfArm(name.substr(arm.size())) : IsOfPackage(name));
  });
  return files;
}

std::string Dump(const Json& json) { return JsonText(json, 1) + "\n"; }

std::string PackageJson(const ConformancePackage& package) {
  const SpecVersion& spec = package.spec;
  return Dump({{"format", formats::kPackage.name},
               {"version", formats::kPackage.version},
               {"assay", package.assay},
               {"spec", {spec.major, spec.minor, spec.patch}},
               {"command", package.command},
               {"seed", package.seed},
               {"level", package.level},
               {"features", package.features},
               {"target", package.target},
               {"vectors", package.vectors.size()}});
}

std::string ListsJson(const ConformancePackage& package) {
  Json vectors = Json::array();
  for (const PackageVector& vector : package.vectors) {
    Json json = {{"file", vector.file}, {"requirements", vector.requirements}};
    if (!vector.readings.empty()) json["readings"] = vector.readings;
    if (!vector.informative.empty()) json["informative"] = vector.informative;
    vectors.push_back(std::move(json));
  }
  return Dump({{"format", formats::kMustPass.name},
               {"version", formats::kMustPass.version},
               {"vectors", vectors}});
}

// Returns the lists as text: a heading for each, and a line for each vector.
std::string ListsText(const ConformancePackage& package) {
  std::map<std::string, std::string> lists;
  std::string informative;
  for (const PackageVector& vector : package.vectors) {
    if (vector.informative.empty()) {
      lists[ListOf(vector)] += vector.file + "\n";
    } else {
      informative += vector.file + "  # " + vector.informative + "\n";
    }
  }
  std::string text;
  for (const auto& [name, files] : lists) text += "# " + name + "\n" + files + "\n";
  return text + "# informative, not to be passed\n" + informative;
}

// Writes each step of each vector that the format can hold as a test directory. Adds the paths of
// the files, below `folder`, to `files`.
Result<Done> WriteArmDirectories(const std::string& folder, const ConformancePackage& package,
                                 std::vector<std::string>& files) {
  std::string left_out;
  for (const PackageVector& entry : package.vectors) {
    const std::string path = JoinPath(JoinPath(folder, kPackageVectors), entry.file);
    const Result<std::vector<uint8_t>> bytes = ReadRegularFile(path);
    if (!bytes) return bytes.error();
    const Result<TestVector> vector = ReadTestVector(*bytes, path);
    if (!vector) return vector.error();
    const std::string stem = entry.file.substr(0, entry.file.rfind('.'));
    for (size_t step = 0; step < vector->steps.size(); ++step) {
      const std::string name =
          stem + (vector->steps.size() > 1 ? "-step-" + std::to_string(step) : "");
      const std::string below = JoinPath(kPackageArm, name), to = JoinPath(folder, below);
      const Result<Done> made = MakeDirectories(to);
      if (!made) return made;
      std::vector<std::string> names;
      const Result<Done> written = WriteArmDirectory(to, *vector, step, &names);
      for (const std::string& file : names) files.push_back(JoinPath(below, file));
      if (written) continue;
      if (written.error().kind != Error::Kind::kUnsupported) return written;
      const Result<Done> removed = Remove(to);
      if (!removed) return removed;
      left_out += name + "  # " + OneLine(written.error().message) + "\n";
    }
  }
  files.push_back(JoinPath(kPackageArm, kArmLeftOut));
  return WriteFileAtomically(JoinPath(folder, files.back()), std::string_view(left_out));
}

// Returns the lines of manifest.sha256 for these files, in the form that `sha256sum -c` reads. With
// `suite`, the suite file will have that text.
Result<std::string> Manifest(const std::string& folder, const std::vector<std::string>& files,
                             std::optional<std::string_view> suite = std::nullopt) {
  std::string text;
  for (const std::string& file : files) {
    if (file == kManifestFile) continue;
    if (suite && file == SuiteFile(kPackageVectors)) {
      text += Sha256(*suite) + "  " + file + "\n";
      continue;
    }
    const Result<std::vector<uint8_t>> bytes = ReadOwnFile(JoinPath(folder, file));
    if (!bytes) return bytes.error();
    text += Sha256(*bytes) + "  " + file + "\n";
  }
  return text;
}

// Checks that there are no other files than these below a folder.
Result<Done> CheckOnlyFiles(const std::string& folder, const std::vector<std::string>& files) {
  const Result<std::vector<std::string>> there = ListFilesBelow(folder);
  if (!there) return there.error();
  for (const std::string& file : *there) {
    if (file == kManifestFile || std::ranges::binary_search(files, file)) continue;
    return UsageError(JoinPath(folder, file) +
                      ": does not belong to the package; remove it, and give the command again");
  }
  return Done{};
}

// Returns the files of a manifest with their hashes.
std::map<std::string, std::string> FilesOf(std::string_view manifest) {
  std::map<std::string, std::string> files;
  while (!manifest.empty()) {
    const size_t end = std::min(manifest.find('\n'), manifest.size());
    const std::string_view line = manifest.substr(0, end);
    const size_t gap = line.find("  ");
    if (gap != std::string_view::npos) {
      files[std::string(line.substr(gap + 2))] = std::string(line.substr(0, gap));
    }
    manifest.remove_prefix(std::min(end + 1, manifest.size()));
  }
  return files;
}

// Returns an Error that names the first file in which the folder differs from its manifest.
Error Difference(const std::string& folder, std::string_view manifest, std::string_view found) {
  const auto listed = FilesOf(manifest), there = FilesOf(found);
  const std::string names = ": ", by = JoinPath(folder, kManifestFile);
  for (const auto& [file, hash] : listed) {
    const auto other = there.find(file);
    if (other == there.end())
      return BadInput(JoinPath(folder, file) + ": is missing; " + by + " lists it");
    if (other->second != hash) {
      return BadInput(JoinPath(folder, file) + ": was changed: its SHA-256 is not that in " + by);
    }
  }
  for (const auto& [file, hash] : there) {
    if (!listed.contains(file)) {
      return BadInput(JoinPath(folder, file) + ": does not belong to the package: " + by +
                      " does not list it");
    }
  }
  return BadInput(by + ": is damaged");
}

ConformancePackage PackageFrom(const Json& head) {
  ConformancePackage package;
  head.at("assay").get_to(package.assay);
  head.at("spec").at(0).get_to(package.spec.major);
  head.at("spec").at(1).get_to(package.spec.minor);
  head.at("spec").at(2).get_to(package.spec.patch);
  head.at("command").get_to(package.command);
  head.at("seed").get_to(package.seed);
  head.at("level").get_to(package.level);
  head.at("features").get_to(package.features);
  head.at("target").get_to(package.target);
  return package;
}

std::vector<PackageVector> VectorsFrom(const Json& lists) {
  std::vector<PackageVector> vectors;
  for (const Json& json : lists.at("vectors")) {
    PackageVector vector;
    json.at("file").get_to(vector.file);
    json.at("requirements").get_to(vector.requirements);
    vector.readings = json.value("readings", std::vector<std::string>());
    vector.informative = json.value("informative", "");
    vectors.push_back(std::move(vector));
  }
  return vectors;
}

// Returns what is wrong with the list of a package that has these files; "" if nothing is.
std::string WrongInList(const std::vector<PackageVector>& vectors,
                        const std::vector<std::string>& files) {
  std::set<std::string> listed;
  for (const PackageVector& vector : vectors) {
    const bool is_new = listed.insert(JoinPath(kPackageVectors, vector.file)).second;
    if (!is_new) return "has the vector " + vector.file + " twice";
  }
  for (const std::string& file : files) {
    const bool is_vector =
        file.starts_with(std::string(kPackageVectors) + "/") && file.ends_with(".tvec");
    if (is_vector && !listed.contains(file)) return "does not have the vector " + file;
  }
  return "";
}

}  // namespace

std::string ListOf(const PackageVector& vector) { return Joined(vector.requirements, " + "); }

Result<FolderLock> OpenPackageFolder(const std::string& folder, bool resume) {
  const Result<Done> made = MakeDirectories(folder);
  if (!made) return made.error();
  Result<FolderLock> lock = FolderLock::Take(folder);
  if (!lock) return lock;
  if (resume) {
    const Result<std::vector<std::string>> left = TemporaryFiles(folder);
    if (!left) return left.error();
    const Result<Done> removed = RemoveStaleFiles(*lock, folder, *left);
    if (!removed) return removed.error();
  }
  const Result<std::vector<std::string>> there = ListDirectory(folder);
  if (!there) return there.error();
  for (const std::string& name : *there) {
    if (resume && IsOfPackage(name)) continue;
    return UsageError(folder + ": is not empty: there is " + name + "; choose another folder");
  }
  return lock;
}

Result<Done> WritePackage(const std::string& folder, const ConformancePackage& package,
                          std::span<const CoverageGroup> coverage, bool arm,
                          std::string_view suite) {
  std::vector<std::string> written = {SuiteFile(kPackageVectors)};
  for (const PackageVector& vector : package.vectors) {
    written.push_back(JoinPath(kPackageVectors, vector.file));
  }
  if (arm) {
    const Result<Done> done = WriteArmDirectories(folder, package, written);
    if (!done) return done;
  }
  const std::pair<const char*, std::string> files[] = {
      {kPackageFile, PackageJson(package)},
      {kListsFile, ListsJson(package)},
      {kListsTextFile, ListsText(package)},
      {kCoverageTextFile, CoverageToText(coverage)},
      {kCoverageFile, CoverageToJson(coverage)},
      {kReadingsFile, ReadingsAsMarkdown()},
      {kReadmeFile, PackageReadme(package, coverage, arm)}};
  for (const auto& [name, text] : files) {
    const Result<Done> done = WriteFileAtomically(JoinPath(folder, name), std::string_view(text));
    if (!done) return done;
    written.emplace_back(name);
  }
  std::ranges::sort(written);
  const Result<Done> alone = CheckOnlyFiles(folder, written);
  if (!alone) return alone;
  const Result<std::string> manifest = Manifest(folder, written, suite);
  if (!manifest) return manifest.error();
  return WriteFileAtomically(JoinPath(folder, kManifestFile), std::string_view(*manifest));
}

Result<ConformancePackage> ReadPackage(const std::string& folder) {
  const auto read = [&folder](const char* name) { return ReadOwnTextFile(JoinPath(folder, name)); };
  const Result<std::string> manifest = read(kManifestFile);
  if (!manifest && FileExists(JoinPath(folder, kManifestFile))) return manifest.error();
  if (!manifest)
    return BadInput(folder + ": is no conformance package: " + kManifestFile + " is missing");
  const Result<std::vector<std::string>> files = ListFilesBelow(folder);
  if (!files) return files.error();
  const Result<std::string> found = Manifest(folder, *files);
  if (!found) return found.error();
  if (*found != *manifest) return Difference(folder, *manifest, *found);
  const Result<std::string> head = read(kPackageFile), lists = read(kListsFile);
  if (!head) return head.error();
  if (!lists) return lists.error();
  const char* name = kPackageFile;
  const auto bad = [&](const std::string& what) {
    return BadInput(JoinPath(folder, name) + ": " + what);
  };
  try {
    const Json json = JsonFrom(*head);
    if (json.at("format") != formats::kPackage.name ||
        json.at("version") != formats::kPackage.version) {
      return bad("is no conformance package of version 1");
    }
    ConformancePackage package = PackageFrom(json);
    name = kListsFile;
    package.vectors = VectorsFrom(JsonFrom(*lists));
    const std::string wrong = WrongInList(package.vectors, *files);
    if (!wrong.empty()) return bad(wrong);
    name = kPackageFile;
    const auto vectors = json.at("vectors").get<int64_t>();
    if (vectors != std::ssize(package.vectors)) {
      return bad("says " + std::to_string(vectors) + " vectors; " + kListsFile + " has " +
                 std::to_string(package.vectors.size()));
    }
    package.hash = Sha256(*manifest);
    return package;
  } catch (const JsonError& error) {
    return bad(OneLine(error.what()));
  }
}

std::map<std::string, std::string> PackageHashes(std::span<const std::string> paths) {
  std::vector<std::string> suites;
  std::map<std::string, std::string> arm;
  for (const std::string& path : paths) {
    const Result<std::string> manifest =
        ReadOwnTextFile(JoinPath(JoinPath(path, ".."), kManifestFile));
    if (!manifest) continue;
    suites.push_back(path);
    if (FileExists(JoinPath(path, kArmLeftOut))) arm[path] = Sha256(*manifest);
  }
  arm.merge(SuiteHashes(suites));
  return arm;
}

}  // namespace assay
