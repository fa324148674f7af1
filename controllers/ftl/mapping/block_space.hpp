// How block-mapped FTLs divide the erase units of a die: data blocks, extra blocks (log blocks, replacement blocks),
// and a reserve for merges and, where blocks wear out, for failing erases.
#pragma once

#include <cstdint>
#include <string>

#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/ftl/recovery/recovery_method.hpp"

namespace flashloom {

class BlockSpace {
 public:
  /// Free blocks of a die that merges need: one as destination, one whose erase is pending.
  static constexpr std::uint32_t kReserve = 2;

  /// `wears`: blocks wear out. `checkpoints`: the recovery method writes checkpoints.
  BlockSpace(const NandGeometry& geometry, std::uint64_t logical_units, bool wears = false, bool checkpoints = false);

  /// Least free blocks of a die while nothing is in progress.
  std::uint32_t reserve() const { return reserve_; }

  /// Logical blocks of a die.
  std::uint32_t logical_blocks(std::uint32_t die) const;
  /// Extra blocks of a die: what data blocks and reserve leave.
  std::uint32_t room(std::uint32_t die) const;
  /// Of these, those that the metadata log may take.
  std::uint32_t log_blocks() const;
  /// Of these, those that may go bad before fewer than `least` are left beside the metadata log.
  std::uint32_t may_lose(std::uint32_t die, std::uint32_t least) const;
  /// A die's even share of `total` extra blocks of the device; 0: all that there is room for.
  std::uint32_t share(std::uint64_t total, std::uint32_t die) const;

  /// Bytes of the tables: an entry per logical block, a bit per unit (present), an entry per unit of `total` extra
  /// blocks (0: all that there is room for).
  std::uint64_t map_bytes(std::uint64_t total) const;
  /// Checks that each die has room for its share of `total` extra blocks, and for at least `least` beside the metadata
  /// log. `key`, `what`: the parameter that sets their number, and their name. Throws ConfigProblem.
  void check(const FtlConfig& config, std::uint64_t total, std::uint32_t least, const char* key,
             const char* what) const;

 private:
  const NandGeometry& geometry_;
  std::uint64_t logical_units_;
  std::uint64_t logical_blocks_;
  std::uint32_t reserve_;
  bool checkpoints_;
};

/// A parameter of the FTL that is a count.
inline std::uint32_t count_of(const ParameterValues& values, const char* name) {
  return static_cast<std::uint32_t>(values.get<std::int64_t>(name));
}

/// The device requirements of an FTL that needs `least` log blocks per die and takes its parameter `log_blocks` of them.
template <std::uint32_t least>
FtlShape log_blocks_shape() {
  FtlShape shape;
  shape.check = [](const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units, bool wears) {
    BlockSpace(geometry, logical_units, wears, recovery_of(config).checkpoints)
        .check(config, count_of(config.kind.parameters, "log_blocks"), least, "log_blocks", "log blocks");
  };
  shape.map_bytes = [](const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units) {
    return BlockSpace(geometry, logical_units).map_bytes(count_of(config.kind.parameters, "log_blocks"));
  };
  return shape;
}

/// Parameters that several block-mapped FTLs share.
ParameterSpec log_blocks_parameter(const std::string& also = {});
ParameterSpec open_programs_parameter();

}  // namespace flashloom
