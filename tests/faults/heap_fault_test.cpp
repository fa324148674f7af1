// Faults of the object heap, which its torture must find.
#include <gtest/gtest.h>

#include "controllers/runtime/fault.hpp"
#include "sc_main/stack/heap/heap_torture.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/unreadable_pages.hpp"

namespace flashloom::heap_fault_test {
namespace {

/// The failure that torture found; empty: none.
std::string verdict(Fault fault, const char* atomic, std::vector<std::string> more = {}, std::uint64_t cuts = 300) {
  more.insert(more.begin(),
              {"heap.nvram.kind=stt_mram", "heap.nvram.size=512 KiB", "heap.objects=64", "heap.in_flight=64",
               "nand.blocks=32", "heap.nvram.write_latency=20 us", std::string("heap.atomic=") + atomic});
  const DeviceConfig config = small_preset("tiny", more);
  return in_child([&]() -> Json {
    selected_fault = fault;
    HeapTorture torture(config, 1);
    return torture.run(cuts) ? "" : torture.failure().what;
  });
}

TEST(HeapFaults, AreFound) {
  EXPECT_EQ(verdict(Fault::None, "page"), "");
  EXPECT_EQ(verdict(Fault::None, "object"), "");
  EXPECT_NE(verdict(Fault::SlotNamedEarly, "page"), "");
  EXPECT_NE(verdict(Fault::CommitForgotten, "object"), "");
}

TEST(HeapFaults, OfPagesThatAreLostAreFound) {
  const std::vector<std::string> unreadable = unreadable_pages(1.8e-3);
  for (const char* const atomic : {"page", "object"}) {
    EXPECT_EQ(verdict(Fault::None, atomic, unreadable), "");
    EXPECT_NE(verdict(Fault::LostAsZeroes, atomic, unreadable), "");
    EXPECT_NE(verdict(Fault::LostMadeGood, atomic, unreadable), "");
  }
  // The cut must come between the next update of the object and the one after it.
  EXPECT_NE(verdict(Fault::ShadowsLeft, "object", unreadable, 3000), "");
}

}  // namespace
}  // namespace flashloom::heap_fault_test
