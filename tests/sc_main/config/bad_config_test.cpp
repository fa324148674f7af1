// What a device file may not say: each case names the file, the line, the key and what would be valid.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "sc_main/config/load.hpp"

namespace flashloom {
namespace {

struct BadConfig {
  const char* name;
  std::string text;                    ///< of the device file
  std::vector<std::string> overrides;  ///< --set
  std::vector<std::string> expected;   ///< all stand in the message
};

void PrintTo(const BadConfig& bad, std::ostream* out) { *out << bad.name; }

std::string error_of(const BadConfig& bad) {
  try {
    load_config_text(bad.text, "bad.toml", bad.overrides);
    return "accepted";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

class BadConfigTest : public testing::TestWithParam<BadConfig> {};

TEST_P(BadConfigTest, IsRefusedWithPlaceKeyAndReason) {
  const std::string message = error_of(GetParam());
  for (const std::string& part : GetParam().expected)
    EXPECT_NE(message.find(part), std::string::npos) << "no \"" << part << "\" in: " << message;
}

const std::vector<BadConfig> kSyntax = {
    {"NotToml", "name = \"x\"\n[nand\n", {}, {"bad.toml:2: ", "not valid TOML"}},
    {"DuplicateKey", "[nand]\nways = 1\nways = 2\n", {}, {"bad.toml:3: ", "not valid TOML", "ways"}},
    {"DuplicateTable", "[nand]\nways = 1\n[nand]\n", {}, {"bad.toml:3: ", "not valid TOML"}},
    {"UnknownTable",
     "\n[nnad]\nways = 1\n",
     {},
     {"bad.toml:2: nnad: no such table", "did you mean \"nand\"", "buffer"}},
    {"UnknownKey",
     "[nand]\nchanels = 1\n",
     {},
     {"bad.toml:2: nand.chanels: ", "did you mean \"channels\"", "page_size"}},
    {"UnknownTopLevelKey", "sede = 1\n", {}, {"bad.toml:1: sede: no such key", "did you mean \"seed\""}},
    {"KeyOfAnotherTable",
     "[host]\nread_time = \"1 us\"\n",
     {},
     {"bad.toml:2: host.read_time: ", "valid in [host]: queues"}},
    {"UnknownSubTable", "[cpu.cycle]\nmap_lookup = 1\n", {}, {"bad.toml:1: cpu.cycle: ", "did you mean \"cycles\""}},
    {"UnknownFirmwareStep", "[cpu.cycles]\nmap_lokup = 1\n", {}, {"bad.toml:2: cpu.cycles.map_lokup: ", "map_lookup"}},
    {"TableAsValue", "nand = 3\n", {}, {"bad.toml:1: nand: must be a table", "an integer"}},
    {"SourceOfUnknownKey", "[nand]\nsource = { red_time = \"x\" }\n", {}, {"bad.toml:2: nand.red_time: ", "read_time"}},
    {"SourceNoTable", "[nand]\nsource = \"data sheet\"\n", {}, {"bad.toml:2: nand.source: must be a table"}},
    {"SourceNoText", "[nand.source]\nread_time = 3\n", {}, {"bad.toml:2: nand.source.read_time: must be a string"}},
};

const std::vector<BadConfig> kValues = {
    {"TextForInteger", "[nand]\nways = \"two\"\n", {}, {"bad.toml:2: nand.ways: ", "integer", "1 .. 256", "a string"}},
    {"RealForInteger", "[nand]\nways = 2.5\n", {}, {"bad.toml:2: nand.ways: ", "integer", "a number"}},
    {"NegativeInteger", "[nand]\nways = -1\n", {}, {"bad.toml:2: nand.ways: -1 is out of range; valid: 1 .. 256"}},
    {"ZeroChannels", "[nand]\nchannels = 0\n", {}, {"bad.toml:2: nand.channels: 0 is out of range"}},
    {"HugeInteger", "[nand]\nblocks = 4294967297\n", {}, {"bad.toml:2: nand.blocks: 4294967297 is out of range"}},
    {"IntegerForBoolean", "verify = 1\n", {}, {"bad.toml:1: verify: ", "boolean", "an integer"}},
    {"TableForText", "name = { a = 1 }\n", {}, {"bad.toml:1: name: ", "text", "a table"}},
    {"DateForTime", "[power]\ncut_at = 2026-11-21\n", {}, {"bad.toml:2: power.cut_at: ", "time", "a date"}},
    {"NoUnit", "[nand]\nread_time = 50\n", {}, {"bad.toml:2: nand.read_time: ", "units ps, ns, us", "an integer"}},
    {"NoUnitInText", "[nand]\nerase_time = \"3\"\n", {}, {"bad.toml:2: nand.erase_time: \"3\" has no unit", "ms"}},
    {"WrongUnit",
     "[nand]\nerase_time = \"3 MiB\"\n",
     {},
     {"bad.toml:2: nand.erase_time: ", "\"MiB\"", "ps, ns, us, ms"}},
    {"HertzForTransfers", "[nand]\ntransfer_rate = \"400 MHz\"\n", {}, {"bad.toml:2: nand.transfer_rate: ", "MT/s"}},
    {"BitsForBytes", "[dram]\nbandwidth = \"3 Gb/s\"\n", {}, {"bad.toml:2: dram.bandwidth: ", "GB/s"}},
    {"VoltsForAmperes", "[nand]\nread_current = \"3 V\"\n", {}, {"bad.toml:2: nand.read_current: ", "mA"}},
    {"EnergyWithoutByte", "[dram]\nread_energy = \"3 nJ\"\n", {}, {"bad.toml:2: dram.read_energy: ", "nJ/B"}},
    {"NumberForPower", "[cpu]\nidle_power = 0.1\n", {}, {"bad.toml:2: cpu.idle_power: ", "mW", "a number"}},
    {"FractionOfATick", "[nand]\nread_time = \"0.1 ps\"\n", {}, {"bad.toml:2: nand.read_time: ", "whole number of ps"}},
    {"NegativeTime", "[host]\nsubmit_latency = \"-1 us\"\n", {}, {"bad.toml:2: host.submit_latency: ", "negative"}},
    {"ZeroTime",
     "[nand]\nprogram_time = \"0 us\"\n",
     {},
     {"bad.toml:2: nand.program_time: ", "out of range", "1 ps .. 1 h"}},
    {"OverflowingTime", "[power]\ncut_at = \"99999999 h\"\n", {}, {"bad.toml:2: power.cut_at: ", "too large"}},
    {"OneBadTimeOfMany",
     "[nand]\nread_time = [\"1 us\",\n\"2\"]\n",
     {},
     {"bad.toml:3: nand.read_time: \"2\" has no unit"}},
    {"NoTimes", "[nand]\nread_time = []\n", {}, {"bad.toml:2: nand.read_time: ", "1 .. 16"}},
    {"TooSlowBus",
     "[nand]\ntransfer_rate = \"1 MT/s\"\n",
     {},
     {"bad.toml:2: nand.transfer_rate: ", "10 MT/s .. 4800 MT/s"}},
    {"TooFastBus",
     "[nand]\ntransfer_rate = \"5 GT/s\"\n",
     {},
     {"bad.toml:2: nand.transfer_rate: 5 GT/s is out of range"}},
    {"UnknownChoice",
     "[host]\nreplay = \"close\"\n",
     {},
     {"bad.toml:2: host.replay: ", "timed | closed", "did you mean \"closed\""}},
    {"UnknownCpuModel", "[cpu]\nmodel = \"x86\"\n", {}, {"bad.toml:2: cpu.model: ", "arm | ideal"}},
    {"UnknownNvram", "[nvram]\nkind = \"mram\"\n", {}, {"bad.toml:2: nvram.kind: ", "stt_mram", "bbdram"}},
    {"FillAboveOne",
     "[precondition]\nfill = 1.5\n",
     {},
     {"bad.toml:2: precondition.fill: 1.5 is out of range; valid: 0 .. 1"}},
    {"NotANumber", "[host]\nspeedup = nan\n", {}, {"bad.toml:2: host.speedup: ", "out of range"}},
    {"ZeroSpeedup", "[host]\nspeedup = 0\n", {}, {"bad.toml:2: host.speedup: ", "out of range"}},
    {"ZeroOffTime", "[power]\noff_time = \"0 s\"\n", {}, {"bad.toml:2: power.off_time: ", "out of range"}},
    {"ZeroQueueDepth",
     "[host_interface]\nqueue_depth = 0\n",
     {},
     {"bad.toml:2: host_interface.queue_depth: ", "1 .. 65536"}},
};

const std::vector<BadConfig> kParts = {
    {"UnknownPart",
     "[buffer]\nreplacement = \"lur\"\n",
     {},
     {"bad.toml:2: buffer.replacement: ", "unknown replacement", "lru"}},
    {"UnknownPartInTable",
     "[ftl]\ngarbage_collection = { name = \"gredy\" }\n",
     {},
     {"bad.toml:2: ftl.garbage_collection: ", "did you mean \"greedy\""}},
    {"UnknownParameter",
     "[ftl]\ngarbage_collection = { name = \"greedy\", dd = 3 }\n",
     {},
     {"bad.toml:2: ftl.garbage_collection.dd: ", "no such parameter"}},
    {"NumberForPart", "[ftl]\nkind = 3\n", {}, {"bad.toml:2: ftl.kind: ", "an integer"}},
    {"NumberForPartName", "[ftl]\nkind = { name = 3 }\n", {}, {"bad.toml:2: ftl.kind.name: must be a string"}},
};

const std::vector<BadConfig> kCombinations = {
    {"HostCacheWithoutAPage",
     "[host.cache]\nsize = \"1 KiB\"\n",
     {},
     {"bad.toml:2: host.cache.size: ", "does not hold one page of 4 KiB"}},
    {"HostCachePageOfPartsOfSectors",
     "[host.cache]\npage = \"6 KiB\"\n[host_interface]\nsector_size = \"4 KiB\"\n",
     {},
     {"bad.toml:2: host.cache.page: ", "no multiple of host_interface.sector_size"}},
    {"HostCacheRequestBelowAPage",
     "[host.cache]\nrequest = \"2 KiB\"\n",
     {},
     {"bad.toml:2: host.cache.request: ", "one page of 4 KiB"}},
    {"HostCacheDaemonBehindWriters",
     "[host.cache]\ndirty_background = 0.5\n",
     {},
     {"bad.toml:2: host.cache.dirty_background: ", "more than host.cache.dirty_hard"}},
    {"HostCacheUnknownPolicy",
     "[host.cache]\nreplacement = \"lruu\"\n",
     {},
     {"bad.toml:2: host.cache.replacement: ", "lruu", "lru_dpl_cd"}},
    {"UnitDoesNotDividePage",
     "[ftl]\nmapping_unit = \"3 KiB\"\n",
     {},
     {"bad.toml:2: ftl.mapping_unit: 3 KiB does not divide nand.page_size, 4 KiB"}},
    {"UnitLargerThanPage",
     "[ftl]\nmapping_unit = \"8 KiB\"\n",
     {},
     {"bad.toml:2: ftl.mapping_unit: ", "does not divide"}},
    {"UnitNotSectors",
     "[nand]\npage_size = \"16 KiB\"\n[ftl]\nmapping_unit = \"1 KiB\"\n[host_interface]\nsector_size = \"4 KiB\"\n",
     {},
     {"bad.toml:4: ftl.mapping_unit: ", "sector_size"}},
    {"UnitOfTooManySectors",
     "[nand]\npage_size = \"64 KiB\"\n[ftl]\nmapping_unit = \"64 KiB\"\n",
     {},
     {"bad.toml:4: ftl.mapping_unit: ", "64 sectors", "32 KiB"}},
    {"PageNotSectors", "[nand]\npage_size = \"1000 B\"\n", {}, {"bad.toml:2: nand.page_size: ", "sector_size"}},
    {"OddSector",
     "[host_interface]\nsector_size = \"520 B\"\n",
     {},
     {"bad.toml:2: host_interface.sector_size: ", "512 B or 4 KiB"}},
    {"OneShotDoesNotDivide",
     "[nand]\npages_per_program = 3\n",
     {},
     {"bad.toml:2: nand.pages_per_program: 3 does not divide nand.pages, 256"}},
    {"MorePageTypesThanPages",
     "[nand]\npages = 1\nread_time = [\"1 us\", \"2 us\"]\n",
     {},
     {"bad.toml:3: nand.read_time: 2 page types"}},
    {"TimesOfUnequalPageTypes",
     "[nand]\nread_time = [\"1 us\", \"2 us\"]\nprogram_time = [\"1 us\", \"2 us\", \"3 us\"]\n",
     {},
     {"bad.toml:2: nand.read_time: 2 values beside 3 of nand.program_time"}},
    {"ShadowOrderOfOneShotPrograms",
     "[nand]\npages = 96\npages_per_program = 3\npage_order = \"shadow\"\n",
     {},
     {"bad.toml:4: nand.page_order: ", "valid: word_line"}},
    {"ShadowOrderOfBrokenWordLines",
     "[nand]\npages = 128\nprogram_time = [\"1 us\", \"2 us\", \"3 us\"]\npage_order = \"shadow\"\n",
     {},
     {"bad.toml:4: nand.page_order: ", "3 page types do not divide nand.pages, 128"}},
    {"MultiPlaneReadOfOnePlane",
     "[nand]\nmulti_plane_read = true\n",
     {},
     {"bad.toml:2: nand.multi_plane_read: needs nand.planes above 1"}},
    {"CopybackOfOneShotPrograms",
     "[nand]\npages = 96\npages_per_program = 3\ncopyback = true\n",
     {},
     {"bad.toml:4: nand.copyback: a page register holds one page"}},
    {"TooManyUnits", "[nand]\nchannels = 64\nways = 64\nblocks = 65536\n", {}, {"ftl.mapping_unit: ", "2^32 - 2"}},
    {"TooManyDies", "[nand]\nchannels = 256\nways = 256\ndies = 2\n", {}, {"bad.toml:2: nand.channels: ", "65536"}},
    {"OddBus", "[nand]\nbus_width = 12\n", {}, {"bad.toml:2: nand.bus_width: ", "8 or 16"}},
    {"GcThresholdsCrossed",
     "[ftl]\ngc_low = 5\n",
     {},
     {"bad.toml:1 (default): ftl.gc_high: 3 is not above ftl.gc_low, 5"}},
    {"GcKeepsTooMuchFree", "[ftl]\ngc_high = 200\n", {}, {"bad.toml:2: ftl.gc_high: ", "at most half of them, 128"}},
    {"NoSpareBlocks", "[nand]\nblocks = 32\n", {}, {"ftl.over_provisioning: ", "leaves no room", "1 for metadata", "at least 0.2801"}},
    {"TooFewBlocks", "[nand]\nblocks = 6\n", {}, {"ftl.over_provisioning: ", "raise nand.blocks"}},
    {"LogicalSizeTooLarge",
     "[ftl]\nlogical_size = \"4 GiB\"\n",
     {},
     {"bad.toml:2: ftl.logical_size: 4 GiB for the host out of 4 GiB", "at most 3984 MiB"}},
    {"LogicalSizeNotUnits",
     "[ftl]\nlogical_size = \"1000 B\"\n",
     {},
     {"bad.toml:2: ftl.logical_size: ", "no multiple of ftl.mapping_unit"}},
    {"BufferLargerThanDram",
     "[dram]\nsize = \"8 MiB\"\n",
     {},
     {"bad.toml (default): buffer.size: 16 MiB is more than dram.size, 8 MiB"}},
    {"MapDoesNotFitDram", "[dram]\nsize = \"17 MiB\"\n", {}, {"bad.toml:2: dram.size: ", "L2P table"}},
    {"MapInMissingNvram",
     "[ftl]\nmap_location = \"nvram\"\n",
     {},
     {"bad.toml:2: ftl.map_location: ", "no nvram is fitted"}},
    {"MapDoesNotFitNvram",
     "[ftl]\nmap_location = \"nvram\"\n[nvram]\nkind = \"feram\"\nsize = \"1 MiB\"\n",
     {},
     {"bad.toml:5: nvram.size: ", "L2P table"}},
    {"BufferInMissingNvram",
     "[buffer]\nlocation = \"nvram\"\n",
     {},
     {"bad.toml:2: buffer.location: ", "no nvram is fitted"}},
    {"BufferDoesNotFitNvram",
     "[buffer]\nlocation = \"nvram\"\nsize = \"1 MiB\"\n[nvram]\nkind = \"feram\"\nsize = \"1 MiB\"\n",
     {},
     {"bad.toml:6: nvram.size: ", "headers", "at least 1040 KiB"}},
    {"NvramWithoutKind",
     "[nvram]\nsize = \"1 MiB\"\n",
     {},
     {"bad.toml:1 (default): nvram.kind: ", "no kind is fitted"}},
    {"NvramWithoutSize", "[nvram]\nkind = \"pcm\"\nsize = \"0 B\"\n", {}, {"bad.toml:3: nvram.size: ", "pcm"}},
    {"BufferBelowProgramUnit",
     "[buffer]\nsize = \"2 KiB\"\n",
     {},
     {"bad.toml:2: buffer.size: ", "program unit", "at least 4 KiB"}},
    {"RefreshWithoutInterval",
     "[dram]\nrefresh_time = \"100 ns\"\n",
     {},
     {"bad.toml:2: dram.refresh_time: ", "both or neither"}},
    {"RefreshAllTheTime",
     "[dram]\nrefresh_time = \"2 us\"\nrefresh_interval = \"1 us\"\n",
     {},
     {"bad.toml:2: dram.refresh_time: 2 us is not below"}},
    {"NoSuchLaneCount", "[link]\nlanes = 3\n", {}, {"bad.toml:2: link.lanes: 3 lanes", "1, 2, 4, 8"}},
    {"NvmeOverSata",
     "[link]\nkind = \"sata\"\n",
     {},
     {"bad.toml (default): host_interface.kind: ", "\"nvme\" does not run over"}},
    {"SataQueues",
     "[link]\nkind = \"sata\"\n[host_interface]\nkind = \"sata\"\nqueue_depth = 32\n[host]\nqueues = 2\n",
     {},
     {"bad.toml:7: host.queues: SATA has one queue"}},
    {"SataDepth",
     "[link]\nkind = \"sata\"\n[host_interface]\nkind = \"sata\"\nqueue_depth = 64\n",
     {},
     {"bad.toml:5: host_interface.queue_depth: ", "1 .. 32"}},
};

const std::vector<BadConfig> kPower = {
    {"CapBelowOneErase",
     "[power]\ncap = \"50 mW\"\n",
     {},
     {"bad.toml:2: power.cap: 50 mW does not allow", "16 dies", "at least 82.995 mW"}},
    {"StateWithoutStates", "[power]\nstate = 1\n", {}, {"bad.toml:2: power.state: 1 is not one of the 0"}},
    {"StateServesNothing",
     "[power]\n[[power.states]]\noperational = false\nidle_power = \"1 W\"\n",
     {},
     {"power.state: 0 is not one of the 1 power states, or serves no commands"}},
    {"StatesNoArray", "[power.states]\nmax_power = \"1 W\"\n", {}, {"bad.toml:1: power.states: must be of type array"}},
    {"StateUnknownKey",
     "[[power.states]]\n[[power.states]]\nmax_powr = \"1 W\"\n",
     {},
     {"bad.toml:3: power.states.max_powr: no such key; valid: ", "max_power"}},
    {"StateWrongUnit",
     "[[power.states]]\nexit_latency = \"1 W\"\n",
     {},
     {"bad.toml:2: power.states.exit_latency: ", "us"}},
    {"StateTooLow", "[[power.states]]\nmax_power = \"1 mW\"\n", {}, {"power.states: 1 mW does not allow"}},
    {"OperationalIdles",
     "[[power.states]]\nidle_power = \"1 mW\"\n",
     {},
     {"power.states: an operational state has neither"}},
    {"StatesOverlap",
     "",
     {"power.states=[{}, { operational = false, idle_time = \"1 ms\", entry_latency = \"2 ms\" }, "
      "{ operational = false, idle_time = \"3 ms\" }]"},
     {"power.states: the state that is entered after 1 ms has not been reached when the one after 3 ms"}},
};

const std::vector<BadConfig> kOverrides = {
    {"SetUnknownKey", "", {"nand.chanels=3"}, {"--set nand.chanels: nand.chanels: ", "did you mean \"channels\""}},
    {"SetUnknownTable", "", {"nnad.channels=3"}, {"--set nnad.channels: nnad: ", "did you mean \"nand\""}},
    {"SetWrongUnit", "", {"nand.read_time=25"}, {"--set nand.read_time: nand.read_time: ", "us"}},
    {"SetBareWrongUnit", "", {"nand.read_time=25 MiB"}, {"--set nand.read_time: nand.read_time: ", "\"MiB\""}},
    {"SetOutOfRange", "", {"nand.channels=0"}, {"--set nand.channels: nand.channels: 0 is out of range"}},
    {"SetNothing", "", {"nand.channels="}, {"--set nand.channels: ", "no value"}},
    {"SetNoAssignment", "", {"nand.channels"}, {"--set nand.channels: ", "path=value"}},
    {"SetEmptyPath", "", {"=3"}, {"--set : ", "no path"}},
    {"SetDoubleDot", "", {"nand..channels=3"}, {"--set nand..channels: ", "no path"}},
    {"SetBelowAValue",
     "[nand]\nways = 2\n",
     {"nand.ways.x=3"},
     {"--set nand.ways.x: nand.ways: is an integer, not a table"}},
    {"SetImpossible",
     "[ftl]\nmapping_unit = \"4 KiB\"\n",
     {"nand.page_size=2 KiB"},
     {"bad.toml:2: ftl.mapping_unit: ", "does not divide nand.page_size, 2 KiB"}},
    {"SetTwoValues", "", {"seed=1\nverify=true"}, {"--set seed: seed: ", "integer", "a string"}},
    {"SetUnknownParameter",
     "",
     {"buffer.replacement.depth=3"},
     {"--set buffer.replacement.depth: buffer.replacement.depth: "}},
};

std::string case_name(const testing::TestParamInfo<BadConfig>& test) { return test.param.name; }

INSTANTIATE_TEST_SUITE_P(Syntax, BadConfigTest, testing::ValuesIn(kSyntax), case_name);
INSTANTIATE_TEST_SUITE_P(Values, BadConfigTest, testing::ValuesIn(kValues), case_name);
INSTANTIATE_TEST_SUITE_P(Parts, BadConfigTest, testing::ValuesIn(kParts), case_name);
INSTANTIATE_TEST_SUITE_P(Combinations, BadConfigTest, testing::ValuesIn(kCombinations), case_name);
INSTANTIATE_TEST_SUITE_P(Power, BadConfigTest, testing::ValuesIn(kPower), case_name);
INSTANTIATE_TEST_SUITE_P(Overrides, BadConfigTest, testing::ValuesIn(kOverrides), case_name);

TEST(BadConfigFile, MissingFileAndDirectory) {
  EXPECT_THROW(load_config("no/such/device.toml"), ConfigError);
  EXPECT_THROW(load_config("/"), ConfigError);
}

}  // namespace
}  // namespace flashloom
