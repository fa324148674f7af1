// The ledger's fast path for bookings must book what the general path books.
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

/// Random bookings, some ahead of time, some adjoining, over several step widths of the record, with a power cut.
void book_at_random(EnergyLedger& ledger, std::uint64_t seed) {
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
    if (die_free > present + 100 * kMicrosecond) present = die_free - random() % (100 * kMicrosecond);
  }
  ledger.finish(std::max({present, die_free, dram_free}) + kMillisecond);
}

// A ledger without records by kind (the fast path) books what one with them books.
TEST(EnergyLedger, TheShortWayBooksTheSame) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EnergyLedger plain(kMillisecond, true, at_present), looked_at(kMillisecond, true, at_present);
    looked_at.record_kinds();
    book_at_random(plain, seed);
    book_at_random(looked_at, seed);
    const EnergyReport a = plain.report(), b = looked_at.report();
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
}

}  // namespace
}  // namespace flashloom::energy_bookings_test
