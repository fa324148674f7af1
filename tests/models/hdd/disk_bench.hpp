// A hard disk with a host, driven by hand.
#pragma once

#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "models/common/timer_queue.hpp"
#include "models/hdd/hdd.hpp"

namespace flashloom {

/// A small disk whose times are round numbers: a revolution of 10 ms, 2 heads, 2 zones of 100 and 50 sectors a track
/// and as many cylinders each; a sector of 4 KiB passes in 100 us and 200 us. A seek to the next cylinder takes 1 ms, a
/// head switch 400 us; a write settles for 500 us, on a nearby track for 100 us. Overhead 50 us, 1 ns a byte on the
/// link. No caches.
inline HddConfig plain_disk() {
  HddConfig config;
  config.rpm = 6000;
  config.heads = 2;
  config.zones = 2;
  config.head_switch = 400 * kMicrosecond;
  config.track_to_track = kMillisecond;
  config.average_seek = 6 * kMillisecond;
  config.full_stroke = 11 * kMillisecond;
  config.write_settle = 500 * kMicrosecond;
  config.track_settle = 100 * kMicrosecond;
  // A cylinder takes 2 revolutions, a head switch and a seek, the last two with the settling of a write: 21.6 ms.
  config.outer_rate = std::uint64_t{200} * 4096 * 10'000 / 216;
  config.inner_rate = std::uint64_t{100} * 4096 * 10'000 / 216;
  config.capacity = std::uint64_t{300} * 4096 * 1000;  // 1000 cylinders a zone
  config.command_overhead = 50 * kMicrosecond;
  config.link_rate = 10'000'000'000;
  config.order = "fifo";
  config.max_wait = 0;
  config.read_segments = 0;
  config.write_cache = false;
  config.write_buffer = 1 << 20;
  return config;
}
inline constexpr std::uint64_t kDiskSector = 4096;
inline constexpr Picoseconds kRevolution = 10 * kMillisecond;

class DiskBench : private BlockBackward {
 public:
  struct Io : IoCommand {
    std::vector<SectorToken> contents;
    bool done = false;
    Picoseconds latency() const { return at.complete - at.submit; }
  };

  explicit DiskBench(const HddConfig& config, bool tokens = true, std::uint32_t sector = 512)
      : sector_bytes(sector), hdd("hdd", config, sector, tokens, ledger), timers("bench_timers") {
    driver_.sockets[0].bind(static_cast<BlockBackward&>(*this));
    driver_.sockets[0].bind(hdd.socket());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

  /// A command of `length` bytes that writes `token` into its sectors.
  Io& make(IoOperation operation, std::uint64_t offset, std::uint64_t length, SectorToken token = 0) {
    Io& io = ios.emplace_back();
    io.operation = operation;
    io.offset = offset;
    io.length = length;
    io.contents.assign(length / sector_bytes, token);
    io.tokens = io.contents.data();
    return io;
  }
  Io& send(Io& io) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    io.at.arrival = io.at.submit = kernel_now();
    io.breakdown.begin(io.at.arrival);
    driver_.sockets[0]->nb_transport_fw(io, phase, delay);
    if (phase == tlm::END_REQ) io.at.accepted = kernel_now();
    return io;
  }
  Io& send(IoOperation operation, std::uint64_t offset, std::uint64_t length, SectorToken token = 0) {
    return send(make(operation, offset, length, token));
  }
  Io& read(std::uint64_t sector, std::uint64_t count = 1) {
    return send(IoOperation::Read, sector * kDiskSector, count * kDiskSector);
  }
  Io& write(std::uint64_t sector, std::uint64_t count = 1, SectorToken token = 0) {
    return send(IoOperation::Write, sector * kDiskSector, count * kDiskSector, token);
  }
  Io& flush() { return send(IoOperation::Flush, 0, 0); }

  /// Runs until no event is left, or for `time`.
  static void run() {
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
    sc_core::sc_start();
  }
  static void run_for(Picoseconds time) { sc_core::sc_start(kernel_time(time)); }
  static void run_until(Picoseconds at) { run_for(at - kernel_now()); }
  Io& finish(Io& io) {
    run();
    if (io.at.complete > kernel_now()) run_until(io.at.complete);
    return io;
  }
  SectorToken peek(std::uint64_t offset) const {
    SectorToken token = 0;
    hdd.peek(offset, sector_bytes, &token);
    return token;
  }

  std::uint32_t sector_bytes;
  EnergyLedger ledger;
  Hdd hdd;
  TimerQueue timers;
  std::deque<Io> ios;
  std::vector<Io*> completed;            // in order
  std::function<void(Io&)> on_complete;  // called while the disk completes

 private:
  tlm::tlm_sync_enum nb_transport_bw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    Io& io = static_cast<Io&>(command);
    if (phase == tlm::END_REQ) {
      io.at.accepted = kernel_now() + delay.value();
      return tlm::TLM_ACCEPTED;
    }
    io.at.complete = kernel_now() + delay.value();
    io.done = true;
    completed.push_back(&io);
    if (on_complete) on_complete(io);
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  struct Driver final : sc_core::sc_module {
    explicit Driver(const sc_core::sc_module_name& name) : sc_module(name), sockets("sockets", 1) {}
    sc_core::sc_vector<BlockInitiatorSocket> sockets;
  };
  Driver driver_{"driver"};
};

}  // namespace flashloom
