// The admin command set (section 5).
#pragma once

#include <cstdint>

#include "controllers/nvme/controller_parts.hpp"
#include "controllers/nvme/feature_commands.hpp"
#include "controllers/nvme/maintenance.hpp"
#include "controllers/nvme/self_test.hpp"

namespace flashloom::nvme {

/// Transfers `bytes` at command.data to the host, or from it.
Task<Status> send_data(ControllerParts& parts, NvmeCommand& command, std::uint32_t bytes);
Task<Status> receive_data(ControllerParts& parts, NvmeCommand& command, std::uint32_t bytes);

/// The task of a command that takes no time.
Task<Status> settled(Status status);

class AdminCommands {
 public:
  AdminCommands(ControllerParts& parts, FeatureCommands& features, SelfTest& self_test)
      : parts_(parts), features_(features), self_test_(self_test), maintenance_(parts) {}

  /// Carries out a command of the admin queue. Status::Held: it completes later.
  Task<Status> serve(NvmeCommand& command);

 private:
  Task<Status> identify_to_host(NvmeCommand& command);
  Task<Status> log_page(NvmeCommand& command);
  Task<Status> delete_submission_queue(NvmeCommand& command);
  Status create_completion_queue(const Entry& entry);
  Status create_submission_queue(const Entry& entry);
  Status delete_completion_queue(const Entry& entry);
  Status abort(NvmeCommand& command);

  ControllerParts& parts_;
  FeatureCommands& features_;
  SelfTest& self_test_;
  Maintenance maintenance_;
};

}  // namespace flashloom::nvme
