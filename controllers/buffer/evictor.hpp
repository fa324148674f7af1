// Decides what leaves the data buffer, and what goes along: victims of the policies with their companions, program
// units that are filled up, correlated sets, whole logical blocks. Clean units leave at once, dirty ones through the
// destager.
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

  /// Makes room for `unit`, which will be dirty, in a part that is full; false: what should leave cannot (can_leave()).
  bool make_room(BufferPart& part, std::uint32_t unit);
  /// Makes room for a clean one, where there is none; false: it had better not be kept.
  bool make_clean_room(BufferPart& part, std::uint32_t unit);
  /// One more dirty unit of the part leaves.
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
