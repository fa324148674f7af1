// Format NVM, Namespace Management and Attachment (sections 5.23, 5.20, 5.19).
#pragma once

#include <cstdint>

#include "controllers/nvme/controller_parts.hpp"

namespace flashloom::nvme {

/// Ranges are emptied by Write Zeroes through the device, piece by piece, and a flush behind: it takes as long as these
/// do. What was there is unmapped, and may stay on flash until its block is erased.
class Maintenance {
 public:
  explicit Maintenance(ControllerParts& parts) : parts_(parts) {}

  Task<Status> format(NvmeCommand& command);
  Task<Status> manage(NvmeCommand& command);
  Task<Status> attach(NvmeCommand& command);

 private:
  Task<Status> empty(NvmeCommand& command, Namespace& space);
  Task<Status> create(NvmeCommand& command);
  Task<Status> remove(NvmeCommand& command);
  void changed(std::uint32_t number);

  ControllerParts& parts_;
};

}  // namespace flashloom::nvme
