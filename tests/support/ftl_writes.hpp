// Writes whole units to an FTL on the instant clock, for tests of the FTL's decisions.
#pragma once

#include <cstdint>
#include <deque>

#include "controllers/ftl/ftl.hpp"
#include "controllers/runtime/runtime.hpp"

namespace flashloom {

/// The owner calls runtime.destroy_frames() before it destroys the FTL.
class FtlWrites : private WriteListener {
 public:
  /// Writes the next version of a unit of eight sectors. Returns when no work is left that can proceed by itself.
  void write(Ftl& ftl, std::uint32_t unit) {
    units_.push_back({.unit = unit, .version = units_.size() + 1, .sectors = 0xFF, .listener = this});
    runtime.spawn([this, &ftl] { return take(ftl, units_.back()); });
  }

  Runtime runtime;
  std::uint32_t durable = 0;  ///< writes that became durable

 protected:
  ~FtlWrites() = default;

 private:
  static Task<void> take(Ftl& ftl, WriteUnit& unit) { co_await ftl.write(unit); }
  void on_durable(WriteUnit&, const ProgramInstants&) override { ++durable; }
  void on_filled(WriteUnit&) override {}

  std::deque<WriteUnit> units_;
};

}  // namespace flashloom
