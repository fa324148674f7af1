// A command that a front end (NVMe registers, NBD) sends through the host's driver, in place of a workload's request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/block/io_command.hpp"
#include "models/common/timer_queue.hpp"

namespace flashloom {

/// A command on its way: the driver's timer queue reports its completion, so that a device which answers at once cannot
/// recurse into the next submission.
class SentCommand : public IoCommand, public Timer {
 public:
  /// It will complete soon: prefetches what on_timer() will touch to the CPU's cache.
  virtual void foresee() const {}

 protected:
  ~SentCommand() = default;
};

/// Owned by the front end, which keeps it until completed(). HostDriver::submit() sends it.
class FrontCommand : public SentCommand {
 public:
  /// `length` bytes of a read or write, if the system keeps bytes: those of a write are taken at submission, those of a
  /// read are valid at completion. Null: not used.
  std::byte* data = nullptr;

 protected:
  virtual ~FrontCommand() = default;
  /// Called at completion, with `status` set. May submit commands.
  virtual void completed() = 0;

 private:
  friend class HostDriver;
  void on_timer() final;

  class HostDriver* driver_ = nullptr;
  std::uint32_t job_ = 0;
  bool kept_ = false;  // of an append: its bytes are where it was placed
  std::vector<SectorToken> contents_;
};

}  // namespace flashloom
