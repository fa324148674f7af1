// Faults of the object heap that its torture must find.
#include <gtest/gtest.h>

#include "controllers/runtime/fault.hpp"
#include "sc_main/torture/heap_torture.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/in_child.hpp"

namespace flashloom::heap_fault_test {
namespace {

/// What was found wrong; empty: nothing.
std::string verdict(Fault fault, const char* atomic) {
  const DeviceConfig config = small_preset(
      "tiny", {"heap.nvram.kind=stt_mram", "heap.nvram.size=512 KiB", "heap.objects=64", "heap.in_flight=64",
               "nand.blocks=32", "heap.nvram.write_latency=20 us", std::string("heap.atomic=") + atomic});
  return in_child([&]() -> Json {
    selected_fault = fault;
    HeapTorture torture(config, 1);
    return torture.run(300) ? "" : torture.failure().what;
  });
}

TEST(HeapFaults, AreFound) {
  EXPECT_EQ(verdict(Fault::None, "page"), "");
  EXPECT_EQ(verdict(Fault::None, "object"), "");
  EXPECT_NE(verdict(Fault::SlotNamedEarly, "page"), "");
  EXPECT_NE(verdict(Fault::CommitForgotten, "object"), "");
}

}  // namespace
}  // namespace flashloom::heap_fault_test
