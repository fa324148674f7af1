// Two memory devices with volatile caches that answer block commands after a fixed time, and a tier on them.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "controllers/tier/tier_controller.hpp"
#include "models/block/block_protocol.hpp"
#include "models/common/timer_queue.hpp"

namespace flashloom {

inline constexpr std::uint32_t kSector = 512;

/// A block device with a write cache. Its contents are tokens; a power cut loses those that were not flushed.
class MemoryDevice : public sc_core::sc_module, private BlockForward {
 public:
  MemoryDevice(const sc_core::sc_module_name& name, std::uint64_t bytes, Picoseconds latency)
      : sc_module(name), durable(bytes / kSector), cached(bytes / kSector), latency_(latency), timers_("timers") {
    socket.bind(*this);
  }

  /// Cuts power: the cached sectors with `kept` become durable, the other ones are lost.
  void power_cut(const std::function<bool(std::uint64_t)>& kept = [](std::uint64_t) { return false; }) {
    timers_.cancel_all();
    for (std::uint64_t sector = 0; sector < durable.size(); ++sector)
      if (kept(sector)) durable[sector] = cached[sector];
    cached = durable;
    std::vector<Pending*> lost;
    for (Pending& each : pending_)
      if (each.command != nullptr) lost.push_back(&each);
    for (Pending* each : lost) respond(*each, IoStatus::PowerLost);
  }

  BlockTargetSocket socket{"socket"};
  std::vector<SectorToken> durable;
  std::vector<SectorToken> cached;
  /// Called with each command when it arrives.
  std::function<void(const IoCommand&)> on_command;
  bool refuses_writes = false;
  /// True for each sector whose reads fail; empty: none do.
  std::function<bool(std::uint64_t sector)> unreadable;
  std::uint64_t commands = 0;

 private:
  struct Pending final : Timer {
    void on_timer() override { device->finish(*this); }
    MemoryDevice* device = nullptr;
    IoCommand* command = nullptr;
  };

  tlm::tlm_sync_enum nb_transport_fw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time&) override {
    ++commands;
    if (on_command) on_command(command);
    auto free = std::find_if(pending_.begin(), pending_.end(), [](const Pending& p) { return p.command == nullptr; });
    if (free == pending_.end()) free = pending_.emplace(pending_.end());
    free->device = this;
    free->command = &command;
    timers_.schedule(*free, kernel_now() + latency_);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void b_transport(IoCommand&, sc_core::sc_time&) override {}
  bool get_direct_mem_ptr(IoCommand&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(IoCommand&) override { return 0; }

  void finish(Pending& done) {
    IoCommand& command = *done.command;
    const std::uint64_t first = command.offset / kSector;
    const std::uint64_t sectors = command.length / kSector;
    if (refuses_writes && command.operation == IoOperation::Write) return respond(done, IoStatus::WriteProtected);
    for (std::uint64_t i = 0; i < sectors && unreadable && command.operation == IoOperation::Read; ++i)
      if (unreadable(first + i)) return respond(done, IoStatus::MediaError);
    for (std::uint64_t i = 0; i < sectors && command.tokens != nullptr; ++i) {
      if (command.operation == IoOperation::Read) command.tokens[i] = cached[first + i];
      if (command.operation == IoOperation::Write) cached[first + i] = command.tokens[i];
      if (command.operation == IoOperation::Write && command.fua) durable[first + i] = command.tokens[i];
    }
    if (command.operation == IoOperation::Flush) durable = cached;
    respond(done, IoStatus::Ok);
  }
  void respond(Pending& done, IoStatus status) {
    IoCommand& command = *std::exchange(done.command, nullptr);
    command.status = status;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_bw(command, phase, delay);
  }

  Picoseconds latency_;
  TimerQueue timers_;
  std::deque<Pending> pending_;
};

/// A tier of 16 segments of 8 KiB on an SSD with 4 slots, and a host that sends one command at a time.
class TierBench : public sc_core::sc_module, private BlockBackward {
 public:
  static constexpr std::uint64_t kSegment = 8192;
  static constexpr std::uint64_t kHome = 16 * kSegment;

  explicit TierBench(const char* policy = "pwc", std::map<std::string, ParameterValue> parameters = {},
                     const sc_core::sc_module_name& name = sc_core::sc_module_name("bench"))
      : sc_module(name),
        home("home", kHome + 2 * 8192, 10 * kMillisecond),
        cache("cache", 4 * kSegment + 2 * 16384, 100 * kMicrosecond) {
    config.policy = {policy, ParameterValues(std::move(parameters))};
    config.segment = kSegment;
    config.journal = 16384;
    config.pass = "command";
    config.latency = 0;
  }

  /// Builds the tier on first use.
  void build() {
    if (tier) return;
    tier = std::make_unique<TierController>("tier", config,
                                            TierShape{.sector_bytes = kSector,
                                                      .home_bytes = home.durable.size() * kSector,
                                                      .cache_bytes = cache.durable.size() * kSector,
                                                      .tokens = true,
                                                      .bit_errors = bit_errors},
                                            1);
    host.bind(*this);
    host.bind(tier->target(0));
    tier->cache(0).bind(cache.socket);
    tier->home().bind(home.socket);
  }

  /// Sends a command and waits for its end; `token` fills a write.
  IoStatus run(IoOperation operation, std::uint64_t offset = 0, std::uint64_t length = 0, SectorToken token = 0,
               bool fua = false) {
    submit(operation, offset, length, token, fua);
    while (!done_) step();
    return command_.status;
  }
  IoStatus write(std::uint64_t offset, std::uint64_t length, SectorToken token) {
    return run(IoOperation::Write, offset, length, token);
  }
  /// Reads, and returns the token of the first sector.
  SectorToken read(std::uint64_t offset, std::uint64_t length = kSector) {
    const IoStatus status = run(IoOperation::Read, offset, length);
    if (status != IoStatus::Ok) throw std::runtime_error("the read failed");
    return contents_[0];
  }
  /// Reads the segments in turn, so that each read counts for PWC.
  void heat(Segment one, Segment other, int times = 4) {
    for (int i = 0; i < times; ++i) {
      read(one * kSegment);
      read(other * kSegment);
    }
  }
  void pass() {
    build();
    bool over = false;
    tier->start_pass([&over] { over = true; });
    while (!over) step();
  }
  void stop() {
    bool over = false;
    tier->stop([&over] { over = true; });
    while (!over) step();
  }
  void cut() {
    tier->power_cut();
    home.power_cut();
    cache.power_cut();
  }
  void start() {
    bool over = false;
    tier->power_on([&over] { over = true; });
    while (!over) step();
  }
  void submit(IoOperation operation, std::uint64_t offset, std::uint64_t length, SectorToken token, bool fua = false) {
    build();
    command_ = {};
    command_.operation = operation;
    command_.offset = offset;
    command_.length = length;
    command_.fua = fua;
    contents_.assign(std::max<std::uint64_t>(length / kSector, 1), token);
    command_.tokens = contents_.data();
    done_ = false;
    send(command_);
  }
  /// Sends a command beside that of submit() and ignores its result.
  void submit_beside(IoOperation operation, std::uint64_t offset, std::uint64_t length, SectorToken token) {
    build();
    Beside& beside = beside_.emplace_back();
    beside.contents.assign(length / kSector, token);
    beside.command.operation = operation;
    beside.command.offset = offset;
    beside.command.length = length;
    beside.command.tokens = beside.contents.data();
    send(beside.command);
  }
  bool done() const { return done_; }
  IoStatus status() const { return command_.status; }
  const std::vector<SectorToken>& contents() const { return contents_; }
  static void step() { sc_core::sc_start(100, sc_core::SC_US); }
  const Tier& software() const { return *tier->tier(); }

  TierConfig config;
  bool bit_errors = false;
  MemoryDevice home;
  MemoryDevice cache;
  std::unique_ptr<TierController> tier;

 private:
  struct Beside {
    IoCommand command;
    std::vector<SectorToken> contents;
  };

  void send(IoCommand& command) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (sc_core::sc_get_status() < sc_core::SC_RUNNING) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    host->nb_transport_fw(command, phase, delay);
  }
  tlm::tlm_sync_enum nb_transport_bw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time&) override {
    if (phase == tlm::BEGIN_RESP && &command == &command_) done_ = true;
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  BlockInitiatorSocket host{"host"};
  IoCommand command_;
  std::vector<SectorToken> contents_;
  std::deque<Beside> beside_;
  bool done_ = true;
};

}  // namespace flashloom
