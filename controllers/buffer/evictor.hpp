// Chooses what the data buffer evicts: the victims of the policies with their companions (the rest of a program unit,
// correlated sets, whole logical blocks). Clean units are freed at once, dirty ones go through the destager.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/buffer/destager.hpp"
#include "controllers/buffer/entry_store.hpp"
#include "controllers/hardware/hardware.hpp"

namespace flashloom {

class Evictor {
 public:
  Evictor(const BufferShape& shape, EntryStore& store, Destager& destager, BufferStatistics& statistics,
          Hardware& hardware)
      : shape_(shape), store_(store), destager_(destager), statistics_(statistics), hardware_(hardware) {}

  /// Evicts for `unit`, which will be dirty, from a full part; false: the victim cannot be evicted now (can_leave()).
  bool make_room(BufferPart& part, std::uint32_t unit);
  /// Evicts for a clean unit if there is no room; false: the unit should not be kept.
  bool make_clean_room(BufferPart& part, std::uint32_t unit);
  /// Evicts one more dirty unit of the part.
  void evict_next(std::uint8_t part, DestageCause cause);
  void evict_for_flush(BufferEntry& entry);
  void destage_to_low(std::uint8_t part);

 private:
  bool evict_clean_or(BufferPart& part, Slot clean);
  void evict_with_companions(Slot victim, DestageCause cause);
  void evict_leaving(DestageCause cause);
  void evict(BufferEntry& entry, DestageCause cause, bool last = true, std::uint32_t set = 0);
  void evict_padded(std::uint32_t unit, DestageCause cause);
  void gather_program_unit(Slot victim);

  const BufferShape& shape_;
  EntryStore& store_;
  Destager& destager_;
  BufferStatistics& statistics_;
  Hardware& hardware_;
  // Only while they are made up.
  std::vector<Slot> leaving_;
  std::vector<LeavingPage> leaving_in_sets_;
};

}  // namespace flashloom
