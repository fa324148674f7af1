// Why writes waited for room in the data buffer: the programs that made room, and what these waited for.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controllers/ftl/ftl.hpp"

namespace flashloom {

/// What a wait for room was made of.
enum class RoomCause : std::uint8_t {
  Destager,       ///< the turn of what leaves: behind others, or on its way to the FTL and back
  Map,            ///< a program on its way: its map entries
  Dram,           ///< its data, out of DRAM
  Cpu,            ///< firmware's work on it
  BlockTurn,      ///< its turn in its block: an erased block, copies that are owed
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

/// The times add to `time`, to the picosecond.
struct RoomWaitCounts {
  std::uint64_t waits = 0;
  std::uint64_t time = 0;                           ///< ps
  std::array<std::uint64_t, kRoomCauses> causes{};  ///< ps
  DieTimes dies{};  ///< of `time`, from when the program was handed to its die until it was over there

  RoomWaitCounts& operator+=(const RoomWaitCounts& other);
  /// What was counted since `other`, an earlier copy.
  RoomWaitCounts& operator-=(const RoomWaitCounts& other);
};

/// The programs of late, as they made room. A wait is the program's that ended it, from its begin on; what was before it
/// is that of the program that ended when it began, and so on.
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
