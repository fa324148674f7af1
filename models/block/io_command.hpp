// The payload of the block socket: one host command. Its initiator owns it and keeps it alive until it completes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/block/latency_breakdown.hpp"
#include "models/common/types.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

enum class IoOperation : std::uint8_t { Read, Write, Trim, Flush };
inline constexpr std::size_t kIoOperations = 4;

enum class IoStatus : std::uint8_t {
  Ok,
  PowerLost,       ///< the device lost power before it completed; a write may or may not have happened
  OutOfRange,      ///< beyond the device's capacity; nothing was done
  MediaError,      ///< data could not be read from flash; never returned as data
  WriteProtected,  ///< a write or trim of a device that has become read-only; nothing was done
};

struct IoCommand {
  IoOperation operation = IoOperation::Read;
  IoStatus status = IoStatus::Ok;
  bool fua = false;               ///< write: complete only when durable
  std::uint8_t stream = 0;        ///< job or trace device
  std::uint16_t queue = 0;        ///< submission queue
  std::uint64_t number = 0;       ///< of the run's requests, counted from 1; 0: nobody numbers them
  std::uint64_t offset = 0;       ///< bytes, a multiple of the sector size
  std::uint64_t length = 0;       ///< bytes, a multiple of the sector size; 0 for a flush
  SectorToken* tokens = nullptr;  ///< one a sector, or null when verify is off. Write: in. Read: out
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
  Picoseconds ready = 0;       ///< when its completion entry may be sent, if that is later than now
  Picoseconds power_wait = 0;  ///< time from its coming until the device had left a low-power state
  Picoseconds data_done = 0;   ///< when its last data are in the host's memory (reads)
};

}  // namespace flashloom
