// Checks which data is lost with a failing die (nand.die_failure_at): only data on that die may be lost, and only such
// as is found lost right after the failure. With parity over dies (ftl.rain) none may be lost, unless the parity itself
// could not be programmed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controllers/flash/ecc_engine.hpp"
#include "models/nand/nand_media.hpp"
#include "sc_main/assembly/config/device_config.hpp"

namespace flashloom {

class DieLosses {
 public:
  /// `ecc`: null without nand.errors. The arguments outlive it.
  DieLosses(const DeviceConfig& config, const NandGeometry& geometry, const NandMedia& media, const EccEngine* ecc);

  /// `unreadable`: offsets of the units that a read of the whole device found unreadable, in any order. Returns a
  /// message about data that should not have been lost; empty: there is none.
  std::string check(const std::vector<std::uint64_t>& unreadable);
  /// The same if only the number of bytes is known.
  std::string check(std::uint64_t unreadable_bytes) const;

 private:
  /// Whether bit errors may lose units on any die.
  bool anything_may_be_lost() const;

  const NandMedia& media_;
  const EccEngine* ecc_;
  bool die_failure_;
  bool parity_;
  Die die_;
  std::uint64_t unit_bytes_;
  std::uint64_t die_bytes_;
  std::vector<std::uint64_t> lost_;  // offsets of units lost at the failure, sorted
  bool known_ = false;
};

}  // namespace flashloom
