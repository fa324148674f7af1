// The payload of the ONFI socket: one read, program or erase command, from firmware to the die and back.
// Firmware owns it and keeps it alive until it completes; nothing on the way copies or allocates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/common/flash_instants.hpp"
#include "models/common/sector_token.hpp"
#include "models/common/types.hpp"

namespace flashloom {

enum class FlashOperation : std::uint8_t { Read, Program, Erase };
inline constexpr std::size_t kFlashOperations = 3;

/// Why a flash operation happens; every counter is kept by origin.
enum class Origin : std::uint8_t { Host, Gc, Map, Wear, Merge, Recovery, Rmw, Scrub, Padding, Parity };
inline constexpr std::size_t kOrigins = 10;
const char* to_string(FlashOperation operation);  ///< "read", "program", "erase"
const char* to_string(Origin origin);             ///< "host", "gc", "map", ...

/// Torn: cannot be corrected. Failed: a program or an erase failed; the block is worn out. Corrupt: readable, but the
/// checksum does not match (the data are garbage). Uncorrectable: a codeword read has more bit errors than its decoder
/// corrects; the spare area is readable.
enum class FlashStatus : std::uint8_t { Good, Torn, Erased, PowerLost, Failed, Corrupt, Uncorrectable };

/// Out-of-band word of one mapping unit, opaque to the die: firmware encodes logical unit and version in it
/// (controllers/ftl/oob.hpp). 0 = never written.
using OobWord = std::uint64_t;

struct FlashAddress {
  Die die;
  Block block;
  Page page;  ///< first page of the command
  friend bool operator==(const FlashAddress&, const FlashAddress&) = default;
};

struct OnfiCommand;

/// For drives that tear writes silently: what a power cut leaves of a program, namely pages that seem valid.
struct TornContents {
  SectorToken* tokens = nullptr;    ///< as OnfiCommand::tokens
  std::uint64_t units = 0;          ///< mapping units torn in the program
  std::uint64_t* struck = nullptr;  ///< counts torn units
};

/// Receives the completion of a command. Called exactly once a command, at its completion time.
class FlashCompletion {
 public:
  virtual void on_flash_complete(OnfiCommand& command) = 0;
  /// The die has begun the command: prefetches what on_flash_complete() will touch to the CPU's cache.
  virtual void foresee() const {}

 protected:
  ~FlashCompletion() = default;
};

/// No particular flow: garbage collection, the map, recovery.
inline constexpr std::uint32_t kNoFlow = 255;

struct OnfiCommand {
  FlashAddress address;
  FlashOperation operation = FlashOperation::Read;
  Origin origin = Origin::Host;
  FlashStatus status = FlashStatus::Good;
  std::uint8_t urgency = 0;  ///< among commands that wait for the bus: lower goes first (see OnfiChannel)
  std::uint8_t retry = 0;    ///< read: level of read voltages, 0 = default (controllers/flash/ecc_engine.hpp)
  bool spare_only = false;   ///< read: transfers only out-of-band words, which have a strong code of their own
  bool slc = false;   ///< the block is in pseudo-SLC mode, but not always; set where firmware may choose the mode
  bool open = false;  ///< read: the block is not full; set where that takes longer (nand.open_read_factor)
  bool in_register = false;      ///< read: the die's page register holds the page still, so that the array does nothing
  std::uint16_t bit_errors = 0;  ///< read, out: of the worst codeword; 0 without a model of bit errors
  std::uint16_t first_unit = 0;  ///< read: first mapping unit of the page to read
  std::uint16_t units = 0;  ///< read: mapping units to read (contiguous, of one page); program: all of the program unit
  std::uint32_t bytes = 0;  ///< data cycles on the bus x width; set by the submitter
  std::uint32_t payload_units = 0;  ///< program: mapping units with data (others: padding, unused_units); for counters
  std::uint32_t copied_units = 0;   ///< program of host data: those of them copied from old data; counted for Merge
  /// Stream of the host's job (IoCommand::stream) that the command works for, if known.
  std::uint32_t flow = kNoFlow;
  std::uint32_t from = 0;          ///< read: byte of the page where the transfer begins; whole codewords
  std::uint32_t unused_units = 0;  ///< program: places beyond those that fill it (NandGeometry::sizes_vary)
  std::uint64_t tag = 0;           ///< for an arbitration that counts the service of each flow
  /// Program: in, the firmware's count of programs, which the first page of each block keeps. Read: out.
  std::uint64_t sequence = 0;
  OobWord* oob = nullptr;              ///< `units` words. Program: in. Read: out
  SectorToken* tokens = nullptr;       ///< units x sectors a unit, or null when verify is off. Program: in. Read: out
  const TornContents* torn = nullptr;  ///< program: what a power cut leaves of it; null: ordinary tearing
  FlashCompletion* completion = nullptr;
  /// For observers: whom it works for. Origin::Host and Rmw: one host request number (IoCommand::number), or for a
  /// program `payload_units` of them; Origin::Gc: the number of one collection. Null: no one in particular.
  const std::uint64_t* owners = nullptr;
  FlashInstants at;
  OnfiCommand* next = nullptr;  ///< link of the queue that holds it now
  /// Multi-plane read: the next page read together with this one, from another plane of the die and the same row (page
  /// number of its block). Up to the array the first command stands for all; data-out and completion are separate.
  OnfiCommand* together = nullptr;
  /// Copyback: the program that writes back what this read (or these, of several planes) left in the page register.
  /// Both move no data (bytes = 0); the program takes the words and tokens that the reads return, in the order of its
  /// pages.
  OnfiCommand* then = nullptr;
};

/// Calls f(command) for each command of a group: the reads together, and the program that follows them.
template <class F>
void for_each_of_group(OnfiCommand& first, F&& f) {
  OnfiCommand* const then = first.then;
  for (OnfiCommand* command = &first; command != nullptr;) {
    OnfiCommand* const next = command->together;  // read before f, which may change it
    f(*command);
    command = next;
  }
  if (then != nullptr) f(*then);
}

}  // namespace flashloom
