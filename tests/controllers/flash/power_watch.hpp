// Watches the arrays of a whole device and reports the most that they drew.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "models/nand/nand_energy.hpp"
#include "models/onfi/onfi_protocol.hpp"

namespace flashloom {

/// One watch is attached to every channel. It knows when arrays are busy from the phases alone.
class PowerWatch final : public OnfiObserver {
 public:
  explicit PowerWatch(const NandConfig& config) : idle_(config.idle_watts()), energy_(config) {}

  void on_phase(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) override {
    if (phase == OnfiPhase::EndRequest || phase == OnfiPhase::ArrayRuns) begun_[&command] = at;
    if (phase != OnfiPhase::BeginResponse && phase != OnfiPhase::ArrayStands) return;
    // A cached command's array stands from the end of its request on and has drawn nothing.
    if (const Picoseconds begun = begun_[&command]; begun != at)
      busy_.push_back(
          {begun, at, command.in_register ? 0 : energy_.watts(command, at - begun), command.address.die.value()});
  }

  std::size_t operations() const { return busy_.size(); }
  /// The most dies whose arrays were busy at one instant.
  int most_at_once() const {
    std::map<std::uint32_t, int> working;
    int now = 0, most = 0;
    for (const Change& change : changes()) {
      int& of_die = working[change.die];
      if (of_die == 0) ++now;
      of_die += change.by;
      if (of_die == 0) --now;
      most = std::max(most, now);
    }
    return most;
  }
  /// Highest mean power of any window, with the standby of `dies`. Its maxima lie where the slope changes, so only
  /// those instants are looked at.
  double most_watts(Picoseconds window, std::uint32_t dies) const {
    std::vector<std::pair<Picoseconds, double>> slope;
    for (const Busy& busy : busy_) {
      slope.emplace_back(busy.from, busy.watts);
      slope.emplace_back(busy.to, -busy.watts);
      slope.emplace_back(busy.from + window, -busy.watts);
      slope.emplace_back(busy.to + window, busy.watts);
    }
    std::sort(slope.begin(), slope.end());
    double energy = 0, power = 0, most = 0;
    Picoseconds last = 0;
    for (const auto& [at, change] : slope) {
      energy += power * static_cast<double>(at - last);
      last = at;
      most = std::max(most, energy);
      power += change;
    }
    return most / static_cast<double>(window) + idle_ * dies;
  }

 private:
  struct Busy {
    Picoseconds from, to;
    double watts;
    std::uint32_t die;
  };
  struct Change {
    Picoseconds at;
    int by;
    std::uint32_t die;
    auto operator<=>(const Change&) const = default;
  };
  // The changes in the order of time; ends come before beginnings of the same instant.
  std::vector<Change> changes() const {
    std::vector<Change> all;
    for (const Busy& busy : busy_) {
      all.push_back({busy.from, 1, busy.die});
      all.push_back({busy.to, -1, busy.die});
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  double idle_;  // W a die
  NandEnergy energy_;
  std::map<const OnfiCommand*, Picoseconds> begun_;
  std::vector<Busy> busy_;
};

}  // namespace flashloom
