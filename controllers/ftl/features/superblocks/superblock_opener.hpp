// Opens superblocks: for host data, copies, data that move apart, and the metadata log.
#pragma once

#include <cstdint>

#include "controllers/ftl/collect/collector.hpp"

namespace flashloom {

class SuperblockOpener final : public GcUnitOpener, private FtlPart {
 public:
  explicit SuperblockOpener(Collector& collector);

  Task<void> open(std::uint32_t group, BlockNumber* open, std::uint32_t stream) override {
    return open_for(group, open, stream, FreeUse::Data, true);
  }
  Task<bool> open_for_copies(std::uint32_t group) override;
  bool can_copy_now(std::uint32_t group) const override;
  Task<void> open_apart(std::uint32_t group, GcUnit victim) override;
  bool can_open_apart(std::uint32_t group) const override;
  PendingErase take(GcUnit superblock, bool spare) override;

 private:
  Task<void> open_for(std::uint32_t group, BlockNumber* open, std::uint32_t stream, FreeUse use, bool spare);
  bool erased(GcUnit free) const;
  PendingErase first_erase(std::uint32_t group);

  const Victims& victims_;
  OpenBlocks& open_;
  CopyBlocks& copies_;
};

}  // namespace flashloom
