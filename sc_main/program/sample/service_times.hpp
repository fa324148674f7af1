// Mean service times of a device's commands, as measured.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/block/io_command.hpp"

namespace flashloom {

/// Mean service times by operation, octave of the command's length and octave of the load (bytes in flight): a
/// flow-equivalent server (Chandy, Herzog and Woo, IBM J. Res. Dev. 19, 1975).
class ServiceTimes {
 public:
  /// Adds one command. `load`: bytes in flight at its arrival, its own included.
  void add(IoOperation operation, std::uint64_t bytes, std::uint64_t load, Picoseconds time) {
    Class& of = classes_[index(operation, octave(bytes), octave(load))];
    ++of.commands;
    of.time += static_cast<double>(time);
  }
  /// Adds newer times and discounts the older ones, to at most 0.8 times the weight of the newer ones (or of 100
  /// commands if there are fewer newer ones).
  void learn(const ServiceTimes& newer) {
    constexpr double kForgets = 0.8;
    constexpr double kFew = 100;
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      const Class& more = newer.classes_[i];
      if (more.commands == 0) continue;
      Class& of = classes_[i];
      const double kept = kForgets * std::min(1.0, std::max(more.commands, kFew) / std::max(of.commands, 1.0));
      of.commands = kept * of.commands + more.commands;
      of.time = kept * of.time + more.time;
    }
  }
  /// Mean time of such a command. If none was seen: that of the nearest load, else of the nearest length; 0 if the
  /// operation was never seen.
  Picoseconds mean(IoOperation operation, std::uint64_t bytes, std::uint64_t load) const {
    const std::size_t length = octave(bytes);
    for (std::size_t apart = 0; apart < kOctaves; ++apart)
      for (const bool longer : {false, true}) {
        if (longer ? length + apart >= kOctaves : length < apart) continue;
        const Class* const of = nearest(operation, longer ? length + apart : length - apart, octave(load));
        if (of != nullptr) return static_cast<Picoseconds>(of->time / of->commands);
      }
    return 0;
  }

  /// Saves or restores times from add(). After learn() counts are fractional, and would be truncated.
  template <class Archive>
  void state(Archive& archive) {
    std::vector<Seen> seen;
    for (std::size_t i = 0; i < classes_.size(); ++i)
      if (const Class& of = classes_[i]; of.commands != 0)
        seen.push_back({i, static_cast<std::uint64_t>(of.commands), static_cast<Picoseconds>(of.time)});
    archive(seen);
    for (const Seen& one : seen)
      classes_[one.index] = {static_cast<double>(one.commands), static_cast<double>(one.time)};
  }

 private:
  struct Class {
    double commands = 0;
    double time = 0;  // ps
  };
  struct Seen {
    std::uint64_t index = 0;
    std::uint64_t commands = 0;
    Picoseconds time = 0;
  };
  static constexpr std::size_t kOctaves = 32;  // the last one has no upper bound
  static std::size_t octave(std::uint64_t bytes) {
    return std::min(static_cast<std::size_t>(std::bit_width(bytes)), kOctaves - 1);
  }
  static std::size_t index(IoOperation operation, std::size_t length, std::size_t load) {
    return (static_cast<std::size_t>(operation) * kOctaves + length) * kOctaves + load;
  }
  const Class* nearest(IoOperation operation, std::size_t length, std::size_t load) const {
    for (std::size_t apart = 0; apart < kOctaves; ++apart)
      for (const bool more : {false, true}) {
        if (more ? load + apart >= kOctaves : load < apart) continue;
        const Class& of = classes_[index(operation, length, more ? load + apart : load - apart)];
        if (of.commands != 0) return &of;
      }
    return nullptr;
  }

  std::vector<Class> classes_ = std::vector<Class>(kIoOperations * kOctaves * kOctaves);
};

}  // namespace flashloom
