// Why writes waited for room in the data buffer: explained by the waits of the programs that made room.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controllers/ftl/ftl.hpp"

namespace flashloom {

/// Shares of a wait for room.
enum class RoomCause : std::uint8_t {
  Destager,       ///< the turn of the evicted unit, and its way to the FTL and back
  Map,            ///< a program on its way: its map entries
  Dram,           ///< its data, out of DRAM
  Cpu,            ///< firmware's work on it
  BlockTurn,      ///< its turn in its block: waits for an erased block, or for GC copies that come first
  DieRead,        ///< its die read for the host
  DieProgram,     ///< its die programmed other data of the host
  DieCollection,  ///< its die read or programmed for anything else: GC, merges, map, wear levelling
  DieErase,       ///< its die erased
  DieQueue,       ///< its die's queue else: transfers of others, a place in it
  Power,          ///< a limit of power
  BusWait,        ///< the channel
  Bus,            ///< its transfer
  Array,          ///< its own tPROG
  Unit,           ///< not for room: a unit that is being completed, a trim of it
};
inline constexpr std::size_t kRoomCauses = 15;
inline constexpr std::array<const char*, kRoomCauses> kRoomCauseNames{
    "destager",  "map",       "dram",  "cpu",      "block", "die_read", "die_program", "die_collection",
    "die_erase", "die_queue", "power", "bus_wait", "bus",   "array",    "unit"};

/// ps by die.
struct DieTimes {
  std::vector<std::uint64_t> times{};

  void add(std::uint32_t die, std::uint64_t time);
  DieTimes& operator+=(const DieTimes& other);
  DieTimes& operator-=(const DieTimes& other);
};

/// The `causes` add up to `time` exactly.
struct RoomWaitCounts {
  std::uint64_t waits = 0;
  std::uint64_t time = 0;                           ///< ps
  std::array<std::uint64_t, kRoomCauses> causes{};  ///< ps
  DieTimes dies{};  ///< of `time`, from the program's submission to its die until its end there

  RoomWaitCounts& operator+=(const RoomWaitCounts& other);
  /// What was counted since `other`, an earlier copy.
  RoomWaitCounts& operator-=(const RoomWaitCounts& other);
};

/// The last programs that made room. A wait is attributed to the program that ended it, back to that program's begin;
/// the time before to the program that ended at that begin, and so on.
class RoomWaits {
 public:
  /// `program` has made room, now.
  void programmed(const ProgramInstants& program, Picoseconds now);
  /// A write has waited for room between two instants.
  void explain(Picoseconds from, Picoseconds to, RoomWaitCounts& counts) const;

 private:
  static constexpr std::size_t kPrograms = 256;
  struct Program {
    ProgramInstants at;
    Picoseconds done = 0;
  };
  static void walk(const Program& program, Picoseconds from, Picoseconds to, RoomWaitCounts& counts);

  std::vector<Program> programs_ = std::vector<Program>(kPrograms);
  std::size_t next_ = 0;
};

}  // namespace flashloom
