// A hard disk on the block socket: SATA with command queueing, a track buffer with read-ahead, a volatile write cache,
// one arm over zoned tracks.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "models/block/block_protocol.hpp"
#include "models/common/timer_queue.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/hdd/disk_arm.hpp"
#include "models/hdd/disk_geometry.hpp"
#include "models/hdd/disk_order.hpp"
#include "models/hdd/hdd_config.hpp"
#include "models/hdd/hdd_statistics.hpp"
#include "models/hdd/read_buffer.hpp"
#include "models/hdd/sparse_tokens.hpp"
#include "models/hdd/write_buffer.hpp"

namespace flashloom {

/// One binding, `queue_depth` commands at once; beyond that END_REQ is withheld. It begins spun up, the arm over the
/// outermost cylinder. docs/reference/hdd.md says what is modelled.
///
/// The controller handles commands one at a time, `command_overhead` each; their data cross the link first come, first
/// served. The arm does one thing at a time, with one event at its end; read-ahead, idling and standby need no event.
/// Trims complete at once and change nothing. Reads of sectors never written return token 0, others the last write's.
///
/// Energy: component NAME of kind "hdd": states idle (spinning), seek, transfer (on the track), standby, spin_up. Rows
/// "hdd.seek", "hdd.transfer", "hdd.spin_up"; idle and standby are background.
class Hdd : public sc_core::sc_module, private BlockForward {
 public:
  /// `tokens`: keeps contents (a SectorToken for each sector of `sector_bytes`), for `verify`. Throws ConfigProblem.
  Hdd(const sc_core::sc_module_name& name, const HddConfig& config, std::uint32_t sector_bytes, bool tokens,
      EnergyLedger& ledger);

  BlockTargetSocket& socket() { return socket_; }
  std::uint64_t capacity_bytes() const { return config_.capacity; }
  const DiskGeometry& geometry() const { return geometry_; }

  /// Power fails now, for `off_time`: the volatile write cache is lost, open commands fail with power_lost. Physical
  /// sectors of a write under way are new if the head has passed them, else old.
  void power_cut(Picoseconds off_time);
  /// Spins up, and calls `ready` when the disk can serve. Commands may arrive before; they wait.
  void power_on(std::function<void()> ready);

  /// What a read of the range would return now (cache included); no time passes. All 0 without tokens.
  void peek(std::uint64_t offset, std::uint64_t length, SectorToken* tokens) const;

  /// Upper bound of the bytes that a power cut now would lose.
  std::uint64_t dirty_bytes() const { return write_buffer_.dirty() * config_.physical_sector; }
  const HddStatistics& statistics() const { return statistics_; }
  void reset_statistics() { statistics_ = {}; }
  /// Times that the kernel woke the disk.
  std::uint64_t wakes() const { return timers_.wakes(); }

 private:
  enum State : std::uint32_t { kIdle, kSeek, kTransfer, kStandby, kSpinUp };

  // A command in the disk.
  struct Slot final : Timer {
    Slot(Hdd& disk, std::uint32_t n) : hdd(disk), number(n) {}
    void on_timer() override { hdd.proceed(*this); }
    Hdd& hdd;
    std::uint32_t number;
    IoCommand* command = nullptr;
    Picoseconds ready = 0;    // end of the controller's overhead
    std::uint64_t order = 0;  // arrival order
    DiskSector first = 0;     // physical sectors
    DiskSector end = 0;
    DiskSector come = 0;    // sectors before this one are in a buffer
    DiskSector coming = 0;  // write: sectors before this one are in a buffer or on the link
    bool throttled = false;
  };
  struct ArmTimer final : Timer {
    explicit ArmTimer(Hdd& disk) : hdd(disk) {}
    void on_timer() override { hdd.arm_done(); }
    Hdd& hdd;
  };
  // What the arm is doing.
  struct Task {
    enum Kind : std::uint8_t { kNothing, kRead, kWrite, kStart } kind = kNothing;
    Slot* slot = nullptr;  // read
    DiskSector first = 0;
    std::uint32_t count = 0;
    DiskAccess access;
    Picoseconds rewrite = 0;  // write: duration of the pass that reads partly written sectors before the writing pass
    Picoseconds spun_up = 0;  // time spent waiting for the spin-up
    std::uint32_t cylinders = 0;
  };
  // Read-ahead: sectors from `next` on; the head is at the start of `next` at `at`.
  struct Stream {
    bool active = false;
    DiskSector begin = 0;
    DiskSector next = 0;
    DiskSector limit = 0;
    Picoseconds at = 0;
    Picoseconds booked = 0;  // its energy is booked until then
  };

  tlm::tlm_sync_enum nb_transport_fw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void b_transport(IoCommand& command, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(IoCommand&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(IoCommand&) override { return 0; }

  // Commands: hdd.cpp.
  void accept(IoCommand& command);
  void begin(Slot& slot);
  void proceed(Slot& slot);
  void admit();
  void take_in(Slot& slot);
  void await_platter(Slot& slot);
  bool held(Slot& slot);
  void finish_read(Slot& slot, Picoseconds first_at, Picoseconds read_at);
  void complete(Slot& slot, Picoseconds at);
  void respond(IoCommand& command, Picoseconds delay);
  Picoseconds link_time(std::uint64_t bytes) const;
  Picoseconds move_data(std::uint64_t bytes, Picoseconds from);
  WriteBuffer::Parts parts_of(const IoCommand& command, DiskSector sector) const;

  // The arm: hdd_arm.cpp.
  void dispatch();
  Picoseconds collect(Picoseconds now);
  std::size_t choose(Picoseconds at);
  void start_read(Slot& slot, Picoseconds at);
  void start_write(DiskSector first, Picoseconds at);
  void start();
  Picoseconds spin_up(Picoseconds at);
  void arm_done();
  void read_done();
  void write_done();
  void count_task();
  void charge(IoCommand& command) const;
  void put_on_platter(std::uint32_t sectors);
  void go_on_reading(const Slot& slot);
  void read_ahead_until(Picoseconds at);
  void settle(Picoseconds at);

  HddConfig config_;
  std::uint32_t parts_;  // logical sectors a physical sector
  std::uint32_t sector_bytes_;
  bool tokens_;
  DiskGeometry geometry_;
  DiskArm arm_;
  const DiskOrder& order_;
  BlockTargetSocket socket_;
  TimerQueue timers_;
  EnergyMeter& meter_;

  std::deque<Slot> slots_;
  std::vector<Slot*> free_slots_;
  IoCommand* waiting_ = nullptr;  // commands not accepted yet
  IoCommand** waiting_tail_ = &waiting_;
  std::vector<Slot*> asleep_;  // accepted while the disk could not serve
  std::vector<Slot*> reads_;   // for the arm, by arrival
  std::vector<Slot*> writes_;  // data not all on the link yet, by arrival
  std::uint64_t orders_ = 0;
  Picoseconds controller_free_ = 0;
  Picoseconds link_free_ = 0;

  ReadBuffer read_buffer_;
  WriteBuffer write_buffer_;
  SparseTokens platter_;

  ArmTimer arm_timer_{*this};
  Task task_;
  std::vector<SectorToken> task_tokens_;        // written by the task, parts_ a sector
  std::vector<WriteBuffer::Parts> task_parts_;  // and which of them
  DiskSector ahead_;                            // maximum read-ahead, in sectors
  Stream stream_;
  DiskSector position_ = 0;      // one past the last sector served
  Picoseconds idle_since_ = 0;   // since when the arm is idle; kNever: it is busy
  std::vector<DiskTask> tasks_;  // candidates for the next task
  std::vector<std::uint32_t> durable_;
  bool serving_ = true;
  std::function<void()> ready_;
  HddStatistics statistics_;
};

}  // namespace flashloom
