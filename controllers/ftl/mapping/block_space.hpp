// How the erase units of a die are shared out by FTLs that map blocks: data blocks, what the FTL has beside them (log
// blocks, replacement blocks), and a reserve for merges; where blocks wear out, also for those whose erases fail.
#pragma once

#include <cstdint>
#include <string>

#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/ftl_rules.hpp"

namespace flashloom {

class BlockSpace {
 public:
  /// Free blocks of a die that merges need: one to copy into, one whose erase is under way.
  static constexpr std::uint32_t kReserve = 2;

  /// `wears`: blocks wear out. `checkpoints`: of the map are written (checkpoints_of()).
  BlockSpace(const NandGeometry& geometry, std::uint64_t logical_units, bool wears = false, bool checkpoints = false);

  /// Free blocks of a die when nothing is under way, at least.
  std::uint32_t reserve() const { return reserve_; }

  /// Logical blocks of a die.
  std::uint32_t logical_blocks(std::uint32_t die) const;
  /// Blocks of a die that are left beside its data blocks and the reserve.
  std::uint32_t room(std::uint32_t die) const;
  /// Of them, those that the metadata log may take.
  std::uint32_t log_blocks() const;
  /// Of them, those that may go bad before the FTL has fewer than `least` beside the metadata log.
  std::uint32_t may_lose(std::uint32_t die, std::uint32_t least) const;
  /// Of `total` extra blocks of the device those of a die: an even share; 0: all that there is room for.
  std::uint32_t share(std::uint64_t total, std::uint32_t die) const;

  /// Of the tables: an entry a logical block, a bit a unit (it is there), an entry a unit of `total` extra blocks (0:
  /// all that there is room for).
  std::uint64_t map_bytes(std::uint64_t total) const;
  /// Whether each die has room for its share of `total` extra blocks, and for `least` at least beside the metadata log.
  /// `key`, `what`: the parameter that says how many, and what they are.
  void check(const FtlConfig& config, std::uint64_t total, std::uint32_t least, const char* key,
             const char* what) const;

 private:
  const NandGeometry& geometry_;
  std::uint64_t logical_units_;
  std::uint64_t logical_blocks_;
  std::uint32_t reserve_;
  bool checkpoints_;
};

/// The recovery method writes them.
bool checkpoints_of(const FtlConfig& config);

/// Its parameter `log_blocks`.
inline std::uint64_t log_blocks_of(const FtlConfig& config) {
  return static_cast<std::uint64_t>(config.kind.parameters.get<std::int64_t>("log_blocks"));
}

/// What an FTL asks of a device's shape that needs `least` log blocks a die, and takes as many as log_blocks_of() says.
template <std::uint32_t least>
FtlShape log_blocks_shape() {
  FtlShape shape;
  shape.check = [](const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units, bool wears) {
    BlockSpace(geometry, logical_units, wears, checkpoints_of(config))
        .check(config, log_blocks_of(config), least, "log_blocks", "log blocks");
  };
  shape.map_bytes = [](const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units) {
    return BlockSpace(geometry, logical_units).map_bytes(log_blocks_of(config));
  };
  return shape;
}

/// Parameters that several of these FTLs have.
ParameterSpec log_blocks_parameter(const std::string& also = {});
ParameterSpec open_programs_parameter();

}  // namespace flashloom
