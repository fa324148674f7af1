// Moves of bytes for which no coroutine waits.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "controllers/hardware/hardware.hpp"
#include "tests/support/foreign_memories.hpp"

namespace flashloom::move_work_test {
namespace {

struct NoFlash final : FlashPort {
  bool submit(OnfiCommand&) override { return true; }
  std::uint32_t queued(Die) const override { return 0; }
};

struct Page final : Hardware::MoveWork<Page> {
  void moved() {
    note_moved();
    answers.push_back(kernel_now());
  }
  std::vector<Picoseconds> answers;
};

TEST(MoveWork, TheInstantClockNeverWaits) {
  NoFlash flash;
  Hardware hardware(flash);
  Page page;
  Picoseconds end = 0;
  EXPECT_FALSE(page.move(hardware.dram_write(4096, 7), end));
  EXPECT_EQ(end, 7U) << "it takes no time";
}

TEST(MoveWork, AMemoryThatAnswersInPhasesTellsOfItsEnd) {
  NoFlash flash;
  Hardware hardware(flash);
  MemoryPort port("port");
  FourPhases memory("memory", 10 * kNanosecond, 100 * kNanosecond);
  port.socket.bind(memory.socket);
  hardware.use_timed({.flash = &flash, .dram = &port});
  Page page;
  Picoseconds end = 0;
  const Picoseconds begun = kernel_now();
  EXPECT_TRUE(page.move(hardware.dram_write(64), end));
  EXPECT_EQ(end, 0U);
  sc_core::sc_start(kernel_time(kMicrosecond));
  EXPECT_EQ(page.answers, std::vector<Picoseconds>{begun + 110 * kNanosecond});
  EXPECT_EQ(end, begun + 110 * kNanosecond);

  Picoseconds later = kernel_now() + kMillisecond;
  const Picoseconds known = later;
  EXPECT_TRUE(page.move(hardware.dram_read(64), later));
  sc_core::sc_start(kernel_time(kMicrosecond));
  EXPECT_EQ(page.answers.size(), 2U);
  EXPECT_EQ(later, known) << "an end is only moved on";
  EXPECT_FALSE(page.move(hardware.dram_read(0, 5), end)) << "no bytes need no memory";
  EXPECT_FALSE(page.move(hardware.nvram_read(64, 5), end)) << "none is fitted";
}

TEST(MoveWork, ARefusedMoveIsAnError) {
  struct Refusing : FourPhases {
    using FourPhases::FourPhases;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) override {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return tlm::TLM_COMPLETED;
    }
  };
  NoFlash flash;
  Hardware hardware(flash);
  MemoryPort port("port");
  Refusing memory("memory");
  port.socket.bind(memory.socket);
  hardware.use_timed({.flash = &flash, .dram = &port});
  Page page;
  Picoseconds end = 0;
  EXPECT_THROW(page.move(hardware.dram_write(64), end), std::logic_error);
}

}  // namespace
}  // namespace flashloom::move_work_test
