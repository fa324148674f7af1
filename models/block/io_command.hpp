// The payload of the block socket: one host command. Its initiator owns it and keeps it alive until it completes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/block/latency_breakdown.hpp"
#include "models/block/placement_id.hpp"
#include "models/common/sector_token.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// WriteZeroes (NVMe): reads as zeroes from then on, moves no data.
enum class IoOperation : std::uint8_t { Read, Write, Trim, Flush, WriteZeroes };
inline constexpr std::size_t kIoOperations = 5;
inline constexpr const char* kIoOperationNames[kIoOperations] = {"read", "write", "trim", "flush", "write_zeroes"};

enum class IoStatus : std::uint8_t {
  Ok,
  PowerLost,       ///< the device lost power before it completed; a write may or may not have happened
  OutOfRange,      ///< beyond the device's or the namespace's capacity, or too many ranges; nothing was done
  MediaError,      ///< data could not be read from flash; never returned as data
  WriteProtected,  ///< a write, trim or flush of a device that has become read-only, or does so meanwhile; some of it
                   ///< may have been done
};

/// What becomes of the data of a read.
enum class ReadUse : std::uint8_t {
  Host,     ///< the host gets them
  Check,    ///< they are read, and no more (NVMe: Verify)
  Compare,  ///< the device compares them with data that it fetches from the host
};

/// One range of a trim.
struct IoRange {
  std::uint64_t offset = 0;  ///< bytes, a multiple of the sector size
  std::uint64_t length = 0;  ///< bytes, a multiple of the sector size
};
/// Dataset Management has so many ranges at most (NVM Command Set Specification 1.0, section 3.2.3).
inline constexpr std::uint32_t kMostRanges = 256;

/// Frames of a link protocol around the data of a command, in bytes (Serial ATA).
struct DataFrames {
  std::uint32_t setup = 0;     ///< device to host, ahead of the first data; 0: none
  std::uint32_t activate = 0;  ///< device to host, ahead of each further frame of host data
  std::uint32_t data = 0;      ///< data that one frame carries at most
};

struct IoCommand {
  IoOperation operation = IoOperation::Read;
  IoStatus status = IoStatus::Ok;
  bool fua = false;                 ///< write: complete only when durable
  ReadUse use = ReadUse::Host;      ///< read; a device that knows no other (a tier) gives the data to the host
  std::uint8_t stream = 0;          ///< job or trace device
  std::uint16_t queue = 0;          ///< submission queue
  PlacementId placement{};  ///< write; flush: the reclaim unit handle that goes on in its next reclaim unit behind it
  std::uint64_t number = 0;         ///< of the run's requests, counted from 1; 0: nobody numbers them
  std::uint64_t offset = 0;         ///< bytes, a multiple of the sector size; on the device, whatever the namespace
  std::uint64_t length = 0;         ///< bytes, a multiple of the sector size; 0 for a flush; of all ranges together
  std::uint32_t name_space = 0;     ///< number, counted from 1, of the namespace that it must lie in; 0: any
  std::uint32_t range_count = 0;    ///< trim: of `ranges`
  const IoRange* ranges = nullptr;  ///< trim: what is trimmed, in place of offset and length; null: these
  SectorToken* tokens = nullptr;    ///< one a sector, or null when verify is off. Write: in. Read: out
  struct {
    Picoseconds arrival = 0;   ///< the workload wants it
    Picoseconds submit = 0;    ///< BEGIN_REQ
    Picoseconds accepted = 0;  ///< END_REQ
    Picoseconds complete = 0;  ///< BEGIN_RESP reaches the initiator
  } at;
  LatencyBreakdown breakdown;  ///< from arrival to complete
  std::uint32_t slot = 0;      ///< the target's number for it
  IoCommand* next = nullptr;   ///< link of the queue that holds it now
  // The device's own notes.
  const DataFrames* frames = nullptr;  ///< what the link's protocol puts around its data; null: nothing
  Picoseconds ready = 0;               ///< when its completion entry may be sent, if that is later than now
  Picoseconds power_wait = 0;          ///< time from its coming until the device had left a low-power state
  Picoseconds data_done = 0;           ///< when its last data are in the host's memory (reads)
};

/// Calls f(offset, length) for each range of a trim.
template <class F>
void for_each_range(const IoCommand& command, F&& f) {
  if (command.ranges == nullptr) return f(command.offset, command.length);
  for (std::uint32_t i = 0; i < command.range_count; ++i) f(command.ranges[i].offset, command.ranges[i].length);
}

}  // namespace flashloom
