// What a device file says of the host memory buffer: [hmb].
#pragma once

#include <cstdint>
#include <string>

#include "models/common/types.hpp"

namespace flashloom {

/// [hmb]: memory of the host that it lends to the drive (NVM Express 1.4, section 8.9).
struct HmbConfig {
  std::uint64_t size = 0;     ///< bytes that the drive prefers (HMPRE), and gets; 0: none
  std::uint64_t minimum = 0;  ///< bytes below which it takes none (HMMIN)
  /// From a read request at the host's port until its data leave it. With 200 ns of link.latency each way a round trip
  /// is 0.78 us. Measured: 0.76 us, the median of reads of 64 B at random in 64 MiB, from a network card in a Xeon
  /// E5-2630 v4 (data of Neugebauer et al., SIGCOMM 2018: pcie-bench/data, lat_cmd_sweep_rd_rnd_64); 0.43 us where its
  /// cache has them.
  Picoseconds latency = 350 * kNanosecond;
  std::string map_update = "write_through";  ///< or "write_back": changed entries wait in the buffer
  // Actions of the host in a run, in absolute simulated times; 0: never.
  Picoseconds revoke_at = 0;  ///< asks for the buffer back, and waits until the drive has released it
  Picoseconds lost_at = 0;    ///< the buffer is lost without notice
  Picoseconds return_at = 0;  ///< lends it again

  bool writes_back() const { return map_update == "write_back"; }
  bool on() const { return size != 0; }
};

/// Throws ConfigProblem for what no host does. `page`: bytes of a translation page.
void check_config(const HmbConfig& hmb, std::uint32_t page);

}  // namespace flashloom
