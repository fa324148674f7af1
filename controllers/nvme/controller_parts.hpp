// The parts of an NVMe controller, as they see each other.
#pragma once

#include <cstdint>
#include <functional>

#include "controllers/nvme/dma.hpp"
#include "controllers/nvme/interrupt_vectors.hpp"
#include "controllers/nvme/namespace_table.hpp"
#include "controllers/nvme/nvme_config.hpp"
#include "controllers/nvme/nvme_device.hpp"
#include "controllers/nvme/nvme_queues.hpp"
#include "controllers/runtime/runtime.hpp"
#include "models/common/timer_queue.hpp"

namespace flashloom::nvme {

class ChangedZones;
class EventQueue;
class ErrorLog;
class Features;
class SelfTest;
struct Life;

/// They all live as long as the controller does.
struct ControllerParts {
  const NvmeConfig& config;
  NvmeDevice& device;
  Runtime& runtime;
  TimerQueue& timers;
  Dma& dma;
  InterruptVectors& interrupts;
  NamespaceTable& namespaces;
  NvmeQueues& queues;
  Features& features;
  EventQueue& events;
  ErrorLog& errors;
  Life& life;
  ChangedZones& changed_zones;
  SelfTest* self_test = nullptr;
  std::uint32_t page_bytes = 4096;  ///< CC.MPS
  std::uint32_t max_entries = 2;    ///< of a queue (CAP.MQES + 1)
  Picoseconds powered_since = 0;
  HostProtocol::Arbitration arbitration{};  ///< as the host has chosen

  /// A namespace, or with kAllNamespaces each, is about to be emptied.
  std::function<void(std::uint32_t)> formatted{};
  /// A threshold, or what it stands for, may have been crossed.
  std::function<void()> health_may_have_changed{};

  Picoseconds powered_for() const { return kernel_now() - powered_since; }
};

}  // namespace flashloom::nvme
