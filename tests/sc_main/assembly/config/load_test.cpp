#include "sc_main/assembly/config/load.hpp"

#include <gtest/gtest.h>

#include <set>

#include "policies/registry.hpp"
#include "sc_main/assembly/config/schema.hpp"
#include "sc_main/assembly/config/writer.hpp"
#include "tests/support/source_dir.hpp"

namespace flashloom::load_test {
namespace {

/// A part with one parameter of each type.
const bool part_registered = [] {
  PartCatalog::instance().add(
      "replacement",
      {.name = "load_test_part",
       .summary = "for this test",
       .source = "this test",
       .parameters =
           {{.name = "count", .default_value = std::int64_t{3}, .minimum = 1, .maximum = 16, .choices = {}, .help = ""},
            {.name = "window",
             .default_value = std::int64_t{5'000'000},
             .dimension = Dimension::Time,
             .choices = {},
             .help = ""},
            {.name = "share",
             .default_value = 0.5,
             .dimension = Dimension::Ratio,
             .minimum = 0,
             .maximum = 1,
             .choices = {},
             .help = ""},
            {.name = "exact", .default_value = true, .choices = {}, .help = ""},
            {.name = "order", .default_value = std::string("up"), .choices = {"up", "down"}, .help = ""}},
       .aliases = {"load_test_alias"}});
  return true;
}();

DeviceConfig load(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return load_config_text(text, "test.toml", overrides).device;
}

std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    load(text, overrides);
    return "accepted";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(LoadConfig, EmptyFileIsTheDefaultDevice) {
  const DeviceConfig device = load("");
  const DeviceConfig defaults;
  EXPECT_EQ(device.nand.channels, defaults.nand.channels);
  EXPECT_EQ(device.buffer.size, defaults.buffer.size);
  EXPECT_EQ(device.ftl.garbage_collection.name, "greedy");
}

TEST(LoadConfig, ReadsEveryKindOfValue) {
  const DeviceConfig device = load(R"(
name = "x"
verify = true
seed = 42
[host]
speedup = 2
[link]
sata_rate = "3 Gb/s"
[cpu]
model = "ideal"
clock = "1.2 GHz"
[cpu.cycles]
map_lookup = 77
[dram]
size = "64 MiB"
bandwidth = "3.2 GB/s"
read_energy = "1.2 nJ/B"
[ftl]
over_provisioning = "28 %"
[nand]
read_time = ["48 us", "64 us"]
program_time = "0.85 ms"
transfer_rate = "533 MT/s"
read_current = "25 mA"
source = { read_time = "data sheet" }
)");
  EXPECT_EQ(device.name, "x");
  EXPECT_TRUE(device.verify);
  EXPECT_EQ(device.seed, 42u);
  EXPECT_EQ(device.host.speedup, 2.0);
  EXPECT_EQ(device.link.sata_rate, 3'000'000'000u);
  EXPECT_TRUE(device.cpu.ideal);
  EXPECT_EQ(device.cpu.clock, 1'200'000'000u);
  EXPECT_EQ(device.cpu.cycles[static_cast<std::size_t>(FirmwareStep::MapLookup)], 77u);
  EXPECT_EQ(device.dram.size, std::uint64_t{64} << 20);
  EXPECT_EQ(device.dram.bandwidth, 3'200'000'000u);
  EXPECT_EQ(device.dram.read_energy, 1.2e-9);
  EXPECT_EQ(device.ftl.over_provisioning, 0.28);
  EXPECT_EQ(device.nand.read_time, (std::vector<Picoseconds>{48 * kMicrosecond, 64 * kMicrosecond}));
  EXPECT_EQ(device.nand.program_time, (std::vector<Picoseconds>{850 * kMicrosecond}));
  EXPECT_EQ(device.nand.transfer_rate, 533'000'000u);
  EXPECT_EQ(device.nand.read_current, 0.025);
  EXPECT_EQ(device.sources.at("nand.read_time"), "data sheet");
}

TEST(LoadConfig, OverridesFollowTheSameRules) {
  const DeviceConfig device = load(
      "[nand]\nchannels = 2\nsource = { channels = \"board\", read_time = \"data sheet\" }\n",
      {"nand.channels=4", "nand.read_time=25 us", "nand.program_time=[1 ms, 2 ms]", "cpu.model=ideal", "verify=true",
       "ftl.over_provisioning=15%", "nand.channels=8", "name=\"two words\"", "description=two words"});
  EXPECT_EQ(device.nand.channels, 8u);  // the last override counts
  EXPECT_EQ(device.nand.read_time, (std::vector<Picoseconds>{25 * kMicrosecond}));
  EXPECT_EQ(device.nand.program_time, (std::vector<Picoseconds>{1 * kMillisecond, 2 * kMillisecond}));
  EXPECT_TRUE(device.cpu.ideal);
  EXPECT_TRUE(device.verify);
  EXPECT_EQ(device.ftl.over_provisioning, 0.15);
  EXPECT_EQ(device.name, "two words");
  EXPECT_EQ(device.description, "two words");
  // The file's source describes the file's figure, not the new one.
  EXPECT_EQ(device.sources.at("nand.channels"), "given by --set nand.channels");
}

TEST(LoadConfig, CpuMayBeSaidInOneWord) {
  EXPECT_TRUE(load("cpu = \"ideal\"\n").cpu.ideal);
  EXPECT_TRUE(load("[cpu]\ncores = 4\n", {"cpu=ideal"}).cpu.ideal);
  EXPECT_NE(error_of("cpu = \"x86\"\n").find("test.toml:1: cpu.model: \"x86\" is none of arm | ideal"),
            std::string::npos);
}

TEST(LoadConfig, KindsSetDefaultsWhereverTheyAreSaid) {
  const DeviceConfig file = load("[nvram]\nsize = \"64 MiB\"\nkind = \"pcm\"\n");
  EXPECT_EQ(file.nvram.read_latency, 120 * kNanosecond);
  EXPECT_EQ(file.nvram.size, std::uint64_t{64} << 20);  // the file gives it, so it is not the kind's
  EXPECT_EQ(file.sources.count("nvram.kind"), 1u);
  const DeviceConfig set = load("", {"nvram.kind=stt_mram"});
  EXPECT_EQ(set.nvram.read_latency, 35 * kNanosecond);
  EXPECT_EQ(set.sources.at("nvram.kind").find("given"), std::string::npos);
  const DeviceConfig sata = load("", {"link.kind=sata", "host_interface.kind=sata", "host_interface.queue_depth=32"});
  EXPECT_EQ(sata.link.max_payload, 8192u);
  EXPECT_EQ(load("").link.max_payload, 256u);
  EXPECT_EQ(load("", {"link.kind=sata", "host_interface.kind=sata"}).host_interface.queue_depth, 32u);
  EXPECT_EQ(load("", {"link.kind=sata", "host_interface.kind={ name = \"sata\" }", "host_interface.queue_depth=4"})
                .host_interface.queue_depth,
            4u);
  EXPECT_EQ(load("").host_interface.queue_depth, 1024u);
}

TEST(LoadConfig, ListsOfClassesAndOfSizes) {
  const DeviceConfig device = load(
      "[host]\nqueues = 3\nqueue_priorities = [\"urgent\", \"low\"]\n[host_interface]\n"
      "namespaces = [\"1 MiB\", \"64 KiB\"]\nkind.arbitration = \"weighted\"\n");
  EXPECT_EQ(device.host.queue_priorities, (std::vector<std::string>{"urgent", "low"}));
  EXPECT_EQ(device.host_interface.namespaces, (std::vector<std::uint64_t>{1 << 20, 64 << 10}));
  EXPECT_EQ(namespace_begin(device.host_interface.namespaces, 1), 0u);
  EXPECT_EQ(namespace_begin(device.host_interface.namespaces, 2), 1u << 20);
  EXPECT_EQ(device.host_interface.kind.parameters.get<std::string>("arbitration"), "weighted");
  EXPECT_TRUE(load("[host_interface]\nnamespaces = []\n").host_interface.namespaces.empty());
  EXPECT_EQ(load("", {"host_interface.kind.burst=8"}).host_interface.kind.parameters.get<std::int64_t>("burst"), 8);
}

TEST(LoadConfig, PartsCarryCheckedParameters) {
  const PolicyChoice part =
      load("[buffer]\nreplacement = { name = \"load_test_alias\", count = 7, window = \"2 us\" }\n").buffer.replacement;
  EXPECT_EQ(part.name, "load_test_part");
  EXPECT_EQ(part.parameters.get<std::int64_t>("count"), 7);
  EXPECT_EQ(part.parameters.get<std::int64_t>("window"), 2'000'000);
  EXPECT_EQ(part.parameters.get<double>("share"), 0.5);
  EXPECT_TRUE(part.parameters.get<bool>("exact"));
  EXPECT_EQ(part.parameters.get<std::string>("order"), "up");
}

TEST(LoadConfig, OverridesReachParameters) {
  const std::string file = "[buffer]\nreplacement = \"load_test_part\"\n";
  const PolicyChoice part =
      load(file, {"buffer.replacement.share=25 %", "buffer.replacement.order=down"}).buffer.replacement;
  EXPECT_EQ(part.parameters.get<double>("share"), 0.25);
  EXPECT_EQ(part.parameters.get<std::string>("order"), "down");
  const PolicyChoice whole =
      load("", {"buffer.replacement={ name = \"load_test_part\", exact = false }"}).buffer.replacement;
  EXPECT_FALSE(whole.parameters.get<bool>("exact"));
}

TEST(LoadConfig, BadParametersAreRefused) {
  const std::string file = "[buffer]\nreplacement = \"load_test_part\"\n";
  const struct {
    const char* assignment;
    const char* message;
  } cases[] = {{"count=17", "17 is out of range; valid: 1 .. 16"},
               {"count=2.5", "must be of type integer, 1 .. 16; it is a number"},
               {"window=3", "must be of type time; it is an integer"},
               {"window=3 KiB", "has the unit \"KiB\""},
               {"share=110 %", "1.1 is out of range; valid: 0 .. 1"},
               {"exact=1", "must be of type boolean"},
               {"order=sideways", "is none of up | down"},
               {"cuont=3", "did you mean \"count\""}};
  for (const auto& [assignment, message] : cases) {
    const std::string path = std::string("buffer.replacement.") + assignment;
    const std::string error = error_of(file, {path});
    EXPECT_NE(error.find(message), std::string::npos) << error;
    EXPECT_EQ(error.find("--set buffer.replacement."), 0u) << error;
  }
}

TEST(LoadConfig, PartsReadBackFromTheEffectiveForm) {
  const DeviceConfig device =
      load("[buffer]\nreplacement = { name = \"load_test_part\", share = 0.1, order = \"down\" }\n");
  const std::string text = effective_toml(device);
  EXPECT_NE(
      text.find(
          "{ name = \"load_test_part\", count = 3, window = \"5 us\", share = 0.1, exact = true, order = \"down\" }"),
      std::string::npos)
      << text;
  EXPECT_EQ(effective_toml(load(text)), text);
  EXPECT_EQ(effective_json(device)["buffer"]["replacement"].dump(),
            R"({"name":"load_test_part","count":3,"window":"5 us","share":0.1,"exact":true,"order":"down"})");
}

TEST(LoadConfig, PowerStatesReadBackFromTheEffectiveForm) {
  const DeviceConfig device = load(
      "[power]\nstate = 1\n[[power.states]]\n[[power.states]]\nmax_power = \"2.5 W\"\n[[power.states]]\noperational = "
      "false\nidle_power = \"5 mW\"\nidle_time = \"100 ms\"\nentry_latency = \"1 ms\"\nexit_latency = \"8 ms\"\n");
  ASSERT_EQ(device.power.states.size(), 3U);
  EXPECT_EQ(device.power.states[1].max_power, 2.5);
  EXPECT_EQ(device.power.max_power(), 2.5);
  EXPECT_FALSE(device.power.states[2].operational);
  EXPECT_EQ(device.power.states[2].idle_power, 5e-3);
  EXPECT_EQ(device.power.states[2].idle_time, 100 * kMillisecond);
  EXPECT_EQ(device.power.states[2].exit_latency, 8 * kMillisecond);
  const std::string text = effective_toml(device);
  EXPECT_EQ(effective_toml(load(text)), text);
  EXPECT_EQ(load(text).power.states[2].entry_latency, kMillisecond);
  EXPECT_EQ(effective_json(device)["power"]["states"][1]["max_power"], "2.5 W");
}

TEST(LoadConfig, TextSurvivesQuotes) {
  DeviceConfig device = load("");
  device.description = "quotes \" backslash \\ line\nend \x01";
  EXPECT_EQ(load(effective_toml(device)).description, device.description);
}

TEST(LoadConfig, NamesFileAndContentHash) {
  const LoadedConfig empty = load_config_text("", "some/folder/device.toml");
  EXPECT_EQ(empty.file, "device.toml");
  EXPECT_EQ(empty.hash, "cbf29ce484222325");                       // FNV-1a 64 of the empty text
  EXPECT_EQ(load_config_text("#", "x").hash, "af639e4c86018332");  // (basis ^ '#') * prime
}

TEST(Schema, KeysAreUniqueAndComplete) {
  std::set<std::string> paths;
  std::set<const void*> members;
  DeviceConfig config;
  for (const ConfigKey& key : config_schema()) {
    EXPECT_TRUE(paths.insert(key.path()).second) << key.path();
    EXPECT_FALSE(key.help.empty()) << key.path();
    const ConfigMember member = key.member(config);
    const void* address = std::visit([](const auto* pointer) -> const void* { return pointer; }, member);
    EXPECT_TRUE(members.insert(address).second) << key.path() << " shares its member";
    EXPECT_EQ(find_config_key(key.path()), &key);
  }
}

TEST(Schema, JsonHasEveryKeyInOrder) {
  const auto json = effective_json(load("[nand]\nread_time = [\"48 us\", \"64 us\"]\n"));
  EXPECT_EQ(json["nand"]["read_time"].dump(), R"(["48 us","64 us"])");
  EXPECT_EQ(json["nand"]["channels"].dump(), "8");
  EXPECT_EQ(json["cpu"]["model"].dump(), R"("arm")");
  EXPECT_EQ(json["cpu"]["cycles"]["command_parse"].dump(), "300");
  EXPECT_EQ(json["ftl"]["over_provisioning"].dump(), "0.07");
  EXPECT_EQ(json.begin().key(), "name");
}

// Every figure of the disk has a source, except those that the file sets.
TEST(LoadConfig, AHardDiskBringsItsSources) {
  EXPECT_EQ(load("").sources.count("hdd.rpm"), 0u);
  const DeviceConfig device =
      load("[hdd]\ncapacity = \"2 TB\"\nrpm = 5400\nheads = 6\nsource = { heads = \"mine\" }\n");
  EXPECT_EQ(device.hdd.capacity, 2'000'000'000'000u);
  EXPECT_EQ(device.hdd.rpm, 5400u);
  EXPECT_EQ(device.sources.count("hdd.rpm"), 0u);
  EXPECT_EQ(device.sources.at("hdd.heads"), "mine");
  for (const ConfigKey& key : config_schema()) {
    if (key.table != "hdd" || key.name == "capacity" || key.name == "rpm") continue;
    const bool is_figure = key.choices.empty() && config_type(key) != "boolean";
    if (!is_figure || default_toml(key).starts_with("\"0 ")) continue;  // what is off needs none
    EXPECT_EQ(device.sources.count(key.path()), 1u) << key.name;
  }
}

// The kind of a memory on the command line, or above a base, gives all figures but size and model.
TEST(Load, AKindOfMemoryReplacesTheFiguresBelowIt) {
  const auto dram = [](const std::string& text, const std::vector<std::string>& overrides) {
    const auto whole = effective_json(load_config_text(text, "device.toml", overrides).device);
    return whole["dram"].dump();
  };
  const std::string written =
      "[dram]\nsize = \"2 GiB\"\nbandwidth = \"1 GB/s\"\nread_energy = \"9 pJ/B\"\n"
      "source = { read_energy = \"a data sheet\" }\n[dram.timing]\nbanks = 4\n";
  const std::string alone = "[dram]\nsize = \"2 GiB\"\n";
  EXPECT_EQ(dram(written, {"dram.kind=ddr4_2400"}), dram(alone, {"dram.kind=ddr4_2400"}));
  EXPECT_EQ(dram(written, {"dram.bandwidth=2 GB/s", "dram.kind=ddr4_2400"}),
            dram(alone, {"dram.kind=ddr4_2400", "dram.bandwidth=2 GB/s"}));
  EXPECT_NE(dram(written, {"dram.kind=custom"}), dram(alone, {"dram.kind=custom"}));
  const std::string base = "base = \"" + source_dir() + "/configs/nvme-tlc-1tb.toml\"\n";
  EXPECT_EQ(dram(base + "[dram]\nkind = \"ddr3_1600\"\nsize = \"2 GiB\"\n", {}), dram(alone, {"dram.kind=ddr3_1600"}));
}

}  // namespace
}  // namespace flashloom::load_test
