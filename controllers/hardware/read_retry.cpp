#include "controllers/hardware/read_retry.hpp"

#include "controllers/flash/ecc_engine.hpp"
#include "controllers/hardware/flash_batch.hpp"

namespace flashloom {
namespace {

// The page once more, at a level of read voltages, and its decoding.
Task<void> read_at(Hardware& hardware, OnfiCommand& read, std::uint8_t level) {
  read.retry = level;
  read.status = FlashStatus::Good;
  hardware.charge(FirmwareStep::FlashIssue);
  co_await hardware.flash().place(read);
  co_await FlashBatch(hardware.flash(), read);
  co_await hardware.until(read.at.decoded);
  hardware.charge(FirmwareStep::FlashComplete);
}

}  // namespace

Task<void> recover_read(Hardware& hardware, OnfiCommand& read, bool metadata) {
  EccEngine& ecc = *hardware.flash().ecc();
  read.together = read.then = nullptr;
  co_await hardware.until(read.at.decoded);  // then it is known
  for (std::uint32_t level = 1; level <= ecc.levels() && needs_recovery(read); ++level) {
    co_await read_at(hardware, read, static_cast<std::uint8_t>(level));
    ecc.count_retry(read, level, read.status == FlashStatus::Good);
  }
  if (ecc.soft_reads() != 0 && needs_recovery(read)) {
    for (std::uint32_t i = 1; i < ecc.soft_reads(); ++i) co_await read_at(hardware, read, EccEngine::kSense);
    co_await read_at(hardware, read, ecc.soft_level());
    ecc.count_retry(read, ecc.soft_level(), read.status == FlashStatus::Good);
  }
  if (needs_recovery(read)) {
    if (metadata) {
      co_await read_at(hardware, read, EccEngine::kSense);
      ecc.count_rescued();
    } else {
      ecc.count_uncorrectable(read);
    }
  }
  read.retry = 0;
}

}  // namespace flashloom
