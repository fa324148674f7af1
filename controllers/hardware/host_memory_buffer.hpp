// The host memory buffer (HMB): memory that an NVMe host lends to a drive, which accesses it over the link as bus
// master. The drive must not depend on its contents: the host may ask for it back at any time, or it may be lost.
// Source: NVM Express 1.4, section 8.9; K. Kim, T. Kim, "HMB in DRAM-less NVMe SSDs: their usage and effects on
// performance", PLOS ONE 2020.
#pragma once

#include <cstdint>

#include "controllers/hardware/hardware.hpp"
#include "controllers/hardware/hmb_config.hpp"
#include "controllers/runtime/task.hpp"
#include "models/common/named_fields.hpp"

namespace flashloom {

/// Times and counts the drive's accesses, and knows how much the host lends now. It outlives the firmware; firmware
/// keeps track of the contents, which do not outlive it.
///
/// A read is a request packet to the host, `hmb.latency` there, and a packet back: a round trip. A write is posted: a
/// packet to the host that nobody waits for.
class HostMemoryBuffer {
 public:
  /// Bytes on the wires beyond link.packet_overhead of a read request: its header has the address (4 DW, where a
  /// completion's has 3), and it has no data.
  static constexpr std::uint64_t kRequestBytes = 4;
  /// Bytes of one read of map entries.
  static constexpr std::uint32_t kLine = 64;

  struct Counters {
    std::uint64_t hits = 0;        ///< look-ups of map entries that missed in the faster memory and hit here
    std::uint64_t misses = 0;      ///< look-ups that missed in both
    std::uint64_t reads = 0;       ///< round trips
    std::uint64_t writes = 0;      ///< posted
    std::uint64_t read_bytes = 0;  ///< without packet overhead
    std::uint64_t write_bytes = 0;
    std::uint64_t fills = 0;        ///< translation pages put into it
    std::uint64_t write_backs = 0;  ///< dirty pages written to flash when they were evicted
    std::uint64_t revocations = 0;  ///< times that the host asked for it back
    std::uint64_t losses = 0;       ///< times that it was lost

    FLASHLOOM_REPORT(hits, misses, reads, writes, read_bytes, write_bytes, fills, write_backs, revocations, losses)
  };

  HostMemoryBuffer(const HmbConfig& config, Hardware& hardware)
      : config_(config), hardware_(hardware), offered_(config.size), granted_(config.size) {}

  const HmbConfig& config() const { return config_; }
  /// Bytes that the drive has now; 0: none.
  std::uint64_t granted() const { return granted_; }
  /// Changes with every loss: reads begun before return no data.
  std::uint64_t epoch() const { return epoch_; }

  /// The host lends `bytes` from now on; fewer than hmb.minimum are not used. 0: it asks for the memory back. Firmware
  /// is told by Ftl::host_memory_changed(), and has released the memory when that returns.
  void offer(std::uint64_t bytes);
  /// The contents are lost. `for_good`: the host lends it no more (counted as a loss); else by a power cut. Firmware is
  /// told by Ftl::host_memory_lost().
  void lose(bool for_good);
  /// The drive has power again: it gets what the host offers.
  void restart() { granted_ = offered_; }
  /// The host lends nothing before its driver enables the buffer.
  void withhold() {
    offered_ = granted_ = 0;
    ++epoch_;
  }

  /// `count` reads of `bytes` each, issued together; returns when their data have arrived.
  Task<void> read(std::uint32_t count, std::uint64_t bytes);
  /// `count` posted writes of `bytes` each.
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
