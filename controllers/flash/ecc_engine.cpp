#include "controllers/flash/ecc_engine.hpp"

#include <algorithm>

#include "models/nand/nand_config.hpp"

namespace flashloom {

EccEngine::EccEngine(const NandConfig& config, const NandMedia& media, std::uint64_t scrub_reads,
                     std::uint32_t scrub_level)
    : config_(config.ecc),
      media_(media),
      sectors_per_unit_(media.sectors_per_unit()),
      levels_(static_cast<std::uint32_t>(config.errors.retry_rates.size())),
      scrub_reads_(scrub_reads),
      scrub_level_(scrub_level) {
  reset_statistics();
}

void EccEngine::reset_statistics() {
  statistics_ = {};
  statistics_.retries.resize(levels_);
  statistics_.recovered.resize(levels_);
}

PowerFigures EccEngine::power_figures(const EccConfig& config) {
  return {
      {{"idle", 0, kBackground}},
      {{"decode", config.decode_energy, "ecc.decode"}, {"soft_decode", config.soft_decode_energy, "ecc.soft_decode"}}};
}

void EccEngine::decode(OnfiCommand& read, bool timed) {
  read.at.decoded = timed ? read.at.complete : 0;
  if (read.status != FlashStatus::Good) return;
  if (scrub_reads_ != 0 && watch_ != nullptr &&
      media_.errors()->reads(media_.block_number(read.address)) >= scrub_reads_)
    watch_->weak(read.address.die, read.address.block);
  if (read.retry == kSense || read.spare_only || read.bytes == 0) return;
  const bool soft = read.retry > levels_;
  if (timed) {
    read.at.decoded += soft ? config_.soft_decode_time : config_.decode_time;
    if (meter_ != nullptr)
      meter_->count(soft ? 1 : 0, read.bytes / config_.codeword, read.at.complete, read.at.decoded);
  }
  if (read.bit_errors <= (soft ? config_.soft_strength : config_.strength)) [[likely]]
    return;
  read.status = FlashStatus::Uncorrectable;
  if (read.tokens != nullptr) std::fill_n(read.tokens, std::size_t{read.units} * sectors_per_unit_, SectorToken{0});
}

void EccEngine::count_retry(const OnfiCommand& read, std::uint32_t level, bool good) {
  if (level > levels_) {
    ++statistics_.soft_decodes;
    if (good) ++statistics_.soft_recovered;
  } else {
    ++statistics_.retries[level - 1];
    if (good) ++statistics_.recovered[level - 1];
  }
  if (scrub_level_ != 0 && level >= scrub_level_ && watch_ != nullptr)
    watch_->weak(read.address.die, read.address.block);
}

}  // namespace flashloom
