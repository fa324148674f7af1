#include "sc_main/verify/die_losses.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace flashloom {

DieLosses::DieLosses(const DeviceConfig& config, const NandGeometry& geometry, const NandMedia& media,
                     const EccEngine* ecc)
    : media_(media),
      ecc_(ecc),
      die_failure_(config.nand.die_failure_at != 0),
      parity_(config.ftl.rain != 0 && config.nand.program_failure_rate == 0 && config.nand.failed_program == 0),
      die_(config.nand.failed_die),
      unit_bytes_(geometry.unit_bytes),
      die_bytes_(std::uint64_t{geometry.blocks} * geometry.units_per_block() * geometry.unit_bytes) {}

bool DieLosses::anything_may_be_lost() const {
  if (ecc_ == nullptr) return false;
  const EccStatistics& reads = ecc_->statistics();
  return !die_failure_ || reads.uncorrectable_total() != reads.on_dead_die;
}

std::string DieLosses::check(const std::vector<std::uint64_t>& unreadable) {
  if (anything_may_be_lost()) return {};
  if (!parity_ && !known_ && die_failure_ && media_.dead(die_)) {
    known_ = true;
    lost_ = unreadable;
    std::ranges::sort(lost_);
    return check(unreadable.size() * unit_bytes_);
  }
  for (const std::uint64_t at : unreadable)
    if (!std::ranges::binary_search(lost_, at))
      return fmt::format("the unit at {} cannot be read, and was not lost with a die", at);
  return {};
}

std::string DieLosses::check(std::uint64_t unreadable_bytes) const {
  if (anything_may_be_lost()) return {};
  const std::uint64_t most = die_failure_ && !parity_ && media_.dead(die_) ? die_bytes_ : 0;
  if (unreadable_bytes <= most) return {};
  return fmt::format("{} bytes cannot be read, and {} may have been lost with a die", unreadable_bytes, most);
}

}  // namespace flashloom
