// The feature Host Memory Buffer (0Dh; NVM Express 1.4, section 8.9): the host lends memory, piece by piece, and takes
// it back.
#pragma once

#include <cstdint>

#include "controllers/nvme/controller_parts.hpp"
#include "controllers/runtime/wait_list.hpp"

namespace flashloom::nvme {

class HostMemory {
 public:
  static constexpr std::uint32_t kMostDescriptors = 256;  ///< HMMAXD
  static constexpr std::uint32_t kUnit = 4096;            ///< of HMPRE and HMMIN

  explicit HostMemory(ControllerParts& parts) : parts_(parts) {}

  /// Set Features. Disabling completes when the device has released the memory.
  Task<Status> set(NvmeCommand& command);
  /// The attributes that go with Get Features: size, address and length of the descriptor list.
  Task<Status> get(NvmeCommand& command);
  /// Dword 0 of the answer to Get Features.
  std::uint32_t value() const { return enabled_ ? 1 : 0; }
  /// The controller was reset: it has none, and nobody waits.
  void reset();

 private:
  Task<Status> enable(NvmeCommand& command);

  ControllerParts& parts_;
  bool enabled_ = false;
  std::uint32_t size_ = 0;  // in pages of the host
  std::uint64_t list_ = 0;
  std::uint32_t descriptors_ = 0;
  std::uint64_t returned_ = 0;  // times that the device has let it go
  bool letting_it_go_ = false;
  WaitList letting_go_;
};

}  // namespace flashloom::nvme
