// The NVM command set (section 6).
#pragma once

#include <cstdint>

#include "controllers/nvme/controller_parts.hpp"

namespace flashloom::nvme {

/// The status of a command that the device has carried out.
Status status_of(IoStatus status);

class IoCommands {
 public:
  explicit IoCommands(ControllerParts& parts) : parts_(parts) {}

  /// Carries out a command of an I/O queue.
  Task<Status> serve(NvmeCommand& command);

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
  Task<Status> write_zeroes(NvmeCommand& command);
  Task<Status> dataset_management(NvmeCommand& command);
  Task<Status> carry_out(NvmeCommand& command, IoOperation operation, Extent extent);
  bool through(const NvmeCommand& command) const;
  bool too_long(std::uint64_t bytes) const { return bytes > parts_.config.max_transfer; }

  ControllerParts& parts_;
};

}  // namespace flashloom::nvme
