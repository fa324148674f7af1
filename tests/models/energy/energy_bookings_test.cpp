// Bookings take a short way where they can: it must give what the long one does.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "models/energy/energy_ledger.hpp"

namespace flashloom::energy_bookings_test {
namespace {

Picoseconds present = 0;
Picoseconds at_present() { return present; }

std::vector<PowerState> nand_states() {
  return {{"idle", 33e-6, kBackground}, {"read", 0.0825, "nand.read"}, {"program", 0.0825, "nand.program"}};
}

void look_at(const EnergyLedger& ledger, const EnergyMeter& die, const EnergyMeter& dram, int i, Picoseconds die_free) {
  if (i % 11 == 0) {
    EXPECT_LE(die.residency(1), die_free);
  }
  if (i % 13 == 0) {
    EXPECT_GT(ledger.joules_until(present) + 1, static_cast<double>(dram.counted(0)) * 70e-12);
  }
  if (i % 17 == 0) {
    EXPECT_EQ(die.busy_until(), die_free);
  }
}

/// Random bookings, some of them ahead, some adjoining, over several widths of the record's steps, with a cut. With `look`
/// somebody asks for a figure now and then.
void book_at_random(EnergyLedger& ledger, std::uint64_t seed, bool look = false) {
  present = 0;
  EnergyMeter& die = ledger.add("die0", "nand", nand_states());
  EnergyMeter& dram = ledger.add("dram", "dram", {{"standby", 0.1, kBackground}},
                                 {{"read", 70e-12, "dram.read"}, {"write", 60e-12, "dram.write"}});
  std::mt19937_64 random(seed);
  Picoseconds die_free = 0, dram_free = 0;
  for (int i = 0; i < 4000; ++i) {
    if (i == 1500) ledger.begin(present);
    if (i == 3000) {
      die.truncate(present);
      dram.truncate(present);
      die_free = dram_free = present;
    }
    const Picoseconds from = die_free + (random() % 3 == 0 ? random() % (50 * kMicrosecond) : 0);
    die_free = from + random() % (60 * kMicrosecond);
    die.busy(1 + random() % 2, from, die_free);
    dram_free = std::max(dram_free, present) + random() % (2 * kMicrosecond);
    dram.count(random() % 2, random() % 4096, dram_free, dram_free + random() % (3 * kMicrosecond));
    if (i % 7 == 0) dram.count(0, 64, present);
    if (look) look_at(ledger, die, dram, i, die_free);
    if (die_free > present + 100 * kMicrosecond) present = die_free - random() % (100 * kMicrosecond);
  }
  ledger.finish(std::max({present, die_free, dram_free}) + kMillisecond);
}

void expect_same(const EnergyReport& a, const EnergyReport& b) {
  EXPECT_EQ(a.total_j, b.total_j);
  EXPECT_EQ(a.peak_w, b.peak_w);
  EXPECT_EQ(a.power.watts, b.power.watts);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t state = 0; state < a.components[i].states.size(); ++state) {
      EXPECT_EQ(a.components[i].states[state].residency, b.components[i].states[state].residency);
      EXPECT_EQ(a.components[i].states[state].intervals, b.components[i].states[state].intervals);
    }
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(a.components[1].operations[i].count, b.components[1].operations[i].count);
}

// What waits in the log is booked as where somebody looks at each kind, for whom nothing waits.
TEST(EnergyLedger, TheShortWayBooksTheSame) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EnergyLedger plain(kMillisecond, true, at_present), looked_at(kMillisecond, true, at_present);
    looked_at.record_kinds();
    book_at_random(plain, seed);
    book_at_random(looked_at, seed);
    expect_same(plain.report(), looked_at.report());
  }
}

// To the last bit: the sums are made in the order of the bookings, whenever that is.
TEST(EnergyLedger, WhoLooksAtAFigureChangesNone) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EnergyLedger plain(kMillisecond, true, at_present), looked_at(kMillisecond, true, at_present);
    book_at_random(plain, seed);
    book_at_random(looked_at, seed, true);
    expect_same(plain.report(), looked_at.report());
  }
}

}  // namespace
}  // namespace flashloom::energy_bookings_test
