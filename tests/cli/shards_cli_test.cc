// SPDX-License-Identifier: Apache-2.0
// Tests packed suites, streams of vectors, and shards that are merged, on the command line.

#include "json_text.h"
#include "run_assay.h"
#include "sha256.h"
#include "vector_pack.h"

namespace assay::shards_cli_test {
namespace {

constexpr char kCampaign[] = "--kind graph --kind operator --kind invalid --seed 5 --count 90";
constexpr char kBackend[] = "--backend canary:swapped-operands --reproducible";

class ShardsCli : public Cli {
 protected:
  void Gen(const std::string& arguments, int status = 0) {
    const Ran ran = Run("gen " + std::string(kCampaign) + " --jobs 2 " + arguments);
    ASSERT_EQ(ran.status, status) << ran.errors;
  }

  // Runs assay in a folder of the test, so that paths in reports are the same.
  Ran RunIn(const std::string& folder, const std::string& arguments) {
    fs::create_directories(Path(folder));
    return RunShell("cd " + folder + " && exec $ASSAY " + arguments);
  }

  // Verifies `s` in `folder` by shards, and merges them there.
  Ran Merge(const std::string& folder, int shards, const std::string& options = "") {
    std::string folders;
    for (int i = 0; i < shards; ++i) {
      const std::string name = "shard" + std::to_string(i);
      folders += name + " ";
      const Ran ran =
          RunIn(folder, "verify ../s " + std::string(kBackend) + " --shard " + std::to_string(i) +
                            "/" + std::to_string(shards) + " --report " + name);
      EXPECT_LT(ran.status, 2) << ran.errors;
    }
    return RunIn(folder, "merge " + folders + "--report r " + options);
  }
};

TEST_F(ShardsCli, PackedSuiteHasTheVectorsOfAnotherByTheirPaths) {
  Gen("--out files/s");
  Gen("--out packed/s --packed");
  EXPECT_EQ(Content("packed/s").size(), 2u);
  for (const auto& [name, bytes] : Content("files/s")) {
    if (!name.ends_with("7.tvec")) continue;
    ASSERT_EQ(Run("convert packed/s/" + name + " one.tvec").status, 0) << name;
    EXPECT_EQ(*ReadTextFile(Path("one.tvec")), bytes) << name;
  }
  const std::string one = "operator/operator-000007.tvec";
  EXPECT_EQ(Run("show packed/s/" + one).output, Run("show files/s/" + one).output);
  ExpectStatus(0, "verify packed/s/pack-000000.tvecs/" + one + " --backend reference", "1 agrees");
  ExpectStatus(2, "show packed/s/operator/operator-999999.tvec", "no such file");
  for (const char* folder : {"files", "packed"}) {
    EXPECT_EQ(RunIn(folder, std::string("verify s --report r ") + kBackend).status, 1);
  }
  ExpectSame(Content("packed/r"), Content("files/r"));
  for (const char* command : {"coverage s", "plan run s", "mutants s --op ADD", "show s"}) {
    const Ran packed = RunIn("packed", command), files = RunIn("files", command);
    EXPECT_EQ(packed.output, files.output) << command << packed.errors;
    EXPECT_EQ(packed.status, files.status) << command;
  }
}

TEST_F(ShardsCli, PackedSuiteIsResumedReplacedAndChecked) {
  Gen("--out whole --packed");
  Gen("--out s --packed");
  ExpectStatus(0, "gen --out s --packed --resume " + std::string(kCampaign), "s: is complete: 90");
  ExpectSame(Content("s"), Content("whole"));
  // This is what a kill between the pack and the end of the command leaves.
  auto suite = JsonFrom(*ReadTextFile(Path("s/suite.json")));
  suite["packs"] = Json::array();
  suite["incomplete"] = {{"command",
                          "assay gen --seed 5 --kind graph --kind operator --kind invalid --level "
                          "8K --count 90 --packed"},
                         {"kinds", {"graph", "operator", "invalid"}},
                         {"cases", 90},
                         {"lost", Json::array()}};
  ASSERT_TRUE(WriteFileAtomically(Path("s/suite.json"), JsonText(suite)));
  ExpectStatus(3, "verify s --backend reference", "the suite is incomplete: 1 pack is there");
  Gen("--out s --packed --resume");
  ExpectSame(Content("s"), Content("whole"));
  Gen("--out s --force --kind plan");
  EXPECT_FALSE(fs::exists(Path("s/pack-000000.tvecs")));
  Gen("--out s --packed --force");
  std::fstream(Path("s/pack-000000.tvecs"), std::ios::in | std::ios::out).seekp(3000).put('x');
  ExpectStatus(2, "verify s --backend reference", "its SHA-256 differs");
  fs::copy(Path("whole/pack-000000.tvecs"), Path("alone.tvecs"));
  ExpectStatus(0, "verify alone.tvecs --backend reference", "total: 90 vectors");
}

TEST_F(ShardsCli, DamagedPacksAreOneLine) {
  Gen("--out s --packed");
  const std::string whole = *ReadTextFile(Path("s/pack-000000.tvecs"));
  const auto expect = [&](const std::string& bytes, const std::string& words) {
    ASSERT_TRUE(WriteFileAtomically(Path("x.tvecs"), bytes));
    for (const char* command : {"verify x.tvecs --backend reference", "coverage x.tvecs"}) {
      const Ran ran = ExpectStatus(2, command, "x.tvecs: is " + words);
      EXPECT_EQ(ran.output, "") << command;
    }
  };
  expect(whole.substr(0, 100), "no pack of vectors");
  expect(whole.substr(0, 5000), "damaged: has 5000 of ");
  std::string index = whole;
  index[index.size() - 20] ^= 1;
  expect(index, "damaged: the SHA-256 of its index differs");
  // No number in the first line makes work that the file does not hold.
  std::string many = "assay-pack 1 99999999999999 256 999999999999999999 " + std::string(64, '0');
  many.resize(255, ' ');
  expect(many + "\n" + whole.substr(256), "damaged: has ");
  // The other vectors of a pack are judged.
  std::string vector = whole;
  vector[3000] ^= 1;
  ASSERT_TRUE(WriteFileAtomically(Path("x.tvecs"), vector));
  const Ran ran = Run("verify x.tvecs --backend reference");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.output.find("1 bad input"), std::string::npos) << ran.output;
}

// Nothing beside a packed suite takes the place of a vector.
TEST_F(ShardsCli, CommandsTakeTheVectorOfThePack) {
  const std::string name = "operator/operator-000000.tvec";
  ASSERT_EQ(Run("gen --out s --packed --kind operator --op ADD --count 6").status, 0);
  ASSERT_EQ(Run("gen --out other --kind operator --op ABS --count 6").status, 0);
  ASSERT_EQ(Run("convert other/" + name + " arm/").status, 0);
  const std::string commands[] = {"show s/" + name,
                                  "show s",
                                  "show --json s/" + name,
                                  "explain s/" + name + " --element 0",
                                  "run s/" + name,
                                  "coverage s/" + name,
                                  "extract s --out x",
                                  "verify s/" + name + " --json --backend reference",
                                  "convert s/" + name + " c.tvec",
                                  "check s/" + name,
                                  "export s/" + name + " --out e"};
  const auto run_all = [&] {
    std::map<std::string, std::string> output;
    for (const std::string& command : commands) {
      for (const char* out : {"x", "e", "c.tvec"}) fs::remove_all(Path(out));
      const Ran ran = Run(command);
      output[command] = std::to_string(ran.status) + ran.output;
      if (fs::exists(Path("c.tvec"))) output["c.tvec"] = *ReadTextFile(Path("c.tvec"));
      if (fs::exists(Path("x"))) output["x"] = Content("x").begin()->first;
    }
    return output;
  };
  const auto expected = run_all();
  fs::create_directories(Path("s/operator"));
  fs::copy(Path("other/" + name), Path("s/" + name));
  ExpectSame(run_all(), expected);
  fs::remove(Path("s/" + name));
  fs::copy(Path("arm"), Path("s/" + name));
  ExpectSame(run_all(), expected);
  // A pack in the folder of a suite that does not list it has vectors of its own.
  ASSERT_EQ(Run("gen --out t --packed --kind operator --op ABS --count 6").status, 0);
  fs::copy(Path("t/pack-000000.tvecs"), Path("s/stray.tvecs"));
  EXPECT_EQ(Run("show s/stray.tvecs").output.find("ADD"), std::string::npos);
  EXPECT_NE(Run("show s/stray.tvecs").output.find("ABS"), std::string::npos);
}

TEST_F(ShardsCli, PacksWithNamesThatAreNoneAreRefused) {
  ASSERT_EQ(Run("gen --out s --kind operator --count 1").status, 0);
  const std::string file = "s/operator/operator-000000.tvec";
  const std::vector<uint8_t> bytes = *ReadFile(Path(file));
  const auto expect = [&](const std::vector<std::string>& names, const std::string& words) {
    VectorPackWriter pack;
    for (const std::string& name : names) pack.Add(name, bytes);
    ASSERT_TRUE(WriteFileAtomically(Path("x.tvecs"), pack.Finish()));
    for (const char* command : {"show x.tvecs", "extract x.tvecs --out x", "coverage x.tvecs",
                                "verify x.tvecs --backend reference", "export x.tvecs --out x"}) {
      const Ran ran =
          ExpectStatus(2, command, "x.tvecs: is damaged: its index has the name " + words);
      EXPECT_EQ(ran.output, "") << command;
    }
  };
  const std::string no_file = ", which is no .tvec file below a folder";
  expect({Path(file)}, "\"" + Path(file).substr(0, 80));
  for (const char* name : {"..", ".", "/", "../a.tvec", "a/../b.tvec", "./a.tvec", "a//b.tvec",
                           "/a.tvec", "a.tvec/", "a/./b.tvec", "suite.json", "a.tosa"}) {
    expect({"good.tvec", name}, "\"" + std::string(name) + "\"" + no_file);
  }
  expect({"a\tb.tvec"}, "\"a\\x09b.tvec\"" + no_file);
  expect({"a.tvec", "b.tvec", "a.tvec"}, "\"a.tvec\" twice");
}

TEST_F(ShardsCli, ShardsOfASuiteHaveItsVectors) {
  Gen("--out whole");
  std::map<std::string, std::string> all;
  for (int i = 0; i < 4; ++i) {
    const std::string folder = "part" + std::to_string(i);
    Gen("--out " + folder + " --shard " + std::to_string(i) + "/4");
    for (const auto& [name, bytes] : Content(folder)) {
      const bool is_new = name == "suite.json" || all.emplace(name, bytes).second;
      EXPECT_TRUE(is_new) << name;
    }
  }
  auto expected = Content("whole");
  expected.erase("suite.json");
  ExpectSame(all, expected);
  ExpectStatus(2, "gen --out x --shard 4/4", "--shard");
}

TEST_F(ShardsCli, MergedReportIsThatOfTheWholeRun) {
  Gen("--out s --packed");
  for (const char* options : {"", "--minimize"}) {
    const std::string name = *options == '\0' ? "whole" : "whole-minimized";
    const Ran whole =
        RunIn(name, std::string("verify ../s --report r ") + kBackend + " " + options);
    EXPECT_EQ(whole.status, 1) << whole.errors;
    for (const int shards : {1, 3, 8}) {
      const std::string folder = name + std::to_string(shards);
      const Ran merged = Merge(folder, shards, options);
      EXPECT_EQ(merged.status, 1) << merged.errors;
      EXPECT_EQ(merged.output, whole.output);
      ExpectSame(Content(folder + "/r"), Content(name + "/r"));
    }
  }
}

TEST_F(ShardsCli, ReportsDoNotDependOnTheNameOfTheirFolder) {
  Gen("--out s");
  const std::string options = std::string(kBackend) + " --minimize";
  const Ran whole = Run("verify s --report whole " + options);
  ASSERT_EQ(whole.status, 1) << whole.errors;
  for (const char* shard : {"0", "1"}) {
    EXPECT_LT(
        Run("verify s --report r" + std::string(shard) + " --shard " + shard + "/2 " + kBackend)
            .status,
        2);
  }
  ASSERT_EQ(Run("merge r0 r1 --minimize --report deep/other").status, 1);
  const auto content = Content("whole");
  ExpectSame(Content("deep/other"), content);
  // A line of the report works once $REPORT is set; the console has the folder.
  const std::string& text = content.at("report.txt");
  const size_t at = text.find("assay verify \"$REPORT\"/findings/");
  ASSERT_NE(at, std::string::npos) << text;
  const Ran again = RunShell("REPORT=whole PATH=$(dirname $ASSAY):$PATH; " +
                             text.substr(at, text.find('\n', at) - at));
  EXPECT_EQ(again.status, 1) << again.errors;
  EXPECT_NE(whole.output.find("assay verify whole/findings/"), std::string::npos) << whole.output;
  EXPECT_EQ(whole.output.find("$REPORT"), std::string::npos);
  ASSERT_EQ(Run("verify s --minimize --report timed --backend canary:swapped-operands").status, 1);
  EXPECT_NE(Content("timed").at("report.txt").find("assay verify timed/findings/"),
            std::string::npos);
}

// Each machine has its part of the suite under the same path.
TEST_F(ShardsCli, SuitesThatAreShardsMergeWithoutTheirVectors) {
  Gen("--out whole/s --packed");
  ASSERT_EQ(RunIn("whole", std::string("verify s --report r ") + kBackend).status, 1);
  std::string folders;
  for (int i = 0; i < 4; ++i) {
    const std::string folder = "machine" + std::to_string(i);
    Gen("--out " + folder + "/s --packed --shard " + std::to_string(i) + "/4");
    EXPECT_LT(RunIn(folder, std::string("verify s --report r ") + kBackend).status, 2);
    ExpectStatus(2, "verify " + folder + "/s --backend reference --shard 0/2", "is a shard itself");
    fs::remove_all(Path(folder + "/s"));
    folders += "../" + folder + "/r ";
  }
  EXPECT_EQ(RunIn("merged", "merge " + folders + " --report r").status, 1);
  ExpectSame(Content("merged/r"), Content("whole/r"));
}

TEST_F(ShardsCli, RefusesShardsThatAreNotOneRun) {
  Gen("--out s --packed");
  Merge("m", 3);
  ExpectStatus(2, "merge m/shard0 m/shard2 --report x", "shard 1/3 is missing");
  ExpectStatus(2, "merge m/shard0 m/shard1 m/shard2 m/shard1 --report x",
               "is shard 1/3, and so is m/shard1");
  ExpectStatus(2, "merge m/shard0 m/r --report x", "m/r: holds no finished shard");
  ASSERT_EQ(Run("verify s --backend reference --shard 1/3 --report other").status, 0);
  ExpectStatus(2, "merge m/shard0 other m/shard2 --report x",
               "other: is no shard of the run in m/shard0: assay verify s");
  std::string text = *ReadTextFile(Path("m/shard2/shard.jsonl"));
  ASSERT_TRUE(WriteFileAtomically(Path("m/shard2/shard.jsonl"),
                                  text.substr(0, text.rfind('\n', text.size() - 2) + 1)));
  ExpectStatus(2, "merge m/shard0 m/shard1 m/shard2 --report x", "has 29 of 30 results");
  text[text.size() / 2] ^= 1;
  ASSERT_TRUE(WriteFileAtomically(Path("m/shard2/shard.jsonl"), text));
  ExpectStatus(2, "merge m/shard0 m/shard1 m/shard2 --report x", "is damaged or was edited");
  // A new run takes the place of the old shard before it is finished.
  ASSERT_EQ(Run("verify s --backend reference --report m/shard0").status, 0);
  ExpectStatus(2, "merge m/shard0 m/shard1 --report x", "m/shard0: holds no finished shard");
}

// Returns the text of an edited shard.json, with the sum of its new content.
std::string WithSum(Json json) {
  json["sum"] = "";
  json["sum"] = Sha256(JsonText(json, -1, true) + "\n");
  return JsonText(json, -1, true) + "\n";
}

TEST_F(ShardsCli, EditedShardsAreOneLine) {
  Gen("--out s --packed");
  Merge("m", 2);
  const std::string head = *ReadTextFile(Path("m/shard1/shard.json"));
  const auto expect = [&](const char* field, const Json& value, const char* words) {
    auto edited = JsonFrom(head);
    edited[field] = value;
    ASSERT_TRUE(WriteFileAtomically(Path("m/shard1/shard.json"), WithSum(edited)));
    const Ran ran = ExpectStatus(2, "merge m/shard0 m/shard1 --report x", words);
    EXPECT_EQ(ran.output, "") << field;
  };
  expect("format", "x", "m/shard1/shard.json: is of another version of Assay");
  expect("version", 2, "m/shard1/shard.json: is of another version of Assay");
  expect("assay", "0.0.0", "m/shard1/shard.json: is of another version of Assay");
  expect("shards", 3, "m/shard1: is no shard of the run in m/shard0");
  expect("shards", 0, "m/shard1/shard.json: has a number that cannot be");
  expect("shard", 2, "m/shard1/shard.json: has a number that cannot be");
  expect("cases", -1, "m/shard1/shard.json: has a number that cannot be");
  expect("outside_target", -1, "m/shard1/shard.json: has a number that cannot be");
  expect("not_chosen", INT64_MAX, "m/shard1/shard.json: has a number that cannot be");
  expect("cases", "many", "m/shard1/shard.json: is damaged or was edited");
  expect("cases", 44, "m/shard1/shard.jsonl: has 45 of 44 results");
  auto edited = JsonFrom(head);
  edited["outside_target"] = 3;
  for (const std::string& text : {JsonText(edited, -1, true) + "\n", std::string("{}")}) {
    ASSERT_TRUE(WriteFileAtomically(Path("m/shard1/shard.json"), text));
    ExpectStatus(2, "merge m/shard0 m/shard1 --report x", "is damaged or was edited");
  }
  ASSERT_TRUE(WriteFileAtomically(Path("m/shard1/shard.json"), head));
  // Each line of results is whole, but one is there twice.
  const std::string lines = *ReadTextFile(Path("m/shard1/shard.jsonl"));
  const std::string first = lines.substr(0, lines.find('\n') + 1);
  ASSERT_TRUE(WriteFileAtomically(Path("m/shard1/shard.jsonl"), first + lines));
  ExpectStatus(2, "merge m/shard0 m/shard1 --report x", "shard.jsonl: has a result twice");
  fs::copy(Path("m/shard0/shard.jsonl"), Path("m/shard1/shard.jsonl"),
           fs::copy_options::overwrite_existing);
  ExpectStatus(2, "merge m/shard0 m/shard1 --report x", "shard.jsonl: has 0 of 45 results");
  ASSERT_EQ(Run("verify s --backend reference --shard 1/2 --report other").status, 0);
  fs::copy(Path("other/shard.jsonl"), Path("m/shard1/shard.jsonl"),
           fs::copy_options::overwrite_existing);
  ExpectStatus(2, "merge m/shard0 m/shard1 --report x",
               "m/shard1/shard.jsonl: holds other results than those of the shard");
  fs::copy(Path("m/shard0/shard.tvecs"), Path("m/shard1/shard.tvecs"),
           fs::copy_options::overwrite_existing);
  ExpectStatus(2, "merge m/shard0 m/shard1 --report x",
               "shard1/shard.tvecs: holds other vectors than those of the shard");
}

TEST_F(ShardsCli, MergedReportCountsWhatShardsLeaveOut) {
  Gen("--out s --packed");
  const std::string verify = std::string("verify ../s ") + kBackend +
                             " --match ADD,SUB,MUL,INTDIV,CAST --max-rank 3 --report ";
  ASSERT_LT(RunIn("m", verify + "whole").status, 2);
  for (const char* shard : {"0", "1"}) {
    ASSERT_LT(RunIn("m", verify + shard + " --shard " + shard + "/2").status, 2);
  }
  ASSERT_LT(RunIn("m", "merge 0 1 --report r").status, 2);
  const std::string lines = *ReadTextFile(Path("m/r/report.jsonl"));
  EXPECT_NE(lines.find("\"left out by --match\":"), std::string::npos);
  EXPECT_NE(lines.find("\"outside the target\":"), std::string::npos);
  EXPECT_EQ(lines, *ReadTextFile(Path("m/whole/report.jsonl")));
  // Another backend cannot minimize the findings.
  for (const char* name : {"m/0/shard.json", "m/1/shard.json"}) {
    auto edited = JsonFrom(*ReadTextFile(Path(name)));
    edited["run"]["title"] = "another";
    ASSERT_TRUE(WriteFileAtomically(Path(name), WithSum(edited)));
  }
  ExpectStatus(2, "merge m/0 m/1 --report x --minimize", "that of the shards was another");
}

TEST_F(ShardsCli, StreamIsVerifiedWithoutFiles) {
  Gen("--out s --packed");
  const std::string gen = std::string("$ASSAY gen --out - ") + kCampaign;
  const Ran whole = Run(std::string("verify s --json ") + kBackend);
  const Ran streamed = RunShell(gen + " | $ASSAY verify - --report r " + kBackend);
  EXPECT_EQ(streamed.status, 1) << streamed.errors;
  EXPECT_NE(streamed.output.find("total: 90 vectors"), std::string::npos) << streamed.output;
  // The replay line of a finding works, because its vector is beside the report.
  const std::string replay = ReplayIn(streamed.output);
  EXPECT_NE(replay.find("r/vectors.tvecs/"), std::string::npos) << replay;
  EXPECT_EQ(Run(replay).status, 1) << replay;
  // But for the first line and the paths, the results are those of the suite.
  std::string lines = whole.output.substr(whole.output.find("{\"case\""));
  lines.resize(lines.find("{\"finding\""));
  for (size_t path = lines.find("s/"); path != std::string::npos; path = lines.find("s/", path)) {
    lines.erase(path, 2);
  }
  const Ran json = RunShell(gen + " | $ASSAY verify - --json " + kBackend);
  std::string cases = json.output.substr(json.output.find("{\"case\""));
  cases.resize(cases.find("{\"finding\""));
  EXPECT_EQ(cases, lines);
  const Ran shard = RunShell(gen + " --shard 1/3 | $ASSAY verify - --backend reference");
  EXPECT_NE(shard.output.find("total: 30 vectors"), std::string::npos) << shard.output;
}

TEST_F(ShardsCli, StreamsBehindEachOtherAreOneRun) {
  const std::string gen = "gen --kind operator --op SUB,ABS --count 20 ";
  for (const char* seed : {"1", "2"}) {
    const std::string options = std::string("--seed ") + seed;
    ASSERT_EQ(RunShell("$ASSAY " + gen + options + " --out - >" + seed).status, 0);
  }
  ASSERT_EQ(RunShell("$ASSAY " + gen + "--match CONV2D --out - >none").status, 3);
  // The findings are only in the second stream, or in both with the same names.
  const std::string verify = std::string(" | $ASSAY verify - --report r ") + kBackend;
  ASSERT_EQ(RunShell("$ASSAY " + gen + "--match ABS --out - >good").status, 0);
  EXPECT_EQ(RunShell("cat good" + verify).status, 0);
  const Ran bad = RunShell("cat none good none 2 none" + verify);
  EXPECT_EQ(bad.status, 1) << bad.errors;
  const Ran both = RunShell("cat 1 2" + verify);
  EXPECT_EQ(both.status, 1) << both.errors;
  EXPECT_NE(both.output.find("total: 26 vectors"), std::string::npos) << both.output;
  const auto kept = [this](const std::string& path) { return Run("convert " + path + " x.tvec"); };
  ASSERT_EQ(Run(gen + "--out s --seed 2").status, 0);
  const Ran findings = Run("show r/vectors.tvecs");
  EXPECT_EQ(findings.status, 0) << findings.errors;
  const size_t at = findings.output.find("r/vectors.tvecs/stream-2/");
  ASSERT_NE(at, std::string::npos) << findings.output;
  const std::string path = findings.output.substr(at, findings.output.find(' ', at) - at);
  EXPECT_EQ(kept(path).status, 0);
  const std::string name = path.substr(std::string("r/vectors.tvecs/stream-2/").size());
  EXPECT_EQ(*ReadTextFile(Path("x.tvec")), *ReadTextFile(Path("s/" + name)));
  EXPECT_EQ(Run("verify r/vectors.tvecs " + std::string(kBackend)).status, 1);
}

TEST_F(ShardsCli, NothingBehindAStreamIsIgnored) {
  ASSERT_EQ(RunShell("$ASSAY gen --out - --kind graph --count 9 >s; cp s t").status, 0);
  const auto expect = [this](const std::string& line, const std::string& words) {
    const Ran ran = RunShell("(" + line + ") | $ASSAY verify - --backend reference");
    EXPECT_EQ(ran.status, 2) << line << ran.errors;
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
    EXPECT_NE(ran.errors.find("standard input" + words), std::string::npos) << ran.errors;
  };
  const std::string behind = ", behind the end of stream 1: ";
  expect("cat s; echo", behind + "is no pack of vectors");
  expect("cat s; head -c 9999 /dev/zero", behind + "is no pack of vectors");
  expect("cat s; head -c 5 t", behind + "ends inside a pack of vectors");
  expect("cat s; head -c 3000 t", behind + "ends inside a pack of vectors");
  expect("cat s; head -c -256 t", ", stream 2: ends before the last pack of vectors");
  expect("head -c -256 s; cat t", ": has the vector \"graph/graph-000000.tvec\" behind ");
  expect("cat s s t; echo", ", behind the end of stream 3: is no pack of vectors");
}

TEST_F(ShardsCli, BrokenStreamsAreOneLine) {
  const std::string gen = std::string("$ASSAY gen --out - ") + kCampaign;
  const auto expect = [&](const std::string& line, const std::string& words) {
    const Ran ran = RunShell(line);
    EXPECT_EQ(ran.status, 2) << line << ran.errors;
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
    EXPECT_NE(ran.errors.find(words), std::string::npos) << ran.errors;
  };
  expect(gen + " 2>/dev/null | head -c 3000 | $ASSAY verify - --backend reference",
         "standard input: ends inside a pack");
  expect("$ASSAY verify - --backend reference </dev/null", "ends before the last pack");
  expect("echo {} | $ASSAY verify - --backend reference", "standard input");
  expect("$ASSAY verify - --backend reference --shard 0/2 </dev/null", "neither --resume nor");
  expect(gen + " --json", "--out -: a stream takes none of");
  // The reader of the pipe has gone before the first pack.
  expect("mkfifo p; (exec <p; exit 0) & " + gen + " >p", "standard output: cannot write");
}

// Runs the script for a shard of a cluster with some of these variables changed.
class RunShard : public ShardsCli {
 protected:
  Ran RunScript(const std::string& changed = "") {
    fs::create_directories(Path("scratch"));
    return RunShell(
        "export RESULTS=results SCRATCH=$PWD/scratch SHARD=0 SHARDS=2 "
        "BACKEND=canary:swapped-operands "
        "CAMPAIGN='--kind operator --op SUB,ABS --count 12' VERIFY=--reproducible; " +
        changed + " exec sh " ASSAY_SOURCE_DIR "/scripts/cluster/run_shard");
  }
  void ExpectRefused(const std::string& changed, const std::string& words) {
    const Ran ran = RunScript(changed);
    EXPECT_EQ(ran.status, 2) << changed << ran.output << ran.errors;
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
    EXPECT_NE(ran.errors.find("run_shard: "), std::string::npos) << ran.errors;
    EXPECT_NE(ran.errors.find(words), std::string::npos) << ran.errors;
  }
};

TEST_F(RunShard, RefusesTheShardOfAnotherRun) {
  const Ran first = RunScript();
  EXPECT_EQ(first.status, 0) << first.errors;
  EXPECT_EQ(RunScript("SHARD=1").status, 0);
  EXPECT_TRUE(fs::is_empty(Path("scratch")));
  const auto made = Content("results");
  ASSERT_TRUE(made.contains("0/shard.json"));
  EXPECT_EQ(RunScript("JOBS=2").output, "shard 0/2 is finished\n");
  for (const char* other :
       {"BACKEND=reference", "SHARDS=3", "CAMPAIGN=\"$CAMPAIGN --seed 2\"",
        "CAMPAIGN='--kind operator --op SUB --count 12'", "VERIFY='--reproducible --repeat 2'"}) {
    ExpectRefused(other, "results/0: is of another run: assay ");
    const Ran ran = RunScript(other);
    EXPECT_NE(ran.errors.find("shard 0/2; asked for: assay "), std::string::npos) << ran.errors;
  }
  // The record was edited.
  std::string record = *ReadTextFile(Path("results/run-0.txt"));
  const std::string whole = record, backend = "canary:swapped-operands";
  record.replace(record.find(backend), backend.size(), "reference");
  ASSERT_TRUE(WriteFileAtomically(Path("results/run-0.txt"), record));
  ExpectRefused("BACKEND=reference", "shard.json: is not the one that this run has written");
  ASSERT_TRUE(WriteFileAtomically(Path("results/run-0.txt"), whole));
  // The report is that of another run, or nobody knows of which.
  ASSERT_EQ(Run("gen --out s --kind graph --count 4").status, 0);
  ASSERT_EQ(Run("verify s --backend reference --shard 0/2 --report results/0").status, 0);
  ExpectRefused("", "results/0/shard.json: is not the one that this run has written");
  fs::remove(Path("results/run-0.txt"));
  ExpectRefused("", "results/0: holds a shard of a run that is not known: ");
  fs::remove_all(Path("results/0"));
  EXPECT_EQ(RunScript().status, 0);
  ExpectSame(Content("results"), made);
  EXPECT_EQ(RunShell("cd results && $ASSAY merge [0-9]* --report r").status, 1);
  fs::remove(Path("results/run-0.txt"));
  fs::create_directory(Path("results/run-0.txt"));
  ExpectRefused("", "results/run-0.txt: is no regular file; remove it");
}

TEST_F(RunShard, WritesItsRecordThroughNoLink) {
  fs::create_directories(Path("results"));
  ASSERT_TRUE(WriteFileAtomically(Path("victim"), "mine"));
  fs::create_symlink(Path("victim"), Path("results/run-0.txt.new"));
  EXPECT_EQ(RunScript().status, 0);
  EXPECT_EQ(*ReadTextFile(Path("victim")), "mine");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(Path("results/run-0.txt"))));
}

TEST_F(RunShard, ChecksNumbersBeforeAnythingIsMade) {
  for (const char* changed :
       {"SHARD=../../../evil", "SHARD=", "SHARD=-1", "SHARD=01", "SHARD=x", "SHARD='0 '",
        "SHARDS=99999999999999999999", "SHARDS=", "SHARDS=0x2", "unset SHARD;", "unset SHARDS;"}) {
    ExpectRefused(changed, ": is no plain number; shards are 0 to SHARDS - 1");
  }
  ExpectRefused("SHARD=2", "SHARD=2: there are only 2 shards; they are 0 to SHARDS - 1");
  ExpectRefused("SHARDS=0", "SHARD=0: there are only 0 shards");
  ExpectRefused("unset BACKEND;", "BACKEND: is not set");
  ExpectRefused("unset RESULTS;", "RESULTS: is not set");
  EXPECT_FALSE(fs::exists(Path("results")));
  EXPECT_TRUE(fs::is_empty(Path("scratch")));
}

// A kill left a part of the suite of another campaign, and of the same one.
TEST_F(RunShard, UsesTheScratchFolderOfItsOwnRunOnly) {
  EXPECT_EQ(RunScript().status, 0);
  const auto made = Content("results");
  const std::string fail = "BACKEND=exec:./none ";
  for (const std::string& campaign :
       {std::string(), std::string("CAMPAIGN='--kind graph --count 6' ")}) {
    fs::remove_all(Path("results"));
    EXPECT_NE(RunScript(campaign + fail).status, 0);
    EXPECT_FALSE(fs::is_empty(Path("scratch")));
    fs::remove_all(Path("results"));
    EXPECT_EQ(RunScript().status, 0);
    ExpectSame(Content("results"), made);
  }
}

}  // namespace
}  // namespace assay::shards_cli_test
