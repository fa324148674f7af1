// Cuts host commands into mapping units.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/block/io_command.hpp"
#include "models/common/divisor.hpp"

namespace flashloom {

/// Part of a host command that lies in one unit.
struct UnitPiece {
  std::uint32_t unit;
  std::uint32_t first_sector = 0;
  std::uint64_t sectors = 0;      ///< bit per sector of the unit
  SectorToken* tokens = nullptr;  ///< of first_sector
  std::uint8_t stream;
  PlacementId placement{};
  std::uint64_t request;    ///< number of the command
  std::uint64_t write = 0;  ///< of the command among the buffer's writes
};

class UnitPieces {
 public:
  UnitPieces(std::uint32_t unit_bytes, std::uint32_t sector_bytes)
      : unit_(unit_bytes),
        sector_(sector_bytes),
        unit_bytes_(unit_bytes),
        all_sectors_(~std::uint64_t{0} >> (64 - unit_bytes / sector_bytes)) {}

  /// Of a whole unit.
  std::uint64_t all_sectors() const { return all_sectors_; }
  std::uint32_t unit_of(std::uint64_t offset) const { return static_cast<std::uint32_t>(unit_.quotient(offset)); }
  std::uint32_t first(const IoCommand& command) const { return unit_of(command.offset); }
  /// Units that the command touches.
  std::uint32_t count(const IoCommand& command) const {
    if (command.length == 0) return 0;
    return static_cast<std::uint32_t>(unit_.quotient(command.offset + command.length - 1)) - first(command) + 1;
  }
  UnitPiece piece(const IoCommand& command, std::uint32_t unit, std::uint64_t write = 0) const {
    UnitPiece piece{.unit = unit,
                    .stream = command.stream,
                    .placement = command.placement,
                    .request = command.number,
                    .write = write};
    const std::uint64_t begin = std::uint64_t{unit} * unit_bytes_;
    const std::uint64_t from = std::max(command.offset, begin);
    const std::uint64_t to = std::min(command.offset + command.length, begin + unit_bytes_);
    if (command.tokens != nullptr) piece.tokens = command.tokens + sector_.quotient(from - command.offset);
    if (to - from == unit_bytes_) {  // most are whole units
      piece.sectors = all_sectors_;
      return piece;
    }
    piece.first_sector = static_cast<std::uint32_t>(sector_.quotient(from - begin));
    const std::uint64_t end = sector_.quotient(to - begin);
    const std::uint64_t below_end = end == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1;
    piece.sectors = below_end & ~((std::uint64_t{1} << piece.first_sector) - 1);
    return piece;
  }

 private:
  Divisor unit_;
  Divisor sector_;
  std::uint32_t unit_bytes_;
  std::uint64_t all_sectors_;
};

}  // namespace flashloom
