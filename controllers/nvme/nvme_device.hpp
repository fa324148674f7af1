// The interface between an NVMe controller and the device behind it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "controllers/ftl/features/fdp/handles/fdp_events.hpp"
#include "controllers/host_interface/host_protocol.hpp"
#include "controllers/ssd/power_config.hpp"
#include "models/block/namespaces.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// Health figures of a drive, since it was made or, where the model does not count that long, since the simulation
/// began.
struct NvmeHealth {
  std::uint64_t bytes_read = 0;     ///< by the host
  std::uint64_t bytes_written = 0;  ///< by the host
  std::uint64_t reads = 0;          ///< host commands
  std::uint64_t writes = 0;
  std::uint64_t nand_bytes_written = 0;
  std::uint64_t nand_bytes_read = 0;
  double used = 0;                 ///< share of the endurance used, mean of all blocks; 0 if blocks do not wear out
  double spare = 1;                ///< share of the spare blocks that is left
  std::uint32_t least_erases = 0;  ///< of a block
  std::uint32_t most_erases = 0;   ///< of a block
  std::uint64_t bad_blocks = 0;    ///< erase units, grown
  /// Composite, controller, NAND, board: K; 0 without a thermal model.
  std::array<std::uint16_t, 4> kelvins{};
  bool read_only = false;  ///< worn out: writes are refused
};

/// Host memory that a device prefers, and the least that it uses, in bytes; 0: it uses none.
struct HostMemoryWish {
  std::uint64_t preferred = 0;
  std::uint64_t minimum = 0;
};

/// Data placement that the device supports (streams, FDP).
struct NvmePlacement {
  struct Handle {
    std::uint16_t identifier = 0;       ///< placement identifier
    std::uint64_t available_bytes = 0;  ///< free space of its reclaim unit
    std::uint32_t seconds_left = 0;     ///< until it moves to another reclaim unit; 0: not known
  };
  bool streams = false;            ///< it supports the streams directive
  std::uint32_t groups = 0;        ///< reclaim groups; 0: no flexible data placement
  std::uint32_t group_bits = 0;    ///< of a placement identifier (RGIF)
  std::uint64_t unit_bytes = 0;    ///< of a reclaim unit
  std::uint32_t unit_seconds = 0;  ///< longest time that a handle uses a reclaim unit; 0: not known
  std::vector<bool> persistent{};  ///< by reclaim unit handle: persistently isolated
  std::vector<Handle> handles{};   ///< of all groups, group by group
  std::uint64_t host_bytes = 0;    ///< with metadata written (HBMW)
  std::uint64_t media_bytes = 0;   ///< with metadata written (MBMW)
  std::uint64_t erased_bytes = 0;  ///< of the media (MBE)
};

/// Zones of a device, whose only namespace is zoned.
struct NvmeZones {
  std::uint32_t count = 0;                 ///< 0: the device has none
  std::uint64_t zone_bytes = 0;            ///< from the start of one to that of the next
  std::uint64_t capacity_bytes = 0;        ///< of a zone that can be written
  std::uint32_t max_open = 0;              ///< zones
  std::uint32_t max_active = 0;            ///< zones
  std::uint64_t random_area_bytes = 0;     ///< of a random write area; 0: there are none
  std::uint64_t random_granule_bytes = 0;  ///< granularity of commits of such an area
  std::uint32_t max_random_areas = 0;      ///< most zones that have one at a time

  bool present() const { return count != 0; }
  std::uint64_t written_at_most() const { return count * capacity_bytes; }  ///< bytes
};

/// All functions may be called at any time while the device has power.
class NvmeDevice {
 public:
  virtual std::string name() const = 0;
  virtual std::uint64_t capacity_bytes() const = 0;
  virtual std::uint32_t sector_bytes() const = 0;   ///< 512 or 4096
  virtual std::uint32_t unit_bytes() const = 0;     ///< mapping unit: granularity of trims and preferred writes
  virtual std::uint32_t program_bytes() const = 0;  ///< data of one program command of a die
  virtual std::uint32_t atomic_bytes() const = 0;   ///< a write of this size within a mapping unit is never torn
  virtual NamespaceSizes namespaces() const = 0;    ///< initial ones; none: one that covers the device
  virtual std::uint32_t queues() const = 0;         ///< submission queues for I/O
  virtual std::uint32_t queue_depth() const = 0;    ///< most entries of one
  virtual bool volatile_cache() const = 0;          ///< a power cut may lose acknowledged data
  virtual bool keeps_bytes() const = 0;             ///< reads return the written bytes; else zeroes
  virtual NvmeHealth health() const = 0;
  virtual NvmePlacement placement() const { return {}; }
  virtual NvmeZones zones() const { return {}; }
  /// Appends to `starts` the zones whose state the device has changed by itself since the last call, as byte offsets.
  virtual void take_zone_changes(std::vector<std::uint64_t>& starts) { static_cast<void>(starts); }
  /// The log of FDP events; null: no flexible data placement.
  virtual FdpEvents* fdp_events() const { return nullptr; }
  /// It serves commands: the run has begun, and the mount is over.
  virtual bool ready() const = 0;
  /// Time of an interrupt message on the link.
  virtual Picoseconds message_time() const = 0;

  virtual const std::vector<PowerStateConfig>& power_states() const = 0;
  virtual std::uint32_t power_state() const = 0;

  virtual HostProtocol::Arbitration arbitration() const = 0;  ///< as configured
  virtual bool weighted_arbitration() const = 0;              ///< the host can choose it
  virtual void arbitrate(const HostProtocol::Arbitration& arbitration) = 0;
  virtual void classify(std::uint32_t queue, std::uint32_t priority) = 0;  ///< 0: urgent .. 3: low
  /// Interrupt coalescing: completions of a vector for one interrupt, and the longest wait after the first of them.
  virtual std::uint32_t aggregate() const = 0;
  virtual Picoseconds aggregate_time() const = 0;

  virtual HostMemoryWish host_memory() const = 0;
  /// The host lends `bytes`; 0: it asks for its memory back, and `done` is called when the device has released it. Only
  /// for a device whose host_memory() is not 0.
  virtual void lend_host_memory(std::uint64_t bytes, std::function<void()> done) = 0;
  /// The lent memory is lost: the controller was reset.
  virtual void lose_host_memory() = 0;

 protected:
  ~NvmeDevice() = default;
};

}  // namespace flashloom
