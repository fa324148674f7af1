// A complete timed flash back end, driven by hand.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "controllers/flash/timed_flash.hpp"
#include "models/channel/protocol_checker.hpp"
#include "models/common/timer_queue.hpp"
#include "models/nand/nand_config.hpp"

namespace flashloom {

class FlashBench final : public FlashCompletion {
 public:
  explicit FlashBench(const NandConfig& c, std::uint32_t unit_bytes = 4096,
                      const PolicyChoice& arbitration = {"read_first", {}}, const char* name = "flash",
                      const PowerCap& cap = {}, Picoseconds duty_period = 0)
      : config(c),
        geometry(config, unit_bytes),
        timing(config, geometry),
        media(geometry, config.in_order_program, 0),
        flash(name, config, timing, media, arbitration, &ledger, 0, cap, duty_period) {
    for (std::uint32_t channel = 0; channel < geometry.channels; ++channel) {
      checkers.emplace_back(geometry, timing);
      flash.attach(Channel{channel}, checkers.back());
    }
  }

  /// A command for a whole page or program unit.
  OnfiCommand& make(FlashOperation operation, std::uint32_t die, std::uint32_t block, std::uint32_t page) {
    oob.emplace_back(geometry.units_per_program(), 1);
    OnfiCommand& c = commands.emplace_back();
    c.oob = oob.back().data();
    c.completion = this;
    c.operation = operation;
    c.address = {Die{die}, Block{block}, Page{page}};
    if (operation == FlashOperation::Program) {
      c.units = static_cast<std::uint16_t>(geometry.units_per_program());
      c.payload_units = c.units;
      c.bytes = geometry.program_pages * geometry.page_bytes;
    } else if (operation == FlashOperation::Read) {
      c.units = static_cast<std::uint16_t>(geometry.units_per_page);
      c.bytes = geometry.page_bytes;
    }
    return c;
  }
  OnfiCommand& submit(FlashOperation operation, std::uint32_t die, std::uint32_t block, std::uint32_t page) {
    OnfiCommand& command = make(operation, die, block, page);
    flash.submit(command);
    return command;
  }
  void on_flash_complete(OnfiCommand& command) override {
    completed.push_back(&command);
    if (on_complete) on_complete(command);
  }
  /// Errors of all protocol checkers.
  std::vector<std::string> protocol_errors() const {
    std::vector<std::string> all;
    for (const OnfiProtocolChecker& checker : checkers)
      all.insert(all.end(), checker.errors().begin(), checker.errors().end());
    return all;
  }

  NandConfig config;
  NandGeometry geometry;
  NandTiming timing;
  NandMedia media;
  EnergyLedger ledger;
  TimedFlash flash;
  std::deque<OnfiProtocolChecker> checkers;
  std::deque<OnfiCommand> commands;
  std::deque<std::vector<OobWord>> oob;
  std::vector<OnfiCommand*> completed;
  std::function<void(OnfiCommand&)> on_complete;
};

inline void run_until(Picoseconds at) { sc_core::sc_start(kernel_time(at - kernel_now())); }

}  // namespace flashloom
