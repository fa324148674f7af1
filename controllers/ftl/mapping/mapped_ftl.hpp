// Common base of FTLs that keep the place of each unit in a table, UnitMap: reads, trims, checks. Derived classes
// decide where units go. If the modelled firmware keeps less than that (a block map, a cached map), the table belongs
// to the simulator, and the FTL charges what the firmware would do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/unit_map.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/mapping/mapped_part.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/program/programmer.hpp"
#include "controllers/ftl/read/flash_reader.hpp"
#include "controllers/ftl/read/host_gate.hpp"
#include "controllers/ftl/unit_sizes.hpp"

namespace flashloom {

class MappedFtl : public Ftl {
 public:
  std::uint64_t newest_version() const override { return newest_version_; }
  void prefetch(std::uint32_t unit) const override { map_.prefetch(unit); }
  void prefetch_data(std::uint32_t unit) const override {
    const PhysicalUnit place = map_.get(unit);
    if (place != kNoPhysicalUnit) blocks_.prefetch_data(place);
  }
  Task<void> read(ReadRequest& request) override;
  MappedFtl* plain_reader() override { return this; }
  /// Parts of read(), for PlainReads: the map entries that it looks up, and the flash commands that it needs, for the
  /// cores' work; what it waits for before it can be issued (null: nothing).
  std::uint32_t look_ups(const ReadRequest& request) const {
    return std::min(static_cast<std::uint32_t>(request.units.size()), most_look_ups_);
  }
  std::uint32_t pages_of(const ReadRequest& request) const;
  WaitList* blocked(const ReadRequest& request) {
    WaitList* const closed = gate_.before_dispatch();
    return closed != nullptr ? closed : locate(request);
  }
  /// At once after blocked() has returned null.
  void issue(FlashReader::Batch& batch);
  bool reads_leave_traces() const override { return context_.hardware.flash().ecc() != nullptr; }
  Task<void> trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) override;
  const FtlStatistics& statistics() const override { return statistics_; }
  MountReport mount_report() const override { return mounted_; }
  std::uint32_t least_free_blocks() const override;
  std::uint32_t bad_blocks() const override { return blocks_.spare().bad_blocks(); }
  const BlockTable* blocks() const override { return &blocks_; }
  void check() const override;

 protected:
  explicit MappedFtl(const FtlContext& context);
  /// Makes a read look up one map entry, however many units it wants.
  void look_up_by_command() { most_look_ups_ = 1; }

  /// For the parts of the FTL.
  MappedPart part() { return {context_, layout_, map_, blocks_, statistics_, programmer_}; }

  /// Unmaps a unit for a trim; false if it is not mapped.
  bool unmap(std::uint32_t unit);
  /// Number of host units written: the age that policies see.
  std::uint64_t age() const { return statistics_.units_written; }

  const std::unique_ptr<UnitSizes> sizes_;  ///< null: all units are whole
  const FtlContext context_;
  OobLayout layout_;
  UnitMap map_;
  BlockTable blocks_;
  FtlStatistics statistics_;
  Programmer programmer_;
  FlashReader reader_;
  HostGate gate_;
  MountReport mounted_;
  std::uint64_t newest_version_ = 0;  ///< newest version that recovery found or that was written since

 private:
  std::uint32_t most_look_ups_ = ~std::uint32_t{0};  // per read
  std::vector<PhysicalUnit> places_;                 // by unit of the read that is being issued, see locate()
  WaitList* locate(const ReadRequest& request);
  void zero(const ReadUnit& unit) const;
};

}  // namespace flashloom
