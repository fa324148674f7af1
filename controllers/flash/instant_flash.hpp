// The instant back end: commands are carried out when they are handed over.
#pragma once

#include "controllers/flash/ecc_engine.hpp"
#include "controllers/flash/flash_counters.hpp"
#include "controllers/flash/flash_port.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

class InstantFlash final : public FlashPort {
 public:
  InstantFlash(NandMedia& media, const NandTiming& timing) : media_(media), timing_(timing) { synchronous_ = true; }

  /// Throws FirmwareViolation for an illegal command.
  bool submit(OnfiCommand& command) override;
  bool copy(OnfiCommand& read, OnfiCommand& program, std::uint32_t first, std::span<const Copied> units) override;
  bool read_units(Origin origin, std::span<const std::uint32_t> units, const OobWord* words) override;
  void program_by_rule(OnfiCommand& command, std::uint32_t number) override;
  void program_turns_by_rule(const OnfiCommand& command, std::span<const FlashAddress> places, std::uint32_t number,
                             std::uint32_t turns) override;
  std::uint32_t queued(Die) const override { return 0; }

  /// From now on what is read goes through `ecc`.
  void correct_by(EccEngine& ecc) {
    ecc_ = &ecc;
    synchronous_ = false;
  }

  FlashCounters& counters() { return counters_; }
  const FlashCounters& counters() const { return counters_; }

 private:
  void carry_out(OnfiCommand& command);
  bool copy_each(OnfiCommand& read, OnfiCommand& program, std::uint32_t first, std::span<const Copied> units);
  template <class UnitOf>
  void count_reads(Origin origin, std::size_t units, UnitOf unit_of);
  [[gnu::noinline]] void carry_out_group(OnfiCommand& command);
  [[gnu::cold]] void apply_and_decode(OnfiCommand& command);

  NandMedia& media_;
  const NandTiming& timing_;
  FlashCounters counters_;
};

}  // namespace flashloom
