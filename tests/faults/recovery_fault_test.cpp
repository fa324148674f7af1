// The torture harness must catch broken recoveries within 300 power cuts, and find nothing in 100 cuts of the others.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "controllers/runtime/fault.hpp"
#include "sc_main/verify/drive_torture.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::recovery_fault_test {
namespace {

struct Case {
  Fault fault;
  std::string name;
  std::vector<std::string> overrides;
};

const std::vector<std::string> kPairedPages = {"nand.blocks=24",
                                               "nand.pages=16",
                                               "nand.paired_pages=true",
                                               "nand.page_order=shadow",
                                               "nand.program_time=[\"300 us\", \"900 us\"]",
                                               "nand.read_time=[\"30 us\", \"50 us\"]",
                                               "buffer.size=512 KiB"};

const Case kCases[] = {
    {Fault::OlderVersion, "OlderVersion", {}},
    {Fault::LogEntrySkipped, "LogEntrySkipped", {"ftl.recovery={name=\"journal\",interval=\"8 MiB\"}"}},
    {Fault::TombstoneIgnored, "TombstoneIgnored", {}},
    {Fault::StaleCheckpoint, "StaleCheckpoint", {"ftl.recovery=checkpoint"}},
    {Fault::GarbageTaken, "GarbageTaken", {}},
    {Fault::EraseBeforeTrim, "EraseBeforeTrim", {}},
    {Fault::WordLineForgotten, "WordLineForgotten", kPairedPages},
    {Fault::EraseUnpadded, "EraseUnpadded", {"nand.partial_erase_limit=1"}}};

void PrintTo(const Case& broken, std::ostream* out) { *out << broken.name; }

const char* const kOften = "ftl.recovery={name=\"checkpoint\",interval=\"256 KiB\"}";

// FTLs that map blocks, each with the mount faults that it implements.
std::vector<Case> cases() {
  std::vector<Case> all(std::begin(kCases), std::end(kCases));
  for (const char* ftl : {"log_block", "fast", "block_map"}) {
    const std::string kind = std::string("ftl.kind=") + ftl;
    const auto add = [&](Fault fault, const char* name, std::vector<std::string> overrides = {}) {
      overrides.push_back(kind);
      all.push_back({fault, name + std::string("_") + ftl, overrides});
    };
    add(Fault::OlderVersion, "OlderVersion");
    add(Fault::TombstoneIgnored, "TombstoneIgnored");
    add(Fault::LogEntrySkipped, "LogEntrySkipped");
    add(Fault::LogBlockForgotten, "LogBlockForgotten");
    add(Fault::GarbageTaken, "GarbageTaken");
    add(Fault::StaleCheckpoint, "StaleCheckpoint", {kOften});
    add(Fault::OlderVersion, "OlderVersion_checkpoint", {kOften});
    add(Fault::TombstoneIgnored, "TombstoneIgnored_checkpoint", {kOften});
    add(Fault::LogEntrySkipped, "LogEntrySkipped_journal", {"ftl.recovery={name=\"journal\",interval=\"8 MiB\"}"});
    add(Fault::EntryForgotten, "EntryForgotten", {kOften});
  }
  // Demand-paged FTL: checkpoints of the directory.
  const auto paged = [&](Fault fault, const char* name, const char* recovery) {
    all.push_back({fault, name, {"ftl.kind={name=\"dftl\",cmt_size=\"256 B\"}", recovery}});
  };
  paged(Fault::StaleCheckpoint, "StaleCheckpoint_dftl", "ftl.recovery=checkpoint");
  paged(Fault::EntryForgotten, "EntryForgotten_dftl", kOften);
  paged(Fault::OlderVersion, "OlderVersion_dftl", kOften);
  paged(Fault::TombstoneIgnored, "TombstoneIgnored_dftl", kOften);
  paged(Fault::LogEntrySkipped, "LogEntrySkipped_dftl", "ftl.recovery={name=\"journal\",interval=\"8 MiB\"}");
  all.push_back({Fault::EraseBeforeTrim, "EraseBeforeTrim_log_block", {"ftl.kind=log_block"}});
  all.push_back(
      {Fault::EraseUnpadded, "EraseUnpadded_log_block", {"ftl.kind=log_block", "nand.partial_erase_limit=1"}});
  all.push_back({Fault::EraseBeforeTrim, "EraseBeforeTrim_fast", {"ftl.kind=fast"}});
  for (const auto& [fault, name] : {std::pair{Fault::OpenNotRecorded, "OpenNotRecorded"},
                                    {Fault::RecordedTooEarly, "RecordedTooEarly"},
                                    {Fault::DataNotRecorded, "DataNotRecorded"},
                                    {Fault::TrimNotRecorded, "TrimNotRecorded"}})
    all.push_back({fault, name, {"ftl.kind=nvram_block", "ftl.recovery=nvram_map", "nvram.kind=stt_mram"}});
  std::vector<std::string> paired = kPairedPages;
  paired.push_back("ftl.kind=fast");
  all.push_back({Fault::WordLineForgotten, "WordLineForgotten_fast", paired});
  all.push_back({Fault::WordLineForgotten,
                 "WordLineForgotten_two_passes",
                 {"nand.pages=16", "nand.pages_per_program=4", "nand.program_passes=2", "nand.first_pass_time=200 us",
                  "buffer.size=1 MiB"}});
  const std::vector<std::string> lost_die = {"nand.blocks=32",
                                             "nand.spare_size=2208 B",
                                             "nand.errors.model=power_law",
                                             "nand.errors.base=0",
                                             "nand.errors.wear_factor=0",
                                             "nand.errors.retention_factor=0",
                                             "nand.errors.disturb_factor=0",
                                             "ftl.gc_unit=superblock",
                                             "ftl.rain=1",
                                             "buffer.size=128 KiB",
                                             "ftl.over_provisioning=4",
                                             "nand.die_failure_at=900",
                                             "nand.failed_die=2"};
  all.push_back({Fault::ParityForgotten, "ParityForgotten", lost_die});
  all.push_back({Fault::StripeMixedUp, "StripeMixedUp", lost_die});
  return all;
}

class BrokenRecovery : public testing::TestWithParam<Case> {};

TEST_P(BrokenRecovery, IsCaughtWithinThreeHundredCuts) {
  const Case& broken = GetParam();
  std::vector<std::string> overrides = {"nand.blocks=20", "nand.pages=8", "buffer.size=64 KiB",
                                        "ftl.over_provisioning=1.5"};
  overrides.insert(overrides.end(), broken.overrides.begin(), broken.overrides.end());
  const DeviceConfig config = small_preset("tiny", overrides);
  selected_fault = broken.fault;
  DriveTorture drive(config, 1);
  const bool unnoticed = drive.run(300);
  selected_fault = Fault::None;
  EXPECT_FALSE(unnoticed);
  std::printf("cut %d: %s\n", static_cast<int>(drive.failure().cut), drive.failure().what.c_str());
  EXPECT_TRUE(DriveTorture(config, 1).run(100)) << "without the fault";
}

INSTANTIATE_TEST_SUITE_P(Faults, BrokenRecovery, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace flashloom::recovery_fault_test
