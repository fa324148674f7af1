// What parity over dies is made of, and what is made of it: the data of a page that cannot be read, out of the rest of its
// stripe. All dies of the superblock are read, side by side; what is missing is computed as in a RAID.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/ftl/blocks/stripes.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/ftl_statistics.hpp"
#include "controllers/hardware/hardware.hpp"
#include "controllers/runtime/task.hpp"
#include "models/common/parity.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

class StripeRecovery {
 public:
  StripeRecovery(const FtlContext& context, const BlockTable& blocks, const Stripes& stripes,
                 FtlStatistics::Rain& statistics);

  /// The tokens of the parity program at that page: what memory has gathered of the programs of its stripe, which are
  /// all on flash; the model looks at their cells. Does nothing without verify.
  void parity_of(BlockNumber parity, std::uint32_t page, SectorToken* tokens);
  /// A completed read that stayed uncorrectable, of data: its status ends Good, with tokens and out-of-band words, or
  /// Uncorrectable. Of a stripe whose parity is not programmed yet, memory has what there is of it.
  Task<void> recover(OnfiCommand& read);

 private:
  /// Room for one stripe.
  struct Room {
    std::vector<OnfiCommand> reads;   // by member
    std::vector<OobWord> oob;         // by member and unit
    std::vector<SectorToken> tokens;  // by member, then of P and Q; in each by unit and sector
  };
  Room& take_room();
  ParityRows rows(Room& room, std::uint32_t units) const;
  /// Sets a member's column to what its cells hold; zeroes if it has no part in the stripe.
  void from_cells(const ParityRows& rows, std::uint32_t n, BlockNumber member, std::uint32_t page,
                  std::uint32_t first_unit, std::uint32_t units) const;
  /// The rows of a block's stripe as its cells give them, with the parity computed: only with verify.
  ParityRows encode_cells(Room& room, BlockNumber block, std::uint32_t page, std::uint32_t first_unit,
                          std::uint32_t units) const;
  void from_memory(const ParityRows& rows, std::uint64_t wanted, const OnfiCommand& lost, BlockNumber block);
  std::uint32_t bytes_of(const OnfiCommand& lost) const;
  void fill_read(Room& room, std::uint32_t n, BlockNumber member, const OnfiCommand& lost) const;
  std::size_t tokens_of(std::uint32_t units) const { return std::size_t{units} * context_.sectors_per_unit; }

  const FtlContext& context_;
  const BlockTable& blocks_;
  const Stripes& stripes_;
  FtlStatistics::Rain& statistics_;
  std::uint32_t dies_;
  std::vector<std::unique_ptr<Room>> rooms_;
  std::vector<Room*> free_;
};

}  // namespace flashloom
