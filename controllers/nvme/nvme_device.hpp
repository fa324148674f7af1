// What an NVMe controller knows of the device behind it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "controllers/ftl/fdp_events.hpp"
#include "controllers/host_interface/host_protocol.hpp"
#include "controllers/ssd/power_config.hpp"
#include "models/block/namespaces.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// What a drive tells of its life; since it was made, or since the simulation began where the model counts no longer.
struct NvmeHealth {
  std::uint64_t bytes_read = 0;     ///< by the host
  std::uint64_t bytes_written = 0;  ///< by the host
  std::uint64_t reads = 0;          ///< host commands
  std::uint64_t writes = 0;
  std::uint64_t nand_bytes_written = 0;
  std::uint64_t nand_bytes_read = 0;
  double used = 0;                 ///< of the endurance, mean of all blocks; 0 where blocks do not wear out
  double spare = 1;                ///< of the spare blocks, still there
  std::uint32_t least_erases = 0;  ///< of a block
  std::uint32_t most_erases = 0;   ///< of a block
  std::uint64_t bad_blocks = 0;    ///< erase units, grown
  /// Composite, controller, NAND, board: K; 0 where nothing models heat.
  std::array<std::uint16_t, 4> kelvins{};
  bool read_only = false;  ///< so worn that it takes no data any more
};

/// What a device would like to have of the host's memory, and below what it takes none: bytes; 0: none at all.
struct HostMemoryWish {
  std::uint64_t preferred = 0;
  std::uint64_t minimum = 0;
};

/// Where the host may say that data are to go.
struct NvmePlacement {
  struct Handle {
    std::uint16_t identifier = 0;       ///< placement identifier
    std::uint64_t available_bytes = 0;  ///< that its reclaim unit has room for
    std::uint32_t seconds_left = 0;     ///< until it leaves that; 0: nothing says so
  };
  bool streams = false;          ///< it knows the streams directive
  std::uint32_t groups = 0;      ///< reclaim groups; 0: no flexible data placement
  std::uint32_t group_bits = 0;  ///< of a placement identifier (RGIF)
  std::uint64_t unit_bytes = 0;  ///< of a reclaim unit
  std::uint32_t unit_seconds = 0;  ///< that a handle fills one at most; 0: nothing says so
  std::vector<bool> persistent{};  ///< by reclaim unit handle: persistently isolated
  std::vector<Handle> handles{};   ///< of each group, one group behind the other
  std::uint64_t host_bytes = 0;    ///< with metadata written (HBMW)
  std::uint64_t media_bytes = 0;   ///< with metadata written (MBMW)
  std::uint64_t erased_bytes = 0;  ///< of the media (MBE)
};

/// Zones of a device, which is one namespace of them.
struct NvmeZones {
  std::uint32_t count = 0;             ///< 0: the device has none
  std::uint64_t zone_bytes = 0;        ///< from the start of one to that of the next
  std::uint64_t capacity_bytes = 0;    ///< of a zone that can be written
  std::uint32_t max_open = 0;          ///< zones
  std::uint32_t max_active = 0;        ///< zones
  std::uint64_t random_area_bytes = 0;     ///< of a random write area; 0: there are none
  std::uint64_t random_granule_bytes = 0;  ///< of which multiples are committed
  std::uint32_t max_random_areas = 0;      ///< zones that have one at a time

  bool present() const { return count != 0; }
  std::uint64_t written_at_most() const { return count * capacity_bytes; }  ///< bytes
};

/// Shape and effects. All of it may be asked at any time while the device has power.
class NvmeDevice {
 public:
  virtual std::string name() const = 0;
  virtual std::uint64_t capacity_bytes() const = 0;
  virtual std::uint32_t sector_bytes() const = 0;   ///< 512 or 4096
  virtual std::uint32_t unit_bytes() const = 0;     ///< mapping unit: what a trim frees, and what writes should fill
  virtual std::uint32_t program_bytes() const = 0;  ///< what one program command of a die takes
  virtual std::uint32_t atomic_bytes() const = 0;   ///< never torn by a power cut, if it lies in one mapping unit
  virtual NamespaceSizes namespaces() const = 0;    ///< at first; none: one that is all
  virtual std::uint32_t queues() const = 0;         ///< submission queues for I/O
  virtual std::uint32_t queue_depth() const = 0;    ///< most entries of one
  virtual bool volatile_cache() const = 0;          ///< acknowledged data may be lost with the power
  virtual bool keeps_bytes() const = 0;             ///< reads bring back what was written; else zeroes
  virtual NvmeHealth health() const = 0;
  virtual NvmePlacement placement() const { return {}; }
  virtual NvmeZones zones() const { return {}; }
  /// Zones whose state the device has changed by itself since it was asked last, as bytes from its start; added to
  /// `starts`.
  virtual void take_zone_changes(std::vector<std::uint64_t>& starts) { static_cast<void>(starts); }
  /// The log of what happens to reclaim units; null: no flexible data placement.
  virtual FdpEvents* fdp_events() const { return nullptr; }
  /// Serves commands: the run has begun, and it has mounted.
  virtual bool ready() const = 0;
  /// How long an interrupt message is on the link.
  virtual Picoseconds message_time() const = 0;

  virtual const std::vector<PowerStateConfig>& power_states() const = 0;
  virtual std::uint32_t power_state() const = 0;

  virtual HostProtocol::Arbitration arbitration() const = 0;  ///< as configured
  virtual bool weighted_arbitration() const = 0;              ///< it can be chosen
  virtual void arbitrate(const HostProtocol::Arbitration& arbitration) = 0;
  virtual void classify(std::uint32_t queue, std::uint32_t priority) = 0;  ///< 0: urgent .. 3: low
  /// Completions of a vector that raise an interrupt together, and how long after the first they do so anyway.
  virtual std::uint32_t aggregate() const = 0;
  virtual Picoseconds aggregate_time() const = 0;

  virtual HostMemoryWish host_memory() const = 0;
  /// The host lends so many bytes; 0: it asks for them, and `done` is called when the device has let them go. Only of a
  /// device that wishes for some.
  virtual void lend_host_memory(std::uint64_t bytes, std::function<void()> done) = 0;
  /// They are gone: the controller was reset.
  virtual void lose_host_memory() = 0;

 protected:
  ~NvmeDevice() = default;
};

}  // namespace flashloom
