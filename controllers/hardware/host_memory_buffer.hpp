// The host memory buffer (HMB): memory that an NVMe host lends to a drive. The drive reaches it over the link, as bus
// master. What is in it the drive could also do without: the host may ask it back at any time, and it may be gone.
// Source: NVM Express 1.4, section 8.9; K. Kim, T. Kim, "HMB in DRAM-less NVMe SSDs: their usage and effects on
// performance", PLOS ONE 2020.
#pragma once

#include <cstdint>

#include "controllers/hardware/hardware.hpp"
#include "controllers/hardware/hmb_config.hpp"
#include "controllers/runtime/task.hpp"
#include "models/common/named_fields.hpp"

namespace flashloom {

/// Times and counts of a drive's accesses, and how much the host lends now. It outlives the firmware; what is in it is
/// the firmware's business, and does not outlive that.
///
/// A read is a request packet to the host, `hmb.latency` there, and a packet back: a round trip. A write is posted: a
/// packet to the host that nobody waits for.
class HostMemoryBuffer {
 public:
  /// Bytes on the wires beyond link.packet_overhead of a read request: its header has the address (4 DW, where a
  /// completion's has 3), and it has no data.
  static constexpr std::uint64_t kRequestBytes = 4;
  /// What one read of map entries takes.
  static constexpr std::uint32_t kLine = 64;

  struct Counters {
    std::uint64_t hits = 0;         ///< look-ups of map entries that the faster memory lacked, and it had
    std::uint64_t misses = 0;       ///< and it had not
    std::uint64_t reads = 0;        ///< round trips
    std::uint64_t writes = 0;       ///< posted
    std::uint64_t read_bytes = 0;   ///< without packet overhead
    std::uint64_t write_bytes = 0;
    std::uint64_t fills = 0;        ///< translation pages put into it
    std::uint64_t write_backs = 0;  ///< changed pages in it that went to flash, since they left
    std::uint64_t revocations = 0;  ///< the host asked it back
    std::uint64_t losses = 0;       ///< it was gone

    FLASHLOOM_REPORT(hits, misses, reads, writes, read_bytes, write_bytes, fills, write_backs, revocations, losses)
  };

  HostMemoryBuffer(const HmbConfig& config, Hardware& hardware)
      : config_(config), hardware_(hardware), offered_(config.size), granted_(config.size) {}

  const HmbConfig& config() const { return config_; }
  /// Bytes that the drive has now; 0: none.
  std::uint64_t granted() const { return granted_; }
  /// Changes with every loss: what was asked for before has not come.
  std::uint64_t epoch() const { return epoch_; }

  /// The host lends so many bytes from now on; fewer than hmb.minimum are not taken. With 0 it asks for them: firmware
  /// is told by Ftl::host_memory_changed(), and done with them when that returns.
  void offer(std::uint64_t bytes);
  /// What was in it is gone. `for_good`: the host lends it no more, a loss; else power is. Firmware is told by
  /// Ftl::host_memory_lost().
  void lose(bool for_good);
  /// The drive has power again: it gets what the host offers.
  void restart() { granted_ = offered_; }
  /// A host that knows nothing of it until its driver says so.
  void withhold() {
    offered_ = granted_ = 0;
    ++epoch_;
  }

  /// So many reads of `bytes` each, asked for together; returns when their data are there.
  Task<void> read(std::uint32_t count, std::uint64_t bytes);
  /// So many posted writes of `bytes` each.
  Task<void> write(std::uint32_t count, std::uint64_t bytes);

  Counters& counters() { return counters_; }
  const Counters& counters() const { return counters_; }
  void reset_counters() { counters_ = {}; }

 private:
  const HmbConfig& config_;
  Hardware& hardware_;
  std::uint64_t offered_;
  std::uint64_t granted_;
  std::uint64_t epoch_ = 0;
  Counters counters_;
};

}  // namespace flashloom
