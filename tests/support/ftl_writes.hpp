// Writes of whole units to an FTL, on the instant clock: for tests of what it decides.
#pragma once

#include <cstdint>
#include <deque>

#include "controllers/ftl/ftl.hpp"
#include "controllers/runtime/runtime.hpp"

namespace flashloom {

/// Whoever has the FTL beside it calls runtime.destroy_frames() before that goes.
class FtlWrites : private WriteListener {
 public:
  /// The next version of a unit of eight sectors. Returns when nothing goes on by itself.
  void write(Ftl& ftl, std::uint32_t unit) {
    units_.push_back({.unit = unit, .version = units_.size() + 1, .sectors = 0xFF, .listener = this});
    runtime.spawn([this, &ftl] { return take(ftl, units_.back()); });
  }

  Runtime runtime;
  std::uint32_t durable = 0;  ///< writes

 protected:
  ~FtlWrites() = default;

 private:
  static Task<void> take(Ftl& ftl, WriteUnit& unit) { co_await ftl.write(unit); }
  void on_durable(WriteUnit&, const ProgramInstants&) override { ++durable; }
  void on_filled(WriteUnit&) override {}

  std::deque<WriteUnit> units_;
};

}  // namespace flashloom
