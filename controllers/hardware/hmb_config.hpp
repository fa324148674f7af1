// What a device file says of the host memory buffer: [hmb].
#pragma once

#include <cstdint>
#include <string>

#include "models/common/quantity.hpp"
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

  /// The keys of [hmb].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.shapes_state()
        .key("size", &HmbConfig::size, Quantity::Bytes, {0, 1ULL << 40},
             "HMPRE: memory of the host that the drive prefers and gets, for translation pages of a demand-paged map; "
             "0 B: none")
        .timed_only()
        .rare()
        .key("minimum", &HmbConfig::minimum, Quantity::Bytes, {0, 1ULL << 40},
             "HMMIN: less than this it does not take from a driver")
        .common()
        .time("latency", &HmbConfig::latency, 0,
              "of the host, from a read request at its port until the data leave it; link.latency comes before and "
              "behind. Default: with 200 ns each way 0.78 us; pcie-bench measured 0.76 (SIGCOMM 2018)")
        .shapes_state()
        .choice("map_update", &HmbConfig::map_update, {"write_through", "write_back"},
                "a changed map entry that leaves the map cache: its translation page on flash is updated; or it waits "
                "in the page's copy in the buffer")
        .rare()
        .time("revoke_at", &HmbConfig::revoke_at, 0,
              "simulated time at which the host asks the buffer back, and waits until the drive has let it go; 0 s: "
              "never")
        .time("lost_at", &HmbConfig::lost_at, 0,
              "simulated time at which the buffer is gone without a word; 0 s: never")
        .time("return_at", &HmbConfig::return_at, 0,
              "simulated time at which the host lends it again, empty; 0 s: never");
  }
};

/// Throws ConfigProblem for what no host does. `page`: bytes of a translation page.
void check_config(const HmbConfig& hmb, std::uint32_t page);

}  // namespace flashloom
