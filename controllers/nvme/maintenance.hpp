// Format NVM, Namespace Management and Attachment (sections 5.23, 5.20, 5.19).
#pragma once

#include <cstdint>

#include "controllers/nvme/controller_parts.hpp"

namespace flashloom::nvme {

/// Namespaces are emptied by Write Zeroes, piece by piece, and a flush, and take the time of these commands. Old data
/// are unmapped, and may stay on flash until their block is erased.
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
