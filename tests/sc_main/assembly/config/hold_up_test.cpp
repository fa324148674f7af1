// The energy that capacitors must give for a full buffer: worked by hand, and refused where they are too small for it.
#include "sc_main/assembly/config/hold_up.hpp"

#include <gtest/gtest.h>

#include "tests/support/only_programs.hpp"
#include "tests/support/refused_keys.hpp"

namespace flashloom::hold_up_test {
namespace {

// Four dies of 64 blocks of 32 pages, with as much over-provisioning as data. 1 MiB is 256 programs; each die has an
// open program unit for the host and one for GC.
std::vector<std::string> quiet(const std::vector<std::string>& more = {}) {
  std::vector<std::string> all =
      only_programs_draw({"nand.channels=2", "nand.ways=2", "nand.dies=1", "nand.planes=1", "nand.blocks=64",
                          "nand.pages=32", "nand.page_size=4 KiB", "ftl.mapping_unit=4 KiB",
                          "ftl.over_provisioning=1.0", "nand.read_time=50 us", "nand.erase_time=2 ms",
                          "nand.transfer_rate=400 MT/s", "dram.size=64 MiB", "buffer.size=1 MiB", "power.plp=true"});
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

HoldUpNeed need_of(const std::vector<std::string>& overrides) {
  return hold_up_need(load_config_text("", "quiet.toml", overrides).device);
}

TEST(HoldUpNeed, IsThatOfProgramsAndCopies) {
  const HoldUpNeed need = need_of(quiet());
  EXPECT_EQ(need.programs, 256U + 8U);
  EXPECT_NEAR(need.copies, 264, 1);  // a victim has as many valid units as it makes room for
  EXPECT_NEAR(need.joules, (264 + need.copies) * kProgramJoules, 1e-9);
  const double programs = 264 + need.copies;
  const double wires = (programs + need.copies) * 4096 / 400e6 / 2;
  EXPECT_NEAR(need.seconds, (programs * 500e-6 + need.copies * 50e-6 + (programs / 32 + 4) * 2e-3) / 4 + wires + 2.5e-3,
              1e-9);
}

// Standby power and the losses of the regulators come on top.
TEST(HoldUpNeed, CountsAllPartsForAllThatTime) {
  const double arrays = need_of(quiet()).joules;
  const HoldUpNeed need = need_of(quiet({"cpu.cores=2", "cpu.active_power=0.5 W", "power.regulator_efficiency=0.8"}));
  EXPECT_NEAR(need.joules, (arrays + 2 * 0.5 * need.seconds) / 0.8, 1e-9);
}

// An SRAM in place of the DRAM: each byte of a program or copy crosses it twice, and it leaks.
TEST(HoldUpNeed, CountsAnSramThatStandsInForTheDram) {
  const double arrays = need_of(quiet()).joules;
  const HoldUpNeed need = need_of(quiet({"dram.size=0 B", "sram.size=4 MiB", "sram.read_energy=10 pJ/B",
                                         "sram.write_energy=20 pJ/B", "sram.background_power=50 mW"}));
  const double bytes = (264 + 2 * need.copies) * 4096;
  EXPECT_NEAR(need.joules, arrays + bytes * 2 * 30e-12 + 0.05 * need.seconds, 1e-9);
}

TEST(HoldUp, IsRefusedWhereItDoesNotDo) {
  const std::vector<RefusedKeys> all = {
      {quiet({"power.plp_energy=1 mJ"}),
       {"power.plp_energy", "1 mJ do not bring a full buffer to flash", "1 MiB of buffer.size are 264 programs",
        "on 4 dies", "at least that", "power.plp_flush = \"flash\""}},
      {quiet({"power.plp_energy=1 J", "ftl.kind=log_block"}),
       {"power.plp_energy", "\"log_block\"", "a merge may copy a whole block", "0 J"}},
      {{"power.plp_leakage=1 mW"}, {"power.plp_leakage", "needs power.plp = true"}},
      {{"power.plp_charge_efficiency=0.9"}, {"power.plp_charge_efficiency", "needs power.plp = true"}},
      {{"power.plp=true", "power.plp_flush=dram"}, {"power.plp_flush", "buffer | flash"}}};
  expect_refused("", all);
  // Two erase units a die, less two in all, of 8 units each: (4 x 2 - 2) x 8; with superblocks one superblock's data
  // less a block.
  const std::vector<RefusedKeys> worn_out = {
      {quiet({"nand.endurance=9", "nand.pages=8", "ftl.over_provisioning=2", "buffer.size=196 KiB"}),
       {"buffer.size", "196 KiB holds 49 mapping units", "room for 48", "2 free erase units a die",
        "power.plp_flush = \"flash\""}},
      {quiet({"nand.endurance=9", "nand.pages=8", "ftl.over_provisioning=2", "buffer.size=100 KiB",
              "ftl.gc_unit=superblock"}),
       {"buffer.size", "100 KiB holds 25 mapping units", "room for 24", "2 free superblocks a group"}}};
  expect_refused("", worn_out);
  const std::vector<std::vector<std::string>> fine = {
      quiet({"nand.endurance=9", "nand.pages=8", "ftl.over_provisioning=2", "buffer.size=192 KiB"}),
      quiet({"power.plp_energy=1 J"}), quiet({"power.plp_energy=1 mJ", "power.plp_flush=flash"}),
      quiet({"power.plp_energy=1 mJ", "power.plp_flush=flash", "ftl.kind=log_block"}), quiet({"ftl.kind=log_block"})};
  for (const std::vector<std::string>& keys : fine) EXPECT_EQ(error_of("", keys), "accepted");
}

}  // namespace
}  // namespace flashloom::hold_up_test
