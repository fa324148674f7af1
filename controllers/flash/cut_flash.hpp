// Cuts the power on the instant clock: before the instant back end, it lets flash commands through until the one that
// the cut strikes. From then on nothing completes, so that the firmware comes to rest wherever it is.
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

  /// Which command the cut strikes: the `count`-th from now (from 1) of those that fit.
  struct Target {
    std::uint64_t count = 0;  ///< 0: none
    std::optional<FlashOperation> operation{};
    std::optional<Origin> origin{};
  };
  /// What the cut makes of it, and of the first command that comes afterwards to each other die (they are in flight at
  /// the same time), is drawn from `seed`: mostly torn, but it may be done already, or not have begun.
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
  void program_by_rule(OnfiCommand& command, std::uint32_t number) override { flash_.program_by_rule(command, number); }
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
