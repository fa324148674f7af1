#include "controllers/buffer/room_waits.hpp"

#include <algorithm>

#include "controllers/flash/die_history.hpp"

namespace flashloom {
namespace {

void count(RoomWaitCounts& counts, RoomCause cause, Picoseconds time) {
  counts.causes[static_cast<std::size_t>(cause)] += time;
}

RoomCause cause_of(DieWork work) {
  switch (work) {
    case DieWork::HostRead:
      return RoomCause::DieRead;
    case DieWork::HostProgram:
      return RoomCause::DieProgram;
    case DieWork::Collection:
      return RoomCause::DieCollection;
    case DieWork::Erase:
      break;
  }
  return RoomCause::DieErase;
}

}  // namespace

void DieTimes::add(std::uint32_t die, std::uint64_t time) {
  if (times.size() <= die) times.resize(die + 1);
  times[die] += time;
}

DieTimes& DieTimes::operator+=(const DieTimes& other) {
  for (std::uint32_t die = 0; die < other.times.size(); ++die) add(die, other.times[die]);
  return *this;
}

DieTimes& DieTimes::operator-=(const DieTimes& other) {
  if (times.size() < other.times.size()) times.resize(other.times.size());
  for (std::uint32_t die = 0; die < other.times.size(); ++die) times[die] -= other.times[die];
  return *this;
}

RoomWaitCounts& RoomWaitCounts::operator+=(const RoomWaitCounts& other) {
  waits += other.waits;
  time += other.time;
  for (std::size_t cause = 0; cause < kRoomCauses; ++cause) causes[cause] += other.causes[cause];
  dies += other.dies;
  return *this;
}

RoomWaitCounts& RoomWaitCounts::operator-=(const RoomWaitCounts& other) {
  waits -= other.waits;
  time -= other.time;
  for (std::size_t cause = 0; cause < kRoomCauses; ++cause) causes[cause] -= other.causes[cause];
  dies -= other.dies;
  return *this;
}

void RoomWaits::programmed(const ProgramInstants& program, Picoseconds now) {
  if (program.flash.complete <= program.begin) return;  // on the instant clock
  // The units of one program make room one after the other.
  const Program& last = programs_[(next_ + kPrograms - 1) % kPrograms];
  if (next_ != 0 && last.done == now && last.at.begin == program.begin && last.at.die == program.die) return;
  programs_[next_++ % kPrograms] = {program, now};
}

void RoomWaits::explain(Picoseconds from, Picoseconds to, RoomWaitCounts& counts) const {
  ++counts.waits;
  counts.time += to - from;
  const std::size_t oldest = next_ < kPrograms ? 0 : next_ - kPrograms;
  for (std::size_t i = next_; i != oldest && to > from; --i) {
    const Program& program = programs_[(i - 1) % kPrograms];
    if (program.done > to) continue;
    if (program.done <= from) break;
    count(counts, RoomCause::Destager, to - program.done);
    const Picoseconds begin = std::max(from, program.at.begin);
    walk(program, begin, program.done, counts);
    to = begin;
  }
  count(counts, RoomCause::Destager, to - from);
}

void RoomWaits::walk(const Program& program, Picoseconds from, Picoseconds to, RoomWaitCounts& counts) {
  const FlashInstants& flash = program.at.flash;
  Picoseconds at = from;
  const auto until = [&](RoomCause cause, Picoseconds end) {
    end = std::min(end, to);
    if (end <= at) return;
    count(counts, cause, end - at);
    at = end;
  };
  const auto die_until = [&](Picoseconds end) {
    end = std::min(end, to);
    if (program.at.history != nullptr)
      program.at.history->for_each(at, end, [&](DieWork work, Picoseconds begin, Picoseconds over) {
        until(RoomCause::DieQueue, begin);
        until(cause_of(work), over);
      });
    until(RoomCause::DieQueue, end);
  };
  until(RoomCause::Map, program.at.mapped);
  until(RoomCause::Dram, program.at.fetched);
  until(RoomCause::Cpu, program.at.updated);
  until(RoomCause::BlockTurn, flash.queued);
  const Picoseconds at_die = at;
  die_until(flash.issued - flash.power_wait);
  until(RoomCause::Power, flash.issued);
  until(RoomCause::BusWait, flash.granted);
  until(RoomCause::Bus, flash.loaded);
  die_until(flash.array_begin);
  until(RoomCause::Array, flash.array_end - flash.suspended);
  die_until(flash.array_end);
  until(RoomCause::BusWait, flash.data_begin);
  until(RoomCause::Bus, flash.complete);
  if (at > at_die) counts.dies.add(program.at.die, at - at_die);
  until(RoomCause::Destager, to);
}

}  // namespace flashloom
