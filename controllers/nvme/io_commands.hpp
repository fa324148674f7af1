// The NVM command set (section 6), and that of zones (NVMe Zoned Namespace Command Set Specification 1.1).
#pragma once

#include <cstdint>

#include "controllers/nvme/controller_parts.hpp"
#include "controllers/nvme/range_locks.hpp"

namespace flashloom::nvme {

/// The status of a command that the device has carried out.
Status status_of(IoStatus status);
/// Makes `command` one that the device carries out as `operation`; of queue 0 if it is the controller's own.
void prepare(NvmeCommand& command, IoOperation operation, std::uint64_t offset, std::uint64_t bytes);

class IoCommands {
 public:
  explicit IoCommands(ControllerParts& parts) : parts_(parts), zoned_(parts.device.zones().present()) {}

  /// Carries out a command of an I/O queue; of a fused pair, which comes as its first, both.
  Task<Status> serve(NvmeCommand& command);
  /// All commands are forgotten.
  void reset() { locks_.reset(); }

 private:
  /// Bytes on the device.
  struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };

  Status locate(NvmeCommand& command, Extent& extent) const;
  Task<Status> read(NvmeCommand& command);
  Task<Status> write(NvmeCommand& command);
  Task<Status> flush(NvmeCommand& command);
  Task<Status> compare(NvmeCommand& command);
  Task<Status> verify(NvmeCommand& command);
  Task<Status> write_zeroes(NvmeCommand& command);
  Task<Status> write_uncorrectable(NvmeCommand& command);
  Task<Status> dataset_management(NvmeCommand& command);
  Task<Status> io_management_receive(NvmeCommand& command);
  Task<Status> io_management_send(NvmeCommand& command);
  Task<Status> compare_and_write(NvmeCommand& compare_first);
  // Of zones (io_commands_zones.cpp).
  Status find_space(NvmeCommand& command, const Namespace*& space) const;
  Status locate_zone(NvmeCommand& command, Extent& extent) const;
  Task<Status> zone_append(NvmeCommand& command);
  Task<Status> zone_management_send(NvmeCommand& command);
  Task<Status> zone_management_receive(NvmeCommand& command);
  Task<Status> receive(NvmeCommand& command, const Extent& extent);
  Task<Status> put(NvmeCommand& command, Extent extent);
  Task<Status> compare_with(NvmeCommand& command, Extent extent);
  Task<Status> carry_out(NvmeCommand& command, IoOperation operation, Extent extent, ReadUse use = ReadUse::Host);
  void written(const Extent& extent);
  bool through(const NvmeCommand& command) const;
  bool too_long(std::uint64_t bytes) const { return bytes > parts_.config.max_transfer; }
  std::uint64_t sector(std::uint64_t offset) const { return offset / parts_.device.sector_bytes(); }

  ControllerParts& parts_;
  bool zoned_;
  RangeLocks locks_;
  std::uint64_t writes_ = 0;  // done
};

}  // namespace flashloom::nvme
