// Cuts power on the instant clock: passes flash commands on to the instant back end until the one that the cut strikes.
// From then on no command completes, so that all firmware coroutines stop where they are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "controllers/flash/instant_flash.hpp"

namespace flashloom {

class CutFlash final : public FlashPort {
 public:
  explicit CutFlash(InstantFlash& flash, NandMedia& media) : flash_(flash), media_(media) {
    ecc_ = flash.ecc();
    synchronous_ = flash.synchronous();
  }

  /// The command that the cut strikes: the `count`-th one from now (from 1) of this operation and origin, if given.
  struct Target {
    std::uint64_t count = 0;  ///< 0: none
    std::optional<FlashOperation> operation{};
    std::optional<Origin> origin{};
  };
  /// The outcome of the struck command is drawn from `seed`: mostly torn, else complete or not begun. The same holds
  /// for the next command to each other die, which counts as in flight at the same time.
  void arm(const Target& target, std::uint64_t seed);
  /// Power is back.
  void power_on();

  bool cut() const { return cut_; }
  /// The command that the cut struck; meaningful after a cut.
  struct Struck {
    FlashOperation operation;
    Origin origin;
    FlashAddress address;
    std::uint64_t number;  ///< of the commands since arm(), from 1
  };
  const Struck& struck() const { return struck_; }

  bool submit(OnfiCommand& command) override;
  bool copy(OnfiCommand& read, OnfiCommand& program, std::uint32_t first, std::span<const Copied> units) override {
    return flash_.copy(read, program, first, units);
  }
  bool read_units(Origin origin, std::span<const std::uint32_t> units, const OobWord* words) override {
    return flash_.read_units(origin, units, words);
  }
  void program_by_rule(OnfiCommand& command, std::uint32_t number) override { flash_.program_by_rule(command, number); }
  void program_turns_by_rule(const OnfiCommand& command, std::span<const FlashAddress> places, std::uint32_t number,
                             std::uint32_t turns) override {
    flash_.program_turns_by_rule(command, places, number, turns);
  }
  std::uint32_t queued(Die) const override { return 0; }

 private:
  void strike(OnfiCommand& command);

  InstantFlash& flash_;
  NandMedia& media_;
  Target target_;
  std::uint64_t seed_ = 0;
  std::uint64_t drawn_ = 0;
  std::uint64_t number_ = 0;
  bool cut_ = false;
  Struck struck_{};
  std::vector<bool> struck_dies_;
};

}  // namespace flashloom
