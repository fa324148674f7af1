// A channel, or all wires of a device, with its dies, driven by hand.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/channel/flash_wires.hpp"
#include "models/channel/onfi_channel.hpp"
#include "models/channel/protocol_checker.hpp"
#include "models/common/timer_queue.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/nand/nand_config.hpp"
#include "models/nand/nand_die.hpp"

namespace flashloom {

/// A command with storage for its words.
struct BenchCommand {
  OnfiCommand command;
  std::vector<OobWord> oob;
};

/// A timer that makes one call.
struct BenchCall final : Timer {
  explicit BenchCall(std::function<void()> f) : what(std::move(f)) {}
  void on_timer() override { what(); }
  std::function<void()> what;
};

/// Dies 0 .. `dies` - 1, for wires that the derived bench binds.
class WireBench {
 public:
  WireBench(const std::string& name, const NandConfig& c, std::uint32_t unit_bytes, std::uint32_t count)
      : config(c),
        geometry(config, unit_bytes),
        energy(config),
        timing(config, geometry),
        media(geometry, config.in_order_program, 0),
        clock((name + "_clock").c_str()),
        timers((name + "_timers").c_str()),
        driver_((name + "_driver").c_str(), count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string die = name + "_die" + std::to_string(i);
      dies.emplace_back(die.c_str(), Die{i}, media, timing, &ledger.add(die, "nand", NandDie::power_figures(config)),
                        &energy);
      for (std::uint32_t group = 1; group < geometry.plane_groups; ++group)
        dies.back().add_plane_meter(
            ledger.add(die + ".planes" + std::to_string(group), "nand", NandDie::plane_figures(config)));
    }
  }

  /// A command for a whole page or program unit.
  OnfiCommand& make(FlashOperation operation, std::uint32_t die, std::uint32_t block, std::uint32_t page) {
    BenchCommand& made = commands.emplace_back();
    made.oob.resize(geometry.units_per_program(), 1);
    OnfiCommand& c = made.command;
    c.oob = made.oob.data();
    c.operation = operation;
    c.address = {Die{die}, Block{block}, Page{page}};
    if (operation == FlashOperation::Program) {
      c.units = static_cast<std::uint16_t>(geometry.units_per_program());
      c.bytes = geometry.program_pages * geometry.page_bytes;
    } else if (operation == FlashOperation::Read) {
      c.units = static_cast<std::uint16_t>(geometry.units_per_page);
      c.bytes = geometry.page_bytes;
    }
    return c;
  }

  /// Sends BEGIN_REQ now.
  void send(OnfiCommand& command) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    driver_.sockets[command.address.die.value()]->nb_transport_fw(command, phase, delay);
  }
  void send_at(Picoseconds at, OnfiCommand& command) {
    call_at(at, [this, &command] { send(command); });
  }
  void call_at(Picoseconds at, std::function<void()> what) { timers.schedule(calls.emplace_back(std::move(what)), at); }

  NandConfig config;
  NandGeometry geometry;
  NandEnergy energy;
  NandTiming timing;
  NandMedia media;
  EnergyLedger ledger;
  AlarmClock clock;
  TimerQueue timers;
  std::deque<NandDie> dies;
  std::deque<BenchCommand> commands;
  std::deque<BenchCall> calls;
  std::vector<std::pair<Picoseconds, OnfiCommand*>> completions;
  std::function<void(OnfiCommand&)> on_complete;

 protected:
  void bind(std::uint32_t die, OnfiTargetSocket& from_controller, OnfiInitiatorSocket& to_die) {
    driver_.sockets[die].bind(end_);
    driver_.sockets[die].bind(from_controller);
    to_die.bind(dies[die].socket);
  }

 private:
  struct End final : OnfiInitiator {
    explicit End(WireBench* owner) : bench(owner) {}
    WireBench* bench;
    tlm::tlm_sync_enum nb_transport_bw(OnfiCommand& command, tlm::tlm_phase&, sc_core::sc_time&) override {
      bench->completions.emplace_back(kernel_now(), &command);
      if (bench->on_complete) bench->on_complete(command);
      return tlm::TLM_COMPLETED;
    }
  };
  struct Driver final : sc_core::sc_module {
    Driver(const sc_core::sc_module_name& name, std::uint32_t dies) : sc_module(name), sockets("sockets", dies) {}
    sc_core::sc_vector<OnfiInitiatorSocket> sockets;
  };
  End end_{this};
  Driver driver_;
};

class ChannelBench : public WireBench {
 public:
  ChannelBench(const std::string& name, const NandConfig& c, std::uint32_t unit_bytes, bool observed = true)
      : WireBench(name, c, unit_bytes, NandGeometry(c, unit_bytes).dies_per_channel()),
        channel(name.c_str(), timing, geometry.dies_per_channel(), clock,
                &ledger.add(name, "channel", OnfiChannel::power_figures(config))),
        checker(geometry, timing) {
    for (std::uint32_t i = 0; i < geometry.dies_per_channel(); ++i)
      bind(i, channel.from_controller[i], channel.to_die[i]);
    if (observed) channel.attach(checker);
  }

  OnfiChannel channel;
  OnfiProtocolChecker checker;
};

/// All dies of a device, on buses or on a network.
class DeviceBench : public WireBench {
 public:
  DeviceBench(const std::string& name, const NandConfig& c, std::uint32_t unit_bytes)
      : WireBench(name, c, unit_bytes, NandGeometry(c, unit_bytes).dies),
        home_(name.c_str(), [this] { wires = make_flash_wires(config, geometry, timing, clock, &ledger); }) {
    for (std::uint32_t i = 0; i < geometry.dies; ++i) bind(i, wires->from_controller(Die{i}), wires->to_die(Die{i}));
  }

  std::unique_ptr<FlashWires> wires;

 private:
  /// Holds the wires of a bench, as benches have modules of the same names.
  struct Home final : sc_core::sc_module {
    Home(const sc_core::sc_module_name& name, const std::function<void()>& build) : sc_module(name) { build(); }
  };
  Home home_;
};

inline void run_until(Picoseconds at) { sc_core::sc_start(kernel_time(at - kernel_now())); }

}  // namespace flashloom
