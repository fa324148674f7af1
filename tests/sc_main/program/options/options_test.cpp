#include "sc_main/program/options/options.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sc_main/assembly/config/load.hpp"
#include "sc_main/program/cli/cli_main.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/help_options.hpp"
#include "sc_main/program/options/list_options.hpp"
#include "sc_main/program/options/run_options.hpp"
#include "sc_main/program/options/trace_command_options.hpp"
#include "tests/support/source_dir.hpp"

namespace flashloom::options_test {
namespace {

template <class Options>
Options parsed(const ParsedCommand& command) {
  return std::any_cast<Options>(command.options);
}

using Arguments = std::vector<std::string>;

RunOptions run_options(const Arguments& arguments) { return parsed<RunOptions>(parse_command_line(arguments)); }

TEST(Options, RunTakesEverythingInAnyOrder) {
  const RunOptions run = run_options({"run",
                                      "--trace",
                                      "t.csv",
                                      "--format=disksim",
                                      "--time-unit",
                                      "ms",
                                      "--format-option",
                                      "action=Q",
                                      "--set",
                                      "nand.channels=8",
                                      "device.toml",
                                      "--set",
                                      "nand.ways=2",
                                      "--address-fit",
                                      "wrap",
                                      "--seed",
                                      "7",
                                      "--out",
                                      "results",
                                      "--max-requests",
                                      "100",
                                      "--quiet"});
  EXPECT_EQ(run.device, "device.toml");
  ASSERT_EQ(run.traces.traces.size(), 1U);
  EXPECT_EQ(run.traces.traces[0].path, "t.csv");
  EXPECT_EQ(run.job, "");
  EXPECT_EQ(run.traces.traces[0].format, "disksim");
  EXPECT_EQ(run.traces.traces[0].parameters,
            (std::map<std::string, std::string>{{"time_unit", "ms"}, {"action", "Q"}}));
  EXPECT_EQ(run.overrides, (Arguments{"nand.channels=8", "nand.ways=2"}));
  EXPECT_EQ(run.address_fit, AddressFit::Wrap);
  EXPECT_EQ(run.seed, 7u);
  EXPECT_EQ(run.out, "results");
  EXPECT_EQ(run.max_requests, 100u);
  EXPECT_TRUE(run.quiet);
}

TEST(Options, RunDefaults) {
  const RunOptions run = run_options({"run", "d.toml", "--job", "j.fio"});
  EXPECT_EQ(run.job, "j.fio");
  EXPECT_FALSE(run.seed.has_value());
  EXPECT_EQ(run.address_fit, AddressFit::Error);
  EXPECT_EQ(run.max_requests, 0u);
  EXPECT_TRUE(run.overrides.empty());
  EXPECT_FALSE(run.quiet);
}

TEST(Options, OverridesKeepSpacesAndBrackets) {
  const RunOptions run =
      run_options({"run", "d.toml", "--job", "j.fio", "--set", "nand.read_time=[25 us, 30 us]", "--set=name=a b"});
  EXPECT_EQ(run.overrides, (Arguments{"nand.read_time=[25 us, 30 us]", "name=a b"}));
}

TEST(Options, OtherCommands) {
  EXPECT_EQ(parsed<ListOptions>(parse_command_line({"list"})).family, "");
  const auto list = parsed<ListOptions>(parse_command_line({"list", "ftl", "--json"}));
  EXPECT_EQ(list.family, "ftl");
  EXPECT_TRUE(list.json);
  const auto config = parsed<ConfigOptions>(parse_command_line({"config", "tiny", "--set", "seed=2"}));
  EXPECT_EQ(config.device, "tiny");
  EXPECT_EQ(config.overrides, Arguments{"seed=2"});
  const auto info =
      parsed<TraceInfoOptions>(parse_command_line({"trace", "info", "t.gz", "--json", "--format", "msr"}));
  EXPECT_EQ(info.trace.path, "t.gz");
  EXPECT_EQ(info.trace.format, "msr");
  EXPECT_TRUE(info.json);
}

TEST(Options, HelpTeachesAndVersionSays) {
  const auto text = [](const Arguments& arguments) {
    return parsed<InformationText>(parse_command_line(arguments)).text;
  };
  EXPECT_NE(text({"--help"}).find("flashloom run tiny --job job.fio"), std::string::npos);
  EXPECT_NE(text({"run", "--help"}).find("--address-fit"), std::string::npos);
  EXPECT_NE(text({"trace", "info", "--help"}).find("--time-unit"), std::string::npos);
  EXPECT_EQ(text({"--version"}).find("flashloom "), 0u);
}

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome flashloom_program(const Arguments& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = cli_main(arguments, out, err);
  return {code, out.str(), err.str()};
}

TEST(Program, BadUsageExitsTwoAndNamesTheOption) {
  const struct {
    Arguments arguments;
    const char* message;
  } cases[] = {
      {{}, "no command given; valid: run, precondition, "},
      {{"rnu"}, "unknown command \"rnu\" (did you mean \"run\"?)"},
      {{"--verson"}, "unknown option --verson of `flashloom` (did you mean \"--version\"?)"},
      {{"run"}, "device is required"},
      {{"run", "tiny"}, "say --job F.fio, --trace F, --workload W.toml or --generate NAME"},
      {{"run", "tiny", "--job", "a", "--trace", "b"}, "--trace: does not go together with --job"},
      {{"run", "tiny", "--jbo", "a"}, "unknown option --jbo of `flashloom run` (did you mean \"--job\"?)"},
      {{"run", "tiny", "--job"}, "--job: "},
      {{"run", "tiny", "--job", "a", "b"}, "unexpected argument \"b\""},
      {{"run", "tiny", "--job", "a", "--seed", "x"}, "--seed: \"x\" is no whole number"},
      {{"run", "tiny", "--job", "a", "--seed", "-1"}, "--seed: "},
      {{"run", "tiny", "--job", "a", "--seed", "99999999999999999999"}, "--seed: "},
      {{"run", "tiny", "--job", "a", "--seed", "1", "--seed", "2"}, "--seed: "},
      {{"run", "tiny", "--job", "a", "--max-requests", "0"}, "--max-requests: \"0\""},
      {{"run", "tiny", "--trace", "a", "--address-fit", "clip"},
       "--address-fit: \"clip\" is none of error, wrap, scale"},
      {{"run", "tiny", "--job", "a", "--format", "msr"}, "--format: "},
      {{"run", "tiny", "--job", "a", "--time-unit", "ms"}, "--time-unit: "},
      {{"run", "tiny", "--trace", "a", "--format-option", "x"}, "--format-option: \"x\" is not name=value"},
      {{"list", "polices"}, "list: unknown family \"polices\""},
      {{"list", "arbitraton"}, "(did you mean \"arbitration\"?)"},
      {{"config"}, "device is required"},
      {{"config", "tiny", "--set"}, "--set: "},
      {{"config", "no-such-device"}, "no-such-device: no such device file"},
      {{"trace"}, "no command given; valid: info, convert"},
      {{"trace", "inof"}, "(did you mean \"info\"?)"},
      {{"trace", "info"}, "trace is required"},
      {{"trace", "info", "no-such-trace"}, "no-such-trace: "},
  };
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = flashloom_program(arguments);
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_EQ(outcome.err.find("flashloom: error: "), 0u) << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << "no \"" << message << "\" in: " << outcome.err;
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  }
}

TEST(Program, ListNamesPartsFormatsAndPresets) {
  const Outcome text = flashloom_program({"list"});
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* name :
       {"garbage_collection\n", "  greedy", "replacement\n", "trace_format\n", "  msr", "preset\n", "stt_mram"})
    EXPECT_NE(text.out.find(name), std::string::npos) << name;
  const Outcome one = flashloom_program({"list", "garbage_collection"});
  EXPECT_NE(one.out.find("greedy"), std::string::npos);
  EXPECT_EQ(one.out.find("trace_format"), std::string::npos);
}

TEST(Program, ListConfigAsJsonDescribesEveryKey) {
  const Outcome outcome = flashloom_program({"list", "config", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  bool found = false;
  for (const auto& table : json) {
    EXPECT_EQ(table["family"], "config");
    for (const auto& key : table["parameters"]) {
      if (table["name"] != "[nand]" || key["name"] != "transfer_rate") continue;
      found = true;
      EXPECT_EQ(key["type"], "transfer rate");
      EXPECT_EQ(key["unit"], "T/s, kT/s, MT/s, GT/s");
      EXPECT_EQ(key["default"], "\"1 GT/s\"");
      EXPECT_EQ(key["range"], "10 MT/s .. 4800 MT/s");
    }
  }
  EXPECT_TRUE(found);
}

TEST(Program, ConfigPrintsAValidDeviceFile) {
  const std::string preset = source_dir() + "/configs/tiny.toml";
  const Outcome outcome = flashloom_program({"config", preset, "--set", "nand.ways=1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(load_config_text(outcome.out, "printed.toml").device.nand.ways, 1u);
  const Outcome json = flashloom_program({"config", preset, "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["nand"]["page_size"], "4 KiB");
  const Outcome bad = flashloom_program({"config", preset, "--set", "nand.ways=0"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("--set nand.ways: 0 is out of range"), std::string::npos) << bad.err;
}

TEST(Program, TraceInfoDescribesATrace) {
  const std::string path = testing::TempDir() + "flashloom_options_test.csv";
  {
    std::ofstream trace(path);
    trace << "128166372003061629,hm,1,Read,0,4096,100\n128166372013061629,hm,1,Write,4096,8192,100\n";
  }
  const Outcome outcome = flashloom_program({"trace", "info", path, "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["requests"], 2);
  EXPECT_EQ(json["read_bytes"], 4096);
  EXPECT_EQ(json["write_bytes"], 8192);
}

}  // namespace
}  // namespace flashloom::options_test
