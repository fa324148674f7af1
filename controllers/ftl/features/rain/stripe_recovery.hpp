// Computes the content of parity program units, and rebuilds the data of an unreadable page from the rest of its
// stripe. It reads all dies of the group in parallel and computes the missing data as in a RAID.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/ftl/features/rain/stripes.hpp"
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

  /// Computes the tokens of the parity program at that page: the parity that memory has accumulated. All data of the
  /// stripe are on flash; the model reads them from the cells. Does nothing without verify.
  void parity_of(BlockNumber parity, std::uint32_t page, SectorToken* tokens);
  /// Takes a completed data read that stayed uncorrectable; sets its status to Good, with tokens and out-of-band words,
  /// or Uncorrectable. If the stripe's parity is not programmed yet, memory has the parity accumulated so far.
  Task<void> recover(OnfiCommand& read);

 private:
  /// Buffers for one stripe.
  struct Room {
    std::vector<OnfiCommand> reads;   // by member
    std::vector<OobWord> oob;         // by member and unit
    std::vector<SectorToken> tokens;  // by member, then P and Q; within each by unit and sector
  };
  Room& take_room();
  ParityRows rows(Room& room, std::uint32_t units) const;
  /// Fills a member's column with the content of its cells; with zeroes if it has no part in the stripe.
  void from_cells(const ParityRows& rows, std::uint32_t n, BlockNumber member, std::uint32_t page,
                  std::uint32_t first_unit, std::uint32_t units) const;
  /// Reads the rows of a block's stripe from the cells and computes the parity. Only with verify.
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
