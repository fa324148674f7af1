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

/// Torn: cannot be corrected. Failed: of a program or an erase; the block is worn out. Corrupt: can be read, but its
/// checksum does not fit (what comes is garbage). Uncorrectable: of a read; a codeword has more bit errors than its
/// decoder corrects, the spare area can be read.
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

/// What a drive that tears writes leaves of a program in which the power fails: pages that seem fine.
struct TornContents {
  SectorToken* tokens = nullptr;    ///< as OnfiCommand::tokens
  std::uint64_t units = 0;          ///< mapping units that are torn in it
  std::uint64_t* struck = nullptr;  ///< counts them when that happens
};

/// Who is told of a completion. Called exactly once a command, at its completion time.
class FlashCompletion {
 public:
  virtual void on_flash_complete(OnfiCommand& command) = 0;

 protected:
  ~FlashCompletion() = default;
};

/// Nobody's in particular: garbage collection, the map, recovery.
inline constexpr std::uint32_t kNoFlow = 255;

struct OnfiCommand {
  FlashAddress address;
  FlashOperation operation = FlashOperation::Read;
  Origin origin = Origin::Host;
  FlashStatus status = FlashStatus::Good;
  std::uint8_t urgency = 0;  ///< among commands that wait for the bus: lower goes first (see OnfiChannel)
  std::uint8_t retry = 0;    ///< read: level of read voltages, 0 = default (controllers/flash/ecc_engine.hpp)
  bool spare_only = false;  ///< read: what is moved are out-of-band words, which have a strong code of their own
  bool slc = false;  ///< in pseudo-SLC mode, of blocks that are not always in it; kept where firmware may choose
  bool open = false;  ///< read: of a block that is not full; kept where that takes longer (nand.open_read_factor)
  std::uint16_t bit_errors = 0;  ///< read, out: of the codeword that has most; 0 without a model of bit errors
  std::uint16_t first_unit = 0;  ///< read: first mapping unit wanted of the page
  std::uint16_t units = 0;  ///< read: mapping units wanted (contiguous, of one page); program: all of the program unit
  std::uint32_t bytes = 0;  ///< data cycles on the bus x width; set by the submitter
  std::uint32_t payload_units = 0;  ///< program: mapping units that carry data (the rest is padding, but for `unused_units`), for the counters
  std::uint32_t copied_units = 0;   ///< program of host data: of them, copies of old ones; count for Origin::Merge
  /// Whose work it is, where that is known: stream of the host's job (IoCommand::stream).
  std::uint32_t flow = kNoFlow;
  std::uint32_t from = 0;  ///< read: byte of the page at which what is moved begins; whole codewords
  std::uint32_t unused_units = 0;  ///< program: of its places, those beyond what fills it (NandGeometry::compresses)
  std::uint64_t tag = 0;  ///< of an arbitration that counts what each flow got, for itself
  /// Program: the firmware's count of programs, kept for each block's first page. Read: out.
  std::uint64_t sequence = 0;
  OobWord* oob = nullptr;              ///< `units` words. Program: in. Read: out
  SectorToken* tokens = nullptr;       ///< units x sectors a unit, or null when verify is off. Program: in. Read: out
  const TornContents* torn = nullptr;  ///< program: what a power cut makes of it; null: as of any program
  FlashCompletion* completion = nullptr;
  /// For observers: whom it works for. Origin::Host and Rmw: numbers of host requests (IoCommand::number), one, or for
  /// a program `payload_units`; Origin::Gc: the number of one collection. Null: nobody's in particular.
  const std::uint64_t* owners = nullptr;
  FlashInstants at;
  OnfiCommand* next = nullptr;  ///< link of the queue that holds it now
  /// Multi-plane read: the next page read together with this one, from another plane of the die and the same row (page
  /// number of its block). The first one stands for all on the way to the die; data-out and completion are each one's.
  OnfiCommand* together = nullptr;
  /// Copyback: the program that writes back what this read (or these, planes together) left in the page register. Both
  /// move no data (bytes = 0); the program's words and tokens are those that the reads fill, in the order of its pages.
  OnfiCommand* then = nullptr;
};

/// Calls f(command) for each command of a group: those read together, and the program that follows them.
template <class F>
void for_each_of_group(OnfiCommand& first, F&& f) {
  OnfiCommand* const then = first.then;
  for (OnfiCommand* command = &first; command != nullptr;) {
    OnfiCommand* const next = command->together;  // f may use it for something else
    f(*command);
    command = next;
  }
  if (then != nullptr) f(*then);
}

}  // namespace flashloom
