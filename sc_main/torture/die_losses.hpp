// What may be lost with a die that fails (nand.die_failure_at): what reads of that die could not correct, and of that
// only what is found lost as soon as it has failed. With parity over dies (ftl.rain) nothing, unless parity could not be
// programmed either.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controllers/flash/ecc_engine.hpp"
#include "models/nand/nand_media.hpp"
#include "sc_main/config/device_config.hpp"

namespace flashloom {

class DieLosses {
 public:
  /// `ecc`: null without nand.errors. All outlive it.
  DieLosses(const DeviceConfig& config, const NandGeometry& geometry, const NandMedia& media, const EccEngine* ecc);

  /// Offsets of the units that reading all of the device has found unreadable, in any order. What was lost that should
  /// not have been; empty: nothing.
  std::string check(const std::vector<std::uint64_t>& unreadable);
  /// The same where only their number is known.
  std::string check(std::uint64_t unreadable_bytes) const;

 private:
  /// Bit errors lose units anywhere.
  bool anything_may_be_lost() const;

  const NandMedia& media_;
  const EccEngine* ecc_;
  bool die_failure_;
  bool parity_;
  Die die_;
  std::uint64_t unit_bytes_;
  std::uint64_t die_bytes_;
  std::vector<std::uint64_t> lost_;  // when it had failed, sorted
  bool known_ = false;
};

}  // namespace flashloom
